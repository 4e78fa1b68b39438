/// Runs of several processes by the launcher of MPI, and their files.
#pragma once

#include "run_graph.hpp"
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>

namespace floe::test {

namespace fs = std::filesystem;

inline std::string launcher(int ranks)
{
    // As root in a container, and with more ranks than cores.
    return std::string(FLOE_MPIRUN) +
           " --oversubscribe --bind-to none --mca odls_base_sigkill_timeout 2"
           " --mca orte_execute_quiet 1" +
           (::geteuid() == 0 ? " --allow-run-as-root" : "") + " -n " + std::to_string(ranks);
}

/// @param graph  below graphs/, or a whole path
inline std::string runCommand(const std::string& graph, const std::string& options,
                              const fs::path& output)
{
    return std::string(FLOE_BINARY_DIR) + "/bin/floe run " +
           (fs::path(FLOE_SOURCE_DIR) / "graphs" / graph).string() + " " + options +
           " --progress quiet --device cpu -o " + output.string();
}

/// Without checkpoints: theirs are those of the ranks that wrote them. Hashes would hide where
/// files differ; the small editions are small.
inline std::map<std::string, std::string> filesOf(const fs::path& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') &&
            entry.path().parent_path().filename() != "checkpoints" &&
            entry.path().filename() != "run.json") // it has times
            files[fs::relative(entry.path(), folder).string()] = readFile(entry.path());
    return files;
}

inline void expectSameFiles(const fs::path& one, const fs::path& several)
{
    const auto expected = filesOf(one), found = filesOf(several);
    EXPECT_GT(expected.size(), 10u);
    EXPECT_EQ(expected.size(), found.size());
    for (const auto& [name, content] : expected) {
        ASSERT_TRUE(found.contains(name)) << name;
        EXPECT_TRUE(found.at(name) == content) << name << " differs";
    }
}

/// Water that breaks, which ranks divide, and its spray, which rank 0 simulates alone.
/// @return the path of the graph
inline std::string damWithSpray(const TemporaryFolder& folder)
{
    Json graph = loadJson(std::string(FLOE_SOURCE_DIR) + "/graphs/dam_break.floe.json");
    graph["nodes"]["spray"] = {
        {"type", "floe.secondary"},
        {"version", 1},
        {"parameters",
         {{"rate", 20}, {"minimumSpeed", 0.2}, {"fullSpeed", 1}, {"minimumStretch", 0.1}}}};
    graph["nodes"]["export_spray"] = {{"type", "floe.output.particles"},
                                      {"version", 1},
                                      {"parameters", {{"path", "particles/spray.%04d.vdb"}}}};
    for (const auto& [from, to] : {std::pair{"solver.particles", "spray.particles"},
                                   std::pair{"spray.particles", "render.particles"},
                                   std::pair{"spray.particles", "export_spray.particles"}})
        graph["links"].push_back({{"from", from}, {"to", to}});
    const std::string path = (folder / "spray.floe.json").string();
    std::ofstream(path) << graph;
    return path;
}

} // namespace floe::test
