#include "floe/graph/document.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/graph/node_type.hpp"

#include "floe/graph/text.hpp"
#include "json_entries.hpp"
#include "object_reader.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace floe::graph {

namespace {

using Value = Json::value_t;

constexpr std::size_t kMaxBytes = 64u << 20; // ten thousand nodes are about 3 MB

constexpr std::size_t kMaxPromoted = 256;  // per sort: every instance searches them
constexpr std::size_t kMaxLinks = 200'000; // per graph

/// Turns JSON into a Document and records its faults.
class DocumentReader {
public:
    explicit DocumentReader(Document& document)
        : document_(document), sink_{document.faults, document.path, "", ""}
    {}

    void read(const Json& root, std::string_view text)
    {
        ObjectReader reader(root, {}, sink_);
        reader.any("floe");
        if (const Json* range = reader.get("range", Value::object))
            readRange(*range);
        if (const Json* plugins = reader.get("plugins", Value::object)) {
            for (const auto& [id, version] : plugins->items()) {
                if (version.is_string()) {
                    document_.plugins.emplace_back(id, version.get<std::string>());
                } else {
                    lose("plugins." + id,
                         TranslatableText::of("plugin '{plugin}' has {kind}", id, kindOf(version)),
                         TranslatableText::of("must be a minimum version such as \"1.0.0\""));
                }
            }
        }
        std::map<std::string, std::string_view> slices;
        forEachEntry(text,
                     [&](const std::string& key, std::string_view slice) { slices[key] = slice; });
        readGraph(reader, slices["nodes"], {}, document_.graph);
        if (const Json* subgraphs = reader.get("subgraphs", Value::object)) {
            std::map<std::string, std::string_view> inner;
            forEachEntry(slices["subgraphs"], [&](const std::string& key, std::string_view slice) {
                inner[key] = slice;
            });
            for (const auto& [name, json] : subgraphs->items())
                readSubgraph(name, json, inner[name]);
        }
        document_.graph.extra = reader.finish();
        document_.lossless = document_.lossless && !reader.lost();
    }

private:
    void lose(const std::string& field, const TranslatableText& cause, const TranslatableText& cure)
    {
        sink_.add("wrong-type", field, cause, cure);
        document_.lossless = false;
    }

    /// @param refusal  the cause, when the name is not allowed
    void checkName(const std::string& name, const TranslatableText& refusal)
    {
        if (!isName(name))
            sink_.add(
                "bad-name", name, refusal,
                TranslatableText::of("must be letters, digits and _, not starting with a digit"));
    }

    /// Reads an object that must not contain unknown content.
    template <class Read>
    void strict(const Json& json, const TranslatableText& where, const Read& read)
    {
        ObjectReader reader(json, where, sink_);
        if (reader.isObject()) {
            read(reader);
            reader.finish();
        }
        document_.lossless = document_.lossless && !reader.faulty();
    }

    void readRange(const Json& json)
    {
        constexpr std::int64_t kFarthest = 100'000'000;
        strict(json, TranslatableText::verbatim("range"), [&](ObjectReader& reader) {
            FrameRange& range = document_.range;
            range.start = static_cast<int>(
                reader.whole("start", -kFarthest, kFarthest).value_or(range.start));
            range.end =
                static_cast<int>(reader.whole("end", -kFarthest, kFarthest).value_or(range.end));
            range.fps = reader.real("fps").value_or(range.fps);
        });
        const FrameRange& range = document_.range;
        if (range.end < range.start)
            sink_.add("out-of-range", "range.end",
                      TranslatableText::of("range: 'end' is {frame}", range.end),
                      TranslatableText::of("must not be before 'start', {frame}", range.start));
        if (!(range.fps >= 1e-3 && range.fps <= 1e6))
            sink_.add("out-of-range", "range.fps",
                      TranslatableText::of("range: 'fps' is {value}", range.fps),
                      TranslatableText::of("must be from 0.001 to 1000000"));
    }

