#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/merge.hpp"

#include <gmock/gmock.h>

namespace floe::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Merged merged(const std::string& base, const std::string& mine, const std::string& theirs,
              const Choose& choose = {})
{
    return merge(document(base, "base"), document(mine, "mine"), document(theirs, "theirs"),
                 sampleTypes(), choose);
}

std::vector<std::string> conflictsOf(const Merged& result)
{
    std::vector<std::string> lines;
    for (const Conflict& conflict : result.conflicts)
        lines.push_back(conflict.text());
    return lines;
}

/// What a merge has made of `before`.
std::vector<std::string> changesTo(const std::string& before, const Merged& result)
{
    std::vector<std::string> lines;
    for (const Change& change : diff(document(before), result.document))
        lines.push_back(change.text());
    return lines;
}

Side theirs(const Conflict&)
{
    return Side::Theirs;
}

std::string ball(const std::string& parameters, const std::string& more = {})
{
    return R"("nodes": {"ball": {"type": "test.sphere", "parameters": {)" + parameters + "}}" +
           more + "}";
}

// The two have changed different things: both are there, and nobody is asked.
TEST(Merge, TakesWhatEachSideHasChanged)
{
    const std::string base =
        R"("range": {"start": 1, "end": 48, "fps": 24}, )" +
        ball(R"("radius": 0.5, "count": 4)",
             R"(, "s": {"type": "test.solver"}, "gone": {"type": "test.snow"})");
    const std::string mine = R"("range": {"start": 1, "end": 96, "fps": 24}, )" +
                             ball(R"("radius": 0.7, "count": 4)",
                                  R"(, "s": {"type": "test.solver"}, "gone": {"type": "test.snow"},
                                     "e": {"type": "test.emitter"})") +
                             R"(, "links": [{"from": "e.emitter", "to": "s.emitters"}])";
    const std::string other =
        R"("range": {"start": 1, "end": 48, "fps": 30}, )" +
        ball(R"("radius": 0.5, "mode": "slip")",
             R"(, "s": {"type": "test.solver"}, "f": {"type": "test.emitter"})") +
        R"(, "links": [{"from": "ball.shape", "to": "f.shape"},
                                             {"from": "f.emitter", "to": "s.emitters"}])";
    const Merged result = merged(base, mine, other);
    EXPECT_THAT(conflictsOf(result), IsEmpty());
    EXPECT_THAT(changesTo(base, result),
                UnorderedElementsAre(
                    "~ range.end: 48 -> 96", "~ range.fps: 24.0 -> 30.0", "- node gone (test.snow)",
                    "+ node e (test.emitter)", "+ node f (test.emitter)",
                    "~ ball.radius: 0.5 -> 0.7", "- ball.count: 4", "+ ball.mode: \"slip\"",
                    "+ link e.emitter -> s.emitters", "+ link ball.shape -> f.shape",
                    "+ link f.emitter -> s.emitters"));
    // The other way round the same comes out, but for the order.
    const Merged turned = merged(base, other, mine);
    EXPECT_THAT(diff(turned.document, result.document),
                ElementsAre(testing::Field(&Change::what, "order")));
}

TEST(Merge, AsksOnceForEachValueThatBothHaveChanged)
{
    const std::string base = ball(R"("radius": 0.5, "count": 4, "mode": "stick")");
    const std::string mine = ball(R"("radius": 0.7, "count": 5, "mode": "slip")");
    const std::string other = ball(R"("radius": 0.9, "count": 5)");
    const Merged result = merged(base, mine, other);
    EXPECT_THAT(conflictsOf(result),
                ElementsAre("! ball.radius: 0.5 -> mine 0.7, theirs 0.9",
                            "! ball.mode: \"stick\" -> mine \"slip\", theirs nothing"));
    EXPECT_THAT(changesTo(mine, result), IsEmpty()) << "without a choice, mine";
    EXPECT_EQ(toJson(result.conflicts)[0],
              parseJson(R"({"what": "parameter", "where": "ball", "field": "radius", "base": 0.5,
                            "mine": 0.7, "theirs": 0.9})",
                        "expected"));

    const Merged chosen = merged(base, mine, other, [](const Conflict& conflict) {
        return conflict.field == "radius" ? Side::Theirs : Side::Mine;
    });
    EXPECT_THAT(changesTo(mine, chosen), ElementsAre("~ ball.radius: 0.7 -> 0.9"));
    EXPECT_EQ(chosen.conflicts, result.conflicts) << "decided or not, they are listed";
}

