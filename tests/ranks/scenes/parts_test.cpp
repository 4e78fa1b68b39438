// What no rank holds whole: emission by region, files in parts, several solvers side by side.
#include "rank_runs.hpp"

#include "floe/data/value_stream.hpp"
#include "floe/io/particles.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>

namespace floe {
namespace {

using namespace test;

Json sceneOf(const std::string& name)
{
    return loadJson(std::string(FLOE_SOURCE_DIR) + "/graphs/" + name);
}

/// Writes the dam that breaks without its pictures, and with other particles in its files.
/// @return path of the graph
std::string damInParts(const TemporaryFolder& folder, bool parts, const std::string& extension)
{
    Json graph = sceneOf("dam_break.floe.json");
    graph["nodes"].erase("render");
    graph["nodes"].erase("camera");
    Json links = Json::array();
    for (const Json& link : graph["links"])
        if (!link["to"].get<std::string>().starts_with("render."))
            links.push_back(link);
    graph["links"] = links;
    graph["nodes"]["export"]["parameters"] = {{"path", "particles/dam." + ("%04d" + extension)},
                                              {"parts", parts}};
    const std::string path =
        (folder / (std::string(parts ? "parts" : "whole") + extension + ".floe.json")).string();
    std::ofstream(path) << graph;
    return path;
}

const std::string kSmall = "--set solver.cellSize=0.05 ";

Ref<const ParticlesValue> frameOf(const fs::path& output, int frame, const std::string& extension)
{
    const std::string number = "000" + std::to_string(frame);
    return io::readParticles(output / ("particles/dam." + number + extension));
}

std::vector<std::uint64_t> sortedById(const ParticlesValue& particles)
{
    const auto id = particles.get<std::uint64_t>("id", 1);
    std::vector<std::uint64_t> order(id.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::uint64_t a, std::uint64_t b) { return id[a] < id[b]; });
    return order;
}

/// All attributes, particle by particle.
/// @param rounding  of positions, which .vdb rounds within the voxels of each file [m]
void expectSameParticles(const ParticlesValue& one, const ParticlesValue& other, float rounding = 0)
{
    ASSERT_GT(one.count(), 3000u);
    ASSERT_EQ(one.count(), other.count());
    ASSERT_EQ(one.attributes().size(), other.attributes().size());
    const auto first = sortedById(one), second = sortedById(other);
    for (const Attribute& attribute : one.attributes()) {
        const Attribute* found = other.find(attribute.name);
        ASSERT_TRUE(found) << attribute.name;
        const std::size_t each = elementBytes(attribute.element) * attribute.components;
        const auto at = [each](const Attribute& of, std::uint64_t i) {
            return static_cast<const char*>(of.data.data()) + i * each;
        };
        if (rounding > 0 && attribute.name == "x") {
            const auto x = one.get<float>("x", 3), moved = other.get<float>("x", 3);
            for (std::size_t i = 0; i < 3 * first.size(); ++i)
                ASSERT_NEAR(x[3 * first[i / 3] + i % 3], moved[3 * second[i / 3] + i % 3],
                            rounding);
            continue;
        }
        for (std::size_t i = 0; i < first.size(); ++i)
            ASSERT_EQ(0, std::memcmp(at(attribute, first[i]), at(*found, second[i]), each))
                << attribute.name;
    }
}

TEST(Parts, ReadAsOneTheyAreTheOneFile)
{
    const TemporaryFolder folder;
    for (const std::string extension : {".floe", ".vdb", ".ply", ".bgeo"}) {
        const auto one = shell(
            runCommand(damInParts(folder, false, extension), kSmall + "--end 3", folder / "1"));
        ASSERT_EQ(one.code, 0) << one.output;
        const fs::path output = folder / ("3" + extension);
        const auto several = shell(launcher(3) + " " +
                                   runCommand(damInParts(folder, true, extension),
                                              kSmall + "--partition curve --end 3", output));
        ASSERT_EQ(several.code, 0) << several.output;

        const auto whole = frameOf(folder / "1", 3, extension);
        const auto read = frameOf(output, 3, extension); // no such file: its index is found
        expectSameParticles(*whole, *read, extension == ".vdb" ? 1e-6f : 0);
        if (extension == ".floe") { // every bit, and the order: pieces of the curve follow
            EXPECT_TRUE(writeValue(*whole) == writeValue(*read));
        }

        const Json index = loadJson((output / "particles/dam.0003.parts.json").string());
        EXPECT_EQ(index["format"], "floe.parts");
        EXPECT_EQ(index["frame"], 3);
        EXPECT_EQ(index["particles"].get<std::uint64_t>(), whole->count());
        ASSERT_EQ(index["parts"].size(), 3u);
        std::uint64_t sum = 0;
        for (const Json& part : index["parts"]) {
            const auto own =
                io::readParticles(output / "particles" / part["file"].get<std::string>());
            EXPECT_EQ(own->count(), part["particles"].get<std::uint64_t>());
            EXPECT_GT(own->count(), 0u);
            EXPECT_LT(own->count(), 2 * whole->count() / 3); // no rank has had it all
            sum += own->count();
        }
        EXPECT_EQ(sum, whole->count());
        for (const auto& entry : fs::directory_iterator(output / "particles"))
            EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
    }
}

TEST(Parts, OfBoxesHaveTheSameParticlesInTheOrderOfRanks)
{
    const TemporaryFolder folder;
    ASSERT_EQ(
        shell(runCommand(damInParts(folder, false, ".floe"), kSmall + "--end 3", folder / "1"))
            .code,
        0);
    const auto run = shell(launcher(4) + " " +
                           runCommand(damInParts(folder, true, ".floe"),
                                      kSmall + "--end 3 --partition boxes", folder / "4"));
    ASSERT_EQ(run.code, 0) << run.output;
    expectSameParticles(*frameOf(folder / "1", 3, ".floe"), *frameOf(folder / "4", 3, ".floe"));
}

// The next run has fewer ranks; nothing of the old ones is taken for its own.
TEST(Parts, AreResumedAndWrittenAgainOnOtherNumbersOfRanks)
{
    const TemporaryFolder folder;
    const std::string graph = damInParts(folder, true, ".floe");
    const fs::path output = folder / "out";
    ASSERT_EQ(
        shell(runCommand(damInParts(folder, false, ".floe"), kSmall + "--end 6", folder / "1"))
            .code,
        0);
    const auto begun = shell(launcher(3) + " " +
                             runCommand(graph, kSmall + "--end 6 --checkpoint-every 2", output));
    ASSERT_EQ(begun.code, 0) << begun.output;
    fs::remove(output / "checkpoints/frame.0005.checkpoint");
    const auto resumed =
        shell(launcher(2) + " " +
              runCommand(graph, kSmall + "--end 6 --checkpoint-every 2 --resume", output));
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    for (int frame = 1; frame <= 6; ++frame) {
        expectSameParticles(*frameOf(folder / "1", frame, ".floe"),
                            *frameOf(output, frame, ".floe"));
        EXPECT_EQ(
            fs::exists(output / ("particles/dam.000" + std::to_string(frame) + ".rank2.floe")),
            frame <= 3)
            << frame;
    }
    fs::remove(output / "checkpoints/frame.0005.checkpoint"); // and more than at the beginning
    const auto again =
        shell(launcher(4) + " " +
              runCommand(graph, kSmall + "--end 6 --checkpoint-every 2 --resume", output));
    ASSERT_EQ(again.code, 0) << again.output;
    expectSameParticles(*frameOf(folder / "1", 6, ".floe"), *frameOf(output, 6, ".floe"));
    // One rank writes parts too: one, and an index.
    const auto alone = shell(runCommand(graph, kSmall + "--end 2", output));
    ASSERT_EQ(alone.code, 0) << alone.output;
    expectSameParticles(*frameOf(folder / "1", 2, ".floe"), *frameOf(output, 2, ".floe"));
    EXPECT_FALSE(fs::exists(output / "particles/dam.0002.rank1.floe"));

    // A part that is not the index's is no part of it.
    std::ofstream(output / "particles/dam.0005.rank1.floe", std::ios::app) << "more";
    EXPECT_THROW(frameOf(output, 5, ".floe"), IoError);
    fs::remove(output / "particles/dam.0006.rank0.floe");
    EXPECT_THROW(frameOf(output, 6, ".floe"), IoError);
}

TEST(Parts, WhatNeedsTheWholeIsRefusedBeforeTheRun)
{
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& graph, const std::string& options,
                             const std::string& why) {
        const auto run = shell(launcher(2) + " " +
                               runCommand(graph, kSmall + "--end 2 " + options, folder / "x"));
        EXPECT_EQ(run.code, 3) << run.output;
        EXPECT_NE(run.output.find("node 'export'"), std::string::npos) << run.output;
        EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
    };
    refused("dam_break.floe.json", "--set export.parts=true",
            "'render' (floe.output.render) needs what all of them have");
    refused(damInParts(folder, true, ".floe"), "--cache", "keeps whole frames");
}

