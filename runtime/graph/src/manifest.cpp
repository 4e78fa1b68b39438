#include "manifest.hpp"

#include "animation.hpp"
#include "conditions.hpp"
#include "floe/graph/text.hpp"

#include "floe/graph/document.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace floe::graph {

namespace {

using Value = Json::value_t;

const std::vector<std::string> kKinds = {"number",    "vector",     "string",  "boolean",  "colour",
                                         "transform", "curve",      "mesh",    "volume",   "image",
                                         "particles", "material",   "emitter", "collider", "domain",
                                         "force",     "activation", "camera",  "light"};

/// "floe.shapes": names with dots between, at least one dot.
bool isDottedName(std::string_view text)
{
    bool dotted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool first = i == 0 || text[i - 1] == '.';
        if (c == '.') {
            if (first || i + 1 == text.size())
                return false;
            dotted = true;
        } else if (first ? !std::isalpha(static_cast<unsigned char>(c))
                         : !(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')) {
            return false;
        }
    }
    return dotted;
}

bool isVersion(std::string_view text)
{
    return !text.empty() && text.size() <= 32 &&
           std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ||
                      c == '+';
           });
}

/// Reads one word of a list. @return its index; 0 after a fault
template <std::size_t N>
std::size_t oneOf(ObjectReader& reader, const char* key, const char* const (&names)[N],
                  bool required = false)
{
    const std::vector<std::string> known(std::begin(names), std::end(names));
    const Json* value = reader.get(key, Value::string, required);
    if (!value)
        return 0;
    const auto text = value->get<std::string>();
    const auto found = std::find(known.begin(), known.end(), text);
    if (found != known.end())
        return static_cast<std::size_t>(found - known.begin());
    reader.fault(
        key, TranslatableText::of("'{key}' is '{value}'", key, text),
        didYouMean(text, known, TranslatableText::of("must be {values}", alternatives(known))));
    return 0;
}

bool suits(Handle handle, ValueType type)
{
    switch (handle) {
    case Handle::None:
        return true;
    case Handle::Position:
    case Handle::Rotation:
    case Handle::Pivot:
    case Handle::Direction:
    case Handle::Point:
        return type == ValueType::Vector;
    case Handle::Scale:
    case Handle::Size:
        return type == ValueType::Vector || type == ValueType::Float;
    case Handle::Radius:
    case Handle::Height:
    case Handle::Width:
    case Handle::Length:
    case Handle::Rise:
    case Handle::Tube:
        return type == ValueType::Float;
    }
    return false;
}

class NodeReader {
public:
    NodeReader(const std::string& manifestPath, const FaultSink& sink)
        : folder_(std::filesystem::path(manifestPath).parent_path()), sink_(sink)
    {}

