#include "floe/io/mesh.hpp"
#include "floe/io/volume.hpp"
#include "run_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe::test {
namespace {

using testing::HasSubstr;

// Two frames of a ball that grows, written and drawn by every sink that needs no solver.
constexpr const char* kGraph = R"({
  "floe": 1,
  "range": {"start": 1, "end": 3, "fps": 24},
  "nodes": {
    "ball": {"type": "floe.shape.sphere", "version": 1, "parameters": {
      "radius": {"keys": [[1, 0.5, "linear"], [3, 1.0, "linear"]]}, "voxelSize": 0.05}},
    "skin": {"type": "floe.surface.mesh", "version": 1, "parameters": {}},
    "volume": {"type": "floe.output.volume", "version": 1, "parameters": {"every": 2}},
    "mesh": {"type": "floe.output.mesh", "version": 1, "parameters": {"path": "PATH"}}
  },
  "links": [
    {"from": "ball.shape", "to": "skin.shape"},
    {"from": "ball.shape", "to": "volume.volume"},
    {"from": "skin.mesh", "to": "mesh.mesh"}
  ]
})";

Finished run(const TemporaryFolder& folder, const std::string& meshPath)
{
    std::string graph = kGraph;
    graph.replace(graph.find("PATH"), 4, meshPath);
    folder.file("graph.floe.json", graph);
    return runFloe("run " + (folder / "graph.floe.json").string() + " --progress quiet -o " +
                   (folder / "out").string());
}

float largestCoordinate(const MeshValue& mesh)
{
    return mesh.bounds()[3];
}

TEST(Output, EverySecondVolumeAndEveryMeshAreThere)
{
    const TemporaryFolder folder;
    const Finished finished = run(folder, "skins/ball.####.obj");
    ASSERT_EQ(finished.code, 0) << finished.output;
    EXPECT_TRUE(std::filesystem::exists(folder / "out/volume/volume.0001.vdb"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out/volume/volume.0002.vdb"));
    // A level set is right to a fraction of its voxel of 0.05.
    const float radii[] = {0.5f, 0.75f, 1.0f};
    for (int frame = 1; frame <= 3; ++frame) {
        const auto mesh =
            io::readMesh(folder / ("out/skins/ball.000" + std::to_string(frame) + ".obj"));
        EXPECT_NEAR(largestCoordinate(*mesh), radii[frame - 1], 0.01);
    }
    const auto volume = io::readVolume(folder / "out/volume/volume.0003.vdb");
    EXPECT_TRUE(volume->info().isLevelSet);
    EXPECT_NEAR(volume->info().worldBounds[3], 1.0, 0.4);
}

TEST(Output, NamesThatLeaveTheOutputFolderAreRefused)
{
    const TemporaryFolder folder;
    for (const char* path : {"../%04d.obj", "/tmp/%04d.obj", "a/../../%04d.obj", ""}) {
        const Finished finished = run(folder, path);
        EXPECT_NE(finished.code, 0);
        EXPECT_THAT(finished.output, HasSubstr("within the output folder")) << path;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "0001.obj"));
}

TEST(Output, OneNameForAllFramesIsRefused)
{
    const TemporaryFolder folder;
    EXPECT_THAT(run(folder, "ball.obj").output, HasSubstr("%04d"));
}

} // namespace
} // namespace floe::test
