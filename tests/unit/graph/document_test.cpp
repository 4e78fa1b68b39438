#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <gmock/gmock.h>

namespace floe::graph {
namespace {

using testing::HasSubstr;

std::string messageOf(const std::string& text)
{
    try {
        Document::parse(text, "t.floe.json");
    } catch (const GraphError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Document, WhatIsNoGraphSaysSo)
{
    EXPECT_THAT(messageOf("{\"nodes\": {}}"), HasSubstr("is not a Floe graph"));
    EXPECT_THAT(messageOf("[1]"), HasSubstr("is not a Floe graph"));
    EXPECT_THAT(messageOf("{\"floe\": \"one\"}"), HasSubstr("must be the format version"));
    EXPECT_THAT(messageOf("{\"floe\": 2}"), HasSubstr("newer version of Floe (format 2"));
    EXPECT_THAT(messageOf("{\"floe\": 1"), HasSubstr("line 1"));
    EXPECT_THAT(messageOf(R"({"floe": 1, "nodes": {"a": {}, "a": {}}})"),
                HasSubstr("key 'a' appears twice"));
}

TEST(Document, KeepsAllItUnderstandsThroughSaveAndLoad)
{
    const std::string text = R"({
  "floe": 1,
  "range": {"start": -5, "end": 100, "fps": 29.97},
  "plugins": {"test.nodes": "1.0"},
  "nodes": {
    "zebra": {
      "type": "test.sphere",
      "version": 1,
      "parameters": {
        "radius": {"keys": [[1, 0.5, "bezier", [-1, 0], [1, 0]]]},
        "center": [0, {"expr": "time"}, 0]
      },
      "bypass": true,
      "layout": {"x": 10, "y": -20.5, "color": [1, 0, 0]}
    },
    "apple": {"type": "floe.subgraph", "graph": "debris", "parameters": {"size": 2}},
    "other": {"type": "floe.subgraph", "file": "lib/x.floe.json"}
  },
  "links": [{"from": "zebra.shape", "to": "apple.in"}],
  "backdrops": {"Scene": {"title": "All", "rect": [0, 0, 9, 9], "color": [0.1, 0.2, 0.3]}},
  "notes": {"n1": {"text": "Grüße\n\"x\"", "x": 1, "y": 2}},
  "promote": {"outputs": {"shape": "zebra.shape"}},
  "subgraphs": {
    "debris": {
      "nodes": {"ball": {"type": "test.sphere", "version": 1}},
      "links": [],
      "promote": {
        "parameters": {
          "size": {
            "to": "ball.radius",
            "label": "Size",
            "help": "Of it.",
            "min": 0.1,
            "max": 2.5,
            "softMin": 0.2,
            "softMax": 1.5
          }
        },
        "inputs": {"in": "ball.x"},
        "outputs": {"out": "ball.shape"}
      }
    }
  }
}
)";
    const Document read = Document::parse(text, "a.floe.json");
    EXPECT_EQ(texts(read.faults), "");
    EXPECT_EQ(read.format(sampleTypes()), text);
    EXPECT_EQ(Document::parse(read.format(sampleTypes()), "b").format(sampleTypes()), text);
}

TEST(Document, ParametersAreStoredInTheOrderOfTheManifest)
{
    const std::string text =
        document(R"("nodes": {"b": {"parameters": {"mode": "slip", "radius": 2, "mystery": 1},
                    "type": "test.sphere"}})")
            .format(sampleTypes());
    EXPECT_LT(text.find("\"radius\""), text.find("\"mode\""));
    EXPECT_LT(text.find("\"type\""), text.find("\"parameters\""));
    EXPECT_THAT(text, HasSubstr("\"mystery\": 1")); // a fault, but not lost
    EXPECT_THAT(text, HasSubstr("\"version\": 1")); // what was not stored is the newest
}

