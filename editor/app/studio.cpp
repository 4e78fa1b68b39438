#include "app/studio.hpp"

#include "app/connect_dialog.hpp"
#include "app/cost_estimate.hpp"
#include "app/drive.hpp"
#include "app/emitter_keys.hpp"
#include "app/live_advice.hpp"
#include "app/live_cells.hpp"
#include "app/node_preview.hpp"
#include "app/other_run.hpp"
#include "app/preferences_dialog.hpp"
#include "app/variants_panel.hpp"
#include "canvas/canvas.hpp"
#include "document/translated.hpp"
#include "document/type_source.hpp"
#include "panels/curve_view.hpp"
#include "panels/dope_sheet.hpp"
#include "panels/live_controls.hpp"
#include "panels/parameter_panel.hpp"
#include "shell/notice.hpp"
#include "themes/theme.hpp"
#include "views/log_view.hpp"
#include "views/manual_view.hpp"
#include "views/node_handles.hpp"
#include "views/picture_area.hpp"
#include "views/plots.hpp"
#include "views/progress_strip.hpp"
#include "views/spreadsheet.hpp"
#include "views/statistics_strip.hpp"
#include "views/timeline.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QStatusBar>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kSendDelay = 120; // ms

NodeState stateOf(client::NodeMark mark)
{
    switch (mark) {
    case client::NodeMark::Warning:
        return NodeState::Warning;
    case client::NodeMark::Error:
        return NodeState::Error;
    case client::NodeMark::Cooking:
        return NodeState::Cooking;
    case client::NodeMark::Cached:
        return NodeState::Cached;
    case client::NodeMark::Missing:
        return NodeState::Missing;
    case client::NodeMark::Fine:
        break;
    }
    return NodeState::Fine;
}
} // namespace

