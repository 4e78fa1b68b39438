#include "device_solver.hpp"

#include "contact_kernels.cuh"
#include "device_state.cuh"
#include "motion_kernels.cuh"
#include "soft_kernels.cuh"
#include "surface_kernels.cuh"

#include "floe/sdk/world/surroundings.cuh"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::parallel::Executor;

inline constexpr std::uint32_t kReports = 64; ///< parts of a report

inline std::uint32_t blocksFor(std::size_t count)
{
    return static_cast<std::uint32_t>((count + kThreads - 1) / kThreads);
}

/// A launch with a thread for each of `count`, unless there are none.
#define FLOE_PBD_LAUNCH(kernel, count, ...)                                                        \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            FLOE_LAUNCH(kernel, blocksFor(count), kThreads, 0, device_.stream(), __VA_ARGS__);     \
            device_.checkLaunch(#kernel);                                                          \
        }                                                                                          \
    } while (false)
/// The same with a block for each.
#define FLOE_PBD_LAUNCH_BLOCKS(kernel, count, ...)                                                 \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            FLOE_LAUNCH(kernel, static_cast<std::uint32_t>(count), kThreads, 0, device_.stream(),  \
                        __VA_ARGS__);                                                              \
            device_.checkLaunch(#kernel);                                                          \
        }                                                                                          \
    } while (false)

class CudaSolver final : public DeviceSolver, private DeviceState {
public:
    explicit CudaSolver(const Device& device)
        : DeviceState(device), surroundings_(device_), topSpeed_(device_), counters_(device_),
          reports_(device_)
    {
        counters_.need(1);
        reports_.need(kReports);
    }
    ~CudaSolver() override { device_.makeCurrent(); }

    void advance(Solver& solver, const World& world, double time, double dt, int steps,
                 const std::function<void(int)>& afterStep, Executor& executor) override
    {
        begin(solver, world, dt, executor);
        for (int k = 0; k < steps; ++k) {
            const double now = time + k * dt;
            for (const auto& collider : world.colliders)
                collider->moveTo(now, dt);
            if (counts_.left > 0)
                search(solver, executor);
            step(solver, now, dt);
            readCounts();
            if (counts_.faults > 0)
                askForces(solver, world, now, dt);
            if (counts_.lost > 0)
                throw std::runtime_error("positions are no longer finite; more substeps may help");
            if (k + 1 == steps)
                sumReport();
            if (counts_.taken + counts_.outside > 0)
                remove(solver, executor);
            afterStep(k + 1);
        }
        downloadMatter(solver);
        downloadPushes(solver);
    }

    void settle(Solver& solver, const World& world, int passes, Executor& executor) override
    {
        constexpr int kStabilisations = 4;
        begin(solver, world, solver.lastStep(), executor);
        for (int k = 0; k < passes; ++k) {
            if (counts_.left > 0)
                search(solver, executor);
            environment_ = surroundings_.forNodes(0, 1, {0, 0, 0}, 1);
            device_.fill(counters_.data(), 0, sizeof(Counts));
            predict(solver, 0);
            findContacts(solver, 0);
            stabilise(solver, kStabilisations);
            FLOE_PBD_LAUNCH(lookAtParticles, matter_.count, matter_, counters_.data());
            FLOE_PBD_LAUNCH_BLOCKS(followPoses, matter_.bodies, matter_, counters_.data());
            readCounts();
        }
        downloadMatter(solver);
    }

    Report report() const override { return report_; }

private:
    // A frame begins: the host's state goes to the device.

