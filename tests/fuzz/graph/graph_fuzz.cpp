// Hostile documents and manifests: whatever the bytes, the answer is a result or an exception of
// the floe::Error family, and soon. The generator starts from fixed numbers, so that a failure can
// be repeated.

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/diff.hpp"
#include "floe/graph/expression.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/graph/merge.hpp"
#include "floe/graph/reference.hpp"
#include "floe/graph/translation.hpp"
#include "fuzz.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace floe::graph {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTimeEach = std::chrono::milliseconds(1500);
constexpr auto kLongest = std::chrono::seconds(10); // of one input: far above any seen

const std::string kManifest = R"json({"format": 1, "id": "test.nodes", "version": "1.2.0",
 "library": "x", "abi": {"major": 1, "minor": 0}, "nodes": [
  {"type": "test.sphere", "version": 2, "role": "value", "backends": {"cpu": true, "cuda": "yes"},
   "parameters": [
    {"name": "radius", "type": "float", "default": 0.5, "min": 0, "max": 1000, "unit": "m"},
    {"name": "center", "type": "vector", "default": [0, 1, 0]},
    {"name": "count", "type": "int", "default": 3},
    {"name": "on", "type": "bool", "default": true},
    {"name": "mode", "type": "choice", "default": "a", "choices": [{"value": "a"}, {"value": "b"}]},
    {"name": "image", "type": "path", "default": ""}],
   "inputs": [{"name": "in", "kind": "volume"}],
   "outputs": [{"name": "shape", "kind": ["volume", "acme.x"]}],
   "presets": [{"name": "p", "values": {"radius": 3}}],
   "upgrades": [{"from": 1, "renameParameters": {"r": "radius"}, "defaults": {"count": 2},
                 "renameOutputs": {"s": "shape"}}]},
  {"type": "test.join", "inputs": [{"name": "many", "kind": "volume", "multiple": true},
   {"name": "one", "kind": "volume", "required": true}],
   "outputs": [{"name": "shape", "kind": "volume"}]}]})json";

const std::string kDocument = R"json({"floe": 1, "range": {"start": 1, "end": 48, "fps": 24},
 "plugins": {"test.nodes": "1.0.0"}, "nodes": {
  "ball": {"type": "test.sphere", "version": 1, "parameters": {"r": 0.75}, "layout": {"x": 1}},
  "key": {"type": "test.sphere", "version": 2, "bypass": true, "parameters": {
    "radius": {"keys": [[1, 0.5, "linear"], [5, 1, "bezier", [-1, 0], [1, 0.5]], [9, 2, "step"]]},
    "center": [1, {"expr": "sin(frame / 24) + ball.r * ball.center.y"}, 0],
    "mode": {"keys": [[1, "a"], [4, "b"]]}, "image": "x/y.png", "on": {"expr": "key.count > 2"}}},
  "d": {"type": "floe.subgraph", "graph": "debris",
        "parameters": {"size": {"expr": "clamp(key.radius, 0, 1) + noise(time)"}}},
  "u": {"type": "acme.unknown", "parameters": {"a": 1.50}},
  "j": {"type": "test.join"}},
 "links": [{"from": "ball.s", "to": "j.one"}, {"from": "key.shape", "to": "j.many"},
  {"from": "d.out", "to": "j.many"}, {"from": "ball.s", "to": "key.in"}],
 "backdrops": {"B": {"title": "t", "rect": [0, 0, 1, 1], "color": [1, 1, 1]}},
 "notes": {"n": {"text": "t", "x": 0, "y": 0}},
 "subgraphs": {"debris": {"nodes": {"b": {"type": "test.sphere", "version": 2},
   "c": {"type": "floe.subgraph", "graph": "inner"}}, "links": [{"from": "b.shape", "to": "c.in"}],
   "promote": {"parameters": {"size": {"to": "c.size"}}, "outputs": {"out": "c.out"}}},
  "inner": {"nodes": {"b": {"type": "test.sphere", "version": 2}},
   "promote": {"parameters": {"size": {"to": "b.radius"}}, "inputs": {"in": "b.in"},
               "outputs": {"out": "b.shape"}}}}})json";

const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "null",
                                          "true",
                                          "-1",
                                          "1e308",
                                          "1e999",
                                          "0.5",
                                          "\"\"",
                                          "\"floe.subgraph\"",
                                          "\"debris\"",
                                          "\"inner\"",
                                          "\"keys\"",
                                          "\"expr\"",
                                          "\"bezier\"",
                                          "\"nodes\"",
                                          "\"ball\"",
                                          "\"test.join\"",
                                          "\"ball.radius\"",
                                          "\"d.size + d.size\"",
                                          "\"1/0\"",
                                          "\"j.shape\"",
                                          "\\u0000",
                                          "\xff",
                                          "\"../..\"",
                                          "9223372036854775808",
                                          "\"file\"",
                                          "\"/dev/zero\"",
                                          "\"frame ? frame : frame\"",
                                          "\"version\"",
                                          "-9e18",
                                          "[1, 2, 3]",
                                          "{\"keys\": [[1, 1]]}"};