    void readSubgraph(const std::string& name, const Json& json, std::string_view text)
    {
        checkName(name, TranslatableText::of("subgraph name '{name}' is not allowed", name));
        const TranslatableText where = TranslatableText::of("subgraph '{name}'", name);
        ObjectReader reader(json, where, sink_);
        Graph graph;
        std::string_view nodes;
        forEachEntry(text, [&](const std::string& key, std::string_view slice) {
            nodes = key == "nodes" ? slice : nodes;
        });
        readGraph(reader, nodes, where, graph);
        graph.extra = reader.finish();
        document_.lossless = document_.lossless && !reader.lost();
        document_.subgraphs.emplace_back(name, std::move(graph));
    }

    /// @param place of the graph in the document; empty: the main graph
    void readGraph(ObjectReader& reader, std::string_view nodeText, const TranslatableText& place,
                   Graph& graph)
    {
        if (const Json* nodes = reader.get("nodes", Value::object)) {
            std::map<std::string, std::string_view> slices;
            forEachEntry(nodeText, [&](const std::string& key, std::string_view slice) {
                slices[key] = slice;
            });
            for (const auto& [name, json] : nodes->items()) {
                sink_.node = name;
                checkName(name, TranslatableText::of("node name '{name}' is not allowed", name));
                graph.nodes.push_back(readNode(name, json));
                graph.nodes.back().raw = slices[name];
                sink_.node.clear();
                sink_.type.clear();
            }
        }
        const Json* links = reader.get("links", Value::array);
        if (links && links->size() > kMaxLinks) {
            lose("links",
                 within(place, TranslatableText::of("there are {count} links", links->size())),
                 TranslatableText::of("must be at most {limit}", kMaxLinks));
        } else if (links) {
            for (std::size_t i = 0; i < links->size(); ++i)
                readLink((*links)[i], within(place, TranslatableText::of("link {number}", i + 1)),
                         graph);
        }
        if (const Json* backdrops = reader.get("backdrops", Value::object)) {
            graph.backdrops = *backdrops;
            for (const auto& [name, json] : backdrops->items()) {
                const TranslatableText where =
                    within(place, TranslatableText::of("backdrop '{name}'", name));
                strict(json, where, [&](ObjectReader& entry) {
                    entry.text("title");
                    numbers(entry, "rect", 4);
                    numbers(entry, "color", 3);
                });
            }
        }
        if (const Json* notes = reader.get("notes", Value::object)) {
            graph.notes = *notes;
            for (const auto& [name, json] : notes->items()) {
                const TranslatableText where =
                    within(place, TranslatableText::of("note '{name}'", name));
                strict(json, where, [&](ObjectReader& entry) {
                    entry.text("text");
                    for (const char* key : {"x", "y", "width", "height"})
                        entry.real(key);
                    numbers(entry, "color", 3);
                });
            }
        }
        if (const Json* promote = reader.get("promote", Value::object))
            readPromotion(*promote, place, graph.promote);
    }

    void numbers(ObjectReader& reader, const char* key, std::size_t count)
    {
        const Json* list = reader.get(key, Value::array);
        if (!list)
            return;
        const bool good = list->size() == count &&
                          std::all_of(list->begin(), list->end(),
                                      [](const Json& entry) { return entry.is_number(); });
        if (!good)
            reader.fault(key, TranslatableText::of("'{key}' is malformed", key),
                         TranslatableText::of("must be {count} numbers", count));
    }

    Node readNode(const std::string& name, const Json& json)
    {
        Node node;
        node.name = name;
        ObjectReader reader(json, {}, sink_);
        node.type = reader.text("type", true);
        sink_.type = node.type;
        node.version = static_cast<int>(reader.whole("version", 1, 1'000'000).value_or(0));
        node.graph = reader.text("graph");
        node.file = reader.text("file");
        if (const Json* parameters = reader.get("parameters", Value::object))
            node.parameters = *parameters;
        node.bypass = reader.boolean("bypass").value_or(false);
        if (const Json* layout = reader.get("layout", Value::object)) {
            node.layout = *layout;
            ObjectReader inner(*layout, TranslatableText::verbatim("layout"), sink_);
            for (const char* key : {"x", "y", "width", "height"})
                inner.real(key);
            numbers(inner, "color", 3);
            inner.boolean("collapsed");
            inner.get("bends", Value::array);
            inner.finish();
        }
        node.extra = reader.finish();
        document_.lossless = document_.lossless && !reader.lost();
        return node;
    }

