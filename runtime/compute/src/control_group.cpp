#include "control_group.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace floe::compute {

namespace {

namespace fs = std::filesystem;

/// File names of one version.
struct Names {
    const char* limit;
    const char* usage;
    const char* cache[2]; ///< lines of memory.stat: file cache that the kernel reclaims
};
constexpr Names kVersion1{
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr Names kVersion2{"memory.max", "memory.current", {"inactive_file", "active_file"}};

std::optional<std::uint64_t> number(const fs::path& path)
{
    std::ifstream file(path);
    std::uint64_t value = 0; // "max" is not a number
    return file >> value ? std::optional(value) : std::nullopt;
}

std::uint64_t fileCache(const fs::path& group, const Names& names)
{
    std::ifstream file(group / "memory.stat");
    std::uint64_t bytes = 0;
    std::string name;
    for (std::uint64_t value = 0; file >> name >> value;)
        if (name == names.cache[0] || name == names.cache[1])
            bytes += value;
    return bytes;
}

/// Narrows `memory` by the group at `path` below `mount` and all its ancestors. Inside a container
/// the path may be the host's and not exist; then the mounted folder itself is the group.
void narrow(const fs::path& mount, const fs::path& path, const Names& names, GroupMemory& memory)
{
    for (fs::path below = path.relative_path();; below = below.parent_path()) {
        const fs::path group = below.empty() ? mount : mount / below;
        const auto limit = number(group / names.limit);
        // Without a limit, version 1 reports the largest multiple of a page.
        if (limit && *limit < std::uint64_t{1} << 62) {
            memory.limit = std::min(memory.limit, *limit);
            const std::uint64_t usage = number(group / names.usage).value_or(0);
            const std::uint64_t held = usage - std::min(usage, fileCache(group, names));
            memory.available = std::min(memory.available, *limit - std::min(*limit, held));
        }
        if (below.empty())
            return;
    }
}

} // namespace

GroupMemory groupMemory(const fs::path& root)
{
    GroupMemory memory;
    std::ifstream file(root / "proc/self/cgroup");
    const fs::path mounts = root / "sys/fs/cgroup";
    for (std::string line; std::getline(file, line);) { // "ID:CONTROLLERS:/PATH"
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const fs::path path = line.substr(second + 1);
        if (controllers.empty())
            narrow(mounts, path, kVersion2, memory);
        else if ((',' + controllers + ',').find(",memory,") != std::string::npos)
            narrow(mounts / "memory", path, kVersion1, memory);
    }
    return memory;
}

} // namespace floe::compute
