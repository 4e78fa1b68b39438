#pragma once

#include "canvas/scene.hpp"

#include <QDeadlineTimer>
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

/// Paints a scene in pieces, so that thousands of nodes never hold up the window.
///
/// Detail goes with the zoom: below 0.55 socket names vanish, below 0.4 (0.24 in a
/// small network) cards are rectangles with a name and wires thin lines, below 0.22 names vanish
/// too.
class Painting {
public:
    /// @param view    scene to widget
    /// @param visible in scene units; what lies outside is skipped
    /// @param leftOut cards that are not painted, nor their wires
    Painting(const QTransform& view, const QRectF& visible, std::set<int> leftOut = {});

    /// Goes on where it ended, for about as long as is left.
    /// @param attention what the pointer is over does not show: see paintHover()
    /// @return true when everything is painted
    bool advance(QPainter& painter, const Scene& scene, const Attention& attention,
                 const QDeadlineTimer& end);

private:
    enum class Stage { Decorations, Wires, Cards, Done };
    QTransform view_;
    QRectF visible_;
    std::set<int> leftOut_;
    Stage stage_ = Stage::Decorations;
    std::size_t next_ = 0; ///< wire or card
};

/// Some cards and their wires: what is being dragged, over the rest.
void paintCards(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& cards);

/// What the pointer is over, over everything else.
void paintHover(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& leftOut);

/// Texts on wires, where the zoom leaves room for them.
void paintWireNotes(QPainter& painter, const Scene& scene, const QTransform& view,
                    const QRectF& visible);

/// The ground with its grid. @param area in widget coordinates
void paintGround(QPainter& painter, const QRect& area, const QTransform& view);

} // namespace floe::editor
