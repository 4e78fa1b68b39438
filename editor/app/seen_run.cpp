#include "app/seen_run.hpp"

#include "document/translated.hpp"
#include "floe/base/file.hpp"
#include "floe/graph/check.hpp"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace floe::editor {

namespace {

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

RunSource RunSource::read(const QString& report, const graph::TypeLibrary& types)
{
    const std::string file = QFileInfo(report).absoluteFilePath().toStdString();
    const Json run = parseJson(readFile(file), file);
    const QString graphFile = client::textOf(run, "graph");
    if (graphFile.isEmpty())
        throw IoError({.file = file}, "is not the report of a run",
                      "choose the file run.json in a run's output folder");
    RunSource source;
    source.document = graph::Document::load(graphOf(report, graphFile).toStdString());
    graph::migrate(source.document, types);
    if (const Json* overrides = client::member(run, "overrides"); overrides)
        for (const Json& assignment : *overrides)
            if (assignment.is_string())
                graph::applyOverride(source.document, assignment.get<std::string>(), types);
    if (const Json* range = client::member(run, "range")) {
        auto& frames = source.document.range;
        frames.start = int(client::integerOf(*range, "start", frames.start));
        frames.end = int(client::integerOf(*range, "end", frames.end));
    }
    source.cache = QFileInfo(report).absoluteDir().filePath("cache");
    if (!QFileInfo(source.cache).isDir())
        throw IoError({.file = file}, "has kept no frames", "run the graph with --cache");
    source.name = nameOf(report);
    if (const Json* frames = client::member(run, "frames"); frames && frames->is_array())
        for (const Json& frame : *frames)
            source.numbers[int(client::integerOf(frame, "frame", 0))] = views::frameNumbers(frame);
    return source;
}

SeenRun::SeenRun(RunSource source, const graph::TypeLibrary& types, const QString& program,
                 QObject* parent)
    : QObject(parent), source_(std::move(source))
{
    connect(&runtime_, &client::Runtime::pictureArrived, this,
            [this](const client::Picture& picture) {
                picture_ = picture.image;
                shownFrame_ = picture.frame;
                shownCached_ = picture.cached;
                emit changed();
            });
    connect(&runtime_, &client::Runtime::framesChanged, this, [this] {
        if (runtime_.knowsDocument() && !std::exchange(used_, true))
            use();
    });
    connect(&runtime_, &client::Runtime::frameFinished, this,
            [this](int frame, const Json& statistics) {
                source_.numbers[frame] = views::frameNumbers(statistics);
                emit changed();
            });
    connect(&runtime_, &client::Runtime::refused, this, &SeenRun::fail);
    connect(&runtime_, &client::Runtime::lost, this,
            [this](const QString& message) { fail(message); });
    connect(&runtime_, &client::Runtime::runStateChanged, this,
            [this](client::RunState state, const QString& message) {
                if (state == client::RunState::Failed)
                    fail(message);
            });
    runtime_.setDocument(Json::parse(source_.document.format(types), nullptr, false),
                         QString::fromStdString(source_.document.path));
    runtime_.start(program);
}

SeenRun::~SeenRun()
{
    runtime_.disconnect(this); // its end is nobody's news
}

void SeenRun::fail(const QString& message)
{
    failure_ = message;
    emit changed();
}

void SeenRun::use()
{
    for (const graph::Fault& fault : runtime_.faults())
        if (fault.severity == graph::Severity::Error)
            return fail(translated(fault.line()));
    if (source_.cache.isEmpty())
        return runtime_.play();
    runtime_.request(
        this, QStringLiteral("cache.open"), {{"folder", source_.cache.toStdString()}},
        [](const Json&) {}, [this](const QString& message) { fail(message); });
}

const views::FrameNumbers* SeenRun::at(int frame) const
{
    const auto found = source_.numbers.find(frame);
    return found == source_.numbers.end() ? nullptr : &found->second;
}

QString SeenRun::note() const
{
    if (!failure_.isEmpty())
        return failure_;
    if (!shownFrame_)
        return tr("Preparing the view …");
    if (shownCached_)
        return {};
    return source_.cache.isEmpty() ? tr("Simulating …") : tr("This frame was not kept");
}

/// From where the window's is seen, at its frame.
void SeenRun::look(const client::View& view)
{
    client::View same = view;
    same.selected.clear(); // it may have no such node
    runtime_.setView(same);
}

} // namespace floe::editor
