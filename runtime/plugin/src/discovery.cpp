#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/plugin/manifest.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

namespace floe::plugin {

namespace fs = std::filesystem;

namespace {

/// Limit of entries read in one folder; a folder with more is not a plugin folder.
constexpr std::size_t kMaxEntries = 10000;

std::vector<fs::path> pluginFolders(const fs::path& folder, std::vector<std::string>& warnings)
{
    std::error_code error;
    if (fs::is_regular_file(folder / "plugin.json", error))
        return {folder};
    std::vector<fs::path> found;
    std::size_t count = 0;
    fs::directory_iterator entry(folder, error);
    if (error) {
        if (error != std::errc::no_such_file_or_directory)
            warnings.push_back(folder.string() +
                               ": cannot be searched for plugins: " + error.message());
        return {};
    }
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (++count > kMaxEntries) {
            warnings.push_back(folder.string() + ": has more than " + std::to_string(kMaxEntries) +
                               " entries; the rest is not searched");
            break;
        }
        std::error_code ignored;
        if (fs::is_regular_file(entry->path() / "plugin.json", ignored))
            found.push_back(entry->path());
    }
    std::ranges::sort(found);
    return found;
}

} // namespace

fs::path userFolder()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (data && data[0] == '/') // the XDG specification: relative paths are invalid
        return fs::path(data) / "floe/plugins";
    return home && home[0] != '\0' ? fs::path(home) / ".local/share/floe/plugins" : fs::path();
}

std::vector<fs::path> searchFolders()
{
    std::vector<fs::path> folders;
    if (const char* list = std::getenv("FLOE_PLUGIN_PATH")) {
        std::string_view rest = list;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0)
                folders.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    if (const fs::path user = userFolder(); !user.empty())
        folders.push_back(user);
    folders.push_back((programFolder() / "../lib/floe/plugins").lexically_normal());
    return folders;
}

Discovery discover(std::span<const fs::path> folders)
{
    Discovery result;
    std::set<fs::path> seen;
    for (const fs::path& folder : folders) {
        for (const fs::path& found : pluginFolders(folder, result.warnings)) {
            std::error_code error;
            const fs::path real = fs::canonical(found, error);
            if (!error && !seen.insert(real).second)
                continue; // two names of one folder
            try {
                Manifest manifest = readManifest(found);
                const auto first = std::ranges::find(result.plugins, manifest.id, &Manifest::id);
                if (first == result.plugins.end())
                    result.plugins.push_back(std::move(manifest));
                else
                    result.warnings.push_back("plugin '" + manifest.id +
                                              "' is there twice: " + first->folder.string() +
                                              " is used, " + manifest.folder.string() + " is not");
            } catch (const Error& broken) {
                result.warnings.push_back(broken.what());
            }
        }
    }
    return result;
}

} // namespace floe::plugin
