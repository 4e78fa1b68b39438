// The manifests and graphs that ship with Floe are sound themselves.

#include "sample.hpp"

#include "floe/base/file.hpp"

#include <algorithm>
#include <filesystem>

namespace floe::graph {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> filesBelow(const std::string& folder, const std::string& ending)
{
    std::vector<std::string> files;
    const fs::path root = fs::path(FLOE_SOURCE_DIR) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.path().filename().string().ends_with(ending))
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

TypeLibrary shippedTypes()
{
    TypeLibrary types;
    for (const std::string& manifest : filesBelow("plugins", "plugin.json"))
        EXPECT_EQ(texts(types.addManifestFile(manifest)), "");
    return types;
}

TEST(Tree, EveryManifestAndGraphIsSound)
{
    const TypeLibrary types = shippedTypes();
    for (const char* folder : {"graphs", "plugins"})
        for (const std::string& file : filesBelow(folder, ".floe.json"))
            EXPECT_EQ(texts(check(Document::load(file), types)), "");
}

TEST(Tree, EveryNodeTypeExplainsItself)
{
    // The manual and the editor show nothing but these texts.
    const TypeLibrary types = shippedTypes();
    for (const NodeType* type : types.all()) {
        EXPECT_NE(type->help, "") << type->type;
        EXPECT_NE(type->category, "") << type->type;
        for (const ParameterSpec& spec : type->parameters)
            EXPECT_NE(spec.help, "") << type->type << ", parameter " << spec.name;
    }
}

} // namespace
} // namespace floe::graph
