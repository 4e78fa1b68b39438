#include "canvas/canvas.hpp"
#include "document/translated.hpp"

#include <utility>

namespace floe::editor {

void Canvas::setNodeStatus(const QString& path, const NodeStatus& status)
{
    // Beside the node its name need not be said again.
    NodeStatus own = status;
    const QString said = QStringLiteral("node '%1': ").arg(path);
    if (own.message.startsWith(said))
        own.message.remove(0, said.size());
    runtime_[path] = own;
    updateStatuses();
}

void Canvas::clearStatuses()
{
    runtime_.clear();
    updateStatuses();
}

void Canvas::setKeptFrames(const QMap<QString, KeptFrames>& kept)
{
    if (kept_ == kept)
        return;
    kept_ = kept;
    updateStatuses();
}

void Canvas::setFrameKept(bool kept)
{
    if (std::exchange(frameKept_, kept) != kept)
        updateStatuses();
}

void Canvas::updateStatuses()
{
    const graph::Graph* g = document_.graph(scene_.scope);
    if (!g)
        return;
    const QString prefix = pathOf({});
    std::map<std::string, NodeStatus> statuses;
    const auto local = [&](const QString& path, bool& inner) -> std::string {
        QString rest = path;
        if (!prefix.isEmpty()) {
            if (path.startsWith(prefix))
                rest = path.mid(prefix.size());
            else if (path.startsWith(QString::fromStdString(scene_.scope) + '/'))
                rest = path.mid(qsizetype(scene_.scope.size()) + 1);
            else
                return {};
        }
        inner = rest.contains('/');
        return rest.section('/', 0, 0).toStdString();
    };
    for (const auto& [path, status] : runtime_) {
        bool inner = false;
        const std::string name = local(path, inner);
        if (name.empty())
            continue;
        auto [entry, isNew] = statuses.try_emplace(name, status);
        if (!isNew && (status.state == NodeState::Error || status.state == NodeState::Cooking))
            entry->second = status;
    }
    for (const graph::Fault& fault : document_.faults()) {
        bool inner = false;
        const std::string name = local(QString::fromStdString(fault.node), inner);
        if (name.empty())
            continue;
        NodeStatus& status = statuses[name];
        if (status.state == NodeState::Error)
            continue;
        const bool error = fault.severity == graph::Severity::Error;
        if (!error && status.state == NodeState::Warning)
            continue;
        status = {fault.code == graph::kMissingPlugin ? NodeState::Missing
                  : error                             ? NodeState::Error
                                                      : NodeState::Warning,
                  translated(fault.sentence()), inner ? std::string() : fault.field, -1};
    }
    for (const graph::Node& node : g->nodes) {
        NodeStatus status = statuses[node.name];
        if (const graph::NodeType* type = document_.typeOf(scope(), node.name);
            frameKept_ && status.state == NodeState::Fine && type &&
            type->role == graph::Role::Solver)
            status.state = NodeState::Cached;
        if (const auto kept = kept_.constFind(pathOf(node.name)); kept != kept_.cend())
            status.kept = *kept;
        if (const QRectF area = scene_.setStatus(node.name, status); !area.isEmpty()) {
            backing_.touch(area.adjusted(-10, -10, 100, 34)); // with its message
            map_ = {};
        }
    }
    update();
}

} // namespace floe::editor