    std::unique_ptr<NodeType> read(const Json& json, const PluginInfo& plugin)
    {
        auto result = std::make_unique<NodeType>();
        NodeType& type = *result;
        ObjectReader reader(json, {}, sink_);
        type.type = reader.text("type", true);
        type.plugin = plugin.id;
        if (!type.type.empty() && (!isDottedName(type.type) || type.type == kSubgraphType))
            reader.fault("type", TranslatableText::of("'type' is '{value}'", type.type),
                         TranslatableText::of("must be dotted words, such as vendor.group.name"));
        type.version = static_cast<int>(reader.whole("version", 1, 1'000'000).value_or(1));
        type.label = reader.text("label");
        if (type.label.empty())
            type.label = type.type;
        type.category = type.categoryLabel = reader.text("category");
        type.help = reader.text("help");
        type.aliases = reader.texts("aliases");
        type.role = static_cast<Role>(oneOf(reader, "role", {"value", "solver", "sink"}));
        type.timeDependent =
            reader.boolean("timeDependent").value_or(false) || type.role == Role::Solver;
        type.keepsFrames = reader.boolean("keepsFrames").value_or(false);
        type.shiftsFrame = reader.boolean("shiftsFrame").value_or(false);
        readBackends(reader, type);
        type.graph = beside(reader.text("graph"));
        type.preview = beside(reader.text("preview"));
        forEach(reader, "parameters", [&](const Json& entry, const TranslatableText& where) {
            type.parameters.push_back(readParameter(entry, where));
        });
        forEach(reader, "inputs", [&](const Json& entry, const TranslatableText& where) {
            type.inputs.push_back(readSocket(entry, where, true));
        });
        forEach(reader, "outputs", [&](const Json& entry, const TranslatableText& where) {
            type.outputs.push_back(readSocket(entry, where, false));
        });
        forEach(reader, "presets", [&](const Json& entry, const TranslatableText& where) {
            type.presets.push_back(readPreset(entry, where, type));
        });
        forEach(reader, "upgrades", [&](const Json& entry, const TranslatableText& where) {
            type.upgrades.push_back(readUpgrade(entry, where, type));
        });
        forEach(reader, "excludes", [&](const Json& entry, const TranslatableText& where) {
            type.excludes.push_back(readExclusion(entry, where, type));
        });
        checkConditions(type, sink_);
        checkFrames(reader, type);
        checkAbout(reader, type);
        reader.finish();
        checkUnique(type.parameters, "parameters");
        checkUnique(type.inputs, "inputs");
        checkUnique(type.outputs, "outputs");
        checkUnique(type.presets, "presets");
        return result;
    }

private:
    /// The path of a file that the manifest names; of none, empty.
    std::string beside(const std::string& file) const
    {
        return file.empty() ? file
                            : std::filesystem::absolute(folder_ / file).lexically_normal().string();
    }

    /// @param take  gets each entry and its place: the manifest's key, with a name or a number
    template <class Take>
    void forEach(ObjectReader& reader, const char* key, const Take& take)
    {
        const Json* list = reader.get(key, Value::array);
        for (std::size_t i = 0; list && i < list->size(); ++i) {
            const Json& entry = (*list)[i];
            std::string where = std::string(key) + "[" + std::to_string(i) + "]";
            if (entry.is_object() && entry.contains("name") && entry["name"].is_string())
                where = std::string(key) + " " + quote(entry["name"].get<std::string>());
            take(entry, TranslatableText::verbatim(where));
        }
    }

    template <class Entry>
    void checkUnique(const std::vector<Entry>& entries, const char* key)
    {
        std::set<std::string> seen;
        for (const Entry& entry : entries) {
            if (!entry.name.empty() && !seen.insert(entry.name).second)
                sink_.add("duplicate-name", key,
                          within(TranslatableText::verbatim(key),
                                 TranslatableText::of("'{name}' is declared twice", entry.name)),
                          TranslatableText::of("keep one"));
        }
    }

    void checkFrames(ObjectReader& reader, const NodeType& type)
    {
        if (type.keepsFrames && (type.role != Role::Solver || type.ranks ||
                                 type.inputs.size() != 1 || type.outputs.size() != 1))
            reader.fault("keepsFrames",
                         TranslatableText::of("'keepsFrames' is not for such a node"),
                         TranslatableText::of("it needs the role solver, without ranks, one input "
                                              "and one output"));
        if (type.shiftsFrame && type.role != Role::Value)
            reader.fault("shiftsFrame",
                         TranslatableText::of("'shiftsFrame' is not for such a node"),
                         TranslatableText::of("it needs the role value"));
    }

    std::string readName(ObjectReader& reader)
    {
        std::string text = reader.text("name", true);
        if (!text.empty() && !isName(text))
            reader.fault(
                "name", TranslatableText::of("'name' is '{value}'", text),
                TranslatableText::of("must be letters, digits and _, not starting with a digit"));
        return text;
    }