Studio::Studio(MainWindow& window)
    : QObject(&window), window_(window), document_(window.document()),
      runtime_(new client::Runtime(this)), viewport_(new views::Viewport(runtime_, &document_)),
      timeline_(new views::Timeline(runtime_)), progress_(new views::ProgressStrip(runtime_))
{
    history_ = new views::History(runtime_, this);
    strip_ = new views::StatisticsStrip(history_);
    plots_ = new views::Plots(history_);
    spreadsheet_ = new views::Spreadsheet(runtime_, &document_);
    panel_ = new panels::ParameterPanel(&document_);
    keys_ = new panels::DopeSheet(&document_);
    new panels::LiveControls(runtime_, &document_, this);
    log_ = new views::LogView(runtime_);
    cost_ = new RunCost(this);
    estimate_ = new CostEstimate(
        document_, panel_, [this] { return program(); }, this);

    preview_ = new NodePreview(
        &document_, [this] { return program(); },
        [this] { return runtime_->runState() == client::RunState::Running; });
    panel_->setPreview(preview_);

    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(viewport_, 1);
    column->addWidget(strip_);
    window_.setViewport(middle);
    window_.addDock("parameters", tr("Parameters"), panel_, Qt::RightDockWidgetArea)->raise();
    window_.addDock("spreadsheet", tr("Spreadsheet"), spreadsheet_, Qt::BottomDockWidgetArea);
    window_.addDock("plots", tr("Statistics"), plots_, Qt::BottomDockWidgetArea);
    window_.addDock("keys", tr("Keys"), keys_, Qt::BottomDockWidgetArea);
    QDockWidget* curves =
        window_.addDock("curves", tr("Curves"), panel_->takeCurves(), Qt::BottomDockWidgetArea);
    connect(panel_, &panels::ParameterPanel::curvesOpened, curves, [curves] {
        curves->show();
        curves->raise();
    });
    window_.addDock("log", tr("Log"), log_, Qt::BottomDockWidgetArea);
    window_.addToStatus(progress_);
    window_.addBelow(timeline_);
    QMenu* run = window_.menu("run");
    window_.addCommands("run", {timeline_->play, timeline_->simulate, timeline_->stop,
                                timeline_->resume, timeline_->live, timeline_->cellsForRate});
    follow_ = window_.addCommand(
        "run", "run.follow", tr("Simulate after edits"),
        tr("What an edit makes stale is simulated again by itself; a running simulation begins "
           "again where it does not follow"),
        {}, [this] { QSettings().setValue("run/follow", follow_->isChecked()); });
    follow_->setCheckable(true);
    follow_->setChecked(QSettings().value("run/follow", false).toBool());
    run->addSeparator();
    window_.addCommands("run", {timeline_->stepBack, timeline_->stepForward, timeline_->toStart,
                                timeline_->toEnd, timeline_->loop});
    run->addSeparator();
    other_ = new OtherRun(
        window_, viewport_, history_, [this] { return program(); }, this);
    variants_ = new VariantsPanel(window_, *other_, [this] { return program(); });
    connect(panel_, &panels::ParameterPanel::compareWanted, variants_,
            &VariantsPanel::askForValues);
    variants_->addDock();
    run->addSeparator();
    window_.menu("view")->addSeparator();
    window_.addCommands("view", viewport_->commands());
    window_.addExports({viewport_->savePicture, viewport_->saveMovie, viewport_->stopMovie});
    window_.addCommand("run", "run.clear", tr("Forget simulated frames"),
                       tr("Remove the simulated frames from the cache"), {},
                       [this] { runtime_->clearCache(); });
    window_.addCommand("run", "run.restart", tr("Restart the runtime"),
                       tr("End the process that simulates and start it again"), {},
                       [this] { runtime_->restart(); });
    window_.addCommand("run", "run.connect", tr("Connect…"),
                       tr("Use a runtime on another computer"), {},
                       [this] { askWhereToConnect(); });
    window_.addCommand("edit", "edit.preferences", tr("Preferences…"),
                       tr("Language, colours, size, safety copies, device and memory"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Comma)}, [this] { askForPreferences(); });
    window_.addCommand("run", "run.rescan", tr("Look for plugins"),
                       tr("Read the plugins' node types again"), {}, [this] { rescan(); });
    connect(log_, &views::LogView::nodeClicked, window_.canvas(), &Canvas::reveal);

    const auto sendNow = [this] {
        send_.stop();
        sendDocument();
    };
    cells_ = new LiveCells(
        document_, runtime_, timeline_, [this] { return program(); }, sendNow,
        [this] { return isSettled(); }, this);
    drive_ = new Drive(
        viewport_, runtime_, &document_, sendNow, [this] { return isSettled(); }, this);
    emitters_ = new EmitterKeys(viewport_, &document_, panel_, this);
    joinRuntime();
    joinDocument();
    joinViews();
    connect(&window_, &MainWindow::manualWanted, this,
            [this](const QString& page) { showManual(page, {}); });
    connect(&window_, &MainWindow::nodeHelpWanted, this,
            [this](const QString& type) { showManual({}, type); });
    connect(&window_, &MainWindow::layoutReset, this,
            [this] { viewport_->setViewLayout(views::ViewLayout::One); });
    connect(&window_, &MainWindow::commandLineWanted, this, &Studio::copyCommandLine);
    connect(&window_, &MainWindow::costWanted, this, &Studio::findCost);
    connect(cost_, &RunCost::found, this, [this](const QString& text) {
        window_.notice()->say(Notice::Severity::Info, text, tr("Copy"),
                              [text] { QApplication::clipboard()->setText(text); });
    });
    connect(cost_, &RunCost::failed, this, [this](const QString& text) {
        window_.notice()->say(Notice::Severity::Warning, text);
    });
    connect(&window_, &MainWindow::quitting, this, [this] {
        delete manual_;
        manual_ = nullptr;
        other_->close();
        preview_->close();
        QSettings settings;
        viewport_->saveViews(settings);
        runtime_->stop();
    });
    usePreferences(Preferences::load());
    viewport_->restoreViews(QSettings());
    showRange();
}

Studio::~Studio() = default;

