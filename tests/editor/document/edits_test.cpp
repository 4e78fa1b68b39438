#include "document/document.hpp"
#include "floe/base/error.hpp"
#include "sample_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace floe::editor {
namespace {

const QString kSnow = FLOE_SOURCE_DIR "/graphs/first_snow.floe.json";

// Undoing everything gives the file back as it was; redoing gives the edits back.
TEST(Edits, EveryEditUndoesAndRedoesExactly)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    std::vector<std::string> texts{document.text()};
    const auto done = [&] {
        EXPECT_NE(document.text(), texts.back());
        texts.push_back(document.text());
    };
    document.addNode("", "floe.shape.sphere", {10, 20}), done();
    document.rename("", "snowball", "lump"), done();
    document.setParameter("", "ball", "radius", 0.2), done();
    document.setParameter("", "ball", "radius", Json()), done();
    document.moveNodes("", {{"ball", {-50, 7}}, {"solver", {900, 7}}}), done();
    document.setBypass("", {"gravity"}, true), done();
    document.setColour("", {"gravity"}, std::array{0.1, 0.2, 0.3}), done();
    document.setBends("", {{"gravity", "force"}, {"solver", "forces"}}, {{1, 2}, {3, 4}}), done();
    document.setBackdrop("", {}, {{"title", "A"}, {"rect", {0, 0, 10, 10}}}), done();
    document.setNote("", "about", Json()), done();
    document.setRange({1, 10, 25}), done();
    const std::string group = document.group("", {"wedge", "wedge_shape"}, "obstacle");
    done();
    document.promoteParameter("obstacle", "wedge", "friction", true), done();
    document.promoteParameter("obstacle", "wedge", "color", true), done();
    document.movePromoted("obstacle", "color", -1), done();
    document.changePromoted("obstacle", {"friction", {}, "Grip", "", 0.1, 0.9, {}, 0.5}), done();
    document.setParameter("", group, "friction", 0.9), done();
    document.removeNodes("", {"solver", group}), done();
    document.paste("", document.copy("", {"ball", "lump"}), std::nullopt), done();

    for (std::size_t i = texts.size() - 1; i-- > 0;) {
        document.undo().undo();
        EXPECT_EQ(document.text(), texts[i]) << "undoing step " << i + 1;
    }
    EXPECT_FALSE(document.isModified());
    for (std::size_t i = 1; i < texts.size(); ++i) {
        document.undo().redo();
        EXPECT_EQ(document.text(), texts[i]) << "redoing step " << i;
    }
}

// Whatever lies between two documents is one step, which undoes exactly.
TEST(Edits, BecomesAnotherDocumentInOneStep)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    std::vector<graph::Document> states{document.content()};
    const auto done = [&] {
        states.push_back(document.content());
    };
    document.addNode("", "floe.shape.sphere", {10, 20}), done();
    document.rename("", "snowball", "lump"), done();
    document.setParameter("", "ball", "radius", 0.2);
    document.setParameter("", "solver", "cellSize", 0.1);
    document.setParameter("", "solver", "gridBlend", 0.9), done();
    document.moveNodes("", {{"ball", {-50, 7}}, {"solver", {900, 7}}});
    document.setBypass("", {"gravity"}, true), done();
    document.setNote("", "about", Json());
    document.setRange({1, 10, 25}), done();
    const std::string group = document.group("", {"wedge", "wedge_shape"}, "obstacle");
    done();
    document.promoteParameter("obstacle", "wedge", "friction", true);
    document.setParameter("obstacle", "wedge", "friction", 0.7), done();
    document.removeNodes("", {"solver", group}), done();
    states.push_back(states.back());
    std::reverse(states.back().graph.nodes.begin(), states.back().graph.nodes.end());
    states.back().graph.extra["later"] = 1;
    states.back().plugins = {{"acme.ropes", "2.0.0"}};
    states.push_back({}); // nothing at all
    const auto textOf = [&](const graph::Document& state) {
        return state.format(document.types());
    };
    for (const graph::Document& before : states)
        for (const graph::Document& after : states) {
            document.become(before, "there");
            ASSERT_EQ(document.text(), textOf(before));
            const int steps = document.undo().index();
            document.become(after, "on");
            EXPECT_EQ(document.text(), textOf(after));
            EXPECT_EQ(document.undo().index() - steps, textOf(before) == textOf(after) ? 0 : 1);
            if (document.undo().index() == steps)
                continue;
            document.undo().undo();
            EXPECT_EQ(document.text(), textOf(before));
            document.undo().redo();
            EXPECT_EQ(document.text(), textOf(after));
        }
}