class Mutator {
public:
    explicit Mutator(std::uint32_t start) : random_(test::fuzzSeed(start)) {}

    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

    std::string bytes(std::size_t length)
    {
        std::string text(length, ' ');
        for (char& c : text)
            c = static_cast<char>(random_());
        return text;
    }

    /// One to eight changes to the text itself.
    std::string text(std::string text)
    {
        for (std::size_t n = 1 + below(8); n > 0; --n) {
            const std::size_t at = below(text.size());
            switch (below(5)) {
            case 0:
                text.erase(at, 1 + below(20));
                break;
            case 1:
                text.insert(at, kPieces[below(kPieces.size())]);
                break;
            case 2:
                text[at] = static_cast<char>(random_());
                break;
            case 3:
                text.insert(at, text.substr(below(text.size()), below(200)));
                break;
            default:
                text.replace(at, below(6), kPieces[below(kPieces.size())]);
            }
            if (text.empty())
                text = "{";
        }
        return text;
    }

    /// Changes that keep it JSON: values are replaced, swapped, removed or nested.
    std::string structure(const std::string& source)
    {
        Json root = Json::parse(source);
        for (std::size_t n = 1 + below(6); n > 0; --n) {
            std::vector<Json*> places;
            collect(root, places);
            Json& target = *places[below(places.size())];
            const Json other = *places[below(places.size())];
            switch (below(5)) {
            case 0:
                target = other;
                break;
            case 1:
                target = Json::parse(kPieces[below(kPieces.size())], nullptr, false);
                if (target.is_discarded())
                    target = nullptr;
                break;
            case 2:
                if (target.is_object() && !target.empty())
                    target.erase(std::next(target.begin(),
                                           static_cast<std::ptrdiff_t>(below(target.size()))));
                else if (target.is_array() && !target.empty())
                    target.erase(below(target.size()));
                break;
            case 3:
                if (target.is_object())
                    target["k" + std::to_string(below(5))] = other;
                else if (target.is_array())
                    target.push_back(other);
                break;
            default:
                if (target.is_string() && other.is_string())
                    target = target.get<std::string>() + other.get<std::string>();
                else if (target.is_number())
                    target = std::ldexp(1.0, static_cast<int>(below(2000)) - 1000);
            }
        }
        return root.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

private:
    static void collect(Json& value, std::vector<Json*>& places)
    {
        places.push_back(&value);
        if (value.is_structured())
            for (Json& entry : value)
                collect(entry, places);
    }

    std::mt19937_64 random_;
};

struct Tally {
    int inputs = 0, read = 0, sound = 0;
};

/// Everything a program does with a document that it was given.
void useDocument(const std::string& text, const TypeLibrary& types, Tally& tally)
{
    ++tally.inputs;
    ++test::fuzzInputs.count;
    const auto start = Clock::now();
    try {
        const Document document = Document::parse(text, "/tmp/f.floe.json");
        ++tally.read;
        const auto faults = check(document, types);
        for (const Fault& fault : faults) {
            ASSERT_FALSE(fault.text().empty());
            ASSERT_EQ(fault.text().find('\n'), std::string::npos) << fault.text();
            toJson(fault).dump();
        }
        if (document.lossless) {
            const std::string once = document.format(types);
            ASSERT_EQ(Document::parse(once, document.path).format(types), once) << text;
            ASSERT_TRUE(diff(document, Document::parse(once, document.path)).empty() ||
                        !faults.empty())
                << text;
        }
        const Document other = Document::parse(kDocument, "");
        toJson(diff(document, other));
        if (document.lossless) {
            toJson(merge(other, document, document, types).conflicts);
            toJson(merge(document, other, {}, types).conflicts);
        }
        const FlatGraph flat = flatten(document, types);
        ASSERT_FALSE(anyError(faults)) << text;
        ++tally.sound;
        for (std::size_t i = 0; i < flat.nodes.size(); ++i)
            for (std::size_t p = 0; p < flat.nodes[i].type->parameters.size(); ++p) {
                try {
                    flat.evaluate(i, p, {3.5, 24});
                } catch (const Error&) { // 1/0 and the like show only here
                }
            }
    } catch (const Error& error) {
        ASSERT_FALSE(std::string(error.what()).empty());
    } catch (const std::exception& error) {
        FAIL() << "an exception of another family: " << error.what() << "\n" << text;
    }
    ASSERT_LT(Clock::now() - start, kLongest) << text;
}

TypeLibrary types()
{
    TypeLibrary library;
    EXPECT_TRUE(library.addManifest(Json::parse(kManifest), "/tmp/plugin.json").empty());
    return library;
}

TEST(GraphFuzz, TheTextsToChangeAreSound)
{
    TypeLibrary library = types();
    const auto faults = check(Document::parse(kDocument, ""), library);
    ASSERT_EQ(faults.size(), 1u) << faults.front().text(); // acme.unknown
    EXPECT_TRUE(anyMissingPlugin(faults));
}

TEST(GraphFuzz, DocumentsOfChangedStructure)
{
    const TypeLibrary library = types();
    Json without = Json::parse(kDocument);
    without["nodes"].erase("u");
    const std::string sound = without.dump();
    Mutator mutator(1);
    Tally tally;
    for (const auto end = Clock::now() + kTimeEach; Clock::now() < end && !HasFatalFailure();)
        useDocument(mutator.structure(mutator.below(4) ? sound : kDocument), library, tally);
    // The changes must reach deep: most texts are read, and some still run.
    EXPECT_GT(tally.read, tally.inputs / 2);
    EXPECT_GT(tally.sound, 0);
}

TEST(GraphFuzz, DocumentsOfChangedText)
{
    const TypeLibrary library = types();
    Mutator mutator(2);
    Tally tally;
    for (const auto end = Clock::now() + kTimeEach; Clock::now() < end && !HasFatalFailure();)
        useDocument(mutator.text(kDocument), library, tally);
    EXPECT_GT(tally.inputs, 100);
}

TEST(GraphFuzz, RandomBytes)
{
    const TypeLibrary library = types();
    Mutator mutator(3);
    Tally tally;
    for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) {
        useDocument(mutator.bytes(mutator.below(300)), library, tally);
        useDocument("{\"floe\": 1, \"nodes\": " + mutator.bytes(mutator.below(50)), library, tally);
    }
}

