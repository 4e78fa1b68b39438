#include "floe/graph/node_type.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include "floe/graph/text.hpp"
#include "manifest.hpp"

#include <algorithm>
#include <cctype>

namespace floe::graph {

template <class Entry>
static const Entry* named(const std::vector<Entry>& entries, std::string_view name)
{
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

const ParameterSpec* NodeType::parameter(std::string_view wanted) const
{
    return named(parameters, wanted);
}

const Socket* NodeType::input(std::string_view wanted) const
{
    return named(inputs, wanted);
}

const Socket* NodeType::output(std::string_view wanted) const
{
    return named(outputs, wanted);
}

int NodeType::parameterIndex(std::string_view wanted) const
{
    const ParameterSpec* spec = parameter(wanted);
    return spec ? static_cast<int>(spec - parameters.data()) : -1;
}

bool versionAtLeast(std::string_view have, std::string_view need)
{
    const auto next = [](std::string_view& text) {
        std::uint64_t value = 0;
        std::size_t i = 0;
        for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i)
            value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(text[i] - '0'),
                                            1u << 30);
        const bool more = i < text.size() && text[i] == '.';
        text = more ? text.substr(i + 1) : std::string_view();
        return value;
    };
    while (!have.empty() || !need.empty()) {
        const auto a = next(have), b = next(need);
        if (a != b)
            return a > b;
    }
    return true;
}

TypeLibrary::TypeLibrary() = default;
TypeLibrary::~TypeLibrary() = default;
TypeLibrary::TypeLibrary(TypeLibrary&&) noexcept = default;
TypeLibrary& TypeLibrary::operator=(TypeLibrary&&) noexcept = default;

std::vector<Fault> TypeLibrary::addManifest(const Json& json, const std::string& path)
{
    std::vector<Fault> faults;
    const FaultSink sink{faults, path, "", ""};
    Manifest manifest = readManifest(json, path, sink);
    if (const PluginInfo* other = plugin(manifest.plugin.id))
        sink.add("duplicate-name", "id",
                 TranslatableText::of("the plugin '{plugin}' was found already in {path}",
                                      manifest.plugin.id, TranslatableText::verbatim(other->path)),
                 TranslatableText::of("keep one of them"));
    for (const auto& type : manifest.types) {
        if (const NodeType* other = find(type->type))
            sink.add(
                "duplicate-name", "type",
                TranslatableText::of("node type '{type}' belongs already to the plugin '{plugin}'",
                                     type->type, other->plugin),
                TranslatableText::of("give it a name of its own"));
    }
    if (anyError(faults))
        return faults;
    for (auto& type : manifest.types) {
        std::string key = type->type;
        types_.emplace(std::move(key), std::move(type));
    }
    std::string id = manifest.plugin.id;
    plugins_.emplace(std::move(id), std::make_unique<PluginInfo>(std::move(manifest.plugin)));
    return faults;
}

std::vector<Fault> TypeLibrary::addManifestFile(const std::string& path)
{
    try {
        return addManifest(loadJson(path, {.bytes = 16u << 20}), path);
    } catch (const Error& error) {
        Fault fault;
        fault.code = "unreadable";
        fault.file = path;
        fault.cause = causeOf(error);
        fault.cure = cureOf(error);
        return {fault};
    }
}

const NodeType* TypeLibrary::find(std::string_view type) const
{
    const auto found = types_.find(type);
    return found == types_.end() ? nullptr : found->second.get();
}

std::vector<const NodeType*> TypeLibrary::all() const
{
    std::vector<const NodeType*> result;
    for (const auto& [key, type] : types_)
        result.push_back(type.get());
    return result;
}

void TypeLibrary::addUnused(std::string type, std::string plugin)
{
    unused_.insert_or_assign(std::move(type), std::move(plugin));
}

const std::string* TypeLibrary::unusedPluginOf(std::string_view type) const
{
    const auto found = unused_.find(type);
    return found == unused_.end() ? nullptr : &found->second;
}

const PluginInfo* TypeLibrary::plugin(std::string_view id) const
{
    const auto found = plugins_.find(id);
    return found == plugins_.end() ? nullptr : found->second.get();
}

std::vector<const PluginInfo*> TypeLibrary::plugins() const
{
    std::vector<const PluginInfo*> result;
    for (const auto& [key, plugin] : plugins_)
        result.push_back(plugin.get());
    return result;
}

} // namespace floe::graph