// Emitters give each rank its own particles; with 5 ranks too, and where some come every frame.
TEST(OwnEmission, NoRankIsGivenMoreThanItsShare)
{
    const TemporaryFolder folder;
    for (const auto& [graph, small, more] :
         {std::tuple{"dam_break.floe.json", "--set solver.cellSize=0.025 --end 3", 1.3},
          std::tuple{"scale/sand_injection.floe.json", "--set solver.cellSize=0.06 --end 4", 2.0},
          std::tuple{"gaussians/sand_arch.floe.json", "--end 4", 1.5}}) {
        const std::string options = std::string(small) + " --cache --set render.width=32 "
                                                         "--set render.height=18";
        const fs::path base = folder / fs::path(graph).stem();
        const auto one = shell(runCommand(graph, options, base / "1"));
        ASSERT_EQ(one.code, 0) << one.output;
        for (const int ranks : {2, 3, 5}) {
            const fs::path output = base / std::to_string(ranks);
            const auto run = shell(launcher(ranks) + " " + runCommand(graph, options, output));
            ASSERT_EQ(run.code, 0) << run.output;
            expectSameFiles(base / "1", output);
            const Json report = loadJson((output / "run.json").string());
            const Json& first = report["frames"].front()["nodes"]["solver"];
            double most = 0;
            for (int rank = 0; rank < ranks; ++rank)
                most =
                    std::max(most, first["rank" + std::to_string(rank) + ".emitted"].get<double>());
            // Blocks are whole: those of a small scene do not divide evenly.
            EXPECT_LT(most, more * first["emitted"].get<double>() / ranks) << graph;
            EXPECT_GT(first["emitted"].get<double>(), 1000) << graph;
        }
    }
}