// One has deleted what the other goes on with. Its links come and go with it.
TEST(Merge, ANodeRemovedHereAndChangedThereIsAConflict)
{
    const auto scene = [](const std::string& e, bool linked) {
        return ball("", R"(, "s": {"type": "test.solver"})" + e) +
               (linked ? R"(, "links": [{"from": "ball.shape", "to": "e.shape"},
                                        {"from": "e.emitter", "to": "s.emitters"}])"
                       : "");
    };
    const std::string base = scene(R"(, "e": {"type": "test.emitter"})", true);
    const std::string changed =
        scene(R"(, "e": {"type": "test.emitter", "parameters": {"density": 300}})", true);
    const std::string removed = scene("", false);

    EXPECT_THAT(conflictsOf(merged(base, base, removed)), IsEmpty());
    EXPECT_THAT(changesTo(removed, merged(base, base, removed)), IsEmpty());

    const Merged kept = merged(base, changed, removed);
    EXPECT_THAT(conflictsOf(kept), ElementsAre("! node e: \"test.emitter\" -> mine "
                                               "\"test.emitter\", theirs nothing"));
    EXPECT_THAT(changesTo(changed, kept), IsEmpty());
    EXPECT_THAT(changesTo(removed, merged(base, changed, removed, theirs)), IsEmpty());

    EXPECT_THAT(changesTo(removed, merged(base, removed, changed)), IsEmpty());
    EXPECT_THAT(changesTo(changed, merged(base, removed, changed, theirs)), IsEmpty());
}

// Somebody has linked a node, but not changed it: it is not removed below them.
TEST(Merge, ANodeThatWasLinkedSinceIsNotRemovedUnasked)
{
    const std::string base =
        ball("", R"(, "e": {"type": "test.emitter"}, "u": {"type": "test.union"})");
    const std::string removed =
        R"("nodes": {"e": {"type": "test.emitter"}, "u": {"type": "test.union"}})";
    const std::string linked = base + R"(, "links": [{"from": "ball.shape", "to": "e.shape"}])";
    const Merged result = merged(base, linked, removed);
    EXPECT_EQ(result.conflicts.size(), 1u);
    EXPECT_THAT(changesTo(linked, result), IsEmpty());
}

// An input that takes one link takes one after a merge too; one that takes several gets all.
TEST(Merge, LinksFollowWhatTheirInputTakes)
{
    const auto scene = [](const std::string& links) {
        return ball("", R"(, "a": {"type": "test.sphere"}, "b": {"type": "test.sphere"},
            "e": {"type": "test.emitter"}, "f": {"type": "test.emitter"},
            "s": {"type": "test.solver"})") +
               R"(, "links": [)" + links + "]";
    };
    const std::string base = scene(R"({"from": "ball.shape", "to": "e.shape"})");
    const std::string mine = scene(R"({"from": "a.shape", "to": "e.shape"},
                                      {"from": "e.emitter", "to": "s.emitters"})");
    const std::string other = scene(R"({"from": "b.shape", "to": "e.shape"},
                                       {"from": "f.emitter", "to": "s.emitters"})");
    const Merged result = merged(base, mine, other);
    EXPECT_THAT(conflictsOf(result), ElementsAre("! input e.shape: \"ball.shape\" -> mine "
                                                 "\"a.shape\", theirs \"b.shape\""));
    EXPECT_THAT(changesTo(mine, result), ElementsAre("+ link f.emitter -> s.emitters"));
    EXPECT_THAT(changesTo(mine, merged(base, mine, other, theirs)),
                ElementsAre("- link a.shape -> e.shape", "+ link b.shape -> e.shape",
                            "+ link f.emitter -> s.emitters"));
}

TEST(Merge, FollowsRenamedNodes)
{
    const std::string base = ball(R"("radius": 0.5)", R"(, "e": {"type": "test.emitter"})") +
                             R"(, "links": [{"from": "ball.shape", "to": "e.shape"}])";
    const std::string renamed =
        R"("nodes": {"snowball": {"type": "test.sphere", "parameters": {"radius": 0.5}},
                     "e": {"type": "test.emitter"}},
           "links": [{"from": "snowball.shape", "to": "e.shape"}])";
    const std::string other = ball(R"("radius": 0.9)",
                                   R"(, "e": {"type": "test.emitter"}, "u": {"type": "test.union"},
            "f": {"type": "test.emitter", "parameters": {"density": {"expr": "ball.radius * 9"}}})") +
                              R"(, "links": [{"from": "ball.shape", "to": "e.shape"},
                                             {"from": "ball.shape", "to": "u.a"}])";
    const std::string expected =
        R"("nodes": {"snowball": {"type": "test.sphere", "parameters": {"radius": 0.9}},
            "e": {"type": "test.emitter"}, "u": {"type": "test.union"}, "f": {"type":
            "test.emitter", "parameters": {"density": {"expr": "snowball.radius * 9"}}}},
           "links": [{"from": "snowball.shape", "to": "e.shape"},
                     {"from": "snowball.shape", "to": "u.a"}])";
    for (const bool mineRenamed : {true, false}) {
        const Merged result =
            mineRenamed ? merged(base, renamed, other) : merged(base, other, renamed);
        EXPECT_THAT(conflictsOf(result), IsEmpty());
        EXPECT_THAT(changesTo(expected, result), IsEmpty());
    }
    const std::string otherName =
        R"("nodes": {"hail": {"type": "test.sphere", "parameters": {"radius": 0.5}},
                     "e": {"type": "test.emitter"}},
           "links": [{"from": "hail.shape", "to": "e.shape"}])";
    EXPECT_THAT(conflictsOf(merged(base, renamed, otherName)),
                ElementsAre("! name snowball: \"ball\" -> mine \"snowball\", theirs \"hail\""));
    EXPECT_THAT(changesTo(otherName, merged(base, renamed, otherName, theirs)), IsEmpty());
}