void Studio::joinRuntime()
{
    connect(runtime_, &client::Runtime::nodeChanged, this,
            [this](const client::NodeStatus& status) {
                window_.canvas()->setNodeStatus(
                    status.node, {stateOf(status.mark), status.message, {}, status.progress});
            });
    connect(runtime_, &client::Runtime::progressed, this, [this](const client::Progress& progress) {
        if (!cooking_.isEmpty() && cooking_ != progress.node)
            window_.canvas()->setNodeStatus(cooking_, {});
        cooking_ = progress.node;
        if (!cooking_.isEmpty())
            window_.canvas()->setNodeStatus(
                cooking_,
                {NodeState::Cooking, tr("Frame %1").arg(progress.frame), {}, progress.fraction});
    });
    connect(runtime_, &client::Runtime::runStateChanged, this,
            [this](client::RunState state, const QString& message, const QString& node) {
                if (state == client::RunState::Running) {
                    finishedFrame_.reset();
                    staleTold_ = false;
                    window_.canvas()->clearStatuses();
                    window_.notice()->clear();
                } else if (state != client::RunState::Stopping && !cooking_.isEmpty()) {
                    window_.canvas()->setNodeStatus(cooking_, {});
                    cooking_.clear();
                }
                if (state != client::RunState::Running && state != client::RunState::Stopping &&
                    std::exchange(forgetAtEnd_, false))
                    forgetFrames();
                if (state != client::RunState::Running && state != client::RunState::Stopping &&
                    std::exchange(playAtEnd_, false))
                    QTimer::singleShot(0, timeline_->simulate, &QAction::trigger);
                preview_->goOn();
                if (state != client::RunState::Failed)
                    return;
                if (!node.isEmpty())
                    window_.canvas()->setNodeStatus(node, {NodeState::Error, message, {}, -1});
                window_.notice()->say(Notice::Severity::Error, message,
                                      node.isEmpty() ? QString() : tr("Show node"), [this, node] {
                                          if (!node.isEmpty())
                                              window_.canvas()->reveal(node);
                                      });
            });
    connect(runtime_, &client::Runtime::frameFinished, this, [this](int frame) {
        finishedFrame_ = frame;
        tellStale();
    });
    connect(runtime_, &client::Runtime::framesChanged, this, &Studio::tellStale);
    connect(runtime_, &client::Runtime::livedThrough, this, [this](double speed) {
        LiveAdvice::offer(document_, *window_.notice(), speed, cells_->times());
    });
    connect(runtime_, &client::Runtime::refused, this, [this](const QString& message) {
        window_.notice()->say(Notice::Severity::Error, message);
    });
    connect(runtime_, &client::Runtime::lost, this,
            [this](const QString&, const QString& node, const QStringList& lastLines) {
                cooking_.clear();
                if (!node.isEmpty()) // the viewport says it; what was printed last is in the log
                    window_.canvas()->setNodeStatus(
                        node,
                        {NodeState::Error,
                         lastLines.isEmpty() ? tr("The runtime ended here.") : lastLines.back(),
                         {},
                         -1});
            });
    connect(runtime_, &client::Runtime::stateChanged, this, [this](client::Runtime::State state) {
        if (state == client::Runtime::State::Ready) // marks of the one that ended are not its own
            window_.canvas()->clearStatuses();
    });
    connect(runtime_, &client::Runtime::warned, this, [this](const QString& message) {
        window_.notice()->say(Notice::Severity::Warning, message);
    });
}

void Studio::joinDocument()
{
    send_.setSingleShot(true);
    send_.setInterval(kSendDelay);
    connect(&send_, &QTimer::timeout, this, &Studio::sendDocument);
    connect(&document_, &Document::edited, this, [this](bool content) {
        if (content) {
            send_.start();
            editedSince_ = true;
        }
    });
    connect(runtime_, &client::Runtime::framesChanged, this, &Studio::followEdits);
    connect(&document_, &Document::pathChanged, &send_, qOverload<>(&QTimer::start));
    connect(&document_, &Document::pathChanged, this, [this] { shownPath_ = document_.path(); });
    connect(&document_, &Document::replaced, this, [this] {
        showRange();
        timeline_->setFrame(document_.content().range.start);
        followSelection();
    });
    connect(&document_, &Document::opened, this, [this] {
        editedSince_ = false;
        // Opened again, a scene keeps its frames; another one begins without any.
        const QString before = std::exchange(shownPath_, document_.path());
        if (before.isEmpty() || before != shownPath_)
            forgetFrames();
    });
    connect(&document_, &Document::rangeChanged, this, &Studio::showRange);
}

