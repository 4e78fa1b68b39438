#include "canvas/canvas.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace floe::editor {

void Canvas::setMarks(Marks marks, bool coming)
{
    marks_ = std::move(marks);
    marksCome_ = coming;
    update();
}

bool Canvas::hasConflicts() const
{
    return std::any_of(marks_.begin(), marks_.end(), [](const auto& graph) {
        const auto& nodes = graph.second.nodes;
        return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
            return node.second == GraphMarks::Mark::Conflict;
        });
    });
}

const GraphMarks* Canvas::shownMarks() const
{
    const auto found = marks_.find(scene_.scope);
    return found == marks_.end() ? nullptr : &found->second;
}

/// Instances to enter from the document's own graph; none: nothing leads there.
std::optional<QStringList> Canvas::pathTo(const std::string& scope) const
{
    if (scope == scene_.scope)
        return trail();
    if (scope.empty())
        return QStringList();
    std::set<std::string> seen;
    const std::function<std::optional<QStringList>(const std::string&)> search =
        [&](const std::string& from) -> std::optional<QStringList> {
        const graph::Graph* g = document_.graph(from);
        if (!g || !seen.insert(from).second)
            return std::nullopt;
        for (const graph::Node& node : g->nodes) {
            if (node.graph.empty() || !node.file.empty())
                continue;
            const QString name = QString::fromStdString(node.name);
            if (node.graph == scope)
                return QStringList{name};
            if (auto rest = search(node.graph)) {
                rest->prepend(name);
                return rest;
            }
        }
        return std::nullopt;
    };
    return search({});
}

bool Canvas::revealIn(const std::string& scope, const std::string& name)
{
    auto path = pathTo(scope);
    if (!path)
        return false;
    if (document_.node(scope, name)) {
        *path += QString::fromStdString(name);
        reveal(path->join('/'));
        return true;
    }
    const auto marks = marks_.find(scope);
    if (marks == marks_.end() || !marks->second.ghosts.contains(name))
        return false;
    if (*path != trail()) {
        leave(int(trail_.size()));
        for (const QString& instance : *path)
            enter(instance.toStdString());
    }
    select({});
    if (const QRectF place = marks->second.ghosts.at(name).rect; !visible().contains(place))
        frame(place);
    return true;
}

} // namespace floe::editor
