#include "translation.hpp"

#include "floe/base/error.hpp"

#include "floe/graph/text.hpp"
#include "object_reader.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

namespace floe::graph {

namespace {

using Value = Json::value_t;

/// Calls `take` with every text of a type shown to users. @tparam Type  NodeType, const or not
template <class Type, class Take>
void forEachText(Type& type, const Take& take)
{
    take(type.label);
    take(type.categoryLabel);
    take(type.help);
    for (auto& parameter : type.parameters) {
        take(parameter.label);
        take(parameter.group);
        take(parameter.help);
        for (auto& choice : parameter.choices) {
            take(choice.label);
            take(choice.help);
        }
    }
    for (auto* sockets : {&type.inputs, &type.outputs})
        for (auto& socket : *sockets) {
            take(socket.label);
            take(socket.help);
        }
    for (auto& preset : type.presets) {
        take(preset.label);
        take(preset.help);
    }
    for (auto& exclusion : type.excludes) {
        take(exclusion.cause);
        take(exclusion.cure);
    }
}

/// Reads a text and checks it. @return empty after a fault
std::string shownText(ObjectReader& reader, const std::string& where, const Json& value)
{
    if (!value.is_string())
        reader.fault(where, TranslatableText::of("'{key}' is {kind}", where, kindOf(value)),
                     TranslatableText::of("must be a text"));
    else if (const auto& text = value.get_ref<const std::string&>(); text.empty())
        reader.fault(where, TranslatableText::of("'{key}' is empty", where),
                     TranslatableText::of("translate it or remove the line"));
    else if (text.size() > kMaxTextBytes)
        reader.fault(where, TranslatableText::of("'{key}' has {count} bytes", where, text.size()),
                     TranslatableText::of("at most {limit} are allowed", kMaxTextBytes));
    else
        return text;
    return {};
}

Translation::Texts readTexts(ObjectReader& reader)
{
    Translation::Texts texts;
    if (const Json* entries = reader.get("texts", Value::object))
        for (const auto& [english, value] : entries->items())
            texts[english] = shownText(reader, "texts: " + quote(english), value);
    return texts;
}

bool isLanguage(std::string_view text)
{
    return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    });
}

} // namespace