    void readBackends(ObjectReader& reader, NodeType& type)
    {
        const Json* backends = reader.get("backends", Value::object);
        if (!backends)
            return;
        ObjectReader inner(*backends, TranslatableText::verbatim("backends"), sink_);
        type.cpu = inner.boolean("cpu").value_or(true);
        type.cuda = static_cast<CudaUse>(oneOf(inner, "cuda", {"none", "yes", "needed"}));
        type.ranks = inner.boolean("ranks").value_or(false);
        inner.finish();
        if (!type.cpu && type.cuda == CudaUse::None)
            inner.fault("cpu", TranslatableText::of("'cpu' is false and cuda is none"),
                        TranslatableText::of("the node must run on something"));
    }

    ParameterSpec readParameter(const Json& json, const TranslatableText& where)
    {
        ParameterSpec spec;
        ObjectReader reader(json, where, sink_);
        spec.name = readName(reader);
        spec.type = static_cast<ValueType>(
            oneOf(reader, "type",
                  {"float", "int", "bool", "string", "choice", "vector", "colour", "path"}, true));
        spec.min = reader.real("min");
        spec.max = reader.real("max");
        spec.softMin = reader.real("softMin");
        spec.softMax = reader.real("softMax");
        spec.unit = reader.text("unit");
        spec.label = reader.text("label");
        if (spec.label.empty())
            spec.label = spec.name;
        spec.help = reader.text("help");
        spec.widget = reader.text("widget");
        spec.group = reader.text("group");
        spec.live = reader.boolean("live").value_or(false);
        spec.animatable = reader.boolean("animatable").value_or(true);
        if (spec.min && spec.max && *spec.min > *spec.max)
            reader.fault("min", TranslatableText::of("'min' is above max"));
        bool readable = true; // all choices, so that the default can be checked
        forEach(reader, "choices", [&](const Json& entry, const TranslatableText& inner) {
            ObjectReader choice(entry, within(where, inner), sink_);
            readable = readable && entry.is_object() && entry.contains("value");
            spec.choices.push_back(
                {choice.text("value", true), choice.text("label"), choice.text("help")});
            if (spec.choices.back().label.empty())
                spec.choices.back().label = spec.choices.back().value;
            choice.finish();
        });
        if (spec.type == ValueType::Choice && spec.choices.empty())
            reader.fault("choices", TranslatableText::of("'choices' is missing or empty"),
                         TranslatableText::of("list what can be chosen"));
        if (spec.type != ValueType::Choice && !spec.choices.empty())
            reader.fault(
                "choices",
                TranslatableText::of("'choices' is there but the type is {type}", name(spec.type)),
                TranslatableText::of("only the type choice has choices"));
        if (const Json* value = reader.any("default", true); value && readable) {
            FaultSink sink = sink_;
            if (const auto constant = readConstant(spec, *value, spec.name + ".default", sink))
                spec.defaultValue = *constant;
        }
        spec.extensions = reader.texts("extensions");
        for (const std::string& extension : spec.extensions)
            if (extension.empty() ||
                extension.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") !=
                    std::string::npos)
                reader.fault(
                    "extensions",
                    TranslatableText::of("'extensions' holds {value}", quote(extension)),
                    TranslatableText::of("write lower-case letters and digits, without a dot"));
        if (spec.type != ValueType::Path && !spec.extensions.empty())
            reader.fault("extensions",
                         TranslatableText::of("'extensions' is there but the type is {type}",
                                              name(spec.type)),
                         TranslatableText::of("only the type path has extensions"));
        spec.shownWhen = readConditions(reader, "shownWhen");
        spec.automatic = readAutomatic(reader, spec);
        spec.handle = readHandle(reader, spec);
        spec.about = reader.text("about");
        spec.paces = reader.boolean("paces").value_or(false);
        if (spec.paces &&
            (spec.type != ValueType::Float || !spec.live || !spec.min || !(*spec.min > 0)))
            reader.fault("paces", TranslatableText::of("'paces' is not for such a parameter"),
                         TranslatableText::of("it is for a live float with a 'min' above 0"));
        spec.keeps = reader.text("keeps");
        if (!spec.keeps.empty() && spec.type != ValueType::Bool)
            reader.fault(
                "keeps",
                TranslatableText::of("'keeps' is there but the type is {type}", name(spec.type)),
                TranslatableText::of("only the type bool keeps an attribute"));
        reader.finish();
        return spec;
    }

