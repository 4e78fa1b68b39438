#include "canvas/tidy.hpp"
#include "on_the_canvas.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QRectF>

#include <cmath>
#include <iostream>
#include <map>
#include <set>

namespace floe::editor {
namespace {

/// What an eye sees first in an untidy picture.
struct Faults {
    int siblings = 0; ///< nodes beside the column of the others that feed the same node
    int hidden = 0;   ///< wires that run behind a card
    int backward = 0; ///< wires that run to the left
    int covered = 0;  ///< cards on cards, notes on cards or notes
};

/// True when the wires lead from one card to another.
bool leadsTo(const Scene& scene, int from, int to)
{
    for (const int index : scene.cards[std::size_t(from)].wires) {
        const Wire& wire = scene.wires[std::size_t(index)];
        if (wire.from == from && (wire.to == to || leadsTo(scene, wire.to, to)))
            return true;
    }
    return false;
}

Faults faultsOf(const Scene& scene)
{
    Faults faults;
    std::map<int, std::set<int>> sources;
    for (const Wire& wire : scene.wires) {
        sources[wire.to].insert(wire.from);
        faults.backward += scene.end(wire).x() <= scene.start(wire).x();
        bool hidden = false;
        for (int i = 0; i < int(scene.cards.size()); ++i)
            if (i != wire.from && i != wire.to)
                for (int step = 1; step < 300; ++step)
                    hidden = hidden || scene.cards[std::size_t(i)].rect.contains(
                                           wire.path.pointAtPercent(step / 300.0));
        faults.hidden += hidden;
    }
    for (const auto& [node, all] : sources) {
        std::map<double, int> columns;
        int siblings = 0, most = 0;
        for (const int source : all)
            if (std::none_of(all.begin(), all.end(),
                             [&](int other) { return leadsTo(scene, source, other); })) {
                ++siblings;
                most = std::max(most, ++columns[scene.cards[std::size_t(source)].rect.x()]);
            }
        faults.siblings += siblings - most;
    }
    for (std::size_t a = 0; a < scene.cards.size(); ++a)
        for (std::size_t b = a + 1; b < scene.cards.size(); ++b)
            faults.covered += scene.cards[a].rect.intersects(scene.cards[b].rect);
    for (std::size_t a = 0; a < scene.notes.size(); ++a) {
        const QRectF& note = scene.notes[a].rect;
        for (const Card& card : scene.cards)
            faults.covered += card.rect.intersects(note);
        for (std::size_t b = a + 1; b < scene.notes.size(); ++b)
            faults.covered += scene.notes[b].rect.intersects(note);
    }
    return faults;
}

class TidyScenes : public OnTheCanvas {
protected:
    Faults tidied(const QString& file)
    {
        document.load(QStringLiteral(FLOE_SOURCE_DIR "/graphs/") + file);
        canvas.select({});
        QTest::keyClick(&canvas, Qt::Key_L, Qt::ShiftModifier);
        canvas.frameAll();
        QApplication::processEvents();
        const QString folder = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
        QDir().mkpath(folder);
        canvas.grab().save(folder + "/tidy_" + QString(file).replace('/', '_').section('.', 0, 0) +
                           ".png");
        return faultsOf(canvas.scene());
    }
};

TEST_F(TidyScenes, SiblingsShareAColumnAndNoWireIsHidden)
{
    QStringList files{"first_snow.floe.json",
                      "mixed.floe.json",
                      "dam_break.floe.json",
                      "breaking_wave.floe.json",
                      "gaussians/pressed_cake.floe.json",
                      "contact/jelly_stack.floe.json",
                      "scale/candy_bowl.floe.json",
                      "activation/rally_drift.floe.json"};
    for (const QString& file : QDir(FLOE_SOURCE_DIR "/graphs/particles").entryList({"*.json"}))
        files += "particles/" + file;
    ASSERT_GT(files.size(), 25);
    for (const QString& file : files) {
        const Faults faults = tidied(file);
        std::cout << file.toStdString() << ": siblings " << faults.siblings << ", hidden "
                  << faults.hidden << '\n';
        EXPECT_EQ(faults.siblings, 0) << file.toStdString();
        EXPECT_EQ(faults.hidden, 0) << file.toStdString();
        EXPECT_EQ(faults.backward, 0) << file.toStdString();
        EXPECT_EQ(faults.covered, 0) << file.toStdString();
    }
}

TEST_F(TidyScenes, OneUndoBringsPlacesBendsAndNotesBack)
{
    document.load(QStringLiteral(FLOE_SOURCE_DIR "/graphs/breaking_wave.floe.json"));
    document.setNote("", "over", {{"text", "runs up the beach"}, {"x", 470}, {"y", 110}});
    const std::string before = document.text();
    QTest::keyClick(&canvas, Qt::Key_L, Qt::ShiftModifier);
    EXPECT_NE(document.text(), before);
    EXPECT_EQ(faultsOf(canvas.scene()).covered, 0);
    document.undo().undo();
    EXPECT_EQ(document.text(), before);
}

// Wires go right, and no two nodes overlap.
TEST(Tidy, ColumnsFollowTheWires)
{
    const std::vector<QSizeF> sizes(7, QSizeF(100, 50));
    const std::vector<TidyWire> wires{{0, 2}, {1, 2}, {2, 3}, {4, 3}, {3, 5}, {5, 0}};
    const auto places = tidyLayout(sizes, {wires.begin(), wires.end() - 1}).places;
    for (std::size_t i = 0; i + 1 < wires.size(); ++i)
        EXPECT_LT(places[std::size_t(wires[i].from)].x() + 100,
                  places[std::size_t(wires[i].to)].x());
    for (std::size_t a = 0; a < places.size(); ++a)
        for (std::size_t b = a + 1; b < places.size(); ++b)
            EXPECT_FALSE(QRectF(places[a], sizes[a]).intersects(QRectF(places[b], sizes[b])))
                << a << " " << b;
    for (const QPointF& point : tidyLayout(sizes, wires).places) // a loop does not hang
        EXPECT_TRUE(std::isfinite(point.x()));
    EXPECT_TRUE(tidyLayout({}, {}).places.empty());
}

// Each note goes with the node that it lay over or beside; where two would lie on each other, or on
// a node, they lie side by side.
TEST(Tidy, NotesGoWithTheNearestNode)
{
    const std::vector<QRectF> before{{0, 0, 100, 50}, {1000, 0, 100, 50}};
    const std::vector<QRectF> after{{0, 0, 100, 50}, {160, 300, 100, 50}};
    const std::vector<QRectF> notes{{10, -60, 80, 30},   // above the first
                                    {1010, 80, 80, 30},  // below the second
                                    {1020, 85, 80, 30},  // nearly the same
                                    {1010, 10, 80, 30}}; // over it
    const std::vector<QPointF> places = tidyNotes(notes, before, after);
    EXPECT_EQ(places[0], QPointF(10, -60));
    EXPECT_EQ(places[1], QPointF(170, 380));
    std::vector<QRectF> all = after;
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const QRectF now(places[i], notes[i].size());
        for (const QRectF& other : all)
            EXPECT_FALSE(now.intersects(other)) << i;
        all.push_back(now);
        const QPointF way = now.center() - after[i > 0].center();
        EXPECT_LT(std::hypot(way.x(), way.y()), 200) << i;
    }
    EXPECT_TRUE(tidyNotes({}, before, after).empty());
    EXPECT_EQ(tidyNotes({notes[0]}, {}, {}).front(), notes[0].topLeft());
}

// 1,000 pairs into one node and a chain of 1,000: 0.3 s on two busy cores.
TEST(Tidy, ThousandsOfNodesTakeAMoment)
{
    std::vector<TidyWire> pairs, chain;
    for (int i = 0; i < 1000; ++i) {
        pairs.push_back({2 * i, 2 * i + 1});
        pairs.push_back({2 * i + 1, 2000});
    }
    for (int i = 0; i < 2000; ++i)
        chain.push_back({i, i + 1});
    for (const auto& wires : {pairs, chain}) {
        QElapsedTimer clock;
        clock.start();
        EXPECT_EQ(tidyLayout(std::vector<QSizeF>(2001, QSizeF(172, 90)), wires).places.size(),
                  2001u);
        std::cout << clock.elapsed() << " ms\n";
        EXPECT_LT(clock.elapsed(), 5000);
    }
}

} // namespace
} // namespace floe::editor
