// Particles leave one run as files and enter another: on a wire, and as an emitter.
#include "run_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace floe::test {
namespace {

using testing::HasSubstr;

// A block of jelly flies without gravity, turning; three frames in every format.
constexpr const char* kWriter = R"({
  "floe": 1,
  "range": {"start": 1, "end": 3, "fps": 24},
  "nodes": {
    "box": {"type": "floe.shape.box", "version": 1,
      "parameters": {"size": [0.2, 0.3, 0.2], "voxelSize": 0.02}},
    "jelly": {"type": "floe.material", "version": 1,
      "parameters": {"law": "fixedCorotated", "density": 800, "youngModulus": 20000}},
    "emitter": {"type": "floe.emitter", "version": 1,
      "parameters": {"velocity": [1, 0.5, 0], "spin": [0, 90, 0]}},
    "solver": {"type": "floe.mpm.solver", "version": 1,
      "parameters": {"cellSize": 0.05, "gravity": [0, 0, 0]}},
    "ply": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "p.%04d.ply"}},
    "vdb": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "p.%04d.vdb"}},
    "bgeo": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "p.%04d.bgeo"}},
    "floe": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "p.%04d.floe"}}
  },
  "links": [
    {"from": "box.shape", "to": "emitter.shape"},
    {"from": "jelly.material", "to": "emitter.material"},
    {"from": "emitter.emitter", "to": "solver.emitters"},
    {"from": "solver.particles", "to": "ply.particles"},
    {"from": "solver.particles", "to": "vdb.particles"},
    {"from": "solver.particles", "to": "bgeo.particles"},
    {"from": "solver.particles", "to": "floe.particles"}
  ]
})";

// What a file holds goes on in another solver, and those above its middle are written again.
constexpr const char* kReader = R"({
  "floe": 1,
  "range": {"start": 3, "end": 4, "fps": 24},
  "nodes": {
    "file": {"type": "floe.particles.file", "version": 1, "parameters": {"path": "PATH"}},
    "frames": {"type": "floe.particles.sequence", "version": 1,
      "parameters": {"path": "SEQUENCE", "frameOffset": -2}},
    "upper": {"type": "floe.particles.filter", "version": 1,
      "parameters": {"expression": "y > 0.04 && time >= 0"}},
    "jelly": {"type": "floe.material", "version": 1,
      "parameters": {"law": "fixedCorotated", "density": 800, "youngModulus": 20000}},
    "emitter": {"type": "floe.emitter.particles", "version": 1},
    "solver": {"type": "floe.mpm.solver", "version": 1,
      "parameters": {"cellSize": 0.05, "gravity": [0, 0, 0]}},
    "again": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "p.%04d.floe"}},
    "upward": {"type": "floe.output.particles", "version": 1, "parameters": {"path": "u.%04d.floe"}}
  },
  "links": [
    {"from": "file.particles", "to": "emitter.particles"},
    {"from": "jelly.material", "to": "emitter.material"},
    {"from": "emitter.emitter", "to": "solver.emitters"},
    {"from": "solver.particles", "to": "again.particles"},
    {"from": "frames.particles", "to": "upper.particles"},
    {"from": "upper.kept", "to": "upward.particles"}
  ]
})";

class ParticleFiles : public testing::Test {
protected:
    void SetUp() override
    {
        folder.file("writer.floe.json", kWriter);
        const Finished finished = run("writer", "written");
        ASSERT_EQ(finished.code, 0) << finished.output;
    }

    Finished run(const std::string& graph, const std::string& output) const
    {
        return runFloe("run " + (folder / (graph + ".floe.json")).string() +
                       " --progress quiet -o " + (folder / output).string() + onDevice());
    }

    void writeReader(const std::string& extension) const
    {
        std::string graph = kReader;
        const auto replace = [&](const std::string& word, const std::string& by) {
            graph.replace(graph.find(word), word.size(), by);
        };
        replace("PATH", "written/p.0003." + extension);
        replace("SEQUENCE", "written/p.####." + extension);
        folder.file("reader.floe.json", graph);
    }

    TemporaryFolder folder;
};

/// Positions in ascending order: files and solvers have orders of their own.
std::vector<std::array<double, 3>> sorted(const Frame& frame)
{
    std::vector<std::array<double, 3>> all;
    for (std::size_t i = 0; i < frame.count(); ++i)
        all.push_back(frame.position(i));
    std::ranges::sort(all);
    return all;
}

double sum(const Frame& frame, const char* name)
{
    double total = 0;
    for (const float value : frame.particles().get<float>(name, 1))
        total += value;
    return total;
}

