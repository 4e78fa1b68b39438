#include "floe/plugin/manifest.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <algorithm>
#include <cstdint>

namespace floe::plugin {

namespace {

/// Reads entries of one object, and names the entry in each fault.
class Entries {
public:
    Entries(const Json& object, std::string file, std::string prefix)
        : object_(object), file_(std::move(file)), prefix_(std::move(prefix))
    {
        if (!object.is_object())
            throw PluginError({.file = file_}, (prefix_.empty() ? "the manifest" : prefix_) +
                                                   std::string(" must be an object"));
    }

    std::string text(const char* name, bool required) const
    {
        const auto found = object_.find(name);
        if (found == object_.end()) {
            if (required)
                refuse(name, "is missing");
            return {};
        }
        if (!found->is_string() || (required && found->get<std::string>().empty()))
            refuse(name, "must be a text");
        return found->get<std::string>();
    }
    int number(const char* name) const
    {
        const auto found = object_.find(name);
        if (found == object_.end())
            refuse(name, "is missing");
        if (!found->is_number_integer() || found->get<std::int64_t>() < 0 ||
            found->get<std::int64_t>() > 65535)
            refuse(name, "must be a whole number, 0 to 65535");
        return found->get<int>();
    }
    const Json& at(const char* name) const
    {
        const auto found = object_.find(name);
        if (found == object_.end())
            refuse(name, "is missing");
        return *found;
    }
    [[noreturn]] void refuse(const std::string& name, const std::string& why) const
    {
        throw PluginError({.file = file_},
                          "'" + (prefix_.empty() ? "" : prefix_ + ".") + name + "' " + why);
    }

private:
    const Json& object_;
    std::string file_;
    std::string prefix_;
};

bool isFileName(const std::string& text)
{
    return std::ranges::all_of(text, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '-' ||
               letter == '.';
    });
}

} // namespace

std::filesystem::path Manifest::libraryPath() const
{
    return library.empty() ? std::filesystem::path() : folder / ("lib" + library + ".so");
}

const ManifestNode* Manifest::find(const std::string& type) const
{
    const auto found = std::ranges::find(nodes, type, &ManifestNode::type);
    return found == nodes.end() ? nullptr : &*found;
}

Manifest readManifest(const std::filesystem::path& folder)
{
    Manifest manifest;
    manifest.folder = folder;
    const std::string file = manifest.path().string();
    std::error_code unknown; // reading a pipe or device would block
    if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
        throw PluginError({.file = file}, "is not a file");
    Json json;
    try {
        json = loadJson(file, {.bytes = 16u << 20});
    } catch (const Error& error) {
        throw PluginError({.file = file}, error.cause(), error.cure());
    }

    const Entries top(json, file, "");
    if (top.number("format") != 1)
        top.refuse("format", "must be 1: the manifest is for another version of Floe");
    manifest.id = top.text("id", true);
    manifest.version = top.text("version", true);
    manifest.label = top.text("label", false);
    manifest.library = top.text("library", false);
    if (!isFileName(manifest.library))
        top.refuse("library", "must be a file name without \"lib\" and \".so\"");
    const Entries abi(top.at("abi"), file, "abi");
    manifest.abiMajor = abi.number("major");
    manifest.abiMinor = abi.number("minor");

    const Json& nodes = top.at("nodes");
    if (!nodes.is_array())
        top.refuse("nodes", "must be an array");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Entries entry(nodes[i], file, "nodes[" + std::to_string(i) + "]");
        ManifestNode node;
        node.type = entry.text("type", true);
        node.hasCode = entry.text("graph", false).empty();
        node.isSolver = entry.text("role", false) == "solver";
        if (const Json& backends = nodes[i].value("backends", Json()); backends.is_object())
            node.knowsCuda = backends.value("cuda", Json("none")) != Json("none");
        if (manifest.find(node.type))
            entry.refuse("type", "'" + node.type + "' is there twice");
        if (node.hasCode && manifest.library.empty())
            entry.refuse("type", "needs code or a graph, and the manifest names no 'library'");
        manifest.nodes.push_back(std::move(node));
    }
    return manifest;
}

} // namespace floe::plugin
