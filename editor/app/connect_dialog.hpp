#pragma once

#include <QDialog>

#include <optional>
#include <utility>

class QLabel;
class QLineEdit;
class QPushButton;

namespace floe::editor {

/// "host:7000" or "[::1]:7000". @return nothing when it is neither
std::optional<std::pair<QString, quint16>> parseAddress(const QString& text);

/// Asks where a runtime listens and for the token that it printed.
class ConnectDialog : public QDialog {
    Q_OBJECT
public:
    explicit ConnectDialog(const QString& address, QWidget* parent = nullptr);
    QString address() const;
    QString token() const;

signals:
    void ownWanted(); ///< the runtime of this computer instead

private:
    void check();

    QLineEdit *address_, *token_;
    QLabel* fault_;
    QPushButton* connect_;
};

} // namespace floe::editor
