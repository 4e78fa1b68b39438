#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/diff.hpp"
#include "floe/graph/flat_graph.hpp"

#include <gmock/gmock.h>

namespace floe::graph {
namespace {

using testing::HasSubstr;

const char* const kScene = R"("nodes": {
    "ball": {"type": "test.sphere", "parameters": {"center": [1, 2, 3]}},
    "d": {"type": "floe.subgraph", "graph": "part"}},
    "subgraphs": {"part": {"nodes": {"b": {"type": "test.sphere"}},
        "promote": {"parameters": {"size": {"to": "b.radius"}}}}})";

Json after(const std::string& assignment)
{
    Document changed = document(kScene);
    applyOverride(changed, assignment, sampleTypes());
    EXPECT_EQ(texts(check(changed, sampleTypes())), "");
    const std::string node = assignment.substr(0, assignment.find('.'));
    return changed.graph.find(node)->parameters;
}

std::string refusal(const std::string& assignment)
{
    Document changed = document(kScene);
    try {
        applyOverride(changed, assignment, sampleTypes());
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Override, SetsValuesOfEachType)
{
    EXPECT_EQ(after("ball.radius=0.3")["radius"], 0.3);
    EXPECT_EQ(after("ball.center=[4, 5, 6]")["center"], (Json{4, 5, 6}));
    EXPECT_EQ(after("ball.center.y=7")["center"], (Json{1, 7, 3}));
    EXPECT_EQ(after("ball.color.r=0")["color"], (Json{0, 1, 1})); // from the default
    EXPECT_EQ(after("ball.mode=slip")["mode"], "slip");
    EXPECT_EQ(after("ball.smooth=false")["smooth"], false);
    EXPECT_EQ(after("ball.title=42")["title"], "42"); // text stays text
    EXPECT_EQ(after("ball.title=a=b")["title"], "a=b");
    EXPECT_EQ(after("ball.title=")["title"], "");
    EXPECT_EQ(after("d.size=2")["size"], 2);
    EXPECT_EQ(after(R"(ball.radius={"expr": "frame"})")["radius"]["expr"], "frame");
}

TEST(Override, SaysWhatIsWrong)
{
    EXPECT_THAT(refusal("ball"), HasSubstr("write node.parameter=value"));
    EXPECT_THAT(refusal("bal.radius=1"), HasSubstr("did you mean 'ball'?"));
    EXPECT_THAT(refusal("ball.radus=1"), HasSubstr("did you mean 'radius'?"));
    EXPECT_THAT(refusal("d.sise=1"), HasSubstr("did you mean 'size'?"));
    EXPECT_THAT(refusal("ball.radius=-1"), HasSubstr("'radius' is -1; must be between"));
    EXPECT_THAT(refusal("ball.radius=large"), HasSubstr("must be a number"));
    EXPECT_THAT(refusal("ball.mode=slid"), HasSubstr("did you mean 'slip'?"));
    EXPECT_THAT(refusal("ball.center.w=1"), HasSubstr("x, y and z"));
    EXPECT_THAT(refusal("ball.radius.x=1"), HasSubstr("no components"));
    EXPECT_THAT(refusal("ball.radius=1e999"), HasSubstr("radius"));
    EXPECT_THAT(refusal("ball.image=/a/\xff.png"), HasSubstr("is not UTF-8 text"));
}

TEST(Override, PathsAreThoseOfTheShell)
{
    const TemporaryFolder folder;
    folder.file("beside.png", "");
    Document scene = document(kScene, (folder.path() / "a.floe.json").string());
    const auto imageAfter = [&](const std::string& value) {
        applyOverride(scene, "ball.image=" + value, sampleTypes());
        return std::get<std::string>(flatten(scene, sampleTypes()).evaluate(0, "image", {}));
    };
    EXPECT_EQ(imageAfter("x/new.png"), std::filesystem::absolute("x/new.png").string());
    EXPECT_EQ(imageAfter("beside.png"), (folder.path() / "beside.png").string());
    EXPECT_EQ(imageAfter("/abs/y.png"), "/abs/y.png");
}

std::vector<std::string> changes(const std::string& a, const std::string& b)
{
    std::vector<std::string> lines;
    for (const Change& change : diff(document(a), document(b)))
        lines.push_back(change.text());
    return lines;
}

TEST(Diff, ReportsByNodeNotByLine)
{
    const std::string before = R"("range": {"start": 1, "end": 48, "fps": 24}, "nodes": {
        "ball": {"type": "test.sphere", "parameters": {"radius": 0.50, "mode": "slip"}},
        "old": {"type": "test.union"}, "gone": {"type": "test.snow"}},
        "links": [{"from": "ball.shape", "to": "old.a"}])";
    const std::string later = R"("nodes": {"new": {"type": "test.union"},
        "added": {"type": "test.solver"},
        "ball": {"parameters": {"count": 4, "radius": 0.7}, "type": "test.sphere", "bypass": true}},
        "links": [{"to": "new.a", "from": "ball.shape"}, {"from": "new.shape", "to": "new.b"}],
        "range": {"end": 96, "start": 1, "fps": 24})";
    EXPECT_THAT(changes(before, later),
                testing::ElementsAre("~ range.end: 48 -> 96", "> node old is now new",
                                     "- node gone (test.snow)", "+ node added (test.solver)",
                                     "- ball.mode: \"slip\"", "~ ball.radius: 0.5 -> 0.7",
                                     "+ ball.count: 4", "~ bypass ball: false -> true",
                                     "+ link new.shape -> new.b"));
}