TEST(SeveralSolvers, AreSimulatedSideBySide)
{
    const TemporaryFolder folder;
    Json graph = sceneOf("dam_break.floe.json");
    graph["nodes"]["solver2"] = graph["nodes"]["solver"];
    graph["nodes"]["column2"] = graph["nodes"]["column"];
    graph["nodes"]["mud"] = graph["nodes"]["water"];
    graph["nodes"]["mud"]["parameters"] = {{"law", "druckerPrager"}, {"density", 1600}};
    graph["nodes"]["export2"] = {{"type", "floe.output.particles"},
                                 {"version", 1},
                                 {"parameters", {{"path", "particles/mud.%04d.ply"}}}};
    for (const auto& [from, to] :
         {std::pair{"water_shape.shape", "column2.shape"},
          std::pair{"mud.material", "column2.material"},
          std::pair{"column2.emitter", "solver2.emitters"},
          std::pair{"gravity.force", "solver2.forces"}, std::pair{"tank.domain", "solver2.domain"},
          std::pair{"solver2.particles", "render.particles"},
          std::pair{"solver2.particles", "export2.particles"}})
        graph["links"].push_back({{"from", from}, {"to", to}});
    const std::string path = (folder / "two.floe.json").string();
    std::ofstream(path) << graph;
    const std::string options = kSmall +
                                "--set solver2.cellSize=0.05 --end 5 --cache --checkpoint-every 2 "
                                "--set render.width=64 --set render.height=36";
    const auto one = shell(runCommand(path, options, folder / "1"));
    ASSERT_EQ(one.code, 0) << one.output;
    for (const int ranks : {2, 3}) {
        const fs::path output = folder / std::to_string(ranks);
        const auto run = shell(launcher(ranks) + " " + runCommand(path, options, output));
        ASSERT_EQ(run.code, 0) << run.output;
        expectSameFiles(folder / "1", output);
        const Json last = loadJson((output / "run.json").string())["frames"].back()["nodes"];
        for (const char* solver : {"solver", "solver2"})
            EXPECT_GT(last[solver]["rank1.bytesSent"].get<double>(), 0);
    }

    // One of them diverges on all ranks: the run ends, with its name.
    const auto failed =
        shell(launcher(2) + " " +
              runCommand(path, options + " --set solver.maximumSubsteps=10", folder / "failed"));
    EXPECT_NE(failed.code, 0);
    EXPECT_NE(failed.output.find("node 'solver'"), std::string::npos) << failed.output;
}

} // namespace
} // namespace floe
