#include "sample.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/expression.hpp"
#include "floe/graph/translatable_text.hpp"

#include <map>

namespace floe::graph {
namespace {

/// Lines of a language, by pattern.
std::string say(const TranslatableText& message, const std::map<std::string, std::string>& lines)
{
    return message.text([&](const std::string& pattern) {
        const auto found = lines.find(pattern);
        return found == lines.end() ? std::string() : found->second;
    });
}

const std::string kRadius = "radius";

TEST(TranslatableText, PutsValuesIntoItsPlacesInTheirOrder)
{
    EXPECT_EQ(TranslatableText::of("'{key}' is {value} of {count}", kRadius, 0.25, 3).text(),
              "'radius' is 0.25 of 3");
    EXPECT_EQ(TranslatableText::of("a \"{}\", {1}, {\"keys\": [{what}]} {", kRadius).text(),
              "a \"{}\", {1}, {\"keys\": [radius]} {")
        << "braces without a name are text";
    EXPECT_EQ(TranslatableText::of("'{a}{b}'", std::string("{b}"), kRadius).text(), "'{b}radius'")
        << "values are not searched for places";
    EXPECT_TRUE(TranslatableText().empty());
    EXPECT_EQ(TranslatableText().text(), "");
}

TEST(TranslatableText, ShortensTextsButNotWhatIsGiven)
{
    const std::string longText(100, 'x');
    EXPECT_EQ(TranslatableText::of("'{text}'", longText).text(),
              "'" + longText.substr(0, 80) + "...'");
    EXPECT_EQ(TranslatableText::of("{text}", TranslatableText::verbatim(longText)).text(),
              longText);
    EXPECT_EQ(TranslatableText::of("'{text}'", std::string("a\nb")).text(), "'a?b'");
}

TEST(TranslatableText, OfAnotherLanguageMayHaveAnotherOrder)
{
    const TranslatableText link =
        TranslatableText::of("link {a} to {b}", std::string("one"), std::string("two"));
    EXPECT_EQ(say(link, {{"link {a} to {b}", "an {b} von {a}"}}), "an two von one");
    const TranslatableText nested = within(TranslatableText::of("node '{node}'", kRadius), link);
    EXPECT_EQ(say(nested, {{"{place}: {fault}", "{place} : {fault}"},
                           {"node '{node}'", "nœud « {node} »"},
                           {"link {a} to {b}", "lien de {a} à {b}"}}),
              "nœud « radius » : lien de one à two");
}

TEST(TranslatableText, IsEnglishWhereALineIsMissingOrWrong)
{
    const TranslatableText message = TranslatableText::of("'{key}' is {value}", kRadius, 5);
    for (const char* line : {"", "{key}", "{key} {valeur}", "{key} {key} {value}", "{value}"})
        EXPECT_EQ(say(message, {{"'{key}' is {value}", line}}), "'radius' is 5") << line;
    EXPECT_EQ(say(TranslatableText::verbatim("is fine"), {{"is fine", "va bien"}}), "is fine")
        << "what comes from elsewhere is not ours to translate";
}

TEST(TranslatableText, IsTheSameAfterItsJson)
{
    const TranslatableText message = within(
        TranslatableText::verbatim("file.json"),
        TranslatableText::of("'{key}' takes {kinds}", kRadius, alternatives({"a", "b", "c"})));
    EXPECT_EQ(translatableTextFrom(toJson(message)), message);
    EXPECT_EQ(toJson(TranslatableText::of("'{key}' is {value}", kRadius, 5)).dump(),
              R"({"pattern":"'{key}' is {value}","values":["radius","5"]})");
    for (const char* odd : {"5", "null", "[]", "{}", R"({"pattern": 3})"})
        EXPECT_TRUE(translatableTextFrom(Json::parse(odd)).empty()) << odd;
    // A runtime of another version may give fewer values than there are places.
    EXPECT_EQ(
        translatableTextFrom(Json::parse(R"({"pattern": "{a} and {b}", "values": ["x"]})")).text(),
        "{a} and {b}");
}

TEST(TranslatableText, OfAFaultIsItsLine)
{
    const auto faults = faultsOf(R"("nodes": {"ball": {"type": "test.sphere",
        "parameters": {"radius": -1}}})");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].text(), "error: t.floe.json: node 'ball' (test.sphere): "
                                "parameter 'radius' is -1, must be between 0 and 1000 m");
    EXPECT_EQ(say(faults[0].line(),
                  {{"error", "erreur"},
                   {"node '{node}' ({type})", "nœud « {node} » ({type})"},
                   {"parameter '{name}' is {value}", "le paramètre « {name} » est {value}"},
                   {"must be between {low} and {high}", "il faut de {low} à {high}"},
                   {"{place}: {fault}", "{place} : {fault}"}}),
              "erreur : t.floe.json : nœud « ball » (test.sphere) : "
              "le paramètre « radius » est -1, il faut de 0 à 1000 m");
}

TEST(TranslatableText, OfAnErrorIsWhatItSays)
{
    try {
        const Expression expression("sine(frame)");
        FAIL() << "sine is no function";
    } catch (const Error& error) {
        EXPECT_EQ(sentenceOf(error).text(), error.what());
        EXPECT_EQ(say(sentenceOf(error), {{"did you mean '{name}'?", "« {name} » ?"}}),
                  "expression 'sine(frame)' uses the unknown function 'sine'; « sin » ?");
    }
    const WordedError placed({.file = "a.json", .node = "ball", .parameter = "radius", .frame = 3},
                             TranslatableText::of("is missing"));
    EXPECT_EQ(sentenceOf(placed).text(), placed.what());
    EXPECT_EQ(sentenceOf(IoError({.file = "a.json"}, "is a folder")).text(), "a.json: is a folder");
}

} // namespace
} // namespace floe::graph