TEST(Diff, SpeaksJsonToo)
{
    const Json json = toJson(
        diff(document(R"("nodes": {"a": {"type": "test.sphere", "parameters": {"radius": 1}}})"),
             document(R"("nodes": {"a": {"type": "test.sphere", "parameters": {"radius": 2}}})")));
    EXPECT_EQ(json, parseJson(R"([{"kind": "changed", "what": "parameter", "where": "a",
        "field": "radius", "before": 1, "after": 2}])",
                              "expected"));
}

TEST(Diff, FormattingAndOrderAreNoDifference)
{
    const std::string a = R"("nodes": {"a": {"type": "test.sphere", "parameters": {"radius": 1.0,
        "count": 2}, "layout": {"x": 1, "y": 2}}, "b": {"type": "test.snow"}, "old": {
        "type": "test.sphere", "parameters": {"radius": {"expr": "2", "note": "x"}, "count": 9}}},
        "notes": {"n": {"text": "t", "x": 0, "y": 3}})";
    const std::string b = R"("notes": {"n": {"y": 3, "x": 0, "text": "t"}}, "nodes": {
        "b": {"type": "test.snow"}, "a": {"layout": {"y": 2, "x": 1}, "type": "test.sphere",
        "parameters": {"count": 2, "radius": 1}}, "old": {"type": "test.sphere", "parameters": {
        "count": 9, "radius": {"note": "x", "expr": "2"}}}})";
    EXPECT_TRUE(changes(a, b).empty());
}

TEST(Diff, LooksIntoSubgraphsAndAtTheOrderOfLinks)
{
    const auto scene = [](const char* radius, const char* first, const char* second) {
        return std::string(R"("subgraphs": {"s": {"nodes": {"b": {"type": "test.sphere",
            "parameters": {"radius": )") +
               radius + R"(}}}, "links": [{"from": ")" + first + R"(", "to": "x.in"}, {"from": ")" +
               second + R"(", "to": "x.in"}]}})";
    };
    EXPECT_THAT(changes(scene("1", "a.o", "b.o"), scene("2", "b.o", "a.o")),
                testing::ElementsAre("~ s/b.radius: 1 -> 2",
                                     "~ order s/x.in: [\"a.o\", \"b.o\"] -> [\"b.o\", \"a.o\"]"));
}

} // namespace
} // namespace floe::graph
