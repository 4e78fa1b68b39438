#pragma once

#include <QStringList>
#include <QWidget>

class QBoxLayout;
class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace floe::editor {

/// A scene that comes with Floe.
struct Example {
    QString path, title, description, picture;
    bool large = false; ///< takes minutes at its full size
};

/// The example graphs of the installation (share/floe/graphs) or of the source tree.
std::vector<Example> examples();

/// All other graphs beside them, by their folders: titles from the files' names, texts from their
/// note `about`. Those of the validation suite are left out.
std::vector<Example> moreScenes();

/// Is the file one of the examples? Examples are opened, never saved over.
bool isExample(const QString& path);

/// What one sees first: the examples as pictures, the files one worked on, help.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);
    void setRecent(const QStringList& files);
    /// The scene that waits behind this page. Empty: none does.
    void setWaiting(const QString& scene);

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void backWanted(); ///< to the scene that waits
    void fileChosen(const QString& path);
    void newWanted();
    void openWanted();
    void manualWanted(const QString& page);

private:
    void arrange(); ///< as many pictures in a row as there is room for

    struct Gallery {
        QGridLayout* grid;
        QList<QWidget*> cards;
    };
    Gallery galleries_[2]; ///< small scenes, large ones
    QBoxLayout* columns_;
    QVBoxLayout* recent_;
    QPushButton *back_, *create_;
};

} // namespace floe::editor
