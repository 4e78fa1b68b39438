#include "canvas/painting.hpp"

#include "canvas/scene_piece.hpp"

#include <algorithm>
#include <map>

namespace floe::editor {

namespace {
constexpr double kNames = 0.22; // below: no names
constexpr std::size_t kBatch = 256;
} // namespace

QFont fontOf(int pixels, QFont::Weight weight)
{
    QFont font;
    font.setPixelSize(pixels);
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferNoHinting); // zoomed text keeps its widths
    return font;
}

const QFont& nameFont(int pixels)
{
    static std::map<int, QFont> fonts; // of the GUI thread
    const auto it = fonts.find(pixels);
    return it != fonts.end() ? it->second
                             : fonts.emplace(pixels, fontOf(pixels, QFont::DemiBold)).first->second;
}

double fineFrom(const Scene& scene)
{
    return scene.cards.size() <= 200 && scene.wires.size() <= 400 ? 0.24 : 0.4;
}

QColor mixed(const QColor& a, const QColor& b, double t)
{
    return QColor::fromRgbF(float(a.redF() + (b.redF() - a.redF()) * t),
                            float(a.greenF() + (b.greenF() - a.greenF()) * t),
                            float(a.blueF() + (b.blueF() - a.blueF()) * t));
}

QColor headColour(const QColor& category, bool known)
{
    return mixed(themeColours().card, category, known ? 0.36 : 0.25);
}

Painting::Painting(const QTransform& view, const QRectF& visible, std::set<int> leftOut)
    : view_(view), visible_(visible), leftOut_(std::move(leftOut))
{}

bool Painting::advance(QPainter& painter, const Scene& scene, const Attention& attention,
                       const QDeadlineTimer& end)
{
    Attention calm = attention;
    calm.hoverCard = calm.hoverWire = -1;
    calm.hoverSocket = {};
    painter.setRenderHint(QPainter::Antialiasing, true);
    WirePainter wires(painter, scene, view_, visible_, calm);
    CardPainter cards(painter, scene, view_, visible_, calm);
    const double scale = view_.m11();
    const auto cardWanted = [this](int card) {
        return !leftOut_.contains(card);
    };
    const auto wireWanted = [this, &scene](int wire) {
        const Wire& w = scene.wires[std::size_t(wire)];
        return leftOut_.empty() || (!leftOut_.contains(w.from) && !leftOut_.contains(w.to));
    };
    do {
        switch (stage_) {
        case Stage::Decorations:
            DecorationPainter(painter, scene, view_, visible_, calm).paint();
            stage_ = Stage::Wires;
            break;
        case Stage::Wires: {
            const std::size_t last = std::min(next_ + kBatch, scene.wires.size());
            if (scale < fineFrom(scene)) {
                wires.thinWires(next_, last, wireWanted);
                next_ = last;
            } else {
                for (; next_ < last && !end.hasExpired(); ++next_)
                    if (wireWanted(int(next_)))
                        wires.wire(next_);
            }
            if (next_ < scene.wires.size())
                break;
            stage_ = Stage::Cards;
            next_ = 0;
            break;
        }
        case Stage::Cards: {
            const std::size_t last = std::min(next_ + kBatch, scene.cards.size());
            if (scale < kNames) {
                cards.plainCards(next_, last, cardWanted);
                next_ = last;
            } else {
                for (; next_ < last && !end.hasExpired(); ++next_)
                    if (cardWanted(int(next_)))
                        cards.card(int(next_));
            }
            if (next_ >= scene.cards.size())
                stage_ = Stage::Done;
            break;
        }
        case Stage::Done:
            break;
        }
    } while (stage_ != Stage::Done && !end.hasExpired());
    return stage_ == Stage::Done;
}

void paintCards(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& cards)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    WirePainter wirePainter(painter, scene, view, visible, attention);
    CardPainter cardPainter(painter, scene, view, visible, attention);
    const auto wanted = [&](int wire) {
        const Wire& w = scene.wires[std::size_t(wire)];
        return cards.contains(w.from) || cards.contains(w.to);
    };
    if (view.m11() < fineFrom(scene))
        wirePainter.thinWires(0, scene.wires.size(), wanted);
    else
        for (std::size_t i = 0; i < scene.wires.size(); ++i)
            if (wanted(int(i)))
                wirePainter.wire(i);
    for (const int card : cards)
        if (view.m11() < kNames)
            cardPainter.plainCards(std::size_t(card), std::size_t(card) + 1,
                                   [](int) { return true; });
        else
            cardPainter.card(card);
}

void paintHover(QPainter& painter, const Scene& scene, const QTransform& view,
                const QRectF& visible, const Attention& attention, const std::set<int>& leftOut)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    WirePainter wirePainter(painter, scene, view, visible, attention);
    CardPainter cardPainter(painter, scene, view, visible, attention);
    const auto card = [&](int index) {
        if (index < 0 || leftOut.contains(index))
            return;
        if (view.m11() < kNames)
            cardPainter.plainCards(std::size_t(index), std::size_t(index) + 1,
                                   [](int) { return true; });
        else
            cardPainter.card(index);
    };
    if (attention.hoverWire >= 0) {
        const auto index = std::size_t(attention.hoverWire);
        if (view.m11() < fineFrom(scene))
            wirePainter.thinWires(index, index + 1, [](int) { return true; });
        else
            wirePainter.wire(index);
        card(scene.wires[index].from);
        card(scene.wires[index].to);
    }
    card(attention.hoverCard);
    card(attention.hoverSocket.card);
}

void paintWireNotes(QPainter& painter, const Scene& scene, const QTransform& view,
                    const QRectF& visible)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const Attention none{};
    WirePainter wires(painter, scene, view, visible, none);
    for (std::size_t i = 0; i < scene.wires.size(); ++i)
        wires.note(i);
}

} // namespace floe::editor