    static TranslatableText mustBeSocket() { return TranslatableText::of("must be node.socket"); }

    std::optional<Endpoint> readEndpoint(ObjectReader& reader, const char* key,
                                         const TranslatableText& shape)
    {
        const std::string text = reader.text(key, true);
        if (text.empty())
            return std::nullopt;
        const auto dot = text.find('.');
        if (dot == std::string::npos || dot == 0 || dot + 1 == text.size() ||
            text.find('.', dot + 1) != std::string::npos) {
            reader.fault(key, TranslatableText::of("'{key}' is '{value}'", key, text), shape);
            return std::nullopt;
        }
        return Endpoint{text.substr(0, dot), text.substr(dot + 1)};
    }

    void readLink(const Json& json, const TranslatableText& where, Graph& graph)
    {
        strict(json, where, [&](ObjectReader& reader) {
            const auto from = readEndpoint(reader, "from", mustBeSocket());
            const auto to = readEndpoint(reader, "to", mustBeSocket());
            if (from && to)
                graph.links.push_back({*from, *to});
        });
    }

    void readPromotion(const Json& json, const TranslatableText& place, Promotion& promotion)
    {
        for (const auto& [key, list] : json.items())
            if (list.size() > kMaxPromoted) {
                lose("promote." + key,
                     within(place,
                            TranslatableText::of("promote.{key} has {count} entries",
                                                 TranslatableText::verbatim(key), list.size())),
                     TranslatableText::of("must have at most {limit}", kMaxPromoted));
                return;
            }
        strict(
            json, within(place, TranslatableText::verbatim("promote")), [&](ObjectReader& reader) {
                if (const Json* parameters = reader.get("parameters", Value::object)) {
                    for (const auto& item : parameters->items()) {
                        const std::string& name = item.key();
                        checkName(name, TranslatableText::of(
                                            "parameter name '{name}' is not allowed", name));
                        const TranslatableText where =
                            within(place, TranslatableText::verbatim("promote.parameters." + name));
                        strict(item.value(), where, [&](ObjectReader& inner) {
                            PromotedParameter parameter;
                            parameter.name = name;
                            parameter.label = inner.text("label");
                            parameter.help = inner.text("help");
                            parameter.min = inner.real("min");
                            parameter.max = inner.real("max");
                            parameter.softMin = inner.real("softMin");
                            parameter.softMax = inner.real("softMax");
                            if (const auto to = readEndpoint(
                                    inner, "to", TranslatableText::of("must be node.parameter"))) {
                                parameter.to = *to;
                                promotion.parameters.push_back(std::move(parameter));
                            }
                        });
                    }
                }
                readSockets(reader, "inputs", promotion.inputs);
                readSockets(reader, "outputs", promotion.outputs);
            });
    }

    void readSockets(ObjectReader& reader, const char* key, std::vector<PromotedSocket>& sockets)
    {
        const Json* list = reader.get(key, Value::object);
        if (!list)
            return;
        ObjectReader inner(*list, TranslatableText::verbatim(std::string("promote.") + key), sink_);
        for (const auto& [name, entry] : list->items()) {
            checkName(name, TranslatableText::of("socket name '{name}' is not allowed", name));
            if (const auto to = readEndpoint(inner, name.c_str(), mustBeSocket()))
                sockets.push_back({name, *to});
        }
        document_.lossless = document_.lossless && !inner.faulty();
    }