void Studio::joinViews()
{
    connect(timeline_, &views::Timeline::rangeEdited, this, [this](int first, int last) {
        graph::FrameRange range = document_.content().range;
        range.start = first;
        range.end = last;
        document_.setRange(range);
    });
    connect(timeline_, &views::Timeline::frameChanged, this, [this](int frame, bool moving) {
        viewport_->setFrame(frame, moving);
        other_->setFrame(frame);
        drive_->setFrame(frame);
        emitters_->setFrame(frame);
        strip_->setFrame(frame);
        plots_->setFrame(frame);
        panel_->setFrame(frame);
        preview_->setFrame(frame);
        keys_->setFrame(frame);
        if (!moving)
            spreadsheet_->setFrame(frame);
    });
    connect(timeline_, &views::Timeline::frameChanged, this, &Studio::showKept);
    connect(runtime_, &client::Runtime::framesChanged, this, &Studio::showKept);
    connect(runtime_, &client::Runtime::framesChanged, this, &Studio::showFiles);
    connect(plots_, &views::Plots::frameClicked, timeline_, &views::Timeline::setFrame);
    connect(panel_, &panels::ParameterPanel::frameWanted, timeline_, &views::Timeline::setFrame);
    connect(keys_, &panels::DopeSheet::frameWanted, timeline_, &views::Timeline::setFrame);
    connect(keys_, &panels::DopeSheet::nodeClicked, this,
            [this](const QString& scope, const QString& node) {
                window_.canvas()->revealIn(scope.toStdString(), node.toStdString());
            });
    connect(panel_, &panels::ParameterPanel::keysChanged, timeline_, &views::Timeline::setKeys);
    connect(panel_, &panels::ParameterPanel::manualWanted, this,
            [this](const QString& type) { showManual({}, type); });
    connect(progress_, &views::ProgressStrip::nodeClicked, window_.canvas(), &Canvas::reveal);
    connect(drive_, &Drive::stepped, timeline_, &views::Timeline::setFrame);
    connect(drive_, &Drive::ended, this, [this](const QString& reason) {
        if (!reason.isEmpty())
            window_.notice()->say(Notice::Severity::Warning, reason);
    });
    connect(viewport_, &views::Viewport::nodePicked, window_.canvas(), &Canvas::reveal);
    connect(viewport_, &views::Viewport::dropped, this, &Studio::putDown);
    window_.canvas()->setSnapshot([this] { return viewport_->area()->picture(); });
    connect(viewport_, &views::Viewport::exportFailed, this, [this](const QString& message) {
        window_.notice()->say(Notice::Severity::Error, message);
    });
    const auto say = [this](const QString& text) {
        window_.statusBar()->showMessage(text, 8000);
    };
    connect(viewport_, &views::Viewport::placePicked, &window_, say);
    connect(emitters_, &EmitterKeys::switched, &window_, say);
    connect(window_.canvas(), &Canvas::selectionChanged, this, &Studio::followSelection);
    connect(&document_, &Document::nodeRenamed, this, [this] { followSelection(); });
}

/// What was dropped into the viewport stands where it was dropped.
void Studio::putDown(const QString& id, const QString& node,
                     const std::optional<views::Vec3>& place)
{
    window_.canvas()->dropOn(id, node, [&](const std::string& added) {
        const std::string& scope = window_.canvas()->scope();
        const auto handles = views::handlesOf(document_, scope, added, timeline_->frame());
        if (!place || handles.points.empty())
            return;
        views::Vec3 value = handles.points.front().own.pointBack(handles.space.pointBack(*place));
        value[1] += handles.halfHeight();
        for (double& each : value)
            each = std::round(each * 1000) / 1000;
        document_.setParameter(scope, added, handles.points.front().parameter, value);
    });
}

