#pragma once

#include "document/disk_copy.hpp"
#include "document/document.hpp"
#include "document/files.hpp"

#include <QMainWindow>

#include <functional>
#include <map>
#include <optional>
#include <string>

class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QVBoxLayout;

namespace floe::editor {

class Canvas;
class ComparePanel;
class LibraryPanel;
class NetworkView;
class Notice;
class SearchPopup;
class StartPage;

/// The window: menus, tools, docks, files. Knows the document and the network; everything about
/// the runtime is put into it from outside (see app/).
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Types types, QWidget* parent = nullptr);
    ~MainWindow() override;

    Document& document() { return document_; }
    Canvas* canvas() const;
    LibraryPanel* library() const { return library_; }
    Notice* notice() const { return notice_; }
    Recovery& recovery() { return recovery_; }

    // -------------------------------------------------------------------------------- parts
    void setViewport(QWidget* widget); ///< the middle
    void addBelow(QWidget* widget);    ///< a row under everything: timeline, strips
    void addToStatus(QWidget* widget); ///< right in the line at the bottom

    /// A dock. @param id  stable, for the saved layout  @param area  where it is at first
    QDockWidget* addDock(const QString& id, const QString& title, QWidget* widget,
                         Qt::DockWidgetArea area, bool visible = true);

    /// Menus "file", "edit", "view", "node", "run", "help".
    QMenu* menu(const QString& id) const;

    /// Makes a command of menus, palette and shortcut editor. @param id  "file.save"
    QAction* addCommand(const QString& menu, const QString& id, const QString& text,
                        const QString& tip, const QList<QKeySequence>& keys,
                        std::function<void()> run, const QString& iconName = {});
    /// Commands made elsewhere; they need an object name. The command palette shows one that is
    /// disabled in grey, with its property "whyNot" (a sentence).
    void addCommands(const QString& menu, const QList<QAction*>& actions);
    /// Commands that write pictures and the like: in the file menu, before its end.
    void addExports(const QList<QAction*>& actions);
    QList<QAction*> commands() const { return commands_; }

    /// Once all parts are there: the saved layout, shortcuts, recovery.
    void finish();

    // -------------------------------------------------------------------------------- files
    bool open(const QString& path);
    bool save(); ///< of an example: asks for a place
    bool saveAs();
    void showStart();
    void showWork();
    bool isWorking() const;

    void editShortcuts();

    // ------------------------------------------------------------------------------ versions
    ComparePanel* comparison() const { return compare_; }
    void compareWithSaved();
    bool compareWith(const QString& path); ///< @return false when it cannot be read; it is said

signals:
    void manualWanted(const QString& page); ///< "index", ...
    void nodeHelpWanted(const QString& type);
    void commandLineWanted();
    void costWanted();
    void layoutReset(); ///< by the user
    void quitting();

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeMenus();
    void makeToolBar();
    void refreshTitle();
    void refreshFaults();
    void openAsked();
    void noteExample();
    void openInsert(const QString& path);
    void beginNew();
    void followDisk();
    void tellChangedFile();
    void makeComparison();
    void addComparisonDock();
    void showComparison();
    void compareAsked();
    void compareWithDisk();
    void followSaving();
    void mergeDisk();
    void finishMerge();
    std::optional<graph::Document> readDisk(); ///< says why not
    bool mayOverwrite(); ///< asks when somebody else has changed the file meanwhile
    bool letGo();        ///< asks about unsaved changes; false: stay
    void remember(const QString& path);
    void refreshRecent();
    void offerRecovery();
    void showPalette();
    void showAbout();
    void showFaults();
    void resetLayout();
    bool write(const QString& path);

    Document document_;
    Recovery recovery_;
    QStackedWidget* stack_;
    StartPage* start_;
    QMainWindow* work_; ///< docks live in a window of their own, inside this one
    QVBoxLayout* below_;
    NetworkView* network_;
    LibraryPanel* library_;
    static constexpr int kLayoutVersion = 1; ///< another one is not restored
    Notice* notice_;
    SearchPopup* palette_;
    QLabel* faults_;
    QMenu* recentMenu_ = nullptr;
    std::map<QString, QMenu*> menus_;
    QList<QAction*> commands_;
    QAction* exports_ = nullptr; ///< the separator that they come before
    QByteArray firstLayout_;
    ComparePanel* compare_ = nullptr;
    bool comparesWithSaved_ = false; ///< the last comparison began so
    QDockWidget* compareDock_ = nullptr;
    std::string diskText_; ///< that a merge was prepared with
    DiskCopy disk_;        ///< the document's file
    QString copyFailure_;  ///< told last
    QString exampleName_;
};

} // namespace floe::editor