    Document& document_;
    FaultSink sink_;
};

void appendExtra(Json& json, const Json& extra)
{
    if (extra.is_object())
        for (const auto& [key, value] : extra.items())
            json[key] = value;
}

Json toJson(const Promotion& promote)
{
    Json json = Json::object();
    for (const PromotedParameter& parameter : promote.parameters) {
        Json& entry = json["parameters"][parameter.name] = {{"to", parameter.to.text()}};
        if (!parameter.label.empty())
            entry["label"] = parameter.label;
        if (!parameter.help.empty())
            entry["help"] = parameter.help;
        for (const auto& [key, value] :
             {std::pair("min", parameter.min), std::pair("max", parameter.max),
              std::pair("softMin", parameter.softMin), std::pair("softMax", parameter.softMax)})
            if (value)
                entry[key] = *value;
    }
    for (const PromotedSocket& socket : promote.inputs)
        json["inputs"][socket.name] = socket.to.text();
    for (const PromotedSocket& socket : promote.outputs)
        json["outputs"][socket.name] = socket.to.text();
    return json;
}

/// Writes nodes, links and so on into `json`. Nodes to preserve become placeholders: texts long
/// enough to be on a line of their own, replaced after formatting.
class GraphWriter {
public:
    GraphWriter(const TypeLibrary& types, std::string mark) : types_(types), mark_(std::move(mark))
    {}

    void write(const Graph& graph, Json& json)
    {
        Json::object_t nodes;
        for (const Node& node : graph.nodes)
            nodes.Container::emplace_back(node.name, keepsRaw(node) ? Json(markFor(node))
                                                                    : toJson(node, &types_));
        json["nodes"] = std::move(nodes);
        json["links"] = Json::array();
        for (const Link& link : graph.links)
            json["links"].push_back({{"from", link.from.text()}, {"to", link.to.text()}});
        if (!graph.backdrops.is_null())
            json["backdrops"] = graph.backdrops;
        if (!graph.notes.is_null())
            json["notes"] = graph.notes;
        if (!graph.promote.empty())
            json["promote"] = toJson(graph.promote);
    }

    /// Replaces the placeholders, in order, by the preserved texts.
    std::string restore(const std::string& text) const
    {
        std::string result;
        std::size_t done = 0;
        for (const auto& [mark, node] : kept_) {
            const std::string token = "\"" + mark + "\"";
            const std::size_t at = text.find(token, done);
            result.append(text, done, at - done);
            result += node->raw;
            done = at + token.size();
        }
        return result.append(text, done, std::string::npos);
    }

private:
    using Container = Json::object_t::Container;

    bool keepsRaw(const Node& node) const
    {
        if (node.raw.empty() || node.type == kSubgraphType || types_.find(node.type))
            return false;
        // Only while the text still describes the node.
        const Json read = Json::parse(node.raw, nullptr, false);
        if (!read.is_object())
            return false;
        std::vector<Fault> ignored;
        Document document;
        Json whole = {{"floe", kDocumentFormat}, {"nodes", {{node.name, read}}}};
        const Document parsed = Document::parse(whole.dump(), "");
        return parsed.graph.nodes.size() == 1 && toJson(parsed.graph.nodes.front()) == toJson(node);
    }

    std::string markFor(const Node& node)
    {
        std::string mark = mark_ + std::to_string(kept_.size()) + "-";
        mark.resize(128, '-');
        kept_.emplace_back(mark, &node);
        return mark;
    }

    const TypeLibrary& types_;
    std::string mark_;
    std::vector<std::pair<std::string, const Node*>> kept_;
};

} // namespace

bool isName(std::string_view name)
{
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && name.size() <= 128 && letter(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

const Node* Graph::find(std::string_view name) const
{
    const auto found = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const Node& node) { return node.name == name; });
    return found == nodes.end() ? nullptr : &*found;
}

Node* Graph::find(std::string_view name)
{
    return const_cast<Node*>(std::as_const(*this).find(name));
}