TEST(Document, NodesOfUnknownTypesComeBackByteForByte)
{
    const std::string odd =
        "{\"parameters\" : {\"b\":1.50 , \"a\": 1e5,\"big\": 12345678901234567890123,\n"
        "\t\"text\": \"\\u0041}]\\\"{\" },\r\n      \"type\":\"acme.x\",\"future\": [ ]}";
    const std::string text =
        "{\"floe\": 1, \"nodes\": {\"k\": {\"type\": \"test.sphere\"}, \"u\": " + odd +
        "}, \"subgraphs\": {\"s\": {\"nodes\": {\"v\":" + odd + "  }}}}";
    const Document read = Document::parse(text, "a");
    const std::string once = read.format(sampleTypes());
    EXPECT_THAT(once, HasSubstr("\"u\": " + odd));
    EXPECT_THAT(once, HasSubstr("\"v\": " + odd));
    EXPECT_EQ(Document::parse(once, "a").format(sampleTypes()), once);
}

TEST(Document, AChangedNodeOfAnUnknownTypeIsWrittenAsChanged)
{
    Document read = document(R"("nodes": {"u": {"type": "acme.x", "parameters": {"a": 1.50}}})");
    EXPECT_THAT(read.format(sampleTypes()), HasSubstr("1.50"));
    read.graph.nodes[0].parameters["a"] = 2.5;
    EXPECT_THAT(read.format(sampleTypes()), HasSubstr("\"a\": 2.5"));
    EXPECT_THAT(read.format(sampleTypes()), testing::Not(HasSubstr("1.50")));
}

TEST(Document, MarksInTextsAreNoKeptNodes)
{
    // A text that looks like the place of a kept node must stay a text.
    Document read = document(R"("nodes": {"n": {"type": "test.sphere", "parameters":
        {"title": "kept-0-"}}, "u": {"type": "acme.x"}}, "notes": {"kept-0-": {"text": "kept-"}})");
    const Document again = Document::parse(read.format(sampleTypes()), "a");
    EXPECT_EQ(again.graph.nodes[0].parameters["title"], "kept-0-");
    EXPECT_EQ(again.graph.nodes[1].type, "acme.x");
}

TEST(Document, IsNotWrittenWhenThatWouldLoseSomething)
{
    EXPECT_THROW(document(R"("links": [{"from": "a", "to": "b.c"}])").format(sampleTypes()),
                 GraphError);
    EXPECT_THROW(document(R"("nodes": {"a": {"type": 3}})").format(sampleTypes()), GraphError);
    EXPECT_NO_THROW(
        document(R"("nodes": {"a": {"type": "test.sphere", "new": 3}})").format(sampleTypes()));
}

TEST(Document, SavesAtomicallyAndLoadsBack)
{
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "new/a.floe.json").string();
    const Document one = document(R"("nodes": {"a": {"type": "test.sphere"}})");
    one.save(path, sampleTypes());
    EXPECT_EQ(Document::load(path).format(sampleTypes()), one.format(sampleTypes()));
    EXPECT_EQ(Document::load(path).folder(), (folder.path() / "new").string());
    EXPECT_THROW(Document::load((folder.path() / "none").string()), IoError);
    EXPECT_THROW(Document::load(folder.path().string()), IoError);
}

TEST(Document, NumbersInNamesAndManyNodesStayInOrder)
{
    std::string nodes;
    for (int i = 999; i >= 0; --i)
        nodes +=
            (nodes.empty() ? "\"n" : ", \"n") + std::to_string(i) + R"(": {"type": "test.snow"})";
    const Document read = document("\"nodes\": {" + nodes + "}");
    ASSERT_EQ(read.graph.nodes.size(), 1000u);
    EXPECT_EQ(read.graph.nodes.front().name, "n999");
    const std::string text = read.format(sampleTypes());
    EXPECT_EQ(Document::parse(text, "a").format(sampleTypes()), text);
}

} // namespace
} // namespace floe::graph
