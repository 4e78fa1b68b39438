#include "study.hpp"

#include "run_graph.hpp"

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace floe::bench {

namespace {

/// A camera that stands elsewhere on each frame.
Json cameraOf(int views)
{
    Json eye = Json::array();
    for (int axis = 0; axis < 3; ++axis) {
        Json keys = Json::array();
        for (int i = 0; i < views; ++i) {
            const double angle = 2 * 3.14159265358979323846 * (i + 0.5) / views;
            const double place[] = {2.3 * std::cos(angle), i % 2 == 0 ? 0.9 : 1.6,
                                    2.3 * std::sin(angle)};
            keys.push_back({i + 1, place[axis], "step"});
        }
        eye.push_back({{"keys", keys}});
    }
    return {{"type", "floe.camera"},
            {"parameters", {{"eye", eye}, {"target", {0.2, 0.45, 0}}, {"fieldOfView", 32}}}};
}

/// Nodes and links of one graph.
class Graph {
public:
    Graph(const Model& model, const Motion& motion, const StudySettings& settings)
        : settings_(settings)
    {
        nodes_["model"] = {{"type", "floe.shape.mesh"},
                           {"parameters",
                            {{"path", std::filesystem::absolute(model.mesh).string()},
                             {"fit", 1},
                             {"center", {0, 0.5, 0}},
                             {"voxelSize", 0.05}}}};
        nodes_["camera"] = cameraOf(settings.views);
        nodes_["lattice"] = {
            {"type", "floe.gaussians.lattice"},
            {"parameters",
             {{"sections", settings.sections}, {"bend", motion.bend}, {"twist", motion.twist}}}};
        link("model.mesh", "lattice.mesh");
        addSet("rest", settings.gaussians, 0, "model.mesh");
        link("rest.gaussians", "lattice.points");
        addSet("truth", settings.truthGaussians, 2, "lattice.mesh");
        addPictures("truth");
        addSet("again", settings.gaussians, 1, "lattice.mesh");
        addPictures("again");
        for (std::size_t i = 0; i < kMethods.size(); ++i) {
            const std::string name = "method" + std::to_string(i);
            nodes_[name] = {{"type", "floe.gaussians.deform"},
                            {"parameters",
                             {{"covariance", kMethods[i].covariance},
                              {"rotateColors", kMethods[i].rotateColors}}}};
            link("rest.gaussians", name + ".gaussians");
            link("lattice.particles", name + ".particles");
            addPictures(name);
        }
    }

    Json document() const
    {
        return {{"floe", 1},
                {"range", {{"start", 1}, {"end", settings_.views}, {"fps", 24}}},
                {"nodes", nodes_},
                {"links", links_}};
    }

private:
    void link(const std::string& from, const std::string& to)
    {
        links_.push_back({{"from", from}, {"to", to}});
    }

    /// A set that looks as it does whatever way it is turned: no light but the surface's own.
    void addSet(const std::string& name, int count, int seed, const std::string& mesh)
    {
        nodes_[name] = {{"type", "floe.gaussians.mesh"},
                        {"parameters",
                         {{"count", count},
                          {"seed", seed},
                          {"color", {0.35, 0.08, 0.03}},
                          {"pattern", "checks"},
                          {"secondColor", {0.1, 0.25, 0.4}},
                          {"patternSize", 0.045},
                          {"overlap", 0.7},
                          {"ambient", 1},
                          {"gloss", 0},
                          {"sheen", 0.35}}}};
        link(mesh, name + ".mesh");
        link("model.mesh", name + ".rest");
    }

    void addPictures(const std::string& set)
    {
        const std::string name = "render_" + set;
        nodes_[name] = {{"type", "floe.output.render"},
                        {"parameters",
                         {{"path", set + ".%04d.png"},
                          {"movie", false},
                          {"width", settings_.side},
                          {"height", settings_.side},
                          {"samples", "1"},
                          {"ground", false}}}};
        link(set + ".gaussians", name + ".particles");
        link("camera.camera", name + ".camera");
    }

    StudySettings settings_;
    Json nodes_ = Json::object(), links_ = Json::array();
};

test::PictureQuality meanOf(const std::filesystem::path& folder, const std::string& set, int views)
{
    test::PictureQuality sum{};
    for (int view = 1; view <= views; ++view) {
        char ending[32];
        std::snprintf(ending, sizeof ending, ".%04d.png", view);
        const auto one = test::compare(io::readPng(folder / (set + ending)),
                                       io::readPng(folder / ("truth" + std::string(ending))));
        sum.psnr += one.psnr / views;
        sum.ssim += one.ssim / views;
    }
    return sum;
}

} // namespace

Qualities study(const Model& model, const Motion& motion, const StudySettings& settings,
                const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    const std::filesystem::path graph = folder / "graph.floe.json";
    std::ofstream(graph) << dumpJson(Graph(model, motion, settings).document());
    const test::Finished run = test::runFloe("run " + graph.string() + " --output " +
                                             folder.string() + " --progress quiet --device cpu");
    if (run.code != 0)
        throw std::runtime_error(run.output);
    Qualities qualities;
    for (std::size_t i = 0; i < kMethods.size(); ++i)
        qualities.push_back(meanOf(folder, "method" + std::to_string(i), settings.views));
    qualities.push_back(meanOf(folder, "again", settings.views));
    return qualities;
}

} // namespace floe::bench