const Graph* Document::subgraph(std::string_view name) const
{
    const auto found = std::find_if(subgraphs.begin(), subgraphs.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == subgraphs.end() ? nullptr : &found->second;
}

Graph* Document::subgraph(std::string_view name)
{
    return const_cast<Graph*>(std::as_const(*this).subgraph(name));
}

std::string Document::folder() const
{
    return std::filesystem::absolute(path.empty() ? "x" : path)
        .lexically_normal()
        .parent_path()
        .string();
}

Document Document::parse(std::string_view text, const std::string& path)
{
    const Json root = parseJson(text, path, {.bytes = kMaxBytes});
    const Place place{.file = path};
    if (!root.is_object() || !root.contains("floe"))
        throw WordedError(place, TranslatableText::of("is not a Floe graph"),
                          TranslatableText::of("the key 'floe' (format version) is missing"));
    const Json& format = root["floe"];
    if (!format.is_number_integer() || format < 1)
        throw WordedError(place,
                          TranslatableText::of(
                              "'floe' is {value}",
                              TranslatableText::verbatim(format.dump(-1, ' ', true).substr(0, 40))),
                          TranslatableText::of("must be the format version, 1"));
    if (format > kDocumentFormat)
        throw WordedError(
            place,
            TranslatableText::of("was written by a newer version of Floe (format {format}, "
                                 "this one reads up to {newest})",
                                 format.dump(), kDocumentFormat),
            TranslatableText::of("update Floe"));
    Document document;
    document.path = path;
    DocumentReader(document).read(root, text);
    return document;
}

Document Document::load(const std::string& path)
{
    return parse(readFile(path, kMaxBytes), path);
}

std::string Document::format(const TypeLibrary& types) const
{
    if (!lossless)
        throw WordedError(
            {.file = path},
            TranslatableText::of("cannot be written again without losing what is faulty"),
            TranslatableText::of("mend its faults first"));
    std::string raws = path;
    for (const Node& node : graph.nodes)
        raws += node.raw;
    for (const auto& [name, inner] : subgraphs)
        for (const Node& node : inner.nodes)
            raws += node.raw;
    GraphWriter writer(types, "kept-" + hashBytes(raws).text() + "-");

    Json json;
    json["floe"] = kDocumentFormat;
    json["range"] = {{"start", range.start}, {"end", range.end}, {"fps", range.fps}};
    if (range.fps == static_cast<double>(static_cast<int>(range.fps)))
        json["range"]["fps"] = static_cast<int>(range.fps);
    for (const auto& [id, version] : plugins)
        json["plugins"][id] = version;
    writer.write(graph, json);
    for (const auto& [name, inner] : subgraphs) {
        Json& entry = json["subgraphs"][name];
        writer.write(inner, entry);
        appendExtra(entry, inner.extra);
    }
    appendExtra(json, graph.extra);
    return writer.restore(formatJson(json));
}

void Document::save(const std::string& target, const TypeLibrary& types) const
{
    writeFileAtomically(target, format(types));
}

Json toJson(const Node& node, const TypeLibrary* types)
{
    Json json;
    json["type"] = node.type;
    const NodeType* type = types ? types->find(node.type) : nullptr;
    const int version = node.version == 0 && type ? type->version : node.version;
    if (version != 0)
        json["version"] = version;
    if (!node.graph.empty())
        json["graph"] = node.graph;
    if (!node.file.empty())
        json["file"] = node.file;
    if (!node.parameters.empty()) {
        Json& parameters = json["parameters"] = Json::object();
        if (type) {
            for (const ParameterSpec& spec : type->parameters)
                if (const auto found = node.parameters.find(spec.name);
                    found != node.parameters.end())
                    parameters[spec.name] = *found;
        }
        appendExtra(parameters, node.parameters);
    }
    if (node.bypass)
        json["bypass"] = true;
    if (!node.layout.is_null())
        json["layout"] = node.layout;
    appendExtra(json, node.extra);
    return json;
}

} // namespace floe::graph
