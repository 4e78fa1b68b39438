#pragma once

#include "canvas/painting.hpp"

#include <QFont>
#include <QPainter>

#include <functional>

namespace floe::editor {

/// A kind of thing in the picture: what its painters share. Lives for one call of theirs.
class ScenePiece {
public:
    ScenePiece(QPainter& painter, const Scene& scene, const QTransform& view, const QRectF& visible,
               const Attention& attention)
        : p_(painter), scene_(scene), view_(view), visible_(visible), a_(attention),
          scale_(view.m11()), base_(painter.worldTransform())
    {}

protected:
    QPainter& p_;
    const Scene& scene_;
    QTransform view_; ///< scene to widget
    QRectF visible_;  ///< in scene units
    const Attention& a_;
    double scale_;
    QTransform base_; ///< of the painter, before the view's
};

/// Frames behind nodes, and notes.
class DecorationPainter : public ScenePiece {
public:
    using ScenePiece::ScenePiece;
    void paint();

private:
    void backdrop(const Backdrop& backdrop);
    void note(const NoteItem& note);
};

class WirePainter : public ScenePiece {
public:
    using ScenePiece::ScenePiece;
    void wire(std::size_t index);
    void note(std::size_t index); ///< on it, where it has one
    /// Thin lines from `first` to `last`, those of a colour at once.
    void thinWires(std::size_t first, std::size_t last, const std::function<bool(int)>& wanted);

private:
    QColor colourOf(const Wire& wire, bool chosen, bool hot) const;
    bool chosen(const Wire& wire, std::size_t index) const;
};

class CardPainter : public ScenePiece {
public:
    using ScenePiece::ScenePiece;
    /// As much of it as the zoom leaves room for.
    void card(int index);
    /// Cards as rectangles, those of a colour at once.
    void plainCards(std::size_t first, std::size_t last, const std::function<bool(int)>& wanted);

private:
    void eye(QPointF at);
    QColor stateColour(const Card& card) const;
    void named(const Card& card, bool chosen, bool hot);
    void body(const Card& card, bool chosen, bool hot);
    void titles(const Card& card);
    void sockets(const Card& card, int index, bool output);
    void keptFrames(const Card& card);
    void badge(const Card& card);
    void message(const Card& card);
};

/// Below this zoom: thin lines, rectangles with a name. A small network can afford more.
double fineFrom(const Scene& scene);

QFont fontOf(int pixels, QFont::Weight weight = QFont::Normal);
/// Demi-bold, made once a size. GUI thread.
const QFont& nameFont(int pixels);

/// @param t  0: a, 1: b
QColor mixed(const QColor& a, const QColor& b, double t);

/// The head of a card: so much of its category's colour that names on it are legible.
QColor headColour(const QColor& category, bool known);

} // namespace floe::editor