std::optional<Translation> readTranslation(const std::string& path, std::vector<Fault>& faults)
{
    std::vector<Fault> found;
    const FaultSink sink{found, path, "", ""};
    Translation translation;
    try {
        if (!std::filesystem::is_regular_file(path)) // reading a pipe would block
            throw IoError({.file = path}, "is not a file");
        const Json json =
            loadJson(path, {.bytes = kMaxTranslationBytes, .depth = 8, .keys = 10'000});
        ObjectReader reader(json, {}, sink);
        if (const Json* format = reader.any("format", true); format && *format != 1)
            reader.fault(
                "format",
                TranslatableText::of("'format' is {value}",
                                     TranslatableText::verbatim(format->dump().substr(0, 20))),
                TranslatableText::of("this version of Floe reads format 1"));
        translation.language = reader.text("language", true);
        const std::string stem = std::filesystem::path(path).stem().string();
        if (translation.language != stem || !isLanguage(stem))
            reader.fault(
                "language", TranslatableText::of("'language' is '{value}'", translation.language),
                TranslatableText::of("must be as in the file's name, such as fr or pt_BR"));
        translation.plugin = reader.text("plugin", true);
        translation.texts = readTexts(reader);
        if (const Json* nodes = reader.get("nodes", Value::object)) {
            for (const auto& [type, value] : nodes->items()) {
                ObjectReader inner(value, TranslatableText::verbatim("nodes: " + quote(type)),
                                   sink);
                Translation::Node& node = translation.nodes[type];
                node.texts = readTexts(inner);
                if (const Json* aliases = inner.get("aliases", Value::array))
                    for (const Json& alias : *aliases)
                        node.aliases.push_back(shownText(inner, "aliases", alias));
                inner.finish();
            }
        }
        reader.finish();
    } catch (const Error& error) {
        sink.add("unreadable", "", causeOf(error), cureOf(error));
    } catch (const std::filesystem::filesystem_error& error) {
        sink.add("unreadable", "", TranslatableText::verbatim(error.code().message()));
    }
    faults.insert(faults.end(), found.begin(), found.end());
    if (anyError(found))
        return std::nullopt;
    return translation;
}

std::vector<Fault> checkTranslation(const Translation& translation, const PluginInfo& plugin,
                                    const std::vector<const NodeType*>& types,
                                    const std::string& path)
{
    std::vector<Fault> faults;
    const FaultSink sink{faults, path, "", ""};
    if (translation.plugin != plugin.id) {
        sink.add("wrong-plugin", "plugin",
                 TranslatableText::of("it is for the plugin '{plugin}'", translation.plugin),
                 TranslatableText::of("must be '{value}'", plugin.id));
        return faults;
    }
    const auto stale = [&](const TranslatableText& what, const TranslatableText& cure) {
        sink.add("stale", "", what, cure, Severity::Warning);
    };
    const auto untranslated = [&](const TranslatableText& what, const TranslatableText& cure) {
        sink.add("untranslated", "", what, cure, Severity::Warning);
    };

    std::set<std::string, std::less<>> all, missing;
    const auto ask = [&](const std::string& text, const Translation::Node* own) {
        if (text.empty())
            return;
        all.insert(text);
        if (!translation.texts.contains(text) && !(own && own->texts.contains(text)) &&
            missing.insert(text).second)
            untranslated(TranslatableText::of("'{text}' has no translation", text),
                         TranslatableText::of("add a line to 'texts'"));
    };
    ask(plugin.label, nullptr);
    for (const NodeType* type : types) {
        const auto found = translation.nodes.find(type->type);
        const Translation::Node* own = found == translation.nodes.end() ? nullptr : &found->second;
        std::set<std::string, std::less<>> ownTexts;
        forEachText(*type, [&](const std::string& text) {
            ask(text, own);
            ownTexts.insert(text);
        });
        if (!type->aliases.empty() && (!own || own->aliases.empty()))
            untranslated(TranslatableText::of("search for '{type}' has no translation", type->type),
                         TranslatableText::of("add 'aliases' to it in 'nodes'"));
        if (own)
            for (const auto& [english, text] : own->texts)
                if (!ownTexts.contains(english))
                    stale(
                        TranslatableText::of("'{type}' has no text '{text}'", type->type, english),
                        TranslatableText::of("remove the line, or write it as in the manifest"));
    }
    for (const auto& [english, text] : translation.texts)
        if (!all.contains(english))
            stale(TranslatableText::of("the manifest has no text '{text}'", english),
                  TranslatableText::of("remove the line, or write it as in the manifest"));
    for (const auto& node : translation.nodes)
        if (std::ranges::none_of(types,
                                 [&](const NodeType* type) { return type->type == node.first; }))
            stale(TranslatableText::of("the manifest has no node type '{type}'", node.first),
                  TranslatableText::of("remove it from 'nodes'"));
    return faults;
}

void translate(NodeType& type, const Translation& translation)
{
    const auto found = translation.nodes.find(type.type);
    const Translation::Node* own = found == translation.nodes.end() ? nullptr : &found->second;
    const std::string english = type.label;
    forEachText(type, [&](std::string& text) {
        if (own)
            if (const auto line = own->texts.find(text); line != own->texts.end()) {
                text = line->second;
                return;
            }
        if (const auto line = translation.texts.find(text); line != translation.texts.end())
            text = line->second;
    });
    std::vector<std::string> aliases;
    const auto add = [&](const std::string& alias) {
        if (alias != type.label && std::ranges::find(aliases, alias) == aliases.end())
            aliases.push_back(alias);
    };
    if (own)
        std::ranges::for_each(own->aliases, add);
    std::ranges::for_each(type.aliases, add);
    add(english);
    type.aliases = std::move(aliases);
}

std::vector<Fault> TypeLibrary::translate(const std::vector<std::string>& languages)
{
    std::vector<Fault> faults;
    for (const auto& [id, plugin] : plugins_) {
        const auto folder = std::filesystem::path(plugin->path).parent_path() / "translations";
        for (const std::string& language : languages) {
            if (language == "en" || language.starts_with("en_") || language == "C")
                break; // like the manifest
            const std::string path = (folder / (language + ".json")).string();
            std::error_code unknown;
            if (!isLanguage(language) || !std::filesystem::exists(path, unknown))
                continue;
            const auto translation = readTranslation(path, faults);
            if (translation && translation->plugin != id) {
                const auto wrong = checkTranslation(*translation, *plugin, {}, path);
                faults.insert(faults.end(), wrong.begin(), wrong.end());
            } else if (translation) {
                if (const auto line = translation->texts.find(plugin->label);
                    line != translation->texts.end())
                    plugin->label = line->second;
                for (const auto& [name, type] : types_)
                    if (type->plugin == id)
                        graph::translate(*type, *translation);
            }
            break;
        }
    }
    return faults;
}

} // namespace floe::graph