    Handle readHandle(ObjectReader& reader, const ParameterSpec& spec)
    {
        if (!reader.get("handle", Value::string))
            return handleOf(spec.name, spec.type);
        const auto handle = static_cast<Handle>(
            oneOf(reader, "handle",
                  {"none", "position", "rotation", "scale", "size", "radius", "height", "pivot",
                   "direction", "width", "length", "rise", "tube", "point"}));
        if (!suits(handle, spec.type))
            reader.fault("handle",
                         TranslatableText::of("'handle' is not for a parameter of type {type}",
                                              name(spec.type)),
                         TranslatableText::of("positions, points, rotations, pivots and directions "
                                              "are vectors, scales and sizes vectors or floats, "
                                              "the others floats"));
        return handle;
    }

    void checkAbout(ObjectReader& reader, const NodeType& type)
    {
        for (const ParameterSpec& spec : type.parameters) {
            if (spec.about.empty())
                continue;
            const ParameterSpec* middle = type.parameter(spec.about);
            if (!middle || (middle->handle != Handle::Position && middle->handle != Handle::Point))
                reader.fault("parameters",
                             TranslatableText::of("'{name}' is about '{value}', which is no place",
                                                  spec.name, spec.about),
                             TranslatableText::of("name a parameter with the handle 'position' or "
                                                  "'point'"));
        }
    }

    std::optional<Automatic> readAutomatic(ObjectReader& reader, const ParameterSpec& spec)
    {
        const Json* given = reader.get("automatic", Value::object);
        if (!given)
            return std::nullopt;
        Automatic automatic;
        ObjectReader inner(*given, TranslatableText::verbatim("automatic"), sink_);
        automatic.follows = inner.text("follows", true);
        automatic.times = inner.real("times").value_or(1);
        automatic.otherwise = inner.real("otherwise", true).value_or(1);
        inner.finish();
        if (!(automatic.times > 0) || !(automatic.otherwise > 0))
            inner.fault("otherwise", TranslatableText::of("'times' or 'otherwise' is not above 0"),
                        TranslatableText::of("both take the place of 0"));
        if (spec.type != ValueType::Float || (spec.min && *spec.min != 0))
            reader.fault("automatic",
                         TranslatableText::of("'automatic' is there but the parameter is no float "
                                              "from 0 on"),
                         TranslatableText::of("it takes the place of the value 0 of a float"));
        return automatic;
    }

    Socket readSocket(const Json& json, const TranslatableText& where, bool input)
    {
        Socket socket;
        ObjectReader reader(json, where, sink_);
        socket.name = readName(reader);
        socket.label = reader.text("label");
        if (socket.label.empty())
            socket.label = socket.name;
        socket.help = reader.text("help");
        const Json* kind = reader.any("kind", true);
        if (kind && kind->is_string())
            socket.kinds.push_back(kind->get<std::string>());
        else if (kind)
            socket.kinds = reader.texts("kind");
        if (kind && socket.kinds.empty())
            reader.fault("kind", TranslatableText::of("'kind' is empty"),
                         TranslatableText::of("name at least one kind"));
        for (const std::string& entry : socket.kinds) {
            if (std::find(kKinds.begin(), kKinds.end(), entry) == kKinds.end() &&
                !isDottedName(entry))
                reader.fault("kind", TranslatableText::of("'kind' is '{value}'", entry),
                             didYouMean(entry, kKinds,
                                        TranslatableText::of(
                                            "must be a known kind, or a dotted name of your own")));
        }
        if (input) {
            socket.required = reader.boolean("required").value_or(false);
            socket.multiple = reader.boolean("multiple").value_or(false);
            socket.moved = reader.boolean("moved").value_or(false);
            forEach(reader, "wants", [&](const Json& entry, const TranslatableText& place) {
                ObjectReader want(entry, within(where, place), sink_);
                socket.wants.push_back(
                    {want.text("attribute"), want.text("parameter"), readConditions(want, "when")});
                want.finish();
                if (socket.wants.back().attribute.empty() == socket.wants.back().parameter.empty())
                    want.fault("attribute", TranslatableText::of("it names no attribute, or two"),
                               TranslatableText::of("give 'attribute', or the 'parameter' that "
                                                    "names one"));
            });
        }
        reader.finish();
        return socket;
    }

