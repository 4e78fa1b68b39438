#include "floe/plugin/loaded_plugin.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/plugin/call_site.hpp"
#include "plugin_errors.hpp"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <vector>

namespace floe::plugin {

namespace {

/// The loaded plugins, by their library's address in memory.
struct Loaded {
    std::mutex mutex;
    std::map<const void*, std::weak_ptr<const LoadedPlugin>> byBase;
};
Loaded& loaded()
{
    static Loaded& instance =
        *new Loaded; // never destroyed: plugins may be unloaded while the program ends
    return instance;
}

const void* baseOf(const void* address)
{
    Dl_info info{};
    return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

std::string versionText(int major, int minor)
{
    return std::to_string(major) + "." + std::to_string(minor);
}

} // namespace

LoadedPlugin::~LoadedPlugin()
{
    if (!initialised_ || !entry_->shut_down)
        return;
    const CallScope scope("shut_down", {}, manifest_.id, kNoCallFrame);
    try {
        entry_->shut_down();
    } catch (...) {
        hostInterface()->log(
            FLOE_LEVEL_WARNING,
            ("plugin '" + manifest_.id + "' let an exception escape shut_down").c_str());
    }
}

const floe_node_class* LoadedPlugin::find(const std::string& type) const
{
    const auto found = classes_.find(type);
    return found == classes_.end() ? nullptr : found->second;
}

/// Whether the C library could not load a plugin for want of memory or descriptors, which says
/// nothing of the plugin.
static bool isShortage(const std::string& cause)
{
    const auto says = [&cause](const char* words) {
        return cause.find(words) != std::string::npos;
    };
    // On a file system without the right to execute, the same with "Operation not permitted".
    return (says("failed to map segment") && !says("not permitted")) ||
           says("annot allocate memory") || says("Too many open files");
}

/// The loader, or a library's initialiser, may crash where it cannot allocate, and a limit on the
/// address space is why: better not to begin.
static void requireAddressSpace(const Place& place)
{
    constexpr std::uint64_t kMiB = 1u << 20;
    constexpr std::uint64_t kNeeded = 128 * kMiB;
    if (const std::uint64_t left = compute::addressSpaceLeft(); left < kNeeded)
        throw MemoryError(place,
                          "is not loaded: the limit on the address space leaves " +
                              std::to_string(left / kMiB) + " MiB, and a plugin may need " +
                              std::to_string(kNeeded / kMiB),
                          "raise the limit (ulimit -v)");
}

void LoadedPlugin::open()
{
    const CallScope scope("loading", {}, manifest_.id, kNoCallFrame);
    const NumericLocale locale = NumericLocale::now();
    const std::string path = manifest_.libraryPath().string();
    const Place place{.file = path};
    if (std::error_code unknown; !std::filesystem::exists(path, unknown))
        throw PluginError(
            place, "cannot be loaded: its library " + manifest_.libraryPath().filename().string() +
                       " is not beside plugin.json; build it, and use the folder that "
                       "the build makes");
    requireAddressSpace(place);
    // Never closed again: a destructor of this plugin may release its last reference, and would
    // then return into unmapped memory.
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (NumericLocale::now() != locale)
        locale.set();
    if (!library) {
        const char* reason = ::dlerror();
        std::string cause = printable(reason ? reason : "unknown reason");
        if (cause.starts_with(path + ": "))
            cause.erase(0, path.size() + 2);
        if (isShortage(cause))
            throw MemoryError(place, "cannot be loaded: " + cause,
                              "give the process more memory, and raise its limits (ulimit -v, -n)");
        throw PluginError(place, "cannot be loaded: " + cause);
    }
    const auto entry =
        reinterpret_cast<floe_plugin_entry_function>(::dlsym(library, "floe_plugin_entry"));
    if (!entry)
        throw PluginError(place, "has no symbol 'floe_plugin_entry'",
                          "a plugin exports it: see FLOE_PLUGIN in floe/sdk/node.hpp");
    try {
        entry_ = entry();
    } catch (...) {
        throw PluginError(place, "let an exception escape floe_plugin_entry");
    }
    checkEntry();
    checkClasses();
    if (entry_->initialise) {
        floe_status status = FLOE_FAILED;
        const ErrorCapture errors;
        try {
            status = entry_->initialise(hostInterface());
        } catch (...) {
            throw PluginError(place, "let an exception escape initialise");
        }
        if (status != FLOE_OK)
            throw PluginError(place, "failed to initialise: " +
                                         (errors.last().empty() ? "status " + std::to_string(status)
                                                                : errors.last()));
    }
    initialised_ = true;
}

void LoadedPlugin::checkEntry() const
{
    const Place place{.file = manifest_.libraryPath().string()};
    if (!entry_)
        throw PluginError(place, "gave NULL from floe_plugin_entry");
    // The first three fields have the same place in every version.
    if (entry_->struct_size < offsetof(floe_plugin, id))
        throw PluginError(place, "its floe_plugin is truncated: struct_size is " +
                                     std::to_string(entry_->struct_size));
    if (entry_->abi_major != FLOE_ABI_MAJOR)
        throw PluginError(place,
                          "was built for version " +
                              versionText(entry_->abi_major, entry_->abi_minor) +
                              " of the plugin interface, this Floe has " +
                              versionText(FLOE_ABI_MAJOR, FLOE_ABI_MINOR),
                          "get a build of the plugin for this Floe");
    if (!FLOE_HAS(entry_, shut_down))
        throw PluginError(place, "its floe_plugin is truncated: struct_size is " +
                                     std::to_string(entry_->struct_size) + ", at least " +
                                     std::to_string(sizeof(floe_plugin)) + " is needed");
    const auto same = [&](const char* name, const char* have, const std::string& want) {
        if (!have || want != have)
            throw PluginError(place, std::string("has the ") + name + " '" + printable(have) +
                                         "', its manifest says '" + want + "'");
    };
    same("id", entry_->id, manifest_.id);
    same("version", entry_->version, manifest_.version);
}

void LoadedPlugin::checkClasses()
{
    const Place place{.file = manifest_.libraryPath().string()};
    if (entry_->node_class_count > 0 && !entry_->node_classes)
        throw PluginError(place, "has no table of node classes");
    if (entry_->node_class_count > 65536)
        throw PluginError(place, "says it has " + std::to_string(entry_->node_class_count) +
                                     " node classes, which is not believable");
    std::string differences; // all of them: a renamed type gives one of each kind
    const auto differ = [&](const std::string& sentence) {
        constexpr std::size_t kEnough = 2000;
        if (differences.size() < kEnough)
            differences += (differences.empty() ? "" : "; ") + sentence;
    };
    for (std::uint32_t i = 0; i < entry_->node_class_count; ++i) {
        const floe_node_class* nodeClass = entry_->node_classes[i];
        const std::string number = "node class " + std::to_string(i);
        if (!nodeClass)
            throw PluginError(place, number + " is NULL");
        if (!FLOE_HAS(nodeClass, migrate))
            throw PluginError(place, number + " is truncated: struct_size is " +
                                         std::to_string(nodeClass->struct_size) + ", at least " +
                                         std::to_string(sizeof(floe_node_class)) + " is needed");
        if (!nodeClass->type)
            throw PluginError(place, number + " has no type");
        const std::string type = printable(nodeClass->type);
        if (!nodeClass->create || !nodeClass->destroy || !nodeClass->cook)
            throw PluginError(place,
                              "node class '" + type + "' lacks one of create, destroy and cook");
        const ManifestNode* declared = manifest_.find(type);
        if (!declared || !declared->hasCode)
            differ("has a node class '" + type + "' that its manifest does not list");
        else if (declared->isSolver && (!nodeClass->save || !nodeClass->load))
            throw PluginError(place,
                              "node class '" + type + "' is a solver and lacks save or load");
        if (!classes_.emplace(type, nodeClass).second)
            throw PluginError(place, "has two node classes '" + type + "'");
    }
    for (const ManifestNode& node : manifest_.nodes)
        if (node.hasCode && !find(node.type))
            differ("has no node class '" + node.type + "', which its manifest lists");
    if (!differences.empty())
        throw PluginError(place, differences);
}

std::shared_ptr<const LoadedPlugin> load(const std::filesystem::path& folder)
{
    // One at a time: two threads must not initialise one plugin twice.
    static std::mutex& loading = *new std::mutex;
    const std::lock_guard lock(loading);

    std::error_code error;
    std::filesystem::path absolute = std::filesystem::canonical(folder, error);
    if (error)
        absolute = folder;
    std::vector<std::shared_ptr<const LoadedPlugin>> others; // released outside the lock
    {
        const std::lock_guard registryLock(loaded().mutex);
        for (const auto& [base, weak] : loaded().byBase)
            if (auto plugin = weak.lock())
                others.push_back(std::move(plugin));
    }
    for (const auto& plugin : others)
        if (plugin->manifest().folder == absolute)
            return plugin;
    std::shared_ptr<LoadedPlugin> plugin(new LoadedPlugin(readManifest(absolute)));
    const Manifest& manifest = plugin->manifest_;
    if (manifest.abiMajor != FLOE_ABI_MAJOR)
        throw PluginError({.file = manifest.path().string()},
                          "is for version " + versionText(manifest.abiMajor, manifest.abiMinor) +
                              " of the plugin interface, this Floe has " +
                              versionText(FLOE_ABI_MAJOR, FLOE_ABI_MINOR),
                          "get a build of the plugin for this Floe");
    if (manifest.library.empty())
        return plugin;
    plugin->open();
    if (const void* base = baseOf(plugin->entry_)) {
        const std::lock_guard registryLock(loaded().mutex);
        loaded().byBase[base] = plugin;
    }
    return plugin;
}

std::shared_ptr<const LoadedPlugin> pluginHolding(const void* address)
{
    const void* base = address ? baseOf(address) : nullptr;
    if (!base)
        return nullptr;
    const std::lock_guard lock(loaded().mutex);
    const auto found = loaded().byBase.find(base);
    return found == loaded().byBase.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const LoadedPlugin> PluginHost::load(const std::filesystem::path& folder)
{
    std::shared_ptr<const LoadedPlugin> plugin = plugin::load(folder);
    const std::lock_guard lock(mutex_);
    plugins_[plugin->manifest().folder] = plugin;
    return plugin;
}

} // namespace floe::plugin
