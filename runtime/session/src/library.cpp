#include "floe/session/library.hpp"

#include "node_files.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

namespace floe::session {

Library::Library(const std::vector<std::filesystem::path>& folders,
                 const plugin::ScanSettings& settings)
    : discovery_(plugin::discover(folders))
{
    offerFiles();
    warnings_ = discovery_.warnings;
    std::vector<std::filesystem::path> withCode;
    for (const plugin::Manifest& manifest : discovery_.plugins)
        if (!manifest.library.empty())
            withCode.push_back(manifest.folder);
    scan_ = plugin::scan(withCode, settings);
    warnings_.insert(warnings_.end(), scan_.warnings.begin(), scan_.warnings.end());

    for (const plugin::Manifest& manifest : discovery_.plugins) {
        if (!manifest.library.empty() && !scan_.usable(manifest.folder)) {
            for (const plugin::ManifestNode& node : manifest.nodes)
                types_.addUnused(node.type, manifest.id);
            continue;
        }
        const auto faults = types_.addManifestFile(manifest.path().string());
        for (const graph::Fault& fault : faults)
            warnings_.push_back(fault.text());
        if (!graph::anyError(faults))
            folders_[manifest.id] = manifest.folder;
    }
    types_.setCodeMigration(
        [this](const graph::NodeType& type, int from, const nlohmann::ordered_json& parameters) {
            return migrated(type, from, parameters);
        });
}

nlohmann::ordered_json Library::migrated(const graph::NodeType& type, int from,
                                         const nlohmann::ordered_json& parameters)
{
    const auto folder = folders_.find(type.plugin);
    if (folder == folders_.end() || !type.graph.empty())
        return parameters;
    const auto version = static_cast<std::uint32_t>(from);
    const auto isolated = isolated_.find(type.plugin);
    const std::string text =
        isolated != isolated_.end()
            ? isolated->second->migrate(type.type, version, parameters.dump())
            : plugin::migrate(*host_.load(folder->second), type.type, version, parameters.dump());
    auto upgraded = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!upgraded.is_object())
        throw PluginError({.node = type.type}, "its migrate() did not write a JSON object",
                          "tell the maker of the plugin '" + type.plugin + "'");
    return upgraded;
}

int isolatedMain(const std::filesystem::path& folder)
{
    offerFiles();
    return plugin::isolatedMain(folder);
}

Library::~Library() = default;

std::string Library::pluginVersion(const std::string& id) const
{
    const graph::PluginInfo* info = types_.plugin(id);
    return info ? info->version : std::string();
}

std::string Library::programVersion()
{
    return FLOE_VERSION;
}

void Library::isolate(const std::string& id)
{
    for (const plugin::Manifest& manifest : discovery_.plugins)
        if (manifest.id == id && folders_.contains(id) && !manifest.library.empty()) {
            isolated_[id] = plugin::IsolatedPlugin::make(manifest);
            return;
        }
    throw InputError({}, "there is no plugin '" + id + "' with code that could be isolated",
                     "`floe plugin list` names those there are");
}

std::unique_ptr<plugin::Node> Library::makeNode(const graph::NodeType& type,
                                                const std::string& name)
{
    if (const auto isolated = isolated_.find(type.plugin); isolated != isolated_.end())
        return isolated->second->makeNode(type.type, name);
    const auto folder = folders_.find(type.plugin);
    if (folder == folders_.end())
        throw PluginError({.node = name}, "its plugin '" + type.plugin + "' is not there");
    return std::make_unique<plugin::NodeInstance>(host_.load(folder->second), type.type, name);
}

} // namespace floe::session
