#include "shell/main_window.hpp"

#include "canvas/network_view.hpp"
#include "canvas/search_popup.hpp"
#include "document/translated.hpp"
#include "shell/library_panel.hpp"
#include "shell/notice.hpp"
#include "shell/shortcut_editor.hpp"
#include "shell/start_page.hpp"
#include "themes/theme.hpp"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace floe::editor {

namespace {
constexpr int kStatusWidth = 560, kStatusHeight = 30; // what is told there moves nothing else
} // namespace

MainWindow::MainWindow(Types types, QWidget* parent)
    : QMainWindow(parent), document_(std::move(types)), recovery_(document_),
      stack_(new QStackedWidget(this)), start_(new StartPage(this)), work_(new QMainWindow),
      network_(new NetworkView(document_)),
      library_(new LibraryPanel([this] { return canvas()->libraryEntries(); })),
      notice_(new Notice(this)),
      palette_(new SearchPopup(tr("Run a command"), "search/commands", this)),
      faults_(new QLabel(this))
{
    setObjectName("mainWindow");
    setAcceptDrops(true);
    setWindowIcon(icon("floe"));
    work_->setObjectName("work");
    work_->setWindowFlags(Qt::Widget);
    work_->setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks |
                          QMainWindow::AllowTabbedDocks | QMainWindow::GroupedDragging);
    work_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    work_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    work_->setCentralWidget(nullptr);

    auto* page = new QWidget(this);
    below_ = new QVBoxLayout(page);
    below_->setContentsMargins(0, 0, 0, 0);
    below_->setSpacing(0);
    below_->addWidget(work_, 1);
    stack_->addWidget(start_);
    stack_->addWidget(page);
    setCentralWidget(stack_);
    notice_->lieOn({work_, start_});

    faults_->setObjectName("faults");
    faults_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(faults_, &QLabel::linkActivated, this, &MainWindow::showFaults);
    statusBar()->addPermanentWidget(faults_);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setMinimumHeight(kStatusHeight);

    makeMenus();
    makeToolBar();
    makeComparison();
    addDock("network", tr("Network"), network_, Qt::BottomDockWidgetArea);
    addDock("library", tr("Library"), library_, Qt::RightDockWidgetArea);

    std::vector<Entry> scenes;
    std::vector<Example> ready = examples();
    for (Example& more : moreScenes())
        ready.push_back(std::move(more));
    for (const Example& example : ready)
        scenes.push_back({"scene:" + example.path,
                          example.title,
                          tr("Ready scene"),
                          {"scene", "example", "preset"},
                          example.description,
                          {},
                          "Scene",
                          {},
                          example.picture});
    canvas()->setScenes(std::move(scenes));
    connect(library_, &LibraryPanel::chosen, this, [this](const QString& id) {
        showWork();
        canvas()->drop(id, canvas()->rect().center());
    });
    connect(canvas(), &Canvas::assetsChanged, library_, &LibraryPanel::refresh);
    connect(&document_, &Document::replaced, library_, &LibraryPanel::refresh);
    connect(canvas(), &Canvas::sceneChosen, this, &MainWindow::openInsert);
    connect(canvas(), &Canvas::fileEntered, this, [this](const QString& path) { open(path); });
    connect(canvas(), &Canvas::said, this,
            [this](const QString& text) { statusBar()->showMessage(text, 8000); });
    connect(canvas(), &Canvas::helpWanted, this, [this](const QString& type) {
        if (type.isEmpty())
            emit manualWanted("index");
        else
            emit nodeHelpWanted(type);
    });
    connect(start_, &StartPage::fileChosen, this, &MainWindow::open);
    connect(start_, &StartPage::newWanted, this, &MainWindow::beginNew);
    connect(start_, &StartPage::backWanted, this, &MainWindow::showWork);
    connect(start_, &StartPage::openWanted, this, &MainWindow::openAsked);
    connect(start_, &StartPage::manualWanted, this, &MainWindow::manualWanted);
    connect(palette_, &SearchPopup::chosen, this, [this](const QString& id) {
        for (QAction* action : commands_)
            if (action->objectName() == id)
                QTimer::singleShot(0, action, &QAction::trigger);
    });
    connect(&document_, &Document::modifiedChanged, this, &MainWindow::refreshTitle);
    connect(&document_, &Document::pathChanged, this, &MainWindow::refreshTitle);
    connect(&document_, &Document::faultsChanged, this, &MainWindow::refreshFaults);
    connect(&recovery_, &Recovery::failed, this, [this](const QString& message) {
        copyFailure_ = tr("The safety copy could not be written: %1").arg(message);
        notice_->say(Notice::Severity::Warning, copyFailure_);
    });
    connect(&recovery_, &Recovery::worksAgain, this, [this] {
        if (notice_->text() == copyFailure_)
            notice_->clear();
    });
    followDisk();
    refreshTitle();
    refreshRecent();
    resize(1440, 900);
}

