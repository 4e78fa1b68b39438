// local_steps_bench [RADIUS [FRAMES [RATIO]]]: what local time steps save, and what they change. A
// ball, RADIUS cells, a tenth of all particles, of RATIO times the stiffness of the sand that it
// falls into, in steps of all blocks and in steps of each block's own, frame by frame in turns.
// One thread, in time of its processor; the tables of tests/bench/results/local_time_steps.md.
#include "scene.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <utility>

namespace {

using namespace floe::mpm;

constexpr double kCell = 0.05, kYoungModulus = 1e5, kFrame = 1.0 / 24;

double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A bed of sand nine times as heavy in particles as the ball above it.
void fill(Stepper& solver, double radius, double ratio)
{
    solver.setMaterials(
        {material("druckerPrager", 1600, {{"youngModulus", kYoungModulus}}),
         material("fixedCorotated", 1600, {{"youngModulus", ratio * kYoungModulus}})});
    // 9 times the ball's volume, four radii square.
    const double side = 4 * radius;
    const double depth =
        std::round(9 * 4 / 3.0 * 3.14159265 * radius * radius * radius / (side * side) / kCell) *
        kCell;
    Domain box;
    box.bounded = true;
    box.center = {0, 4 * side, 0};
    box.halfSize = {side / 2, 4 * side, side / 2};
    box.faces = {Contact::slip, Contact::slip, Contact::slip,
                 Contact::slip, Contact::slip, Contact::slip};
    solver.setDomain(box);
    solver.addParticles(
        Lattice({-side / 2, 0, -side / 2}, {side / 2, depth, side / 2}, kCell).particles(0));
    Lattice ball;
    const Vec3d center{0, depth + radius + kCell, 0}, corner = radius * Vec3d{1, 1, 1};
    const Lattice cube(center - corner, center + corner, kCell);
    for (std::size_t i = 0; i < cube.count(); ++i) {
        const Vec3d at{cube.x[3 * i], cube.x[3 * i + 1], cube.x[3 * i + 2]};
        if (floe::physics::length(at - center) < radius)
            ball.add(at, {0, -3, 0}, cube.volume[i]);
    }
    solver.addParticles(ball.particles(1));
}

/// What is compared.
struct Outcome {
    Vec3d ball{0, 0, 0}, velocity{0, 0, 0}; ///< of the ball's centre
    double energy = 0;
    std::map<std::pair<int, int>, double> height; ///< of the sand, by column of cells

    Outcome(Stepper& solver, std::size_t sand)
    {
        const Frame frame(solver);
        double count = 0;
        for (std::size_t i = 0; i < frame.id.size(); ++i) {
            const Vec3d at{frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]};
            if (frame.id[i] >= sand) {
                ball = ball + at;
                velocity = velocity + Vec3d{frame.v[3 * i], frame.v[3 * i + 1], frame.v[3 * i + 2]};
                ++count;
                continue;
            }
            double& top = height[{static_cast<int>(std::floor(at.x / kCell)),
                                  static_cast<int>(std::floor(at.z / kCell))}];
            top = std::max(top, at.y);
        }
        ball = (1 / count) * ball;
        velocity = (1 / count) * velocity;
        const Totals sums = totals(solver);
        energy = sums.kineticEnergy + sums.elasticEnergy;
    }
    /// Returns the mean difference of heights [cells].
    double heightFrom(const Outcome& other) const
    {
        double sum = 0;
        for (const auto& [column, top] : height)
            if (const auto at = other.height.find(column); at != other.height.end())
                sum += std::abs(top - at->second);
        return sum / static_cast<double>(height.size()) / kCell;
    }
};

} // namespace

int main(int count, char** values)
{
    const double radius = (count > 1 ? std::atof(values[1]) : 12) * kCell;
    const int frames = count > 2 ? std::atoi(values[2]) : 12;
    const double ratio = count > 3 ? std::atof(values[3]) : 1e3;
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = kCell;
    Solver global(settings, serial);
    settings.localTimeSteps = true;
    Solver local(settings, serial);
    double seconds[2] = {};
    fill(global, radius, ratio);
    fill(local, radius, ratio);
    const std::size_t all = global.particleCount();
    std::size_t sand = 0;
    {
        std::vector<std::uint32_t> index(all);
        Snapshot to;
        to.material = index.data();
        global.snapshot(to);
        sand = static_cast<std::size_t>(std::count(index.begin(), index.end(), 0u));
    }
    std::printf("%zu particles, %.1f %% of them stiff, stiffness ratio %.0e. Processor time of one "
                "thread.\n\n",
                all, 100.0 * static_cast<double>(all - sand) / static_cast<double>(all), ratio);
    std::printf("| frame | steps, global | steps, local | long steps | slow [%%] | global [s] | "
                "local [s] | ratio | ball apart [cells] | heights apart [cells] | energy, global "
                "[J] | local [J] |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int frame = 1; frame <= frames; ++frame) {
        double own[2];
        int k = 0;
        for (Solver* solver : {&global, &local}) {
            const double begin = processorSeconds();
            run(*solver, kFrame);
            own[k] = processorSeconds() - begin;
            seconds[k] += own[k];
            ++k;
        }
        const StepStatistics g = global.takeStatistics(), l = local.takeStatistics();
        const Outcome a(global, sand), b(local, sand);
        std::printf(
            "| %d | %u | %u | %u | %.0f | %.2f | %.2f | %.2f | %.4f | %.4f | %.5g | %.5g |\n",
            frame, g.steps, l.steps, l.longSteps,
            100.0 * static_cast<double>(l.slowParticles) /
                std::max(1.0, static_cast<double>(l.particlesInLong)),
            own[0], own[1], own[0] / own[1], floe::physics::length(a.ball - b.ball) / kCell,
            a.heightFrom(b), a.energy, b.energy);
        std::fflush(stdout);
    }
    std::printf("\nTogether %.2f s and %.2f s: %.2f times as fast.\n", seconds[0], seconds[1],
                seconds[0] / seconds[1]);
}
