// A slab whose mesh breaks into the pieces of the simulation, from the first frame on.
#include "run_graph.hpp"

#include "floe/base/file.hpp"
#include "floe/data/mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace floe {
namespace {

namespace fs = std::filesystem;
using test::Frame;
using testing::HasSubstr;

constexpr int kLast = 36;
constexpr double kVolume = 0.9 * 0.08 * 0.6; // of the slab [m^3]

/// The scene in a folder of its own, beside which its file cache lies.
class Slab {
public:
    Slab()
    {
        fs::copy_file(std::string(FLOE_SOURCE_DIR) + "/graphs/cracked_slab.floe.json", scene());
    }
    fs::path scene() const { return folder_ / "cracked_slab.floe.json"; }
    fs::path cache() const { return folder_ / "cache"; }
    void run(const std::string& options = "") const
    {
        const auto finished = test::runFloe(
            "run " + scene().string() + " --output " + output().string() +
            " --progress quiet --cache --set solver.cellSize=0.03 --set render.every=100 "
            "--set render.width=320 --set render.height=180 " +
            options);
        ASSERT_EQ(finished.code, 0) << finished.output;
    }
    fs::path file(const std::string& socket, int frame) const
    {
        char name[64];
        std::snprintf(name, sizeof name, "cache/fracture.%s.%04d.floe", socket.c_str(), frame);
        return output() / name;
    }
    fs::path debris(int frame) const
    {
        char name[64];
        std::snprintf(name, sizeof name, "cache/debris.particles.%04d.floe", frame);
        return output() / name;
    }
    Frame pieces(int frame) const { return Frame(file("pieces", frame)); }
    std::vector<std::uint64_t> ids(int frame) const
    {
        const Frame pieces = this->pieces(frame);
        const auto id = pieces.particles().get<std::uint64_t>("id", 1);
        return {id.begin(), id.end()};
    }

private:
    fs::path output() const { return folder_ / "out"; }
    test::TemporaryFolder folder_;
};

/// Edges that are not taken as often one way as the other.
std::size_t openEdges(const MeshValue& mesh)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = mesh.triangles()[3 * t + k], b = mesh.triangles()[3 * t + (k + 1) % 3];
            balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    return static_cast<std::size_t>(
        std::ranges::count_if(balance, [](const auto& edge) { return edge.second != 0; }));
}

} // namespace

TEST(CrackedSlab, BreaksIntoClosedPiecesThatAreThereFromTheFirstFrame)
{
    const Slab slab;
    slab.run();
    // Its last frame was not kept yet: the slab is whole, as it is at rest.
    EXPECT_EQ(slab.ids(1).size(), 1u);
    EXPECT_EQ(slab.ids(kLast).size(), 1u);
    slab.run();
    const auto ids = slab.ids(1);
    EXPECT_GE(ids.size(), 3u); // two halves on the walls, and what is shot out between them
    EXPECT_LE(ids.size(), 12u);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    for (const int frame : {1, 12, kLast}) {
        EXPECT_EQ(slab.ids(frame), ids) << frame;
        const Frame pieces = slab.pieces(frame);
        const auto volume = pieces.particles().get<float>("volume", 1);
        // Rigid pieces keep their volume; voxels of 7.5 mm cut edges of 6.3 m in all off, by
        // a triangle of at most a voxel's legs.
        EXPECT_NEAR(std::accumulate(volume.begin(), volume.end(), 0.0), kVolume, 0.005 * kVolume)
            << frame;
        std::ifstream stream(slab.file("mesh", frame), std::ios::binary);
        const ValueRef value = readValue(stream);
        EXPECT_EQ(openEdges(expect<MeshValue>(value)), 0u) << frame;
    }
    // Nothing has moved at the first frame; in the end pieces are far from each other.
    const auto spread = [&](int frame) {
        const auto y = slab.pieces(frame).extent(1);
        return y[1] - y[0];
    };
    EXPECT_LT(spread(1), 0.08);
    EXPECT_GT(slab.pieces(1).extent(1)[0], 0.45);
    EXPECT_LT(slab.pieces(kLast).extent(1)[0], 0.2);
}

// Nothing flies before the ball strikes; then chips do, of less volume than has broken, and what
// has come down lies on the ground.
TEST(CrackedSlab, ThrowsDebrisWhereItBreaks)
{
    const Slab slab;
    slab.run("--set export.every=100");
    EXPECT_EQ(Frame(slab.debris(1)).count(), 0u);
    const Frame early(slab.debris(8)), late(slab.debris(kLast));
    EXPECT_GT(early.count(), 100u);
    EXPECT_GT(late.count(), early.count());
    EXPECT_TRUE(late.allFinite());
    double volume = 0;
    for (const float each : late.particles().get<float>("volume", 1))
        volume += double{each};
    EXPECT_GT(volume, 1e-5);
    EXPECT_LT(volume, 0.1 * kVolume); // the share of the node
    std::size_t low = 0;
    for (std::size_t i = 0; i < late.count(); ++i)
        low += late.position(i)[1] < 0.1;
    EXPECT_GE(late.extent(1)[0], 0.0); // the ground
    EXPECT_GT(low, late.count() / 4);
}

TEST(CrackedSlab, PiecesKeepTheirIdsWhereItIsMadeAgain)
{
    constexpr int kCracked = 12;
    const std::string toThere = " --end 12 --set broken.frame=12";
    const Slab slab;
    slab.run("--threads 1" + toThere);
    slab.run("--threads 1" + toThere);
    const auto ids = slab.ids(kCracked);
    EXPECT_GE(ids.size(), 2u);
    std::map<std::string, std::string> before;
    for (const char* socket : {"mesh", "pieces", "particles"})
        before[socket] = readFile(slab.file(socket, kCracked));
    fs::remove_all(slab.cache());
    slab.run("--threads 2" + toThere);
    slab.run("--threads 2" + toThere);
    EXPECT_EQ(slab.ids(kCracked), ids);
    for (const char* socket : {"mesh", "pieces", "particles"})
        EXPECT_TRUE(readFile(slab.file(socket, kCracked)) == before[socket]) << socket;
}

// F goes through the file cache and Time shift; nobody has switched it on.
TEST(CrackedSlab, GetsFFromTheSolverWhereItBendsByF)
{
    const Slab slab;
    slab.run("--end 2 --set fracture.deformation=gradient --set broken.frame=1");
    EXPECT_EQ(slab.ids(2).size(), 1u);
    EXPECT_TRUE(Frame(slab.file("particles", 2)).particles().find("F"));
    const Slab rigid;
    rigid.run("--end 2 --set broken.frame=1");
    EXPECT_FALSE(Frame(rigid.file("particles", 2)).particles().find("F"));
}

TEST(CrackedSlab, SaysThatItNeedsAFrameThatIsNotThere)
{
    const Slab slab;
    const auto finished =
        test::runFloe("run " + slab.scene().string() + " --progress quiet --output " +
                      (slab.cache() / "out").string() + " --set broken.missing=fail --end 2");
    EXPECT_NE(finished.code, 0);
    EXPECT_THAT(finished.output, HasSubstr("'missing' says what there is until then"));
}

} // namespace floe