MainWindow::~MainWindow()
{
    document_.disconnect(this);
}

Canvas* MainWindow::canvas() const
{
    return network_->canvas();
}

// --------------------------------------------------------------------------------------- parts

void MainWindow::setViewport(QWidget* widget)
{
    work_->setCentralWidget(widget);
}

void MainWindow::addToStatus(QWidget* widget)
{
    widget->setMinimumWidth(std::min(kStatusWidth, screen()->availableGeometry().width() / 3));
    statusBar()->insertPermanentWidget(0, widget);
}

void MainWindow::addBelow(QWidget* widget)
{
    below_->addWidget(widget);
}

QDockWidget* MainWindow::addDock(const QString& id, const QString& title, QWidget* widget,
                                 Qt::DockWidgetArea area, bool visible)
{
    auto* dock = new QDockWidget(title, work_);
    dock->setObjectName("dock." + id);
    dock->setWidget(widget);
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                      QDockWidget::DockWidgetFloatable);
    if (area == Qt::BottomDockWidgetArea) // its tab says what it is
        dock->setTitleBarWidget(new QWidget(dock));
    QDockWidget* first = nullptr;
    for (QDockWidget* other : work_->findChildren<QDockWidget*>())
        if (other != dock && work_->dockWidgetArea(other) == area && !first)
            first = other;
    if (first)
        work_->tabifyDockWidget(first, dock);
    else
        work_->addDockWidget(area, dock);
    if (first)
        first->raise();
    dock->setVisible(visible);
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName("view." + id);
    toggle->setToolTip(tr("Show or hide %1").arg(title));
    addCommands("view", {toggle});
    return dock;
}

QMenu* MainWindow::menu(const QString& id) const
{
    const auto it = menus_.find(id);
    return it == menus_.end() ? nullptr : it->second;
}

QAction* MainWindow::addCommand(const QString& menuId, const QString& id, const QString& text,
                                const QString& tip, const QList<QKeySequence>& keys,
                                std::function<void()> run, const QString& iconName)
{
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setToolTip(
        keys.isEmpty() ? tip : tip + " (" + keys.front().toString(QKeySequence::NativeText) + ")");
    action->setStatusTip(tip);
    action->setShortcuts(keys);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    connect(action, &QAction::triggered, this, std::move(run));
    addCommands(menuId, {action});
    return action;
}

void MainWindow::addExports(const QList<QAction*>& actions)
{
    menu("file")->insertSeparator(exports_);
    menu("file")->insertActions(exports_, actions);
    commands_ << actions;
}

void MainWindow::addCommands(const QString& menuId, const QList<QAction*>& actions)
{
    for (QAction* action : actions) {
        if (QMenu* target = menu(menuId))
            target->addAction(action);
        if (!action->objectName().isEmpty())
            commands_ << action;
    }
}

void MainWindow::finish()
{
    addComparisonDock();
    firstLayout_ = work_->saveState(kLayoutVersion);
    const QSettings settings;
    if (const QByteArray geometry = settings.value("window/geometry").toByteArray();
        geometry.isEmpty() || !restoreGeometry(geometry)) {
        const QRect room = screen()->availableGeometry();
        resize(std::min(1600, room.width() * 95 / 100), std::min(1000, room.height() * 93 / 100));
        move(room.center() - rect().center());
    }
    if (!work_->restoreState(settings.value("window/docks").toByteArray(), kLayoutVersion))
        resetLayout();
    loadShortcuts(commands_);
    offerRecovery();
}

void MainWindow::resetLayout()
{
    work_->restoreState(firstLayout_, kLayoutVersion);
    const auto docks = work_->findChildren<QDockWidget*>();
    QList<QDockWidget*> right, bottom;
    for (QDockWidget* dock : docks) {
        const auto area = work_->dockWidgetArea(dock);
        if (area == Qt::RightDockWidgetArea && right.isEmpty())
            right << dock;
        if (area == Qt::BottomDockWidgetArea && bottom.isEmpty())
            bottom << dock;
    }
    if (!right.isEmpty())
        work_->resizeDocks(right, {390}, Qt::Horizontal);
    if (!bottom.isEmpty())
        work_->resizeDocks(bottom, {work_->centralWidget() ? height() * 40 / 100 : height()},
                           Qt::Vertical);
    if (auto* dock = work_->findChild<QDockWidget*>("dock.network"))
        dock->raise();
}

// --------------------------------------------------------------------------------------- menus