    void begin(Solver& solver, const World& world, double dt, Executor& executor)
    {
        device_.makeCurrent();
        if (dt > 0)
            solver.setStep(dt);
        // Nobody sleeps here; candidates of a search among those awake alone do not hold.
        solver.sleep().begin(solver.scene, solver.settings, {}, {}, false, dt);
        if (std::isfinite(solver.contacts().searched().low.x))
            solver.contacts().invalidate();
        surroundings_.setDomain(*world.domain);
        std::vector<std::shared_ptr<const sdk::world::Force>> forces; // winds last, as on the CPU
        for (const bool winds : {false, true})
            for (const auto& force : world.forces)
                if (winds == (dynamic_cast<const sdk::world::Wind*>(force.get()) != nullptr))
                    forces.push_back(force);
        anyForces_ = !forces.empty();
        surroundings_.setForces(std::move(forces));
        colliders_.assign(world.colliders.begin(), world.colliders.end());
        surroundings_.setColliders(colliders_);
        surfaces_ = static_cast<std::uint32_t>(colliders_.size());
        for (int face = 0; face < 6; ++face)
            surfaces_ += world.domain->isWall(face);
        anySoft_ = std::any_of(solver.scene.bodies.begin(), solver.scene.bodies.end(),
                               [](const Body& body) { return !body.rigid; });
        report_ = {};
        uploadMatter(solver, anyForces_);
        solver.contacts().update(solver.scene, solver.settings, solver.sleep(), executor);
        uploadCandidates(solver, surfaces_);
        counts_ = {};
    }

    // A substep.

    void step(const Solver& solver, double time, double dt)
    {
        const SolverSettings& settings = solver.settings;
        environment_ = surroundings_.forNodes(time, dt, settings.gravity, 1);
        device_.fill(counters_.data(), 0, sizeof(Counts));
        const Vec3d weight = dt * settings.gravity;
        Vec3f* change = anyForces_ ? change_.data() : nullptr;
        // Forces act on all where they were as the step began.
        FLOE_PBD_LAUNCH(applyForcesToParticles, matter_.count, matter_, environment_, weight,
                        change, counters_.data());
        FLOE_PBD_LAUNCH_BLOCKS(applyForcesToBodies, matter_.bodies, matter_, weight, change);
        predict(solver, dt);
        findContacts(solver, dt);
        if (settings.stabilisations > 0)
            stabilise(solver, settings.stabilisations);
        sweep(StartWarm{});
        atOnce(StartWarmAtOnce{}, matter_.predicted);
        for (int k = 0; k < settings.iterations; ++k) {
            if (anySoft_)
                FLOE_PBD_LAUNCH_BLOCKS(matchShapes, matter_.bodies, matter_, settings.rotation, dt);
            sweep(Project{});
            atOnce(ProjectAtOnce{static_cast<float>(settings.relaxation)}, matter_.predicted);
        }
        const float resting = restingWay(settings.gravity, dt);
        FLOE_PBD_LAUNCH((rememberPairs<SweptPairs>), contacts_.swept.count, matter_,
                        contacts_.swept, resting);
        FLOE_PBD_LAUNCH((rememberPairs<RigidPairs>), contacts_.rigid.count, matter_,
                        contacts_.rigid, resting);
        FLOE_PBD_LAUNCH(rememberSurfaces, matter_.count, matter_, contacts_.surfaces, resting);
        const double still = settings.sleepSpeed * dt;
        FLOE_PBD_LAUNCH(finishParticles, matter_.count, matter_, environment_, still, dt,
                        counters_.data());
        FLOE_PBD_LAUNCH(finishBodies, matter_.bodies, matter_, still, dt);
        FLOE_PBD_LAUNCH_BLOCKS(followPoses, matter_.bodies, matter_, counters_.data());
        if (anySoft_)
            FLOE_PBD_LAUNCH_BLOCKS(dampShapes, matter_.bodies, matter_, dt);
    }

    void predict(const Solver& solver, double dt)
    {
        const Lightness lightness(solver.settings);
        FLOE_PBD_LAUNCH(predictParticles, matter_.count, matter_, lightness, dt);
        FLOE_PBD_LAUNCH(predictBodies, matter_.bodies, matter_, lightness, dt);
    }

