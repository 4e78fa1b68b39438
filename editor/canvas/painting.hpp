#pragma once

#include "canvas/scene.hpp"

#include <QTransform>

#include <set>

class QPainter;

namespace floe::editor {

/// What the picture shows beyond the graph itself.
struct Attention {
    const std::set<std::string>* selection = nullptr;
    int hoverCard = -1, hoverWire = -1;
    Scene::SocketHit hoverSocket;
    std::set<int> selectedWires;

    // While a wire is pulled: sockets that do not fit are dimmed.
    bool pulling = false;
    bool pullingFromOutput = false;
    std::uint64_t pullBits = 0;
    const std::vector<bool>* unreachable = nullptr; ///< cards that would make a loop
    std::string selectedDecoration;
};

/// Which part of the picture is painted: what moves is painted over what stays (see Canvas).
enum class Part { All, Resting, Moving };

/// Paints a scene. Detail goes with the zoom: below 0.5 socket names vanish, below 0.22 cards are
/// plain rectangles and wires thin lines, so that thousands of nodes stay fluid.
/// @param view    scene to widget
/// @param visible in scene units; what lies outside is skipped
/// @param moving  cards that are being dragged
void paintScene(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, Part part = Part::All,
                const std::set<int>& moving = {});

/// The ground with its grid, in widget coordinates.
void paintGround(QPainter& painter, const QRect& area, const QTransform& view);

} // namespace floe::editor