    Preset readPreset(const Json& json, const TranslatableText& where, const NodeType& type)
    {
        Preset preset;
        ObjectReader reader(json, where, sink_);
        preset.name = reader.text("name", true);
        preset.label = reader.text("label");
        if (preset.label.empty())
            preset.label = preset.name;
        preset.help = reader.text("help");
        preset.picture = beside(reader.text("picture"));
        if (const Json* values = reader.get("values", Value::object, true)) {
            for (const auto& [key, value] : values->items()) {
                const ParameterSpec* spec = type.parameter(key);
                if (!spec) {
                    reader.fault("values",
                                 TranslatableText::of(
                                     "'values' names the unknown parameter '{parameter}'", key));
                } else if (const auto constant =
                               readConstant(*spec, value, preset.name + "." + key, sink_)) {
                    preset.values.emplace_back(key, *constant);
                }
            }
        }
        reader.finish();
        return preset;
    }

    Upgrade readUpgrade(const Json& json, const TranslatableText& where, const NodeType& type)
    {
        Upgrade upgrade;
        ObjectReader reader(json, where, sink_);
        upgrade.from = static_cast<int>(reader.whole("from", 1, 1'000'000, true).value_or(1));
        const auto names = [&](const char* key, std::map<std::string, std::string>& into) {
            if (const Json* map = reader.get(key, Value::object)) {
                for (const auto& [from, to] : map->items()) {
                    if (to.is_string())
                        into[from] = to.get<std::string>();
                    else
                        reader.fault(key,
                                     TranslatableText::of("'{key}' maps '{name}' to {kind}", key,
                                                          from, kindOf(to)),
                                     TranslatableText::of("must be the new name"));
                }
            }
        };
        names("renameParameters", upgrade.renameParameters);
        names("renameInputs", upgrade.renameInputs);
        names("renameOutputs", upgrade.renameOutputs);
        if (const Json* defaults = reader.get("defaults", Value::object)) {
            for (const auto& [key, value] : defaults->items())
                upgrade.defaults.emplace_back(key, value.dump());
        }
        upgrade.type = reader.text("type");
        reader.finish();
        if (upgrade.type.empty() && upgrade.from >= type.version)
            reader.fault("from", TranslatableText::of("'from' is {version}", upgrade.from),
                         TranslatableText::of("must be older than the node's version {version}",
                                              type.version));
        return upgrade;
    }