// What another program has saved is what "not modified" is measured by.
TEST(Edits, TheFileMayBeChangedByAnotherProgram)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    const graph::Document file = document.content();
    document.setParameter("", "ball", "radius", 0.2);
    EXPECT_EQ(document.saved().graph.find("ball")->parameters["radius"], 0.32);
    graph::Document theirs = file;
    theirs.range.end = 7;
    document.setSaved(theirs);
    document.undo().undo();
    EXPECT_TRUE(document.isModified()) << "the file ends at frame 7";
    document.become(theirs, "merge");
    document.setSaved(theirs);
    EXPECT_FALSE(document.isModified());
    document.undo().undo();
    EXPECT_TRUE(document.isModified());
}

TEST(Edits, ADragIsOneStep)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    for (int i = 1; i <= 50; ++i)
        document.setParameter("", "ball", "radius", 0.01 * i, 7);
    for (int i = 1; i <= 50; ++i)
        document.setParameter("", "ball", "radius", 0.01 * i, 8); // another drag
    EXPECT_EQ(document.undo().count(), 2);
    document.undo().undo();
    document.undo().undo();
    EXPECT_EQ(document.value("", "ball", "radius"), 0.32);
}

TEST(Edits, RenamingFollowsLinksAndExpressions)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    document.setParameter("", "wedge", "position",
                          Json::array({0, {{"expr", "ball.radius * 2 + ballast"}}, 0}));
    EXPECT_EQ(document.rename("", "ball", "sphere"), QString());
    EXPECT_EQ(document.value("", "wedge", "position")[1]["expr"], "sphere.radius * 2 + ballast");
    EXPECT_TRUE(document.refusal("", {{"sphere", "shape"}, {"snowball", "shape"}})
                    .contains("linked already"));
    EXPECT_FALSE(document.rename("", "sphere", "snow").isEmpty()) << "taken";
    EXPECT_FALSE(document.rename("", "sphere", "2 balls").isEmpty()) << "no name";
}

TEST(Edits, LinksThatCannotBeSayWhy)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    EXPECT_TRUE(document.refusal("", {{"gravity", "force"}, {"solver", "colliders"}})
                    .contains("takes collider"));
    EXPECT_FALSE(document.link("", {{"gravity", "force"}, {"solver", "colliders"}}));

    const std::string surface = document.addNode("", "floe.shape.union", {});
    const std::string second = document.addNode("", "floe.shape.union", {});
    const auto* type = document.types().find("floe.shape.union");
    if (type && !type->inputs.empty()) {
        const std::string in = type->inputs[0].name, out = type->outputs[0].name;
        ASSERT_TRUE(document.link("", {{surface, out}, {second, in}}));
        EXPECT_TRUE(document.refusal("", {{second, out}, {surface, in}}).contains("loop"));
    }
}

// An input of one wire takes the new one instead; one step of undo brings the old one back.
TEST(Edits, ASingleInputIsRelinked)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    const std::string box = document.addNode("", "floe.shape.box", {});
    const std::string before = document.text();
    ASSERT_TRUE(document.link("", {{box, "shape"}, {"snowball", "shape"}}));
    int links = 0;
    for (const graph::Link& link : document.content().graph.links)
        links += link.to == graph::Endpoint{"snowball", "shape"};
    EXPECT_EQ(links, 1);
    document.undo().undo();
    EXPECT_EQ(document.text(), before);
}

// A group computes what its nodes did: the runtime's check still finds nothing.
TEST(Edits, GroupingKeepsTheGraphValid)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    document.checkNow();
    const auto before = document.faults().size();
    const std::string group = document.group("", {"ball", "snow", "snowball", "gravity"}, "source");
    document.checkNow();
    EXPECT_EQ(document.faults().size(), before);
    const graph::NodeType* type = document.typeOf("", group);
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->outputs.size(), 2u);
    document.promoteParameter("source", "ball", "radius", true);
    type = document.typeOf("", group);
    ASSERT_NE(type, nullptr);
    EXPECT_NE(type->parameter("radius"), nullptr);
}