// Both add a node, a note or a subgraph under one name: they are two.
TEST(Merge, KeepsBothOfOneName)
{
    const std::string base = R"("nodes": {"e": {"type": "test.emitter"}})";
    const auto scene = [](const char* radius, const char* note) {
        return std::string(R"("nodes": {"e": {"type": "test.emitter"},
            "ball": {"type": "test.sphere", "parameters": {"radius": )") +
               radius + R"(}}, "part": {"type": "floe.subgraph", "graph": "p)" +
               R"("}}, "links": [{"from": "ball.shape", "to": "e.shape"}],
            "notes": {"note1": {"text": ")" +
               note + R"(", "x": 0, "y": 0}},
            "subgraphs": {"p": {"nodes": {"inner": {"type": "test.sphere",
                "parameters": {"radius": )" +
               radius + "}}}}}";
    };
    const Merged result = merged(base, scene("1", "one"), scene("2", "two"));
    EXPECT_THAT(conflictsOf(result), ElementsAre("! input e.shape: nothing -> mine "
                                                 "\"ball.shape\", theirs \"ball2.shape\""));
    EXPECT_THAT(changesTo(scene("1", "one"), result),
                UnorderedElementsAre("+ node ball2 (test.sphere)", "+ node part2 (floe.subgraph)",
                                     "+ note notes.note2: {\"text\": \"two\", \"x\": 0, \"y\": 0}",
                                     "+ subgraph p2", "+ node p2/inner (test.sphere)"));
    EXPECT_EQ(result.document.graph.find("part2")->graph, "p2");
    EXPECT_EQ(result.document.graph.find("ball2")->parameters["radius"], 2);
    EXPECT_EQ(result.renamed.size(), 3u);
    // What is the same on both sides is there once.
    const Merged same = merged(base, scene("1", "one"), scene("1", "one"));
    EXPECT_THAT(changesTo(scene("1", "one"), same), IsEmpty());
}

// Mine calls a node by the name that theirs has given to a new one.
TEST(Merge, ANewNameIsNotTakenTwice)
{
    const std::string base = ball(R"("radius": 0.5)");
    const std::string mine =
        R"("nodes": {"drop": {"type": "test.sphere", "parameters": {"radius": 0.5}}})";
    const std::string other =
        ball(R"("radius": 0.5)",
             R"(, "drop": {"type": "test.snow"}, "e": {"type": "test.emitter"})") +
        R"(, "links": [{"from": "drop.material", "to": "e.material"}])";
    const Merged result = merged(base, mine, other);
    EXPECT_THAT(changesTo(mine, result),
                UnorderedElementsAre("+ node drop2 (test.snow)", "+ node e (test.emitter)",
                                     "+ link drop2.material -> e.material"));
}

TEST(Merge, LooksIntoSubgraphs)
{
    const auto scene = [](const char* radius, const char* count, const char* more,
                          const char* label) {
        return std::string(R"("nodes": {"d": {"type": "floe.subgraph", "graph": "part"})") + more +
               R"(}, "subgraphs": {"part": {"nodes": {"b": {"type": "test.sphere", "parameters":
               {"radius": )" +
               radius + R"(, "count": )" + count +
               R"(}}}, "promote": {"parameters": {"size": {"to": "b.radius", "label": ")" + label +
               R"("}}}}})";
    };
    const std::string base = scene("1", "1", "", "Size");
    const Merged result = merged(base, scene("2", "1", "", "Size"), scene("3", "4", "", "Width"));
    EXPECT_THAT(conflictsOf(result), ElementsAre("! part/b.radius: 1 -> mine 2, theirs 3"));
    EXPECT_THAT(changesTo(scene("2", "4", "", "Width"), result), IsEmpty());

    // Mine has taken the subgraph away; theirs uses it once more.
    const std::string removed = R"("nodes": {})";
    const std::string used =
        scene("1", "1", R"(, "d2": {"type": "floe.subgraph", "graph": "part"})", "Size");
    const Merged kept = merged(base, removed, used);
    EXPECT_THAT(conflictsOf(kept), IsEmpty());
    EXPECT_NE(kept.document.graph.find("d2"), nullptr);
    EXPECT_EQ(kept.document.graph.find("d"), nullptr);
    EXPECT_NE(kept.document.subgraph("part"), nullptr);
}

