// floe plugin install|remove|info: the plugins of a user, in a folder of their own.
#include "commands.hpp"
#include "exit_code.hpp"
#include "plugin_archive.hpp"
#include "plugin_folder.hpp"
#include "plugin_signature.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/base/json.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/node_type.hpp"
#include "floe/plugin/manifest.hpp"
#include "floe/plugin/scan.hpp"
#include "floe/sdk/floe.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace floe::app {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kOtherInstallation{10}; ///< how long one waits for another

fs::path folderOfUser()
{
    const fs::path folder = plugin::userFolder();
    if (folder.empty())
        throw InputError({}, "there is no folder for a user's plugins",
                         "set HOME or XDG_DATA_HOME");
    return folder;
}

/// A folder beside the plugins, where a rename moves things in one step. Plugins are not looked for
/// in it. Goes with everything in it.
class Staging {
public:
    explicit Staging(const fs::path& parent)
    {
        std::error_code error;
        fs::create_directories(parent, error);
        std::string pattern = (parent / ".floe-XXXXXX").string();
        if (error || !::mkdtemp(pattern.data()))
            throw IoError({.file = parent.string()},
                          std::string("cannot be written to: ") + std::strerror(errno));
        path_ = pattern;
    }
    ~Staging()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

void moveTo(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        throw IoError({.file = to.string()}, "cannot be put in place: " + error.message());
}

/// `made` takes the place of `there` in one step where the file system can; what was there is then
/// where `made` was, or in `staging`.
void takePlace(const fs::path& made, const fs::path& there, const fs::path& staging)
{
    std::error_code none;
    if (!fs::exists(there, none))
        return moveTo(made, there);
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, there.c_str(), RENAME_EXCHANGE) == 0)
        return;
    moveTo(there, staging / "before");
    try {
        moveTo(made, there);
    } catch (const Error&) {
        fs::rename(staging / "before", there, none);
        throw;
    }
}

/// The folder with the manifest: the package's own, or the only one in it.
fs::path pluginIn(const fs::path& unpacked, const std::string& package)
{
    std::error_code error;
    if (fs::exists(unpacked / "plugin.json", error))
        return unpacked;
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(unpacked, error))
        inside.push_back(entry.path());
    if (inside.size() == 1 && fs::exists(inside[0] / "plugin.json", error))
        return inside[0];
    throw InputError({.file = package}, "holds no plugin.json, at its top or in its only folder",
                     "a package holds one plugin's folder, as the build makes it");
}

/// The manifest, once everything about the plugin that can be seen without a graph is right. Its
/// code runs in a child process.
plugin::Manifest checked(const fs::path& folder, const std::string& package)
{
    plugin::Manifest manifest = plugin::readManifest(folder);
    graph::TypeLibrary types;
    for (const graph::Fault& fault : types.addManifestFile(manifest.path().string()))
        if (fault.severity == graph::Severity::Error) {
            constexpr std::string_view kLevel = "error: ";
            std::string text = fault.text();
            if (text.starts_with(kLevel))
                text.erase(0, kLevel.size());
            throw PluginError({.file = package}, "is not installed: " + text,
                              "`floe plugin check` lists all faults");
        }
    if (manifest.id.empty() || manifest.id.find('/') != std::string::npos || manifest.id[0] == '.')
        throw PluginError({.file = package}, "'" + manifest.id + "' cannot be a plugin's id");
    if (manifest.library.empty())
        return manifest;
    const plugin::ProbeResult result = plugin::probe(folder);
    if (!result.usable())
        throw PluginError({.file = package}, "is not installed: " + result.reason);
    return manifest;
}

std::optional<plugin::Manifest> find(const std::vector<fs::path>& folders, const std::string& id)
{
    const plugin::Discovery found = plugin::discover(folders);
    const auto match = std::ranges::find(found.plugins, id, &plugin::Manifest::id);
    return match == found.plugins.end() ? std::nullopt : std::optional(*match);
}

std::string counted(std::size_t number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// Names and contents of all files, in order of name.
std::string contentOf(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (std::error_code unknown; entry->is_regular_file(unknown))
            files.push_back(entry->path());
    std::ranges::sort(files);
    Hash hash;
    for (const fs::path& file : files)
        hash = combine(combine(hash, hashBytes(file.lexically_relative(folder).string())),
                       hashBytes(readFile(file)));
    return hash.text();
}

} // namespace