    Exclusion readExclusion(const Json& json, const TranslatableText& where, const NodeType& type)
    {
        Exclusion exclusion;
        ObjectReader reader(json, where, sink_);
        const auto checkInput = [&](const char* key, const std::string& input) {
            if (!input.empty() && !type.input(input))
                reader.fault(
                    key,
                    TranslatableText::of("'{key}' names the unknown input '{input}'", key, input),
                    TranslatableText::of("name an input of the node"));
        };
        exclusion.when = readConditions(reader, "when");
        exclusion.linked = reader.texts("linked");
        for (const std::string& input : exclusion.linked)
            checkInput("linked", input);
        if (const Json* behind = reader.get("behind", Value::object)) {
            ObjectReader inner(*behind, within(where, TranslatableText::verbatim("behind")), sink_);
            exclusion.behind = {inner.text("input", true), inner.text("type", true),
                                readConditions(inner, "when")};
            inner.finish();
            checkInput("behind", exclusion.behind->input);
        }
        exclusion.cause = reader.text("cause", true);
        exclusion.cure = reader.text("cure", true);
        reader.finish();
        if (exclusion.when.empty() && exclusion.linked.empty() && !exclusion.behind)
            reader.fault("when", TranslatableText::of("nothing is excluded"),
                         TranslatableText::of("give 'when', 'linked' or 'behind'"));
        return exclusion;
    }

    std::filesystem::path folder_;
    const FaultSink& sink_;
};

} // namespace

Handle handleOf(std::string_view name, ValueType type)
{
    constexpr std::pair<std::string_view, Handle> kNames[] = {
        {"position", Handle::Position},    {"center", Handle::Position},
        {"translation", Handle::Position}, {"rotation", Handle::Rotation},
        {"scale", Handle::Scale},          {"size", Handle::Size},
        {"radius", Handle::Radius},        {"pivot", Handle::Pivot},
        {"direction", Handle::Direction}};
    for (const auto& [known, handle] : kNames)
        if (known == name && suits(handle, type))
            return handle;
    return Handle::None;
}

Manifest readManifest(const Json& json, const std::string& path, const FaultSink& sink)
{
    Manifest manifest;
    PluginInfo& plugin = manifest.plugin;
    plugin.path = path;
    ObjectReader reader(json, {}, sink);
    if (!reader.isObject())
        return manifest;
    if (const Json* format = reader.any("format", true); format && *format != 1) {
        reader.fault("format",
                     TranslatableText::of("'format' is {value}",
                                          TranslatableText::verbatim(format->dump().substr(0, 20))),
                     TranslatableText::of("this version of Floe reads format 1"));
        return manifest;
    }
    plugin.id = reader.text("id", true);
    if (!plugin.id.empty() && !isDottedName(plugin.id))
        reader.fault("id", TranslatableText::of("'id' is '{value}'", plugin.id),
                     TranslatableText::of("must be dotted words, such as vendor.name"));
    plugin.version = reader.text("version", true);
    if (!plugin.version.empty() && !isVersion(plugin.version))
        reader.fault("version", TranslatableText::of("'version' is '{value}'", plugin.version),
                     TranslatableText::of("must be like 1.2.0"));
    plugin.label = reader.text("label");
    plugin.vendor = reader.text("vendor");
    reader.text("license");
    reader.text("help");
    const bool library = !reader.text("library").empty();
    if (const Json* abi = reader.get("abi", Value::object, library)) {
        ObjectReader inner(*abi, TranslatableText::verbatim("abi"), sink);
        inner.whole("major", 0, 1'000'000, true);
        inner.whole("minor", 0, 1'000'000, true);
        inner.finish();
    }
    if (const Json* nodes = reader.get("nodes", Value::array, true)) {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            FaultSink inner = sink;
            const Json& node = (*nodes)[i];
            inner.node = "nodes[" + std::to_string(i) + "]";
            if (node.is_object() && node.contains("type") && node["type"].is_string())
                inner.node = node["type"].get<std::string>();
            auto type = NodeReader(path, inner).read(node, plugin);
            if (!seen.insert(type->type).second)
                inner.add("duplicate-name", "type",
                          TranslatableText::of("the type is declared twice"),
                          TranslatableText::of("keep one"));
            if (!library && type->graph.empty())
                inner.add("missing-key", "graph",
                          TranslatableText::of("the plugin has no library and the node no graph"),
                          TranslatableText::of("give one of the two"));
            manifest.types.push_back(std::move(type));
        }
    }
    reader.finish();
    return manifest;
}

} // namespace floe::graph