    void findContacts(const Solver& solver, double dt)
    {
        const float resting = restingApproach(solver.settings.gravity, dt);
        findSurfaceContacts(static_cast<float>(dt), resting);
        FLOE_PBD_LAUNCH((findPairContacts<RigidPairs>), contacts_.rigid.count, matter_,
                        contacts_.rigid, resting);
        FLOE_PBD_LAUNCH((findPairContacts<SweptPairs>), contacts_.swept.count, matter_,
                        contacts_.swept, resting);
        FLOE_PBD_LAUNCH(gatherTouching, cells_, contacts_.swept, cells_);
        if (matter_.bodies == 0)
            return;
        FLOE_PBD_LAUNCH(shareParticles, matter_.count, matter_, contacts_);
        FLOE_PBD_LAUNCH_BLOCKS(shareBodies, matter_.bodies, matter_, contacts_);
    }

    void findSurfaceContacts(float dt, float resting)
    {
        topSpeeds_.clear();
        for (const auto& collider : colliders_)
            topSpeeds_.push_back(static_cast<float>(std::min(collider->topSpeed(), 1e6)));
        topSpeed_.need(topSpeeds_.size());
        if (!topSpeeds_.empty())
            device_.enqueueUpload(topSpeed_.data(), topSpeeds_.data(),
                                  topSpeeds_.size() * sizeof(float));
        const auto find = [&] {
            if (matter_.count == 0)
                return;
            FLOE_LAUNCH(findSurfaces, (matter_.count + kRow - 1) / kRow, kRow, 0, device_.stream(),
                        matter_, contacts_.surfaces, environment_, topSpeed_.data(), dt, resting,
                        counters_.data());
            device_.checkLaunch("findSurfaces");
        };
        find();
        if (surfaces_ <= room_)
            return;
        readCounts(); // there may be more than there is room for: never cut
        if (counts_.room <= room_)
            return;
        widen(counts_.room, [&](const SurfaceContacts& from, const SurfaceContacts& to) {
            FLOE_PBD_LAUNCH(widenSurfaces, matter_.count, matter_.count, from, to);
        });
        const std::uint32_t faults = counts_.faults;
        counts_ = {};
        counts_.faults = faults;
        counters_.upload(&counts_, 1);
        find();
    }

    void stabilise(const Solver& solver, int times)
    {
        const auto slop = static_cast<float>(solver.settings.slop);
        for (int k = 0; k < times; ++k) {
            sweep(MoveApart{slop});
            atOnce(MoveApartAtOnce{slop}, matter_.moved);
            FLOE_PBD_LAUNCH(sumPushed, contacts_.rigid.count, contacts_.rigid, k == 0);
        }
        FLOE_PBD_LAUNCH((movePairGaps<SweptPairs>), contacts_.swept.count, matter_,
                        contacts_.swept);
        FLOE_PBD_LAUNCH((movePairGaps<RigidPairs>), contacts_.rigid.count, matter_,
                        contacts_.rigid);
        FLOE_PBD_LAUNCH(moveSurfaceGaps, matter_.count, matter_, contacts_.surfaces);
        FLOE_PBD_LAUNCH(findSpins, contacts_.rigid.count, matter_, contacts_.rigid);
        FLOE_PBD_LAUNCH_BLOCKS(moveBodies, matter_.bodies, matter_, contacts_.rigid);
        FLOE_PBD_LAUNCH(moveParticles, matter_.count, matter_);
    }

