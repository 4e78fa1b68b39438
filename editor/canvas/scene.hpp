#pragma once

#include "canvas/look.hpp"
#include "document/document.hpp"

#include <QPainterPath>
#include <QRectF>
#include <QStaticText>
#include <QVector>

#include <optional>
#include <unordered_map>
#include <vector>

namespace floe::editor {

enum class NodeState { Fine, Warning, Error, Cooking, Cached, Missing };

/// Frames first to last, both included, that a node has on disk.
struct KeptSpan {
    int first = 0, last = 0;
    bool fresh = true; ///< they are as the scene gives them
    bool operator==(const KeptSpan&) const = default;
};

/// What a node has on disk, and the scene's frames.
struct KeptFrames {
    int first = 1, last = 1;
    QVector<KeptSpan> spans;
    bool operator==(const KeptFrames&) const = default;
};

struct NodeStatus {
    NodeState state = NodeState::Fine;
    QString message;
    std::string field;                ///< socket or parameter at fault
    double progress = -1;             ///< Cooking: 0 to 1; else negative
    std::optional<KeptFrames> kept{}; ///< none: it keeps none
    bool operator==(const NodeStatus&) const = default;
};

/// A socket as drawn.
struct SocketItem {
    std::string name;
    QString label, help;
    std::vector<std::string> kinds;
    std::uint64_t bits = 0;
    KindLook look;
    QPointF offset; ///< from the card's corner
    bool required = false, multiple = false;
    int links = 0;
    QStaticText labelText; ///< laid out once
};

/// A node as drawn. Lengths are in scene units: a pixel at zoom 1.
struct Card {
    std::string name;
    QString title, subtitle, help;
    QRectF rect;
    QColor category;
    std::string icon; ///< the category whose drawing it has
    std::vector<SocketItem> inputs, outputs;
    std::vector<int> wires; ///< indices of those that end here
    bool bypass = false;
    bool ghost = false; ///< its shape is seen in the viewport
    bool known = true;  ///< its type is
    bool instance = false;
    NodeStatus status;
    QStaticText titleText, subtitleText; ///< laid out once
    QStaticText smallText;               ///< the name when seen from afar
    int smallSize = 0;                   ///< [pixels] of its font

    QPointF socket(bool output, int index) const
    {
        return rect.topLeft() + (output ? outputs : inputs)[std::size_t(index)].offset;
    }
};

struct Wire {
    graph::Link link;
    int from = -1, to = -1;             ///< cards
    int fromSocket = -1, toSocket = -1; ///< -1: the type is unknown or has none of that name
    std::vector<QPointF> bends;
    QPainterPath path;
    QPolygonF line; ///< the same in a few straight pieces
    QRectF bounds;
    QColor colour;
    QString note; ///< short; empty: none
};

struct Backdrop {
    std::string name;
    QString title;
    QRectF rect;
    QColor colour;
};

struct NoteItem {
    std::string name;
    QString text;
    QRectF rect;
};

/// One graph of the document laid out for drawing: where every card, socket and wire is.
///
/// Follows the document: structure is rebuilt as a whole when asked for after a change (a few
/// milliseconds for thousands of nodes); positions and states change one card only.
class Scene {
public:
    explicit Scene(const Document& document) : document_(document) {}

    std::string scope;
    std::vector<Card> cards;
    std::vector<Wire> wires;
    std::vector<Backdrop> backdrops;
    std::vector<NoteItem> notes;

    void invalidate() { stale_ = true; }
    void ensure(); ///< rebuilds when something has changed; call before reading

    int find(const std::string& name) const; ///< card; -1: none

    /// The first place from `place` down where the card covers no other.
    QPointF freePlace(const std::string& name, QPointF place) const;
    int findWire(const graph::Link& link) const;

    /// Moves a card on the picture alone.
    void place(int card, QPointF corner);
    void updateLayout(const std::string& name);
    void updateNode(const std::string& name); ///< bypass
    /// @return the card's rectangle when it looks different now, else empty
    QRectF setStatus(const std::string& name, const NodeStatus& status);

    /// Around all cards, notes and backdrops.
    QRectF bounds() const;

    /// Where a wire leaves or arrives. Points of sockets that are not known lie at the card's head.
    QPointF start(const Wire& wire) const;
    QPointF end(const Wire& wire) const;

    struct SocketHit {
        int card = -1;
        bool output = false;
        int socket = -1;
        explicit operator bool() const { return card >= 0; }
        bool operator==(const SocketHit&) const = default;
    };
    SocketHit socketAt(QPointF point, double reach) const;
    int cardAt(QPointF point) const; ///< topmost
    int wireAt(QPointF point, double reach) const;

    /// Bend of a wire: wire and index of the point; -1: none.
    std::pair<int, int> bendAt(QPointF point, double reach) const;

    /// Curve from an output to an input through bends.
    static QPainterPath curve(QPointF from, QPointF to, const std::vector<QPointF>& bends);
    /// Points along a curve of cubic parts.
    static QPolygonF pieces(const QPainterPath& path, int perPart);

private:
    void build();
    void layOut(Card& card, const graph::Node& node);
    void route(Wire& wire);
    void buildDecorations();

    const Document& document_;
    std::unordered_map<std::string, int> index_;
    std::unordered_map<std::string, NodeStatus> statuses_;
    bool stale_ = true;
};

inline constexpr double kCardWidth = 172;
inline constexpr double kHeaderHeight = 38;
inline constexpr double kRowHeight = 19;
inline constexpr double kSocketRadius = 5;

} // namespace floe::editor
