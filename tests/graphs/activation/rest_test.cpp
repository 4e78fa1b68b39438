// Sleep ends when what it rested on changes, though nothing active is near that could push.
#include "run_graph.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace floe {
namespace {

/// A bed of settled sand that begins passive between walls, with more nodes and links.
Json sleepingBed(int end)
{
    Json graph = Json::parse(R"json({
      "floe": 1,
      "nodes": {
        "bed_shape": {"type": "floe.shape.box", "version": 1,
                      "parameters": {"size": [0.8, 0.2, 0.4], "center": [0, 0.1, 0],
                                     "voxelSize": 0.025}},
        "sand": {"type": "floe.material", "version": 1,
                 "parameters": {"law": "druckerPrager", "name": "Sand", "density": 1600,
                                "youngModulus": 1e6, "frictionAngle": 30, "poissonRatio": 0.3}},
        "bed": {"type": "floe.emitter", "version": 1, "parameters": {"settled": true}},
        "domain": {"type": "floe.domain", "version": 1,
                   "parameters": {"center": [0, 0.5, 0], "size": [3, 1, 0.4], "yMin": "stick",
                                  "zMin": "slip", "zMax": "slip"}},
        "activity": {"type": "floe.activation.threshold", "version": 2,
                     "parameters": {"speed": 0.02, "delay": 0.1, "startsPassive": true}},
        "export": {"type": "floe.output.particles", "version": 1, "parameters": {"every": 1000}},
        "solver": {"type": "floe.mpm.solver", "version": 1, "parameters": {"cellSize": 0.05}}
      },
      "links": [
        {"from": "bed_shape.shape", "to": "bed.shape"},
        {"from": "sand.material", "to": "bed.material"},
        {"from": "bed.emitter", "to": "solver.emitters"},
        {"from": "domain.domain", "to": "solver.domain"},
        {"from": "activity.activation", "to": "solver.activation"},
        {"from": "solver.particles", "to": "export.particles"}
      ]
    })json");
    graph["range"] = {{"start", 1}, {"end", end}, {"fps", 24}};
    return graph;
}

/// Runs it. @return run.json, or no frames where it failed
Json run(const Json& graph)
{
    const test::TemporaryFolder folder;
    std::ofstream(folder / "bed.floe.json") << graph.dump();
    const auto finished = test::runFloe(
        "run " + (folder / "bed.floe.json").string() + " --output " + (folder / "out").string() +
        " --progress quiet --checkpoint-every 0 --threads 1" + test::onDevice());
    EXPECT_EQ(finished.code, 0) << finished.output;
    return finished.code == 0 ? loadJson(folder / "out" / "run.json")
                              : Json{{"frames", Json::array()}};
}

/// Share of the particles that were active at the end of each frame; [0] is frame 1.
std::vector<double> active(const Json& graph)
{
    const Json report = run(graph);
    std::vector<double> result;
    for (const Json& frame : report["frames"])
        result.push_back(frame["nodes"]["solver"]["activeShare"].get<double>());
    return result;
}

/// @param positions  keys of where the shape is moved to
void addCollider(Json& graph, const char* shape, const Json& parameters, const Json& positions)
{
    graph["nodes"]["solid_shape"] = {{"type", shape}, {"version", 1}, {"parameters", parameters}};
    graph["nodes"]["solid"] = {{"type", "floe.collider"},
                               {"version", 1},
                               {"parameters", {{"position", {{"keys", positions}}}}}};
    graph["links"].push_back({{"from", "solid_shape.shape"}, {"to", "solid.shape"}});
    graph["links"].push_back({{"from", "solid_shape.mesh"}, {"to", "solid.mesh"}});
    graph["links"].push_back({{"from", "solid.collider"}, {"to", "solver.colliders"}});
}

TEST(Rest, EndsWhenGravityTurns)
{
    Json graph = sleepingBed(16);
    // Level until frame 6, then by 3 degrees a frame: sand of 30 degrees slides from frame 16.
    Json keys = {{6, {0, -9.81, 0}, "linear"}};
    for (int i = 1; i <= 12; ++i) {
        const double angle = 3 * i * M_PI / 180;
        keys.push_back({6 + i, {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0}, "linear"});
    }
    graph["nodes"]["gravity"] = {{"type", "floe.force.gravity"},
                                 {"version", 1},
                                 {"parameters", {{"acceleration", {{"keys", keys}}}}}};
    graph["links"].push_back({{"from", "gravity.force"}, {"to", "solver.forces"}});
    const auto share = active(graph);
    ASSERT_EQ(share.size(), 16u);
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(share[i], 0) << "frame " << i + 1;
    // 3 degrees are 5 % of gravity. What lies still enough may sleep for a frame before the next.
    for (std::size_t i = 6; i < 16; ++i)
        EXPECT_GT(share[i], 0.5) << "frame " << i + 1;
}

