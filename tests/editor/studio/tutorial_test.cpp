#include "tutorial_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace floe::test {
namespace {

// The first tutorial as it is written makes a snowball that falls on a wedge, and it runs.
TEST_F(Tutorial, SnowOnAColliderIsDoneAsItIsWritten)
{
    const QString steps = pageOf("snow_on_a_collider.md").section("## Make it yours", 0, 0);
    EXPECT_EQ(follow(steps), 17);

    EXPECT_EQ(valueOf("floe.shape.sphere", "radius"), 0.3);
    EXPECT_EQ(valueOf("floe.shape.sphere", "center")[1], 1.4);
    EXPECT_EQ(valueOf("floe.emitter", "velocity"), Json({0, -4, 0}));
    EXPECT_EQ(valueOf("floe.shape.box", "size"), Json({0.6, 0.6, 1.3}));
    EXPECT_EQ(valueOf("floe.shape.box", "rotation")[2], 45);
    std::multiset<std::string> types;
    std::string solver;
    for (const graph::Node& node : document().content().graph.nodes) {
        types.insert(node.type);
        if (node.type == "floe.mpm.solver")
            solver = node.name;
    }
    EXPECT_EQ(types, (std::multiset<std::string>{
                         "floe.shape.sphere", "floe.material", "floe.emitter", "floe.shape.box",
                         "floe.collider", "floe.shape.plane", "floe.collider", "floe.mpm.solver"}));
    int emitters = 0, colliders = 0;
    for (const graph::Link& link : document().content().graph.links) {
        emitters += link.to == graph::Endpoint{solver, "emitters"};
        colliders += link.to == graph::Endpoint{solver, "colliders"};
    }
    EXPECT_EQ(emitters, 1);
    EXPECT_EQ(colliders, 2);
    document().checkNow();
    EXPECT_TRUE(document().faults().empty());

    settle();
    bool shown = false;
    QObject::connect(&runtime(), &client::Runtime::frameFinished, window.get(),
                     [&] { shown = true; });
    clickEmptyPlace();
    press(Qt::Key_Space);
    EXPECT_TRUE(until([&] { return shown; }));
    runtime().cancel();
    EXPECT_TRUE(until([&] { return !runs(); }));
}

// The second tutorial: a preset that is changed is no longer one, and a fourth material is a copied
// chain.
TEST_F(Tutorial, MixingMaterialsIsDoneAsItIsWritten)
{
    ASSERT_TRUE(window->open(QStringLiteral(FLOE_SOURCE_DIR "/graphs/mixed.floe.json")));
    settle();
    const auto emitters = [&] {
        std::vector<std::string> linked;
        for (const graph::Link& link : document().content().graph.links)
            if (link.to == graph::Endpoint{"solver", "emitters"})
                linked.push_back(link.from.node);
        return linked;
    };
    EXPECT_EQ(emitters().size(), 3u);

    const QString text = pageOf("mixing_materials.md");
    const auto change =
        QRegularExpression(
            QStringLiteral(
                R"(Select \*\*(\w+)\*\*\..*?change \*\*([^*]+)\*\* from `([\d.]+)` to `([\d.]+)`)"))
            .match(text);
    ASSERT_TRUE(change.hasMatch());
    const std::string changed = change.captured(1).toStdString();
    canvas().select({changed});
    auto* panel = window->findChild<panels::ParameterPanel*>();
    ParameterRow* edited = panel ? row(change.captured(2)) : nullptr;
    ASSERT_TRUE(edited);
    const auto stored = [&] {
        return document().value({}, changed, edited->spec().name).get<double>();
    };
    EXPECT_EQ(panel->presetButton()->text().trimmed().toLower(), change.captured(1));
    EXPECT_EQ(stored(), change.captured(3).toDouble());
    typeNumbers(change.captured(2), 0, {change.captured(4)});
    EXPECT_EQ(stored(), change.captured(4).toDouble());
    EXPECT_EQ(panel->presetButton()->text().trimmed(), QStringLiteral("Presets"));

    canvas().select({"mud_shape", "mud", "bed"});
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&canvas(), Qt::Key_V, Qt::ControlModifier);
    const std::vector<std::string> copies = canvas().selection();
    ASSERT_EQ(copies.size(), 3u);
    std::string material, emitter;
    for (const graph::Node& node : document().content().graph.nodes)
        if (std::ranges::find(copies, node.name) != copies.end()) {
            material = node.type == "floe.material" ? node.name : material;
            emitter = node.type == "floe.emitter" ? node.name : emitter;
        }
    canvas().select({material});
    choosePreset("Honey");
    EXPECT_EQ(document().value({}, material, "law"), "liquid");
    EXPECT_EQ(document().value({}, "mud", "law"), "herschelBulkley");

    link(emitter, "emitter", "solver", "emitters");
    EXPECT_THAT(emitters(), testing::Contains(emitter));
    EXPECT_EQ(emitters().size(), 4u);
    document().checkNow();
    EXPECT_TRUE(document().faults().empty());
}

} // namespace
} // namespace floe::test
