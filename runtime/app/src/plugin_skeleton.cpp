#include "plugin_skeleton.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cctype>

namespace floe::app {
namespace {

/// An example plugin, which becomes a new one by other names.
struct Example {
    std::string id, library, label, source;
    std::vector<SkeletonFile> files;
};

Example exampleInCpp()
{
    return {"example.meshes",
            "example_meshes",
            "Meshes (example)",
            "ripples.cpp",
            {
#include "embedded/first_node.inc"
            }};
}

Example exampleInC()
{
    return {"example.motion",
            "example_motion",
            "Motion (example)",
            "pendulum.c",
            {
#include "embedded/c_node.inc"
            }};
}

bool isLowerWord(const std::string& word)
{
    return !word.empty() && std::islower(static_cast<unsigned char>(word[0])) &&
           std::ranges::all_of(word, [](unsigned char letter) {
               return std::islower(letter) || std::isdigit(letter) || letter == '_';
           });
}

} // namespace

SkeletonNames skeletonNames(const std::string& name)
{
    SkeletonNames names;
    names.id = name.find('.') == std::string::npos ? "my." + name : name;
    bool good = names.id.size() <= 100;
    std::string last;
    for (std::size_t begin = 0; begin <= names.id.size();) {
        const std::size_t end = std::min(names.id.find('.', begin), names.id.size());
        last = names.id.substr(begin, end - begin);
        good = good && isLowerWord(last);
        begin = end + 1;
    }
    if (!good)
        throw InputError({}, "'" + name + "' cannot be the name of a plugin",
                         "give lower-case words with dots between, such as studio.waves");
    names.library = names.id;
    std::ranges::replace(names.library, '.', '_');
    names.label = last;
    names.label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(last[0])));
    std::ranges::replace(names.label, '_', ' ');
    return names;
}

std::vector<SkeletonFile> skeleton(const SkeletonNames& names, bool inC)
{
    Example example = inC ? exampleInC() : exampleInCpp();
    const std::string extension = example.source.substr(example.source.rfind('.'));
    const std::pair<std::string, std::string> replacements[] = {
        {example.id, names.id},
        {example.library, names.library},
        {example.label, names.label},
        {example.source, names.library + extension},
        {"\"vendor\": \"Floe developers\"", "\"vendor\": \"\""},
        {"\"license\": \"Apache-2.0\"", "\"license\": \"\""},
    };
    const auto renamed = [&](const std::string& text) {
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            const auto* found = std::ranges::find_if(replacements, [&](const auto& replacement) {
                return text.compare(at, replacement.first.size(), replacement.first) == 0;
            });
            if (found != std::end(replacements)) {
                result += found->second;
                at += found->first.size();
            } else {
                result += text[at++];
            }
        }
        return result;
    };
    for (SkeletonFile& file : example.files)
        file = {renamed(file.name), renamed(file.content)};
    return std::move(example.files);
}

} // namespace floe::app