int pluginInstallCommand(const std::string& package)
{
    const fs::path user = folderOfUser();
    const Staging staging(user);
    const FolderLock lock(user, kOtherInstallation);
    Signature signature = signatureOf(package);
    unpack(package, staging.path() / "package");
    const fs::path made = pluginIn(staging.path() / "package", package);
    const plugin::Manifest manifest = checked(made, package);
    const auto before = find({user}, manifest.id);
    const fs::path there = before ? before->folder : user / manifest.id;
    takePlace(made, there, staging.path());
    if (signature.state == Signature::State::none) {
        forgetSignature(user, manifest.id);
    } else {
        signature.content = contentOf(there);
        keepSignature(user, manifest.id, signature);
    }
    std::cout << "Installed " << manifest.id << " " << manifest.version << " ("
              << counted(manifest.nodes.size(), "node type") << ") in " << there.string();
    if (before)
        std::cout << ", in place of " << before->version;
    std::cout << ".\n";
    if (signature.state != Signature::State::none)
        std::cout << "Signature: " << signature.text() << ".\n";
    if (const auto used = find(plugin::searchFolders(), manifest.id); used && used->folder != there)
        std::cout << "It is hidden by the plugin of the same id in " << used->folder.string()
                  << ", which is found first.\n";
    std::vector<fs::path> others = plugin::searchFolders();
    std::erase(others, user);
    if (const auto other = find(others, manifest.id); other && other->folder != there)
        std::cout << "There is another plugin of this id, in " << other->folder.string() << ".\n";
    return kSuccess;
}

int pluginRemoveCommand(const std::string& id)
{
    const fs::path user = folderOfUser();
    const auto there = find({user}, id);
    if (!there) {
        const auto elsewhere = find(plugin::searchFolders(), id);
        throw InputError({},
                         elsewhere
                             ? "plugin '" + id + "' is not one that was installed: it is in " +
                                   elsewhere->folder.string()
                             : "there is no plugin '" + id + "'",
                         "`floe plugin list` shows the plugins that are found");
    }
    const Staging staging(user);
    const FolderLock lock(user, kOtherInstallation);
    moveTo(there->folder, staging.path() / "before");
    forgetSignature(user, id);
    std::cout << "Removed " << id << " " << there->version << " from " << there->folder.string()
              << ".\n";
    return kSuccess;
}

int pluginInfoCommand(const std::string& folderOrId, bool json)
{
    const fs::path folder = pluginFolder(folderOrId);
    const plugin::Manifest manifest = plugin::readManifest(folder);
    const Json file = loadJson(manifest.path().string());
    const auto text = [&](const char* key) {
        const auto found = file.find(key);
        return found != file.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const plugin::ProbeResult probed =
        manifest.library.empty() ? plugin::ProbeResult{} : plugin::probe(folder);
    Json nodes = Json::array();
    graph::TypeLibrary types;
    types.addManifestFile(manifest.path().string());
    for (const graph::NodeType* type : types.all()) {
        static constexpr const char* kCuda[] = {"none", "yes", "needed"};
        nodes.push_back({{"type", type->type},
                         {"version", type->version},
                         {"cpu", type->cpu},
                         {"cuda", kCuda[static_cast<int>(type->cuda)]}});
    }
    const std::string abi =
        std::to_string(manifest.abiMajor) + "." + std::to_string(manifest.abiMinor);
    const std::string content = contentOf(folder);
    // Of the package that it was installed from; nothing is known of folders elsewhere.
    const fs::path user = plugin::userFolder();
    std::error_code unknown;
    Signature signature;
    if (!user.empty() && fs::equivalent(folder.parent_path(), user, unknown))
        signature = keptSignature(user, manifest.id).value_or(Signature{});
    const bool changed = signature.state != Signature::State::none && signature.content != content;
    if (json) {
        std::cout << formatJson({{"id", manifest.id},
                                 {"version", manifest.version},
                                 {"label", manifest.label},
                                 {"vendor", text("vendor")},
                                 {"license", text("license")},
                                 {"folder", folder.string()},
                                 {"abi", abi},
                                 {"state", name(probed.outcome)},
                                 {"reason", probed.reason},
                                 {"content", content},
                                 {"signature", signature.text()},
                                 {"changedSinceInstalled", changed},
                                 {"nodes", nodes}});
        std::cout.flush();
        return kSuccess;
    }
    const auto orNone = [](const std::string& word) {
        return word.empty() ? std::string("not said") : word;
    };
    std::cout << manifest.id << " " << manifest.version << "  " << manifest.label << "\n"
              << "  folder     " << folder.string() << "\n"
              << "  vendor     " << orNone(text("vendor")) << "\n"
              << "  licence    " << orNone(text("license")) << "\n"
              << "  interface  " << abi << " (this Floe has " << FLOE_ABI_MAJOR << "."
              << FLOE_ABI_MINOR << ")\n"
              << "  state      " << name(probed.outcome)
              << (probed.reason.empty() ? "" : ": " + probed.reason) << "\n"
              << "  content    " << content << "\n"
              << "  signature  " << signature.text()
              << (changed ? "; but its files have changed since it was installed" : "") << "\n";
    for (const Json& node : nodes)
        std::cout << "  node       " << node["type"].get<std::string>() << ", version "
                  << node["version"] << (node["cpu"].get<bool>() ? ", cpu" : "")
                  << (node["cuda"] == "none" ? "" : ", cuda") << "\n";
    std::cout.flush();
    return kSuccess;
}

} // namespace floe::app
