#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

class QProcess;

namespace floe::editor {

/// One run of `floe` beside the work, which it gives way to.
class FloeProcess : public QObject {
    Q_OBJECT
public:
    explicit FloeProcess(QObject* parent = nullptr) : QObject(parent) {}
    ~FloeProcess() override; ///< ends it

    /// @param folder  where it runs; empty: where this program does
    void start(const QString& program, const QStringList& arguments, const QString& folder = {});
    bool isRunning() const { return process_; }
    void stop(); ///< asks it to end; nothing is heard of it any more

signals:
    /// @param done  it has done what it was asked for
    /// @param output  what it printed
    /// @param said  the last line of its errors, or why there are none
    void ended(bool done, const QByteArray& output, const QString& said);

private:
    void finish();

    QProcess* process_ = nullptr;
};

} // namespace floe::editor
