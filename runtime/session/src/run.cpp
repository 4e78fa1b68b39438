#include "floe/session/session.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "floe/session/library.hpp"
#include "floe/session/run_loop.hpp"

#include <string_view>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

graph::FlatGraph prepare(const RunSettings& settings, const Library& library)
{
    graph::Document document = graph::Document::load(settings.graph.string());
    graph::migrate(document, library.types());
    for (const std::string& assignment : settings.overrides)
        graph::applyOverride(document, assignment, library.types());
    graph::FlatGraph flat = graph::flatten(document, library.types());
    if (settings.start)
        flat.range.start = *settings.start;
    if (settings.end)
        flat.range.end = *settings.end;
    if (flat.range.end < flat.range.start)
        throw InputError({.file = settings.graph.string()},
                         "the last frame, " + std::to_string(flat.range.end) +
                             ", comes before the first, " + std::to_string(flat.range.start));
    return flat;
}

} // namespace

fs::path outputFolder(const RunSettings& settings)
{
    if (!settings.output.empty())
        return fs::absolute(settings.output);
    std::string name = settings.graph.filename().string();
    for (const char* suffix : {".json", ".floe"})
        if (name.ends_with(suffix))
            name.resize(name.size() - std::string_view(suffix).size());
    return fs::absolute(fs::path("out") / name);
}

Outcome run(const RunSettings& settings, Library& library, Observer& observer,
            const std::atomic<bool>& stop)
{
    return runGraph(prepare(settings, library), settings, library, observer, stop, nullptr);
}

} // namespace floe::session