TEST(Rest, EndsWhereAColliderCreeps)
{
    // A plate beside the left end, at half the speed that counts as moving: 0.4 mm a frame. A
    // twentieth of a cell, 2.5 mm, is behind it at frame 7 or 8.
    Json graph = sleepingBed(12);
    addCollider(graph, "floe.shape.box",
                {{"size", {0.1, 0.4, 0.6}}, {"center", {-0.45, 0.2, 0}}, {"voxelSize", 0.025}},
                {{1, {0, 0, 0}, "linear"}, {25, {0.01, 0, 0}, "linear"}});
    const auto share = active(graph);
    ASSERT_EQ(share.size(), 12u);
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(share[i], 0) << "frame " << i + 1;
    EXPECT_GT(share[8], 0);
    EXPECT_LT(share[8], 0.7); // not the far end
}

TEST(Rest, BeginsInGraphsThatCallItByItsOlderName)
{
    Json graph = sleepingBed(2);
    graph["nodes"]["activity"]["version"] = 1;
    Json& parameters = graph["nodes"]["activity"]["parameters"];
    parameters["startsAsleep"] = parameters["startsPassive"];
    parameters.erase("startsPassive");
    EXPECT_EQ(active(graph), std::vector<double>(2, 0.0));
}

TEST(Rest, GoesOnInTheMiddleOfAHoop)
{
    // A hoop around the bed sinks past its surface. Its voxels are a tenth of a cell, so that its
    // distances end long before the bed begins.
    Json graph = sleepingBed(6);
    addCollider(
        graph, "floe.shape.torus",
        {{"radius", 1.2}, {"tubeRadius", 0.06}, {"center", {0, 0.25, 0}}, {"voxelSize", 0.005}},
        {{1, {0, 0, 0}, "linear"}, {6, {0, -0.02, 0}, "linear"}});
    EXPECT_EQ(active(graph), std::vector<double>(6, 0.0));
}

TEST(Rest, DoesNotCountTheStepsOfWhatRacesPast)
{
    // A thousand meters in a frame: crosses two cells ten thousand times.
    Json graph = sleepingBed(3);
    graph["nodes"]["activity"] = {
        {"type", "floe.activation.network"},
        {"version", 2},
        {"parameters", {{"startsPassive", true}, {"guard", false}, {"evaluate", "automatic"}}}};
    addCollider(graph, "floe.shape.box", {{"size", {1, 1, 1}}, {"voxelSize", 0.1}},
                {{1, {100, 0, 0}, "linear"}, {3, {2100, 0, 0}, "linear"}});
    const Json report = run(graph);
    ASSERT_EQ(report["frames"].size(), 3u);
    for (const Json& frame : report["frames"])
        EXPECT_LE(frame["nodes"]["solver"]["substeps"], 1000) << frame["frame"];
}

TEST(Rest, IsNoQuestionWhereThereIsNothing)
{
    // Without a domain, what is slow is measured by the matter itself; it comes at frame 4.
    Json graph = sleepingBed(6);
    graph["nodes"].erase("domain");
    std::erase_if(graph["links"].get_ref<Json::array_t&>(),
                  [](const Json& link) { return link["from"] == "domain.domain"; });
    graph["nodes"]["bed"]["parameters"]["startFrame"] = 4;
    for (const char* strategy : {"floe.activation.network", "floe.activation.threshold"}) {
        graph["nodes"]["activity"] = {
            {"type", strategy}, {"version", 2}, {"parameters", {{"startsPassive", true}}}};
        const auto share = active(graph);
        ASSERT_EQ(share.size(), 6u) << strategy;
        EXPECT_EQ(std::vector<double>(share.begin(), share.begin() + 4),
                  std::vector<double>(4, 0.0))
            << strategy;
    }
}

} // namespace
} // namespace floe