    /// Contacts of particles that move by themselves, one after the other.
    template <class Work>
    void sweep(const Work& work)
    {
        for (std::size_t colour = 0; colour < SweepOrder::kColours; ++colour) {
            const std::uint32_t cells = colour_[colour + 1] - colour_[colour];
            FLOE_PBD_LAUNCH((sweepCells<Work>), cells, matter_, contacts_.swept, work,
                            colour_[colour], cells);
        }
        FLOE_PBD_LAUNCH((sweepSurfaces<Work>), matter_.count, matter_, contacts_.surfaces, work);
    }
    /// Contacts with rigid bodies.
    template <class Work>
    void atOnce(const Work& work, const Moves& moves)
    {
        if (matter_.bodies == 0)
            return;
        FLOE_PBD_LAUNCH((forRigidPairs<Work>), contacts_.rigid.count, matter_, contacts_, work);
        FLOE_PBD_LAUNCH((forRigidSurfaces<Work>), matter_.count, matter_, contacts_, work);
        FLOE_PBD_LAUNCH(applyToParticles, matter_.count, matter_, contacts_.rigid, moves);
        FLOE_PBD_LAUNCH_BLOCKS(applyToBodies, matter_.bodies, matter_, contacts_, moves);
    }

    // Back to the host.

    void readCounts() { device_.download(&counts_, counters_.data(), sizeof counts_); }

    void search(Solver& solver, Executor& executor)
    {
        downloadMatter(solver);
        downloadPushes(solver);
        solver.contacts().update(solver.scene, solver.settings, solver.sleep(), executor);
        uploadCandidates(solver, surfaces_);
    }

    /// Takes out what has left.
    void remove(Solver& solver, Executor& executor)
    {
        downloadMatter(solver);
        downloadPushes(solver);
        Solver::Counts counts = solver.counts();
        counts.taken += counts_.taken;
        counts.leftDomain += counts_.outside;
        solver.setCounts(counts);
        const std::vector<std::uint32_t> gone = gone_.download(matter_.count);
        solver.remove(std::vector<std::uint8_t>(gone.begin(), gone.end()));
        uploadMatter(solver, anyForces_);
        solver.contacts().update(solver.scene, solver.settings, solver.sleep(), executor);
        uploadCandidates(solver, surfaces_);
        counts_.left = 0;
    }

    /// Asks forces on the host for what they failed at, as fault() then says.
    void askForces(Solver& solver, const World& world, double time, double dt)
    {
        downloadMatter(solver);
        const Particles& particles = solver.scene.particles;
        sdk::world::PointBatch batch;
        for (std::size_t i = 0; i < particles.size(); ++i) {
            batch.count = 1;
            batch.corner = particles.x[i];
            batch.mass[0] = particles.mass[i];
            for (int axis = 0; axis < 3; ++axis)
                batch.x[axis][0] = batch.v[axis][0] = 0;
            for (const auto& force : world.forces)
                force->apply(batch, time, static_cast<float>(dt));
        }
    }

    void sumReport()
    {
        FLOE_LAUNCH(sumContacts, kReports, kThreads, 0, device_.stream(), matter_, contacts_,
                    reports_.data());
        device_.checkLaunch("sumContacts");
        double overlap = 0;
        std::uint64_t grains = 0;
        for (const ContactSums& sums : reports_.download(kReports)) {
            overlap += sums.overlap;
            grains += sums.grains;
            report_.contacts += sums.contacts;
        }
        report_.overlapOfGrains = grains > 0 ? overlap / static_cast<double>(grains) : 0;
    }

    sdk::world::Surroundings surroundings_;
    Environment environment_; ///< of the substep
    std::vector<std::shared_ptr<sdk::world::Collider>> colliders_;
    std::uint32_t surfaces_ = 0; ///< colliders and walls
    bool anyForces_ = false, anySoft_ = false;
    std::vector<float> topSpeeds_; ///< of colliders
    Counts counts_{};
    Report report_;
    DeviceArray<float> topSpeed_;
    DeviceArray<Counts> counters_;
    DeviceArray<ContactSums> reports_;
};

#undef FLOE_PBD_LAUNCH
#undef FLOE_PBD_LAUNCH_BLOCKS

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda

namespace floe::pbd {

std::unique_ptr<DeviceSolver> makeDeviceSolver(const floe_device& device)
{
    cuda::Device own(device);
    own.makeCurrent();
    return std::make_unique<cuda::CudaSolver>(own);
}

} // namespace floe::pbd