void Studio::followSelection()
{
    Canvas* canvas = window_.canvas();
    const std::vector<std::string> chosen = canvas->selection();
    const std::string node = chosen.size() == 1 ? chosen.front() : std::string();
    panel_->setNodes(canvas->scope(), chosen);
    preview_->setNode(canvas->scope(), node);
    keys_->setSelection(canvas->scope(), chosen);
    estimate_->follow(canvas->scope(), node, node.empty() ? QString() : canvas->pathOf(node));
    emitters_->follow(canvas->scope(), node);
    viewport_->setSelection(canvas->scope(), node, node.empty() ? QString() : canvas->pathOf(node));
    spreadsheet_->setNode(node.empty() ? QString() : canvas->pathOf(node));
}

void Studio::showRange()
{
    const graph::FrameRange& range = document_.content().range;
    const int last = std::max(range.start, range.end);
    timeline_->setRange(range.start, last, range.fps > 0 ? range.fps : 24);
    plots_->setRange(range.start, last);
    keys_->setRange(range.start, last);
    progress_->setRange(range.start, last);
}

void Studio::showKept()
{
    const int frame = timeline_->frame();
    const auto& spans = runtime_->frames();
    window_.canvas()->setFrameKept(std::any_of(spans.begin(), spans.end(), [&](const auto& span) {
        return span.state == client::FrameState::Cached && span.first <= frame &&
               frame <= span.last;
    }));
}

/// What file caches have on disk is seen on their cards.
void Studio::showFiles()
{
    const graph::FrameRange& range = document_.content().range;
    QMap<QString, KeptFrames> kept;
    const auto& nodes = runtime_->keptFrames();
    for (auto node = nodes.cbegin(); node != nodes.cend(); ++node) {
        KeptFrames& frames = kept[node.key()];
        frames.first = range.start;
        frames.last = std::max(range.start, range.end);
        for (const client::FrameSpan& span : *node)
            frames.spans.append({span.first, span.last, span.state == client::FrameState::Cached});
    }
    window_.canvas()->setKeptFrames(kept);
}

/// A run goes on with the scene that it began with: once, it is said that what is seen is not what
/// was edited since.
void Studio::tellStale()
{
    if (staleTold_ || !finishedFrame_ || runtime_->runState() != client::RunState::Running)
        return;
    const auto& spans = runtime_->frames();
    staleTold_ = std::any_of(spans.begin(), spans.end(), [&](const client::FrameSpan& span) {
        return span.state == client::FrameState::Stale && span.first <= *finishedFrame_ &&
               *finishedFrame_ <= span.last;
    });
    if (staleTold_ && follow_->isChecked()) {
        playAtEnd_ = true;
        runtime_->cancel();
    } else if (staleTold_)
        window_.notice()->say(Notice::Severity::Info,
                              tr("The scene was edited; this simulation goes on as it began."),
                              tr("Simulate anew"), [this] {
                                  playAtEnd_ = runtime_->runState() == client::RunState::Running;
                                  if (playAtEnd_)
                                      runtime_->cancel();
                                  else
                                      timeline_->simulate->trigger();
                              });
}

/// With the switch on, an edited scene is simulated once the runtime has it.
void Studio::followEdits()
{
    const client::RunState run = runtime_->runState();
    const bool busy = run == client::RunState::Running || run == client::RunState::Stopping;
    if (!editedSince_ || busy || !isSettled())
        return;
    editedSince_ = false;
    const auto& faults = runtime_->faults();
    if (follow_->isChecked() && std::none_of(faults.begin(), faults.end(), [](const auto& fault) {
            return fault.severity == graph::Severity::Error;
        }))
        QTimer::singleShot(0, timeline_->simulate, &QAction::trigger);
}

/// Another scene has no frames: those of the one before are neither in its bar nor its picture.
void Studio::forgetFrames()
{
    history_->clear();
    const client::RunState run = runtime_->runState();
    forgetAtEnd_ = run == client::RunState::Running || run == client::RunState::Stopping;
    if (forgetAtEnd_)
        runtime_->cancel();
    else
        runtime_->clearCache();
}