TEST_F(ParticleFiles, OfEveryFormatGoOnInAnotherSolver)
{
    const Frame written(folder / "written/p.0003.floe");
    const Frame first(folder / "written/p.0001.floe");
    ASSERT_GT(written.count(), 500u);
    for (const std::string extension : {"floe", "ply", "bgeo", "vdb"}) {
        writeReader(extension);
        const Finished finished = run("reader", "read_" + extension);
        ASSERT_EQ(finished.code, 0) << extension << "\n" << finished.output;
        const Frame read(folder / ("read_" + extension + "/p.0003.floe"));
        ASSERT_EQ(read.count(), written.count()) << extension;
        const auto before = sorted(written), after = sorted(read);
        // A .vdb keeps x within a fraction of its voxel, the others every bit; the solver counts
        // positions from the corners of blocks, which costs the last one.
        const bool rounds = extension == "vdb";
        const double tolerance = rounds ? 1e-4 : 3e-8;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(read.meanVelocity()[axis], written.meanVelocity()[axis], 1e-6) << extension;
            for (const auto edge : {std::size_t{0}, std::size_t{1}})
                EXPECT_NEAR(read.extent(axis)[edge], written.extent(axis)[edge], tolerance)
                    << extension;
        }
        for (std::size_t i = 0; !rounds && i < before.size(); ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                ASSERT_NEAR(after[i][axis], before[i][axis], tolerance) << extension;
        EXPECT_NEAR(sum(read, "volume"), sum(written, "volume"), 1e-6) << extension;
        // It flies on as it was: a frame further at its mean velocity.
        const Frame next(folder / ("read_" + extension + "/p.0004.floe"));
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(next.meanPosition()[axis],
                        read.meanPosition()[axis] + read.meanVelocity()[axis] / 24, 1e-4)
                << extension;

        // The sequence gives frame 1 at frame 3: the block's upper part.
        const Frame upper(folder / ("read_" + extension + "/u.0003.floe"));
        std::size_t expected = 0;
        for (std::size_t i = 0; i < first.count(); ++i)
            expected += first.position(i)[1] > 0.04;
        if (!rounds) {
            EXPECT_EQ(upper.count(), expected) << extension;
        } else {
            EXPECT_NEAR(double(upper.count()), double(expected), 3) << extension;
        }
        EXPECT_GT(upper.extent(1)[0], 0.04);
    }
}

TEST_F(ParticleFiles, MissingAndBrokenOnesAreNamed)
{
    writeReader("floe");
    std::filesystem::remove(folder / "written/p.0003.floe");
    Finished finished = run("reader", "read");
    EXPECT_NE(finished.code, 0);
    EXPECT_THAT(finished.output, HasSubstr("node 'file'"));
    EXPECT_THAT(finished.output, HasSubstr("p.0003.floe"));
    folder.file("written/p.0003.floe", "not particles");
    finished = run("reader", "read");
    EXPECT_NE(finished.code, 0);
    EXPECT_THAT(finished.output, HasSubstr("p.0003.floe"));
}

// An output that may give anything is checked where its value arrives.
TEST(Switch, GivesTheWrongKindToNobody)
{
    const TemporaryFolder folder;
    folder.file("graph.floe.json", R"({
      "floe": 1,
      "range": {"start": 1, "end": 1, "fps": 24},
      "nodes": {
        "ball": {"type": "floe.shape.sphere", "version": 1, "parameters": {"voxelSize": 0.1}},
        "choice": {"type": "floe.value.switch", "version": 1, "parameters": {"which": 0}},
        "skin": {"type": "floe.surface.mesh", "version": 1},
        "mesh": {"type": "floe.output.mesh", "version": 1}
      },
      "links": [
        {"from": "ball.shape", "to": "choice.values"},
        {"from": "ball.mesh", "to": "choice.values"},
        {"from": "choice.value", "to": "skin.shape"},
        {"from": "skin.mesh", "to": "mesh.mesh"}
      ]
    })");
    const auto run = [&](const std::string& options) {
        return runFloe("run " + (folder / "graph.floe.json").string() + " --progress quiet -o " +
                       (folder / "out").string() + options);
    };
    EXPECT_EQ(run("").code, 0);
    const Finished wrong = run(" --set choice.which=1");
    EXPECT_NE(wrong.code, 0);
    EXPECT_THAT(wrong.output, HasSubstr("node 'skin'"));
    EXPECT_THAT(wrong.output, HasSubstr("input 'shape' is given a value of kind 'mesh'"));
}

} // namespace
} // namespace floe::test
