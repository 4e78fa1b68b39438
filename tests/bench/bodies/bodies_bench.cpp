// bodies_bench [--threads N] [MESH.obj ...]: what position-based bodies cost, as the Markdown
// tables of tests/bench/results/bodies.md, beside the figures of Jia 2017 (GTX 1060, tables 6.1
// to 6.7). One thread, in time of its processor; or N threads by the clock, on a machine with
// nothing else to do.
#include "meshes.hpp"
#include "solver_scene.hpp"
#include "tbb_executor.hpp"

#include "bodies/distance.hpp"
#include "bodies/merging.hpp"
#include "neighbours/bvh.hpp"

#include "floe/sdk/sampling.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace floe;
using namespace floe::pbd;
using floe::mpm::TbbExecutor;

bool wallClock = false; ///< else the processor's time, which a busy machine does not lengthen

double now()
{
    timespec time{};
    clock_gettime(wallClock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double secondsOf(const Work& work)
{
    const double begin = now();
    work();
    return now() - begin;
}

/// The shortest of several runs [ms].
template <class Work>
double best(const Work& work, int runs = 7)
{
    double least = 1e300;
    for (int k = 0; k < runs; ++k)
        least = std::min(least, secondsOf(work));
    return 1e3 * least;
}

/// Memory of this process [bytes].
double resident()
{
    std::ifstream file("/proc/self/statm");
    double size = 0, pages = 0;
    file >> size >> pages;
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Published {
    double voxels, distances, merging; ///< [ms]; 0: not given
};

void shapeRow(const std::string& name, const test::Mesh& mesh, int along, TbbExecutor& executor,
              const Published& published)
{
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, longest = 0;
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        low[i % 3] = std::min<double>(low[i % 3], mesh.points[i]);
        high[i % 3] = std::max<double>(high[i % 3], mesh.points[i]);
    }
    for (int axis = 0; axis < 3; ++axis)
        longest = std::max(longest, high[axis] - low[axis]);
    const VoxelGrid grid = placeGrid(mesh.view(), longest / along, 2);
    const VoxelSet voxels = voxelise(mesh.view(), grid, executor);
    const DistanceField field = signedDistances(voxels, executor);
    const std::size_t merged = mergeVoxels(voxels, field, -1, executor).size();
    const double one = best([&] { voxelise(mesh.view(), grid, executor); });
    const double two = best([&] { signedDistances(voxels, executor); });
    const double three = best([&] { mergeVoxels(voxels, field, -1, executor); });
    const auto theirs = [](double ms) {
        char text[32] = "";
        if (ms > 0)
            std::snprintf(text, sizeof text, " (%.2f)", ms);
        return std::string(text);
    };
    std::printf("| %s | %zu | %d | %zu | %zu | %.2f%s | %.2f%s | %.2f%s | %.1f |\n", name.c_str(),
                mesh.corners.size() / 3, along, voxels.count(), merged, one,
                theirs(published.voxels).c_str(), two, theirs(published.distances).c_str(), three,
                theirs(published.merging).c_str(), one + two + three);
    std::fflush(stdout);
}

void shapes(const std::vector<std::string>& files, TbbExecutor& executor)
{
    std::printf("| mesh | triangles | voxels along | full voxels | particles | voxels [ms] | "
                "distances [ms] | merging [ms] | together [ms] |\n|---|---|---|---|---|---|---|---|"
                "---|\n");
    shapeRow("box", test::cube(1), 32, executor, {1.51, 2.45, 1.67});
    shapeRow("box", test::cube(1), 96, executor, {10.20, 19.71, 4.09});
    for (const std::string& file : files) {
        const auto mesh = test::readObj(file);
        if (!mesh) {
            std::fprintf(stderr, "there is no mesh '%s'\n", file.c_str());
            std::exit(1);
        }
        for (const int along : {32, 96})
            shapeRow(std::filesystem::path(file).stem().string(), *mesh, along, executor, {});
    }
    std::printf("\n");
}

/// A loose heap of equal grains in a basin, 60 along each axis.
constexpr int kAlong = 60;
constexpr float kRadius = 0.01f;

void heap(Trial& trial)
{
    const double wide = 2.1 * kAlong * double{kRadius};
    trial.basin({wide, 4 * wide, wide});
    sdk::RandomSequence random(3);
    for (int z = 0; z < kAlong; ++z)
        for (int y = 0; y < kAlong; ++y)
            for (int x = 0; x < kAlong; ++x) {
                const auto at = [&](int k) {
                    return double{kRadius} * (2.1 * k + 1.05 + 0.1 * (random.uniform() - 0.5));
                };
                const double px = at(x), py = at(y), pz = at(z);
                trial.solver.scene.addParticle({px, py, pz}, {0, 0, 0}, kRadius, 0);
            }
    trial.solver.changed();
}

void neighbours(const Scene& scene, TbbExecutor& executor)
{
    std::vector<Vec3f> center;
    std::vector<float> radius;
    for (std::size_t i = 0; i < scene.particles.size(); ++i) {
        center.push_back(toFloat(scene.particles.x[i]));
        radius.push_back(1.25f * scene.particles.radius[i]);
    }
    const std::vector<std::uint32_t> group(center.size(), kNoGroup);
    const Spheres spheres{center, radius, group};
    std::size_t pairs = 0;
    const double build = best([&] { Bvh tree(spheres, executor); });
    const double tree = best([&] { pairs = findPairs(spheres, Search::tree, executor).size(); }, 3);
    const double grid = best([&] { pairs = findPairs(spheres, Search::grid, executor).size(); }, 3);
    std::printf("| %zu | %zu | %.1f (2.56) | %.1f (2.56 + 12.10) | %.1f (1.75 + 5.03) |\n",
                center.size(), pairs, build, tree, grid);
}

void run(Trial& trial, int substeps, double dt, TbbExecutor& executor)
{
    trial.run(substeps * dt, dt, executor);
}

/// The same heap until its grains sleep. With the solver's defaults it sinks and none does: grains
/// that lie a layer lower count as a fifth heavier (Mass scaling).
void sleepers(TbbExecutor& executor)
{
    constexpr int kFrame = 20;
    constexpr double kLongest = 6; // [s]
    Trial trial{Material{}};
    trial.solver.settings.sleepAfter = 0.5;
    trial.solver.settings.massScaling = 0.1 / double{kRadius};
    heap(trial);
    const auto count = static_cast<double>(trial.solver.scene.particles.size());
    const auto share = [&] {
        return static_cast<double>(trial.solver.sleep().count()) / count;
    };
    std::printf("Until they sleep: simulated seconds, share asleep, seconds a frame.\n\n"
                "| simulated [s] | asleep | a frame [s] |\n|---|---|---|\n");
    while (share() < 1 && trial.time < kLongest) {
        const double cost =
            secondsOf([&] { run(trial, 6 * kFrame, 1.0 / (24 * kFrame), executor); });
        std::printf("| %.2f | %.1f %% | %.3f |\n", trial.time, 100 * share(), cost / 6);
        std::fflush(stdout);
    }
    const double rest =
        secondsOf([&] { run(trial, 24 * kFrame, 1.0 / (24 * kFrame), executor); }) / 24;
    std::printf("\nAt rest: %.4f s a frame.\n\n", rest);
}

void grains(TbbExecutor& executor)
{
    const double before = resident();
    Material material;
    Trial trial(material);
    heap(trial);
    run(trial, 360, 1.0 / 480, executor); // 0.75 s; the solver's defaults at 24 frames a second
    const auto rate = [&](int substeps, int frames) {
        return frames /
               secondsOf([&] { run(trial, frames * substeps, 1.0 / (24 * substeps), executor); });
    };
    const double many = rate(20, 2);
    const double overlap = trial.solver.contacts().overlapOfGrains(trial.solver.scene);
    const std::size_t contacts = trial.solver.contacts().active().size();
    const double bytes =
        (resident() - before) / static_cast<double>(trial.solver.scene.particles.size());
    const double energy = trial.kineticEnergy();
    double mass = 0;
    for (const float m : trial.solver.scene.particles.mass)
        mass += double{m};
    const double two = rate(2, 5);
    std::printf(
        "%zu grains at rest (rms speed %.4f m/s, %zu contacts that overlap by %.3f radii on "
        "average): %.2f frames a second with 20 substeps of 4 iterations. %.2f with 2, in "
        "which they overlap by %.3f after 5 frames. %.0f bytes a particle (thesis: 300).\n\n",
        trial.solver.scene.particles.size(), std::sqrt(2 * energy / mass), contacts, overlap, many,
        two, trial.solver.contacts().overlapOfGrains(trial.solver.scene), bytes);
    std::printf("| spheres | pairs | build of the tree [ms] | tree: build and pairs [ms] | grid: "
                "build and pairs [ms] |\n|---|---|---|---|---|\n");
    neighbours(trial.solver.scene, executor);
    std::printf("\n");
    std::fflush(stdout);
    sleepers(executor);
}

void liquid(TbbExecutor& executor)
{
    const double before = resident();
    Material material;
    material.kind = Material::Kind::liquid;
    material.staticFriction = material.kineticFriction = 0;
    Trial trial(material);
    trial.basin({2.4, 3, 0.5});
    trial.fill({0, 0, 0}, {50, 30, 25}, 0.01f);
    const double dt = 1.0 / 480, count = static_cast<double>(trial.solver.scene.particles.size());
    const auto cost = [&](double seconds) {
        const int substeps = static_cast<int>(std::lround(seconds / dt));
        return 1e9 * secondsOf([&] { run(trial, substeps, dt, executor); }) / (substeps * count);
    };
    const double first = cost(0.5), second = cost(0.5);
    std::printf("Dam break of %.0f particles of water, 4 iterations a substep: %.0f ns a "
                "particle and substep in the first half second, %.0f in the second. %.0f bytes a "
                "particle.\n\n",
                count, first, second, (resident() - before) / count);
    std::fflush(stdout);
}

} // namespace

int main(int count, char** values)
{
    int threads = 1;
    std::vector<std::string> files;
    for (int k = 1; k < count; ++k) {
        if (std::strcmp(values[k], "--threads") == 0 && k + 1 < count)
            threads = std::max(1, std::atoi(values[++k]));
        else
            files.push_back(values[k]);
    }
    wallClock = threads > 1;
    std::printf("%s of %d thread%s.\n\n", wallClock ? "Time by the clock" : "Processor time",
                threads, threads > 1 ? "s" : "");
    TbbExecutor executor(static_cast<std::size_t>(threads));
    try {
        shapes(files, executor);
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "a mesh cannot be used: %s\n", e.what());
        return 1;
    }
    liquid(executor);
    grains(executor);
}
