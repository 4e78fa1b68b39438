#include "client/runtime.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <cmath>

namespace floe::views {

std::optional<Json> Viewport::pickParams(int which, QPointF at) const
{
    const double ratio = devicePixelRatioF();
    const PictureArea* area = panes_[static_cast<std::size_t>(which)].area;
    const Wipe& wipe = area->wipe();
    if (wipe.shown && (wipe.hidesMine || at.x() > wipe.line(area->size())))
        return std::nullopt;
    Json params = aboutView();
    params["x"] = std::lround(at.x() * ratio);
    params["y"] = std::lround(at.y() * ratio);
    return params;
}

void Viewport::dropAt(int which, const QString& id, QPointF at)
{
    const auto params = pickParams(which, at);
    if (!params)
        return;
    const PictureArea* area = pane(which).area;
    const auto ground = area->camera().onLevel(0, at, area->size());
    runtime_->request(
        this, QStringLiteral("view.pick"), *params,
        [this, id, ground](const Json& result) {
            const Json* place = client::member(result, "position");
            const auto hit = place ? client::triple(*place) : std::nullopt;
            emit dropped(id, client::textOf(result, "node"), hit ? hit : ground);
        },
        [this, id, ground](const QString&) { emit dropped(id, {}, ground); });
}

void Viewport::pickAt(int which, QPointF at)
{
    const auto params = pickParams(which, at);
    if (!params)
        return;
    runtime_->request(
        this, QStringLiteral("view.pick"), *params,
        [this](const Json& result) {
            const QString node = client::textOf(result, "node");
            QStringList parts;
            if (!node.isEmpty())
                parts.append(node);
            if (client::member(result, "particle"))
                parts.append(tr("particle %1").arg(client::integerOf(result, "particle", 0, 0)));
            const Json* place = client::member(result, "position");
            const auto p = place ? client::triple(*place) : std::nullopt;
            if (p)
                parts.append(QStringLiteral("(%1, %2, %3) m")
                                 .arg((*p)[0], 0, 'f', 3)
                                 .arg((*p)[1], 0, 'f', 3)
                                 .arg((*p)[2], 0, 'f', 3));
            emit placePicked(parts.join(QStringLiteral("  ·  ")));
            if (!node.isEmpty())
                emit nodePicked(node);
            if (p && !node.isEmpty())
                goToPlace(*p);
        },
        [](const QString&) {});
}

} // namespace floe::views