void Studio::sendDocument()
{
    // Text and JSON of thousands of nodes take longer than a frame: not in the window's thread.
    const int generation = ++sendGeneration_;
    QThreadPool::globalInstance()->start([self = QPointer<Studio>(this), generation,
                                          content = cells_->simulated(),
                                          types = document_.sharedTypes()] {
        Json json;
        try {
            json = Json::parse(content.format(*types), nullptr, false);
        } catch (const std::exception&) {
            return; // text that cannot be kept; the window has said so
        }
        QMetaObject::invokeMethod(QApplication::instance(), [self, generation, path = content.path,
                                                             json = std::move(json)]() mutable {
            if (self && generation == self->sendGeneration_) {
                self->sentGeneration_ = generation;
                self->runtime_->setDocument(std::move(json), QString::fromStdString(path));
            }
        });
    });
}

bool Studio::isSettled() const
{
    return !send_.isActive() && sentGeneration_ == sendGeneration_ && runtime_->knowsDocument();
}

void Studio::connectTo(const QString& address, const QString& token)
{
    const auto place = parseAddress(address);
    if (!place) {
        window_.notice()->say(Notice::Severity::Error,
                              tr("'%1' is not an address; write host:port.").arg(address));
        return runtime_->start();
    }
    const auto greeted = std::make_shared<QMetaObject::Connection>();
    *greeted =
        connect(runtime_, &client::Runtime::stateChanged, this,
                [this, address, greeted](client::Runtime::State state) {
                    if (state == client::Runtime::State::Starting)
                        return;
                    disconnect(*greeted);
                    if (state == client::Runtime::State::Ready)
                        window_.statusBar()->showMessage(tr("Connected to %1").arg(address), 8000);
                });
    runtime_->connectTcp(place->first, place->second, token);
}

void Studio::askWhereToConnect()
{
    QSettings settings;
    ConnectDialog dialog(settings.value("remote/address").toString(), &window_);
    connect(&dialog, &ConnectDialog::ownWanted, this, [this] { runtime_->start(); });
    if (dialog.exec() != QDialog::Accepted)
        return;
    settings.setValue("remote/address", dialog.address());
    connectTo(dialog.address(), dialog.token());
}

void Studio::usePreferences(const Preferences& preferences)
{
    const int longest = preferences.autosaveSeconds * 1000;
    window_.recovery().setDelays(std::min(3000, longest), longest);
    document_.setBackups(preferences.backups);
    runtime_->setDevice(preferences.device);
    runtime_->setOptions(preferences.runtimeOptions());
}

void Studio::askForPreferences()
{
    const Preferences before = Preferences::load();
    PreferencesDialog dialog(before, runtime_->devices(), &window_);
    connect(&dialog, &PreferencesDialog::shortcutsWanted, &window_, &MainWindow::editShortcuts);
    if (dialog.exec() != QDialog::Accepted || dialog.preferences() == before)
        return;
    const Preferences now = dialog.preferences();
    now.save();
    usePreferences(now);
    if (now.theme != before.theme)
        applyTheme(*qApp, themeFor(*qApp, now.theme));
    if (now.runtimeOptions() != before.runtimeOptions() && !runtime_->isElsewhere())
        window_.notice()->say(
            Notice::Severity::Info,
            tr("The limits of frames are used when the runtime is started again, which forgets "
               "the frames simulated so far."),
            tr("Restart the runtime"), [this] { runtime_->restart(); });
}

void Studio::rescan()
{
    std::vector<graph::Fault> faults;
    document_.setTypes(typesFromFolders(pluginFolders(), &faults));
    report(faults);
    if (manual_)
        manual_->setTypes(document_.sharedTypes());
    runtime_->request(this, "types.rescan", Json::object());
    window_.statusBar()->showMessage(
        tr("%n node type(s) found", nullptr, int(document_.types().all().size())), 5000);
}

void Studio::report(const std::vector<graph::Fault>& faults)
{
    using Severity = client::LogLine::Severity;
    for (const graph::Fault& fault : faults)
        log_->model()->add(
            {fault.severity == graph::Severity::Error ? Severity::Error : Severity::Warning,
             {},
             translated(fault.line()),
             QDateTime::currentDateTime()});
}

} // namespace floe::editor