TEST(Edits, PasteBringsSubgraphsAlong)
{
    Document first(test::builtTypes()), second(test::builtTypes());
    first.load(kSnow);
    const std::string group = first.group("", {"ball", "snow", "snowball"}, "source");
    second.paste("", first.copy("", {group, "gravity"}), QPointF(0, 0));
    EXPECT_NE(second.content().subgraph("source"), nullptr);
    second.paste("", first.copy("", {group}), QPointF(0, 0));
    EXPECT_EQ(second.content().subgraphs.size(), 1u) << "the same one is shared";
    EXPECT_THROW(second.paste("", "a shopping list", std::nullopt), Error);
    EXPECT_THROW(second.paste("", R"({"floe": 1, "nodes": [)", std::nullopt), Error);
}

TEST(Edits, PastedExpressionsReferToWhatWasPasted)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    document.setParameter("", "snowball", "velocity",
                          Json::parse(R"([0, {"expr": "ball.radius + solver.cellSize"}, 0])"));
    const auto names = document.paste("", document.copy("", {"ball", "snowball"}), std::nullopt);
    ASSERT_EQ(names.size(), 2u);
    const std::string ball = names[0], emitter = names[1];
    EXPECT_NE(ball, "ball");
    EXPECT_EQ(document.value("", emitter, "velocity")[1]["expr"],
              Json(ball + ".radius + solver.cellSize"))
        << "what was not copied is still the same";
    EXPECT_EQ(document.value("", "snowball", "velocity")[1]["expr"],
              "ball.radius + solver.cellSize");
}

TEST(Edits, WhatDoesNotExistIsLeftAlone)
{
    Document document(test::builtTypes());
    document.load(kSnow);
    const std::string before = document.text();
    document.setParameter("", "nobody", "radius", 1);
    document.setParameter("no_graph", "ball", "radius", 1);
    document.removeNodes("", {"nobody"});
    document.moveNodes("", {{"nobody", {}}});
    document.unlink("", {{{"nobody", "a"}, {"ball", "b"}}});
    EXPECT_FALSE(document.link("", {{"nobody", "a"}, {"ball", "b"}}));
    EXPECT_EQ(document.addNode("no_graph", "floe.collider", {}), "");
    EXPECT_EQ(document.text(), before);
    EXPECT_EQ(document.undo().count(), 0);
}

// What was typed, then what the links tell; never what somebody has named.
TEST(Edits, ANewNodeIsNamedAfterItsRole)
{
    Document document(test::builtTypes());
    const auto add = [&](const char* type) {
        return document.addNode("", type, {});
    };
    EXPECT_EQ(document.nameByRole("", add("floe.collider"), "ground"), "ground");
    EXPECT_EQ(document.nameByRole("", add("floe.collider"), "Grou"), "ground2");
    EXPECT_EQ(document.nameByRole("", add("floe.collider"), "coll"), "collider");
    EXPECT_EQ(document.nameByRole("", add("floe.mpm.solver"), "sand"), "solver")
        << "the name of a material";
    EXPECT_EQ(document.nameByRole("", "ground", "wall"), "ground") << "has a name";

    document.rename("", add("floe.emitter"), "ball");
    const std::string sphere = add("floe.shape.sphere");
    EXPECT_EQ(document.nameByRole("", sphere, ""), "sphere") << "feeds nothing";
    document.link("", {{sphere, "shape"}, {"ball", "shape"}});
    EXPECT_EQ(document.nameByRole("", sphere, "sph"), "ball_shape");

    document.rename("", add("floe.material"), "snow");
    const std::string source = add("floe.emitter");
    document.link("", {{"snow", "material"}, {source, "material"}});
    EXPECT_EQ(document.nameByRole("", source, "emit"), "snow_source");

    document.rename("", add("floe.shape.box"), "wedge_shape");
    const std::string wedge = add("floe.collider");
    document.link("", {{"wedge_shape", "shape"}, {wedge, "shape"}});
    EXPECT_EQ(document.nameByRole("", wedge, ""), "wedge");
}

} // namespace
} // namespace floe::editor
