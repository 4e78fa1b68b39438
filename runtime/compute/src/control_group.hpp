#pragma once

#include <cstdint>
#include <filesystem>

namespace floe::compute {

/// What the control groups that this process is in (a container's, a farm's) grant it; UINT64_MAX
/// where nothing limits. [bytes]
struct GroupMemory {
    std::uint64_t limit = UINT64_MAX;     ///< the lowest of the group and those around it
    std::uint64_t available = UINT64_MAX; ///< until something is killed; file cache counts as free
};

/// Reads both versions of control groups. Never throws: what cannot be read does not limit.
/// @param root in place of "/", for tests
/// Source: Linux kernel, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
GroupMemory groupMemory(const std::filesystem::path& root = "/");

/// Makes memory.cpp read what the machine and its groups have below another folder than "/": for
/// tests of what happens where there is little.
void readSystemFrom(const std::filesystem::path& root);

} // namespace floe::compute
