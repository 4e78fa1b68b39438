// Nodes that are searched, to be added or to be gone to.
#include "on_the_canvas.hpp"

namespace floe::editor {
namespace {

// A domain that waits is taken by the solver that is added, and one that is added by the solver
// that waits; which of two is meant is not guessed.
TEST_F(OnTheCanvas, ADomainAndASolverFindEachOther)
{
    add("domain", {100, 100});
    canvas.select({});
    const std::string solver = add("mpm solver", {600, 100});
    ASSERT_EQ(links(), 1u);
    EXPECT_EQ(document.content().graph.links.front().to, (graph::Endpoint{solver, "domain"}));
    canvas.select({});
    add("domain", {100, 500});
    EXPECT_EQ(links(), 1u) << "it has one";
    document.clear();
    add("mpm solver", {600, 100});
    canvas.select({});
    add("domain", {100, 100});
    EXPECT_EQ(links(), 1u);
    document.clear();
    document.addNode({}, "floe.domain", {0, 0});
    document.addNode({}, "floe.domain", {0, 300});
    add("mpm solver", {600, 100});
    EXPECT_EQ(links(), 0u);
}

// Nodes kept as an asset are found by the search in another scene, as one node.
TEST_F(OnTheCanvas, AnAssetIsSavedAndFound)
{
    qputenv("XDG_DATA_HOME", qgetenv("FLOE_TEST_HOME"));
    document.load(kSnow);
    canvas.select({"ball", "snow"});
    EXPECT_FALSE(canvas.saveAsset("../outside"));
    ASSERT_TRUE(canvas.saveAsset("My snowball"));
    document.clear();
    canvas.setView(1, {60, 60});
    const std::string made = add("my snowball", {100, 100});
    ASSERT_EQ(nodes(), 1u);
    const graph::Node* node = document.node("", made);
    ASSERT_TRUE(node && node->type == graph::kSubgraphType);
    const graph::Graph* inside = document.graph(node->graph);
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(inside->nodes.size(), 2u);
    document.undo().undo();
    EXPECT_EQ(nodes(), 0u);
}

// Ctrl+F finds a node by its name or its kind, also in a subgraph, and goes there.
TEST_F(OnTheCanvas, ANodeIsFoundAndGoneTo)
{
    document.load(kSnow);
    const std::string group = document.group({}, {"ball", "snow"}, "snowball");
    ASSERT_FALSE(group.empty());
    const auto find = [&](const QString& words) {
        QTest::keyClick(&canvas, Qt::Key_F, Qt::ControlModifier);
        ASSERT_TRUE(canvas.findPopup()->isVisible());
        QTest::keyClicks(canvas.findPopup()->field(), words);
        QTest::keyClick(canvas.findPopup()->field(), Qt::Key_Return);
        EXPECT_FALSE(canvas.findPopup()->isVisible());
    };
    const std::size_t before = nodes();
    canvas.setView(1, {9000, 9000}); // far from everything
    find("mpm solver");
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"solver"});
    EXPECT_TRUE(canvas.rect().contains(canvas.nodePoint("solver")));
    find("ball");
    EXPECT_EQ(canvas.trail(), QStringList{QString::fromStdString(group)});
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"ball"});
    find("solver");
    EXPECT_TRUE(canvas.trail().isEmpty());
    EXPECT_EQ(nodes(), before) << "nothing was added";
}

TEST_F(OnTheCanvas, WhatIsFoundByAnotherWordIsCalledSo)
{
    const std::string ground = add("ground", {100, 100});
    EXPECT_EQ(ground, "ground");
    EXPECT_EQ(document.node("", ground)->type, "floe.collider");
    // A shape for it, dragged out of its input.
    drag(canvas.socketPoint(ground, false, "shape"), canvas.toWidget({20, 300}).toPoint());
    ASSERT_TRUE(canvas.searchPopup()->isVisible());
    QTest::keyClicks(canvas.searchPopup()->field(), "plane");
    QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
    EXPECT_EQ(canvas.selection(), std::vector<std::string>{"ground_shape"});
    EXPECT_EQ(document.undo().count(), 2) << "one step each";
    document.undo().undo();
    document.undo().undo();
    EXPECT_EQ(nodes(), 0u);
}

} // namespace
} // namespace floe::editor