// One has ordered and ranged the promoted parameters, the other has labelled one.
TEST(Merge, JoinsHowPromotedParametersAreShown)
{
    const auto scene = [](const std::string& parameters) {
        return R"("nodes": {}, "subgraphs": {"part": {"nodes": {"b": {"type": "test.sphere"}},
            "promote": {"parameters": {)" +
               parameters + "}}}}";
    };
    const std::string size = R"("size": {"to": "b.radius"})", count = R"("n": {"to": "b.count"})",
                      ranged = R"("size": {"to": "b.radius", "min": 0.25, "softMax": 2})",
                      labelled = R"("n": {"to": "b.count", "label": "Number"})";
    const Merged result = merged(scene(size + "," + count), scene(count + "," + ranged),
                                 scene(size + "," + labelled));
    EXPECT_THAT(conflictsOf(result), IsEmpty());
    const auto& parameters = result.document.subgraph("part")->promote.parameters;
    ASSERT_EQ(parameters.size(), 2u);
    EXPECT_EQ(parameters[0].name, "n");
    EXPECT_EQ(parameters[0].label, "Number");
    EXPECT_EQ(parameters[1].min, 0.25);
    EXPECT_EQ(parameters[1].softMax, 2.0);
    EXPECT_THAT(changesTo(scene(size + "," + count), result), testing::Not(IsEmpty()));
}

// What this version of Floe does not know is kept, and taken from where it was changed.
TEST(Merge, KeepsWhatItDoesNotKnow)
{
    const auto scene = [](const char* a, const char* b) {
        return std::string(R"("later": )") + a + R"(, "nodes": {"x": {"type": "acme.x", "tint": )" +
               b + "}}";
    };
    const Merged result = merged(scene("1", "1"), scene("2", "1"), scene("1", "3"));
    EXPECT_THAT(conflictsOf(result), IsEmpty());
    EXPECT_THAT(changesTo(scene("2", "3"), result), IsEmpty());
}

// Where nodes lie is nothing to ask about.
TEST(Merge, PlacesDoNotConflict)
{
    const auto scene = [](int x) {
        return R"("nodes": {"a": {"type": "test.snow", "layout": {"x": )" + std::to_string(x) +
               R"(, "y": 0}}})";
    };
    EXPECT_EQ(merged(scene(1), scene(2), scene(3)).document.graph.nodes[0].layout["x"], 2);
    EXPECT_EQ(merged(scene(1), scene(1), scene(3)).document.graph.nodes[0].layout["x"], 3);
    EXPECT_THAT(conflictsOf(merged(scene(1), scene(2), scene(3))), IsEmpty());
}

// The editor writes parameters in the order of the manifest, a person in another.
TEST(Merge, TheOrderOfKeysIsNoChange)
{
    const std::string base = ball(R"("radius": {"keys": [[1, 2]], "x": 1}, "count": 4)");
    const std::string turned = ball(R"("count": 4, "radius": {"x": 1, "keys": [[1, 2]]})");
    const std::string removed = R"("nodes": {})";
    EXPECT_THAT(conflictsOf(merged(base, turned, removed)), IsEmpty());
    EXPECT_THAT(conflictsOf(merged(base, turned, ball(R"("radius": 2, "count": 4)"))), IsEmpty());
}

TEST(Merge, RefusesTextThatCannotBeKept)
{
    const std::string lossy = R"("nodes": {"a": {"type": "test.snow"}}, "links": [{"x": 1}])";
    EXPECT_THROW(merged(lossy, lossy, lossy), GraphError);
}

// Merging a document with itself, or with what it came from, changes nothing: not a byte.
TEST(Merge, OfOneSideAloneIsThatSide)
{
    const std::string base = ball(R"("radius": 0.5)");
    const std::string side = ball(R"("radius": 0.7)", R"(, "n": {"type": "test.union"},
        "x": {"type": "acme.x", "parameters": {"odd":   1.50}})") +
                             R"(, "links": [{"from": "ball.shape", "to": "n.b"},
        {"from": "n.shape", "to": "x.in"}, {"from": "ball.shape", "to": "n.a"}],
        "notes": {"n1": {"text": "t", "x": 1, "y": 2}})";
    const std::string expected = document(side).format(sampleTypes());
    for (const Merged& result :
         {merged(base, side, base), merged(side, side, side), merged(base, side, side)})
        EXPECT_EQ(result.document.format(sampleTypes()), expected);
    EXPECT_THAT(changesTo(side, merged(base, base, side)), IsEmpty());
}

} // namespace
} // namespace floe::graph
