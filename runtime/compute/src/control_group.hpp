#pragma once

#include <cstdint>
#include <filesystem>

namespace floe::compute {

/// Memory limits of this process's control groups (container, farm) [bytes]; UINT64_MAX: unlimited.
struct GroupMemory {
    std::uint64_t limit = UINT64_MAX;     ///< the lowest of the group and its ancestors
    std::uint64_t available = UINT64_MAX; ///< before something is killed; file cache counts as free
};

/// Reads both versions of control groups. Never throws: what cannot be read counts as unlimited.
/// @param root replaces "/", for tests
/// Source: Linux kernel, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
GroupMemory groupMemory(const std::filesystem::path& root = "/");

/// Makes memory.cpp read the machine's and its groups' memory below another folder than "/", for
/// tests of low memory.
void readSystemFrom(const std::filesystem::path& root);

} // namespace floe::compute
