#include "resolved_document.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <filesystem>

namespace floe::graph {

namespace fs = std::filesystem;

const ResolvedNode* Definition::find(const std::string& name) const
{
    const auto found = index.find(name);
    return found == index.end() ? nullptr : &nodes[found->second];
}

ResolvedDocument::~ResolvedDocument() = default;

ResolvedDocument::ResolvedDocument(const Document& document, const TypeLibrary& types,
                                   std::vector<Fault>& faults)
    : types_(types), faults_(faults), document_(std::make_unique<Document>(document))
{
    faults_.insert(faults_.end(), document.faults.begin(), document.faults.end());
    checkPlugins(*document_);
    migrateOrReport(*document_);
    root_ = define(*document_, document_->graph, "", TranslatableText::of("the graph"));
    for (const auto& [name, graph] : document_->subgraphs)
        if (!definitions_.contains(&graph)) // not instanced yet
            define(*document_, graph, name + "/", TranslatableText::of("subgraph '{name}'", name));
    if (root_->flatCount > kMaxFlatNodes) {
        sinkFor(*root_).add(
            "too-large", "nodes",
            TranslatableText::of("the graph has more than {limit} nodes once its subgraphs "
                                 "are expanded",
                                 kMaxFlatNodes),
            TranslatableText::of("use fewer instances"));
        expandable_ = false;
    }
}

void ResolvedDocument::migrateOrReport(Document& document)
{
    try {
        migrate(document, types_);
    } catch (const Error& failure) {
        FaultSink{faults_, document.path, failure.place().node, ""}.add(
            "migration", "version", causeOf(failure), cureOf(failure));
    }
}

FaultSink ResolvedDocument::sinkFor(const Definition& definition, const Node* node) const
{
    FaultSink sink{faults_, definition.document->path, "", ""};
    if (node) {
        sink.node = definition.prefix + node->name;
        sink.type = node->type;
    }
    return sink;
}

void ResolvedDocument::checkPlugins(const Document& document)
{
    const FaultSink sink{faults_, document.path, "", ""};
    for (const auto& [id, version] : document.plugins) {
        const PluginInfo* plugin = types_.plugin(id);
        if (!plugin) {
            std::vector<std::string> known;
            for (const PluginInfo* other : types_.plugins())
                known.push_back(other->id);
            sink.add(std::string(kMissingPlugin), "plugins." + id,
                     TranslatableText::of("the plugin '{plugin}' is not installed", id),
                     didYouMean(
                         id, known,
                         TranslatableText::of("install it or set FLOE_PLUGIN_PATH to its folder")));
        } else if (!versionAtLeast(plugin->version, version)) {
            sink.add(std::string(kMissingPlugin), "plugins." + id,
                     TranslatableText::of("the plugin '{plugin}' is version {version}", id,
                                          plugin->version),
                     TranslatableText::of("must be at least {low}",
                                          TranslatableText::verbatim(version.substr(0, 40))));
        }
    }
}

const Definition* ResolvedDocument::define(const Document& document, const Graph& graph,
                                           std::string prefix, TranslatableText title)
{
    auto& slot = definitions_[&graph];
    if (slot)
        return slot.get();
    slot = std::make_unique<Definition>();
    Definition& definition = *slot;
    definition.document = &document;
    definition.graph = &graph;
    definition.prefix = std::move(prefix);
    definition.title = std::move(title);
    definition.folder = document.folder();
    stack_.push_back(&definition);
    definition.nodes.resize(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        definition.nodes[i].node = &graph.nodes[i];
        if (!definition.index.emplace(graph.nodes[i].name, i).second)
            sinkFor(definition, &graph.nodes[i])
                .add("duplicate-name", "", TranslatableText::of("two nodes have this name"),
                     TranslatableText::of("rename one of them"));
    }
    for (ResolvedNode& node : definition.nodes) {
        resolve(definition, node);
        // An instance counts itself too: nested empty subgraphs are not free.
        const std::size_t count = 1 + (node.inside ? node.inside->flatCount : 0);
        definition.flatCount = std::min(definition.flatCount + count, kMaxFlatNodes + 1);
        if (node.inside)
            definition.height = std::max(definition.height, node.inside->height + 1);
    }
    if (definition.height > kMaxSubgraphDepth) {
        expandable_ = false;
        if (definition.height == kMaxSubgraphDepth + 1)
            sinkFor(definition)
                .add("too-deep", "subgraphs",
                     TranslatableText::of(
                         "{graph} holds subgraphs nested deeper than {limit} levels",
                         definition.title, kMaxSubgraphDepth),
                     TranslatableText::of("nest fewer"));
    }
    checkConnections(definition, faults_);
    buildInterface(definition);
    definition.open = false;
    stack_.pop_back();
    return &definition;
}

const Document* ResolvedDocument::loadFile(const std::string& path, const FaultSink& sink)
{
    std::error_code error;
    const std::string key = fs::weakly_canonical(path, error).string();
    if (const auto found = files_.find(error ? path : key); found != files_.end())
        return found->second.get();
    auto& slot = files_[error ? path : key];
    try {
        slot = std::make_unique<Document>(Document::load(path));
    } catch (const IoError& failure) {
        sink.add(
            "missing-file", "file",
            TranslatableText::of("the subgraph file '{path}' {reason}", path, causeOf(failure)),
            TranslatableText::of("paths are relative to the graph file"));
        return nullptr;
    } catch (const Error& failure) {
        sink.add(
            "bad-file", "file",
            TranslatableText::of("the subgraph file '{path}' {reason}", path, causeOf(failure)),
            cureOf(failure));
        return nullptr;
    }
    faults_.insert(faults_.end(), slot->faults.begin(), slot->faults.end());
    checkPlugins(*slot);
    migrateOrReport(*slot);
    return slot.get();
}

void ResolvedDocument::resolveUnknown(const Definition& definition, const FaultSink& sink)
{
    if (const std::string* unused = types_.unusedPluginOf(sink.type)) {
        sink.add(std::string(kMissingPlugin), "type",
                 TranslatableText::of("the plugin '{plugin}' of the node type '{type}' is not used",
                                      *unused, sink.type),
                 TranslatableText::of("`floe plugin list --rescan` tries it again and says why"));
        return;
    }
    std::vector<std::string> known{std::string(kSubgraphType)};
    for (const NodeType* type : types_.all())
        known.push_back(type->type);
    // A name close to a known one is a typing error; any other belongs to a missing plugin.
    const auto [found, fresh] = nearestTypes_.emplace(sink.type, "");
    if (fresh)
        found->second = nearestDotted(sink.type, known);
    const std::string& meant = found->second;
    if (!meant.empty()) {
        sink.add("unknown-type", "type",
                 TranslatableText::of("unknown node type '{type}'", sink.type),
                 TranslatableText::of("did you mean '{name}'?", meant));
        return;
    }
    std::string plugin;
    for (const auto& [id, version] : definition.document->plugins)
        if (sink.type.starts_with(id + ".") && !types_.plugin(id))
            plugin = id;
    sink.add(std::string(kMissingPlugin), "type",
             TranslatableText::of("no installed plugin has the node type '{type}'", sink.type),
             plugin.empty()
                 ? TranslatableText::of("install its plugin or set FLOE_PLUGIN_PATH to its folder")
                 : TranslatableText::of("install the plugin '{plugin}'", plugin));
}

void ResolvedDocument::resolve(Definition& definition, ResolvedNode& node)
{
    const FaultSink sink = sinkFor(definition, node.node);
    const Node& source = *node.node;
    if (source.type == kSubgraphType) {
        resolveInstance(definition, node, sink);
        if (node.type)
            compile(node, sink);
        return;
    }
    if (!source.graph.empty() || !source.file.empty()) {
        const std::string key = source.graph.empty() ? "file" : "graph";
        sink.add("unknown-key", key,
                 TranslatableText::of("the key '{key}' is only for nodes of type {type}", key,
                                      kSubgraphType),
                 TranslatableText::of("remove it"));
    }
    if (source.type.empty()) // a fault of the text
        return;
    node.type = types_.find(source.type);
    if (!node.type) {
        resolveUnknown(definition, sink);
        return;
    }
    if (source.version > node.type->version) {
        sink.add(
            std::string(kMissingPlugin), "version",
            TranslatableText::of("the node is of version {version} but the plugin '{plugin}' knows "
                                 "only {newest}",
                                 source.version, node.type->plugin, node.type->version),
            TranslatableText::of("update the plugin"));
        node.type = nullptr;
        return;
    }
    if (!node.type->graph.empty()) {
        const Document* file = loadFile(node.type->graph, sink);
        if (!file || static_cast<int>(stack_.size()) > kMaxSubgraphDepth) {
            expandable_ = false;
            if (file)
                sink.add("too-deep", "",
                         TranslatableText::of("is nested deeper than {limit} subgraphs",
                                              kMaxSubgraphDepth));
        } else {
            node.inside = define(*file, file->graph, "",
                                 TranslatableText::of("the graph of '{type}'", source.type));
            if (node.inside->open) {
                sink.add("recursion", "type",
                         TranslatableText::of("the node type is made of itself"));
                node.inside = nullptr;
                expandable_ = false;
            } else {
                checkGraphNode(node, sink);
            }
        }
    }
    compile(node, sink);
}

void ResolvedDocument::resolveInstance(Definition& definition, ResolvedNode& node,
                                       const FaultSink& sink)
{
    const Node& source = *node.node;
    if (source.graph.empty() == source.file.empty()) {
        sink.add(
            "missing-key", "graph",
            source.graph.empty()
                ? TranslatableText::of("the node says neither which \"graph\" nor which \"file\"")
                : TranslatableText::of("the node has both a \"graph\" and a \"file\""),
            TranslatableText::of("give one of them"));
        return;
    }
    const Document* document = definition.document;
    const Graph* graph = nullptr;
    if (!source.file.empty()) {
        if (source.file.find('\0') != std::string::npos) {
            sink.add("bad-file", "file", TranslatableText::of("'file' holds a zero character"),
                     TranslatableText::of("give the path of a graph"));
            return;
        }
        document =
            loadFile((fs::path(definition.folder) / source.file).lexically_normal().string(), sink);
        if (!document)
            return;
        graph = &document->graph;
    } else {
        graph = document->subgraph(source.graph);
        if (!graph) {
            std::vector<std::string> known;
            for (const auto& [name, other] : document->subgraphs)
                known.push_back(name);
            sink.add("unknown-subgraph", "graph",
                     TranslatableText::of("the document has no subgraph '{name}'", source.graph),
                     didYouMean(source.graph, known));
            return;
        }
    }
    const bool known = definitions_.contains(graph);
    if (!known && static_cast<int>(stack_.size()) > kMaxSubgraphDepth) {
        sink.add("too-deep", "graph",
                 TranslatableText::of("is nested deeper than {limit} subgraphs", kMaxSubgraphDepth),
                 TranslatableText::of("nest fewer"));
        expandable_ = false;
        return;
    }
    const TranslatableText title = source.graph.empty()
                                       ? TranslatableText::of("file '{name}'", source.file)
                                       : TranslatableText::of("subgraph '{name}'", source.graph);
    const Definition* inside =
        define(*document, *graph, source.graph.empty() ? "" : source.graph + "/", title);
    if (inside->open) {
        TranslatableText loop = inside->title;
        for (auto i = std::find(stack_.begin(), stack_.end(), inside) + 1; i < stack_.end(); ++i)
            loop = TranslatableText::of("{outer} -> {inner}", loop, (*i)->title);
        loop = TranslatableText::of("{outer} -> {inner}", loop, inside->title);
        sink.add("recursion", "graph",
                 TranslatableText::of("the subgraph contains itself: {path}", loop),
                 TranslatableText::of("break the loop"));
        expandable_ = false;
        return;
    }
    node.inside = inside;
    node.type = &inside->type;
}

void ResolvedDocument::checkGraphNode(const ResolvedNode& node, const FaultSink& sink)
{
    // The manifest is the contract; the graph must promote all of it.
    const NodeType& inner = node.inside->type;
    const auto missing = [&](const std::string& name, const TranslatableText& cause) {
        if (!node.inside->partial)
            sink.add("bad-graph-node", name, cause,
                     TranslatableText::of("mend the plugin '{plugin}'", node.type->plugin));
    };
    for (const ParameterSpec& spec : node.type->parameters) {
        const ParameterSpec* other = inner.parameter(spec.name);
        if (!other || other->type != spec.type)
            missing(spec.name,
                    TranslatableText::of(
                        "the graph of the node type promotes no {type} parameter '{name}'",
                        name(spec.type), spec.name));
    }
    for (const Socket& socket : node.type->inputs)
        if (!inner.input(socket.name))
            missing(socket.name,
                    TranslatableText::of("the graph of the node type promotes no input '{name}'",
                                         socket.name));
    for (const Socket& socket : node.type->outputs)
        if (!inner.output(socket.name))
            missing(socket.name,
                    TranslatableText::of("the graph of the node type promotes no output '{name}'",
                                         socket.name));
}

void ResolvedDocument::compile(ResolvedNode& node, const FaultSink& sink)
{
    const NodeType& type = *node.type;
    node.parameters.resize(type.parameters.size());
    for (const auto& [key, value] : node.node->parameters.items()) {
        const int index = type.parameterIndex(key);
        if (index >= 0) {
            const auto i = static_cast<std::size_t>(index);
            node.parameters[i] = compileParameter(type.parameters[i], value, sink);
            continue;
        }
        if (node.inside && node.inside->partial)
            continue;
        std::vector<std::string> known;
        for (const ParameterSpec& spec : type.parameters)
            known.push_back(spec.name);
        sink.add("unknown-parameter", key, TranslatableText::of("unknown parameter '{name}'", key),
                 didYouMean(key, known,
                            known.empty()
                                ? TranslatableText::of("the node has none")
                                : TranslatableText::of("known are {names}", alternatives(known))));
    }
}

/// Gives a promoted parameter its own range, which lies within that of the node.
static void applyRange(ParameterSpec& spec, const PromotedParameter& own,
                       const TranslatableText& title, const FaultSink& sink)
{
    if (!own.min && !own.max && !own.softMin && !own.softMax)
        return;
    const auto refuse = [&](const TranslatableText& cause, const TranslatableText& cure) {
        sink.add("bad-promotion", own.name, within(title, cause), cure);
    };
    if (spec.type != ValueType::Float && spec.type != ValueType::Int &&
        spec.type != ValueType::Vector)
        return refuse(
            TranslatableText::of("promoted parameter '{name}' has a range but is of the type "
                                 "{type}",
                                 own.name, name(spec.type)),
            TranslatableText::of("remove 'min', 'max', 'softMin' and 'softMax'"));
    const std::optional<double> min = own.min ? own.min : spec.min;
    const std::optional<double> max = own.max ? own.max : spec.max;
    if (own.min && spec.min && *own.min < *spec.min)
        return refuse(TranslatableText::of("promoted parameter '{name}': 'min' is {value}",
                                           own.name, *own.min),
                      TranslatableText::of("must be at least {low}, as of '{target}'", *spec.min,
                                           own.to.text()));
    if (own.max && spec.max && *own.max > *spec.max)
        return refuse(TranslatableText::of("promoted parameter '{name}': 'max' is {value}",
                                           own.name, *own.max),
                      TranslatableText::of("must be at most {high}, as of '{target}'", *spec.max,
                                           own.to.text()));
    if (min && max && *min > *max)
        return refuse(
            TranslatableText::of("promoted parameter '{name}': 'min' is above max", own.name),
            TranslatableText::of("must be at most {high}", *max));
    if (own.softMin && own.softMax && *own.softMin >= *own.softMax)
        return refuse(TranslatableText::of(
                          "promoted parameter '{name}': 'softMin' is not below softMax", own.name),
                      TranslatableText::of("must be below {high}", *own.softMax));
    const auto isOutside = [&](double value) {
        return (min && value < *min) || (max && value > *max);
    };
    std::vector<double> values;
    if (const auto* real = std::get_if<double>(&spec.defaultValue))
        values = {*real};
    else if (const auto* whole = std::get_if<std::int64_t>(&spec.defaultValue))
        values = {double(*whole)};
    else if (const auto* vector = std::get_if<std::array<double, 3>>(&spec.defaultValue))
        values.assign(vector->begin(), vector->end());
    for (const double value : values)
        if (isOutside(value))
            return refuse(
                TranslatableText::of("promoted parameter '{name}': '{target}' is {value}, outside "
                                     "its own range",
                                     own.name, own.to.text(), value),
                TranslatableText::of("change 'min' or 'max', or the value"));
    spec.min = min;
    spec.max = max;
    spec.softMin = own.softMin ? own.softMin : spec.softMin;
    spec.softMax = own.softMax ? own.softMax : spec.softMax;
}

void ResolvedDocument::buildInterface(Definition& definition)
{
    const Promotion& promote = definition.graph->promote;
    const FaultSink sink = sinkFor(definition);
    NodeType& type = definition.type;
    type.type = kSubgraphType;
    type.label = definition.title.text();
    for (const ResolvedNode& node : definition.nodes)
        definition.partial =
            definition.partial || !node.type || (node.inside && node.inside->partial);

    // @return null after a fault, or when the node's type is unknown
    const auto target = [&](const std::string& name, const Endpoint& to,
                            const TranslatableText& cause) -> const ResolvedNode* {
        const ResolvedNode* node = definition.find(to.node);
        if (node)
            return node->type ? node : nullptr;
        std::vector<std::string> known;
        for (const Node& other : definition.graph->nodes)
            known.push_back(other.name);
        sink.add("bad-promotion", name, within(definition.title, cause),
                 didYouMean(to.node, known));
        definition.partial = true;
        return nullptr;
    };
    const auto unknown = [&](const std::string& name, const Endpoint& to, const auto& entries,
                             const TranslatableText& cause) {
        std::vector<std::string> known;
        for (const auto& entry : entries)
            known.push_back(entry.name);
        sink.add("bad-promotion", name, within(definition.title, cause),
                 didYouMean(to.socket, known));
        definition.partial = true;
    };
    for (const PromotedParameter& parameter : promote.parameters) {
        const ResolvedNode* node = target(
            parameter.name, parameter.to,
            TranslatableText::of("promoted parameter '{name}' names the unknown node '{node}'",
                                 parameter.name, parameter.to.node));
        if (!node)
            continue;
        const int index = node->type->parameterIndex(parameter.to.socket);
        if (index < 0) {
            unknown(
                parameter.name, parameter.to, node->type->parameters,
                TranslatableText::of("promoted parameter '{name}': node '{node}' has no parameter "
                                     "'{target}'",
                                     parameter.name, parameter.to.node, parameter.to.socket));
            continue;
        }
        ParameterSpec spec = node->type->parameters[static_cast<std::size_t>(index)];
        if (const auto& own = node->parameters[static_cast<std::size_t>(index)];
            own && own->isConstant())
            spec.defaultValue = own->constant;
        spec.name = parameter.name;
        spec.label = parameter.label.empty() ? spec.label : parameter.label;
        spec.help = parameter.help.empty() ? spec.help : parameter.help;
        applyRange(spec, parameter, definition.title, sink);
        spec.shownWhen.clear(); // its conditions refer to inner parameters
        type.parameters.push_back(std::move(spec));
    }
    const auto addSockets = [&](const std::vector<PromotedSocket>& promoted,
                                std::vector<Socket> NodeType::*sockets, const auto& noNode,
                                const auto& noSocket) {
        for (const auto& [name, to] : promoted) {
            const ResolvedNode* node = target(name, to, noNode(name, to));
            if (!node)
                continue;
            const std::vector<Socket>& known = node->type->*sockets;
            const auto inner = std::ranges::find(known, to.socket, &Socket::name);
            if (inner == known.end()) {
                unknown(name, to, known, noSocket(name, to));
                continue;
            }
            (type.*sockets).push_back(*inner);
            (type.*sockets).back().name = name;
        }
    };
    addSockets(
        promote.inputs, &NodeType::inputs,
        [](const std::string& name, const Endpoint& to) {
            return TranslatableText::of("promoted input '{name}' names the unknown node '{node}'",
                                        name, to.node);
        },
        [](const std::string& name, const Endpoint& to) {
            return TranslatableText::of(
                "promoted input '{name}': node '{node}' has no input '{target}'", name, to.node,
                to.socket);
        });
    addSockets(
        promote.outputs, &NodeType::outputs,
        [](const std::string& name, const Endpoint& to) {
            return TranslatableText::of("promoted output '{name}' names the unknown node '{node}'",
                                        name, to.node);
        },
        [](const std::string& name, const Endpoint& to) {
            return TranslatableText::of(
                "promoted output '{name}': node '{node}' has no output '{target}'", name, to.node,
                to.socket);
        });
}

} // namespace floe::graph
