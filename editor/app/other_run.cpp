#include "app/other_run.hpp"

#include "canvas/canvas.hpp"
#include "document/translated.hpp"
#include "floe/base/file.hpp"
#include "floe/graph/check.hpp"
#include "shell/main_window.hpp"
#include "shell/notice.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QSettings>

#include <cmath>
#include <utility>

namespace floe::editor {

namespace {

/// Numbers of a frame in two short lines.
QString textOf(const views::FrameNumbers& numbers)
{
    QStringList parts;
    if (!std::isnan(numbers.particles))
        parts += OtherRun::tr("%1 particles").arg(views::countText(numbers.particles));
    if (!std::isnan(numbers.topSpeed))
        parts += OtherRun::tr("up to %1 m/s").arg(QLocale().toString(numbers.topSpeed, 'f', 2));
    QStringList costs;
    if (!std::isnan(numbers.substeps))
        costs += OtherRun::tr("%1 substeps").arg(views::countText(numbers.substeps));
    if (!std::isnan(numbers.seconds))
        costs += views::secondsText(numbers.seconds);
    QStringList lines;
    for (const QStringList& line : {parts, costs})
        if (!line.isEmpty())
            lines += line.join(QStringLiteral("  ·  "));
    return lines.join('\n');
}

/// The graph of a run; one that was named from the folder where the run was started is looked for
/// from the folders above its output.
QString graphOf(const QString& report, const QString& graph)
{
    if (QFileInfo(graph).isAbsolute())
        return graph;
    QDir folder = QFileInfo(report).absoluteDir();
    while (!folder.exists(graph) && folder.cdUp()) {
    }
    return folder.filePath(graph);
}

/// Of a variant of a sweep, its folder; else that of the run's output.
QString nameOf(const QString& report)
{
    const QDir folder = QFileInfo(report).absoluteDir();
    if (folder.dirName() != QLatin1String("out"))
        return folder.dirName();
    return QFileInfo(folder.absolutePath()).dir().dirName();
}

} // namespace

OtherRun::OtherRun(MainWindow& window, views::Viewport* viewport, views::History* history,
                   std::function<QString()> program, QObject* parent)
    : QObject(parent), window_(window), viewport_(viewport), history_(history),
      program_(std::move(program))
{
    openAction = window_.addCommand(
        "run", "run.compare", tr("Compare with another run…"),
        tr("Show a run with --cache, such as a variant of a sweep, beside this one"), {}, [this] {
            const QString report = QFileDialog::getOpenFileName(
                &window_, tr("Compare with a run"),
                QSettings().value("files/runs", QDir::homePath()).toString(),
                tr("Runs (run.json);;All files (*)"));
            if (!report.isEmpty() && open(report))
                QSettings().setValue("files/runs", QFileInfo(report).absolutePath());
        });
    holdAction = window_.addCommand("run", "run.hold", tr("Hold this scene for comparison"),
                                    tr("Simulate the scene as it is now beside what it becomes"),
                                    {}, [this] { hold(); });
    besideAction = window_.addCommand("run", "run.beside", tr("Side by side"),
                                      tr("Show the two runs beside each other, not by a line that "
                                         "wipes between them"),
                                      {}, [this] { refresh(); });
    besideAction->setCheckable(true);
    closeAction = window_.addCommand("run", "run.compareEnd", tr("End the comparison"),
                                     tr("Show this run alone"), {}, [this] { close(); });
    connect(viewport_, &views::Viewport::asked, this, &OtherRun::look);
    connect(history_, &views::History::changed, this, [this] {
        if (isOpen())
            refresh();
    });
    connect(&window_.document(), &Document::opened, this, &OtherRun::close);
    refreshActions();
}

OtherRun::~OtherRun() = default;

bool OtherRun::open(const QString& report)
{
    try {
        const std::string file = QFileInfo(report).absoluteFilePath().toStdString();
        const Json run = parseJson(readFile(file), file);
        const QString graphFile = client::textOf(run, "graph");
        if (graphFile.isEmpty())
            throw IoError({.file = file}, "is not the report of a run",
                          "choose the file run.json in a run's output folder");
        const graph::TypeLibrary& types = window_.document().types();
        graph::Document document = graph::Document::load(graphOf(report, graphFile).toStdString());
        graph::migrate(document, types);
        if (const Json* overrides = client::member(run, "overrides"); overrides)
            for (const Json& assignment : *overrides)
                if (assignment.is_string())
                    graph::applyOverride(document, assignment.get<std::string>(), types);
        if (const Json* range = client::member(run, "range")) {
            document.range.start = int(client::integerOf(*range, "start", document.range.start));
            document.range.end = int(client::integerOf(*range, "end", document.range.end));
        }
        const QString cache = QFileInfo(report).absoluteDir().filePath("cache");
        if (!QFileInfo(cache).isDir())
            throw IoError({.file = file}, "has kept no frames", "run the graph with --cache");
        begin(std::move(document), nameOf(report), cache);
        readStatistics(run);
    } catch (const std::exception& error) {
        window_.notice()->say(Notice::Severity::Error,
                              tr("This run cannot be shown: %1").arg(translated(error)));
        return false;
    }
    refresh();
    return true;
}

void OtherRun::hold()
{
    begin(window_.document().content(), tr("held"), {});
    refresh();
}

void OtherRun::begin(graph::Document document, const QString& name, const QString& cache)
{
    close();
    name_ = name;
    cache_ = cache;
    Json json = Json::parse(document.format(window_.document().types()), nullptr, false);
    runtime_ = std::make_unique<client::Runtime>();
    client::Runtime* runtime = runtime_.get();
    connect(runtime, &client::Runtime::pictureArrived, this,
            [this](const client::Picture& picture) {
                picture_ = picture.image;
                shownFrame_ = picture.frame;
                shownCached_ = picture.cached;
                refresh();
            });
    connect(runtime, &client::Runtime::framesChanged, this, [this] {
        if (runtime_->knowsDocument() && !std::exchange(used_, true))
            use();
    });
    connect(runtime, &client::Runtime::frameFinished, this,
            [this](int frame, const Json& statistics) {
                numbers_[frame] = views::frameNumbers(statistics);
                refresh();
            });
    const auto fail = [this](const QString& message) {
        failure_ = message;
        refresh();
    };
    connect(runtime, &client::Runtime::refused, this, fail);
    connect(runtime, &client::Runtime::lost, this,
            [fail](const QString& message) { fail(message); });
    connect(runtime, &client::Runtime::runStateChanged, this,
            [fail](client::RunState state, const QString& message) {
                if (state == client::RunState::Failed)
                    fail(message);
            });
    runtime_->setDocument(std::move(json), QString::fromStdString(document.path));
    runtime_->start(program_());
    views::Wipe wipe = viewport_->area()->wipe();
    wipe.shown = true;
    viewport_->setWipe(wipe);
    look(view_);
    refreshActions();
}

void OtherRun::use()
{
    for (const graph::Fault& fault : runtime_->faults())
        if (fault.severity == graph::Severity::Error) {
            failure_ = translated(fault.line());
            return refresh();
        }
    if (cache_.isEmpty())
        return runtime_->play();
    runtime_->request(
        this, QStringLiteral("cache.open"), {{"folder", cache_.toStdString()}}, [](const Json&) {},
        [this](const QString& message) {
            failure_ = message;
            refresh();
        });
}

void OtherRun::readStatistics(const Json& report)
{
    const Json* frames = client::member(report, "frames");
    if (!frames || !frames->is_array())
        return;
    for (const Json& frame : *frames)
        numbers_[int(client::integerOf(frame, "frame", 0))] = views::frameNumbers(frame);
}

void OtherRun::close()
{
    if (!runtime_)
        return;
    runtime_->disconnect(this);
    runtime_.reset();
    numbers_.clear();
    picture_ = {};
    failure_.clear();
    shownFrame_.reset();
    used_ = false;
    refreshActions();
    viewport_->setWipe({});
}

void OtherRun::setFrame(int frame)
{
    frame_ = frame;
    if (isOpen())
        refresh();
}

/// From where the other one is seen, at its frame.
void OtherRun::look(const client::View& view)
{
    view_ = view;
    if (!runtime_)
        return;
    client::View same = view;
    same.selected.clear(); // it may have no such node
    runtime_->setView(same);
}

void OtherRun::refresh()
{
    if (!isOpen())
        return refreshActions();
    views::Wipe wipe;
    wipe.shown = true;
    wipe.layout =
        besideAction->isChecked() ? views::Wipe::Layout::Beside : views::Wipe::Layout::Over;
    wipe.other = picture_;
    const views::FrameNumbers* mine = history_->at(frame_);
    wipe.mine = {tr("This scene"), mine ? textOf(*mine) : QString()};
    const auto theirs = numbers_.find(frame_);
    wipe.theirs = {name_, theirs == numbers_.end() ? QString() : textOf(theirs->second)};
    if (!failure_.isEmpty())
        wipe.note = failure_;
    else if (!shownFrame_)
        wipe.note = tr("Preparing the view …");
    else if (!shownCached_)
        wipe.note = cache_.isEmpty() ? tr("Simulating …") : tr("This frame was not kept");
    viewport_->setWipe(wipe);
    refreshActions();
}

void OtherRun::refreshActions()
{
    besideAction->setEnabled(isOpen());
    closeAction->setEnabled(isOpen());
    for (QAction* action : {besideAction, closeAction})
        action->setProperty("whyNot", tr("No other run is shown."));
}

} // namespace floe::editor