TEST(GraphFuzz, Manifests)
{
    Mutator mutator(4);
    int good = 0;
    for (const auto end = Clock::now() + kTimeEach; Clock::now() < end && !HasFatalFailure();) {
        const std::string text =
            mutator.below(2) ? mutator.structure(kManifest) : mutator.text(kManifest);
        try {
            TypeLibrary library;
            const auto faults = library.addManifest(parseJson(text, "plugin.json"), "/tmp/p.json");
            good += faults.empty() ? 1 : 0;
            std::ostringstream reference;
            writeNodeReference(library, reference);
            Tally tally;
            useDocument(kDocument, library, tally);
        } catch (const Error&) {
        } catch (const std::exception& error) {
            FAIL() << "an exception of another family: " << error.what() << "\n" << text;
        }
    }
    EXPECT_GT(good, 0);
}

TEST(GraphFuzz, Translations)
{
    const std::string sound = R"({"format": 1, "language": "fr", "plugin": "test.nodes", "texts": {
        "radius": "rayon", "a": "premier"}, "nodes": {"test.sphere": {"aliases": ["balle", "rond"],
        "texts": {"radius": "demi-taille"}}}})";
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "translations");
    const Json manifest = parseJson(kManifest, "plugin.json");
    Mutator mutator(6);
    int good = 0;
    for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
        const std::string text = i % 3 == 0   ? mutator.text(sound)
                                 : i % 3 == 1 ? mutator.structure(sound)
                                              : mutator.bytes(mutator.below(300));
        const std::string path = folder.file("translations/fr.json", text).string();
        TypeLibrary library;
        ASSERT_FALSE(anyError(library.addManifest(manifest, (folder / "plugin.json").string())));
        std::vector<Fault> faults;
        if (const auto translation = readTranslation(path, faults)) {
            ++good;
            checkTranslation(*translation, *library.plugins().front(), library.all(), path);
        }
        const bool refused = anyError(library.translate({"fr"}));
        ASSERT_TRUE(refused || !anyError(faults)) << text; // also when it is for another plugin
        Tally tally;
        useDocument(kDocument, library, tally);
    }
    EXPECT_GT(good, 0);
}

TEST(GraphFuzz, ExpressionsAndOverrides)
{
    const std::vector<std::string> words = {
        "frame", "time", "pi",  "ball.radius", "sin", "(", ")", "+",  "-",   "*",  "/",
        "^",     "?",    ":",   ",",           "min", "<", "=", "==", "1e9", "0",  "0.5",
        "noise", "rand", "a.b", "&&",          "||",  "!", " ", ".",  "e",   "1e", "clamp"};
    const TypeLibrary library = types();
    Mutator mutator(5);
    int compiled = 0;
    for (int i = 0; i < 10000; ++i) {
        std::string text;
        for (std::size_t n = 1 + mutator.below(9); n > 0; --n)
            text += words[mutator.below(words.size())];
        try {
            const Expression expression(text);
            const std::vector<double> values(expression.references().size(), 0.5);
            expression.evaluate(1, 0, 24, values);
            ++compiled;
        } catch (const Error&) {
        }
        if (i % 10 == 0) {
            Document document = Document::parse(kDocument, "");
            try {
                applyOverride(document, mutator.text("ball.radius=" + text), library);
            } catch (const Error&) {
            }
        }
    }
    EXPECT_GT(compiled, 100);
}

} // namespace
} // namespace floe::graph