void MainWindow::makeMenus()
{
    const std::pair<const char*, QString> titles[] = {{"file", tr("&File")}, {"edit", tr("&Edit")},
                                                      {"view", tr("&View")}, {"node", tr("&Node")},
                                                      {"run", tr("&Run")},   {"help", tr("&Help")}};
    for (const auto& [id, title] : titles) {
        menus_[id] = menuBar()->addMenu(title);
        menus_[id]->setToolTipsVisible(true);
    }
    addCommand(
        "file", "file.new", tr("New"), tr("Begin an empty scene"), {QKeySequence::New},
        [this] { beginNew(); }, "new");
    addCommand(
        "file", "file.open", tr("Open…"), tr("Open a graph file"), {QKeySequence::Open},
        [this] { openAsked(); }, "open");
    recentMenu_ = menu("file")->addMenu(tr("Open recent"));
    addCommand(
        "file", "file.start", tr("Start page"), tr("Example scenes and recent files"), {},
        [this] { showStart(); }, "home");
    menu("file")->addSeparator();
    addCommand(
        "file", "file.save", tr("Save"), tr("Save the graph"), {QKeySequence::Save},
        [this] { save(); }, "save");
    addCommand("file", "file.saveAs", tr("Save as…"), tr("Save the graph as another file"),
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { saveAs(); });
    menu("file")->addSeparator();
    addCommand(
        "file", "file.commandLine", tr("Copy command line"),
        tr("Copy the command that simulates this scene without the editor"), {},
        [this] { emit commandLineWanted(); }, "terminal");
    addCommand("file", "file.cost", tr("What a run takes"),
               tr("Try the first frames: particles, memory, steps and time"), {},
               [this] { emit costWanted(); });
    exports_ = menu("file")->addSeparator();
    addCommand("file", "file.quit", tr("Quit"), tr("Close the window"),
               {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });

    QAction* undo = document_.undo().createUndoAction(this, tr("Undo"));
    undo->setObjectName("edit.undo");
    undo->setShortcuts(QKeySequence::Undo);
    undo->setIcon(icon("undo"));
    QAction* redo = document_.undo().createRedoAction(this, tr("Redo"));
    redo->setObjectName("edit.redo");
    redo->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    redo->setIcon(icon("redo"));
    undo->setProperty("whyNot", tr("There is nothing to undo."));
    redo->setProperty("whyNot", tr("There is nothing to redo."));
    addCommands("edit", {undo, redo});
    menu("edit")->addSeparator();
    const auto canvasCommands = [this](const QString& menuId,
                                       std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (*id == '-')
                menu(menuId)->addSeparator();
            else if (QAction* action = canvas()->command(id))
                addCommands(menuId, {action});
    };
    for (const auto& [id, name] :
         std::initializer_list<std::pair<const char*, const char*>>{{"canvas.add", "add"},
                                                                    {"canvas.frameAll", "frame"},
                                                                    {"canvas.tidy", "tidy"},
                                                                    {"canvas.group", "group"},
                                                                    {"canvas.note", "note"},
                                                                    {"canvas.bypass", "bypass"},
                                                                    {"canvas.copy", "copy"},
                                                                    {"canvas.delete", "delete"},
                                                                    {"canvas.help", "help"}})
        canvas()->command(id)->setIcon(icon(name));
    canvasCommands("edit", {"canvas.cut", "canvas.copy", "canvas.paste", "canvas.duplicate",
                            "canvas.delete", "canvas.selectAll", "canvas.find", "-"});
    addCommand(
        "edit", "edit.palette", tr("Run a command…"), tr("Find any command by its name"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [this] { showPalette(); }, "search");
    addCommand("edit", "edit.shortcuts", tr("Shortcuts…"), tr("Change the keys of commands"), {},
               [this] { editShortcuts(); });
    canvasCommands("node", {"canvas.add", "canvas.link", "-", "canvas.bypass", "canvas.ghost",
                            "canvas.rename", "canvas.colour", "-", "canvas.group", "canvas.asset",
                            "canvas.enter", "canvas.leave", "-", "canvas.backdrop", "canvas.note",
                            "-", "canvas.tidy", "canvas.alignLeft", "canvas.alignTop"});
    canvasCommands("view", {"canvas.frameAll", "canvas.frameSelection", "canvas.minimap", "-"});
    addCommand("view", "view.fullScreen", tr("Full screen"), tr("Use the whole screen, or not"),
               {QKeySequence(Qt::Key_F11)},
               [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    addCommand("view", "view.reset", tr("Reset layout"), tr("Put all panels where they were first"),
               {}, [this] {
                   resetLayout();
                   emit layoutReset();
               });
    menu("view")->addSeparator();
    addCommand(
        "help", "help.manual", tr("Manual"), tr("Tutorials and the reference of all nodes"), {},
        [this] { emit manualWanted("index"); }, "help");
    canvasCommands("help", {"canvas.help"});
    menu("help")->addSeparator();
    addCommand("help", "help.about", tr("About Floe"), tr("Version and licences"), {},
               [this] { showAbout(); });
}

void MainWindow::makeToolBar()
{
    auto* bar = addToolBar(tr("Tools"));
    bar->setObjectName("tools");
    bar->setMovable(false);
    bar->setIconSize({20, 20});
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const auto find = [this](const QString& id) -> QAction* {
        for (QAction* action : commands_)
            if (action->objectName() == id)
                return action;
        return nullptr;
    };
    for (const char* id : {"file.start", "file.new", "file.open", "file.save", "-", "edit.undo",
                           "edit.redo", "-", "canvas.add", "canvas.tidy", "canvas.group",
                           "canvas.note", "canvas.bypass", "canvas.frameAll", "-", "edit.palette"})
        if (*id == '-')
            bar->addSeparator();
        else if (QAction* action = find(id))
            bar->addAction(action);
    for (QToolButton* button : bar->findChildren<QToolButton*>())
        button->setFocusPolicy(Qt::TabFocus);
}

void MainWindow::editShortcuts()
{
    ShortcutEditor(commands_,
                   QApplication::activeModalWidget() ? QApplication::activeModalWidget() : this)
        .exec();
}

void MainWindow::showPalette()
{
    std::vector<Entry> entries;
    for (const QAction* action : commands_) {
        if (action->objectName() == "edit.palette")
            continue;
        const QString group = action->objectName().section('.', 0, 0);
        const QMenu* at = menu(group == "canvas" ? "node" : group);
        entries.push_back({action->objectName(),
                           action->text().remove('&').remove("…"),
                           at ? at->title().remove('&') : QString(),
                           {},
                           action->statusTip(),
                           action->shortcut().toString(QKeySequence::NativeText)});
        if (action->isEnabled())
            continue;
        const QString why = action->property("whyNot").toString();
        entries.back().whyNot = why.isEmpty() ? tr("Not possible at the moment.") : why;
    }
    palette_->open(std::move(entries),
                   mapToGlobal(QPoint((width() - palette_->width()) / 2, height() / 6)));
}

void MainWindow::showAbout()
{
    QMessageBox box(this);
    box.setWindowTitle(tr("About Floe"));
    box.setIconPixmap(icon("floe").pixmap(64, 64));
    box.setText(tr("<h3>Floe %1</h3><p>Node graphs for physical simulation.</p>")
                    .arg(QApplication::applicationVersion()));
    box.setInformativeText(
        tr("Apache License 2.0. Uses Qt %1, OpenVDB, Vulkan and nlohmann::json; their licences are "
           "their own.")
            .arg(qVersion()));
    box.exec();
}

// ---------------------------------------------------------------------------------------- state

void MainWindow::refreshTitle()
{
    const QString name = exampleName_.isEmpty() ? document_.title() : exampleName_;
    setWindowTitle(tr("%1[*] – Floe").arg(name));
    setWindowModified(document_.isModified());
}

void MainWindow::refreshFaults()
{
    int errors = 0, warnings = 0;
    for (const graph::Fault& fault : document_.faults())
        ++(fault.severity == graph::Severity::Error ? errors : warnings);
    QStringList parts;
    if (errors)
        parts += tr("%n error(s)", nullptr, errors);
    if (warnings)
        parts += tr("%n warning(s)", nullptr, warnings);
    faults_->setText(parts.isEmpty()
                         ? tr("No faults")
                         : QString("<a href='faults' style='color:%1; text-decoration:none'>%2</a>")
                               .arg((errors ? themeColours().error : themeColours().warning).name(),
                                    parts.join(", ")));
    QStringList texts;
    for (const graph::Fault& fault : document_.faults())
        if (texts.size() < 12)
            texts += translated(fault.line());
    faults_->setToolTip(texts.join('\n'));
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::StyleChange) // the colour is in the text
        refreshFaults();
}

void MainWindow::showFaults()
{
    QMenu list(this);
    for (const graph::Fault& fault : document_.faults()) {
        if (list.actions().size() >= 30)
            break;
        const QString node = QString::fromStdString(fault.node);
        const QString said = translated(
            graph::within(graph::TranslatableText::verbatim(fault.node), fault.sentence()));
        QAction* action = list.addAction(
            icon(fault.severity == graph::Severity::Error ? "error" : "warning"), said.left(180));
        connect(action, &QAction::triggered, this, [this, node] {
            if (!node.isEmpty())
                canvas()->reveal(node);
        });
    }
    list.exec(QCursor::pos() - QPoint(0, list.sizeHint().height()));
}

} // namespace floe::editor
