#include "device_solver.hpp"

#include "contact_kernels.cuh"
#include "device_joints.cuh"
#include "device_liquid.cuh"
#include "device_pairs.cuh"
#include "device_sheets.cuh"
#include "device_state.cuh"
#include "motion_kernels.cuh"
#include "sleep_kernels.cuh"
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

class CudaSolver final : public DeviceSolver, private DeviceState {
public:
    explicit CudaSolver(const Device& device)
        : DeviceState(device), surroundings_(device_), topSpeed_(device_), counters_(device_),
          reports_(device_), stirs_(device_)
    {
        counters_.need(1);
        reports_.need(kReports);
    }
    ~CudaSolver() override { device_.makeCurrent(); }

    void advance(Solver& solver, const World& world, double time, double dt, int steps,
                 const std::function<void(int)>& afterStep, Executor& executor) override
    {
        begin(solver, world);
        solver.setStep(dt);
        for (int k = 0; k < steps; ++k) {
            const double now = time + k * dt;
            for (const auto& collider : world.colliders)
                collider->moveTo(now, dt);
            report_ = {};
            if (solver.beginSleep(world, dt)) {
                step(solver, world, now, dt, executor);
                if (k + 1 == steps)
                    sumReport();
                if (counts_.taken + counts_.outside > 0)
                    remove(solver);
            }
            afterStep(k + 1);
        }
        bringBack(solver);
    }

    void settle(Solver& solver, const World& world, int passes, Executor& executor) override
    {
        constexpr int kStabilisations = 4;
        begin(solver, world);
        solver.sleep().grow(solver.scene);
        for (int k = 0; k < passes; ++k) {
            beginStep(solver, world, 0, 0, executor);
            predict(solver, 0);
            findContacts(solver, 0, executor);
            stabilise(solver, kStabilisations);
            if (liquid_.any()) {
                liquid_.find(matter_);
                liquid_.project(matter_, environment_);
                FLOE_PBD_LAUNCH(settleParticles, matter_.count, matter_);
            }
            FLOE_PBD_LAUNCH_BLOCKS(followPoses, matter_.bodies, matter_);
            endStep(false);
        }
        bringBack(solver);
    }

    std::vector<Pair> findPairs(const Spheres& spheres) override
    {
        device_.makeCurrent();
        return pairs_.find(spheres);
    }

    Report report() const override { return report_; }

private:
    /// A frame begins. The host's state goes to the device with the first substep that has work.
    void begin(const Solver& solver, const World& world)
    {
        device_.makeCurrent();
        surroundings_.setDomain(*world.domain);
        std::vector<std::shared_ptr<const sdk::world::Force>> forces; // winds last, as on the CPU
        winds_ = 0;
        for (const bool winds : {false, true})
            for (const auto& force : world.forces)
                if (winds == (dynamic_cast<const sdk::world::Wind*>(force.get()) != nullptr)) {
                    forces.push_back(force);
                    winds_ += winds;
                }
        anyForces_ = !forces.empty();
        surroundings_.setForces(std::move(forces));
        colliders_.assign(world.colliders.begin(), world.colliders.end());
        surroundings_.setColliders(colliders_);
        const bool anyLiquid =
            std::any_of(solver.scene.materials.begin(), solver.scene.materials.end(),
                        [](const Material& one) { return one.kind == Material::Kind::liquid; });
        surfaces_ = static_cast<std::uint32_t>((anyLiquid ? 4 : 1) * colliders_.size());
        for (int face = 0; face < 6; ++face)
            surfaces_ += world.domain->isWall(face);
        const auto any = [&](const auto& is) {
            return std::any_of(solver.scene.bodies.begin(), solver.scene.bodies.end(), is);
        };
        anySoft_ = any([](const Body& body) { return !body.rigid && !body.sheet; });
        anyRigid_ = any([](const Body& body) { return body.rigid; });
        anyCloth_ = any([](const Body& body) { return Sheets::hasFaces(body); });
        matterIsHere_ = false;
    }

    // A substep.

    void beginStep(Solver& solver, const World& world, double time, double dt, Executor& executor)
    {
        looksAtAll_ = solver.sleep().looksAtSurfaces({world.colliders, world.domain, {}});
        if (!matterIsHere_)
            bringMatter(solver);
        if (!looksAtAll_) // else who is woken may need other candidates
            needCandidates(solver, executor);
        environment_ = surroundings_.forNodes(time, dt, solver.settings.gravity, 1);
        device_.fill(counters_.data(), 0, sizeof(Counts));
    }

    void bringMatter(const Solver& solver)
    {
        uploadMatter(solver, anyForces_, surfaces_);
        liquid_.begin(solver.scene, solver.settings);
        joints_.begin(solver.joints, matter_.bodies, matter_.count);
        sheets_.begin(solver, matter_);
        matterIsHere_ = true;
    }

    void step(Solver& solver, const World& world, double time, double dt, Executor& executor)
    {
        const SolverSettings& settings = solver.settings;
        std::size_t asleep = solver.sleep().count();
        beginStep(solver, world, time, dt, executor);
        applyForces(dt * settings.gravity);
        project(solver, dt, executor);
        std::uint32_t faults = 0;
        while (breakBodies(solver, dt)) { // their pieces meet the blow instead
            faults += counts_.faults;
            asleep = solver.sleep().count();
            beginStep(solver, world, time, dt, executor);
            project(solver, dt, executor);
        }
        const float resting = restingWay(settings.gravity, dt);
        FLOE_PBD_LAUNCH((rememberPairs<SweptPairs>), contacts_.swept.count, matter_,
                        contacts_.swept, resting);
        FLOE_PBD_LAUNCH((rememberPairs<RigidPairs>), contacts_.rigid.count, matter_,
                        contacts_.rigid, resting);
        FLOE_PBD_LAUNCH(rememberSurfaces, matter_.count, matter_, contacts_.surfaces, resting);
        const double still = settings.sleepSpeed * dt;
        FLOE_PBD_LAUNCH(finishParticles, matter_.count, matter_, still, dt);
        FLOE_PBD_LAUNCH(finishBodies, matter_.bodies, matter_, still, dt);
        FLOE_PBD_LAUNCH_BLOCKS(followPoses, matter_.bodies, matter_);
        if (solver.sleep().isOn())
            endSleep(solver, dt);
        liquid_.finish(matter_, solver.scene.materials, dt);
        if (anySoft_)
            FLOE_PBD_LAUNCH_BLOCKS(dampShapes, matter_.bodies, matter_, dt);
        sheets_.finish(matter_, dt, counters_.data());
        joints_.finish(dt);
        endStep(true);
        if (counts_.tore > 0)
            sheets_.tear(solver.scene);
        if (solver.sleep().isOn())
            solver.sleep().tell(asleep + counts_.slept - counts_.woke, counts_.stirs > 0);
        if (counts_.faults + faults > 0)
            askForces(solver, world, time, dt);
        if (counts_.lost > 0)
            throw std::runtime_error("positions are no longer finite; more substeps may help");
    }

    /// Forces act on all where they were as the step began.
    void applyForces(const Vec3d& weight)
    {
        ForceChanges changes{.winds = winds_, .change = anyForces_ ? change_.data() : nullptr};
        if (anyCloth_ && winds_ > 0) {
            blown_.need(matter_.count);
            changes.blown = blown_.data();
        }
        FLOE_PBD_LAUNCH(applyForcesToParticles, matter_.count, matter_, environment_, weight,
                        changes, counters_.data());
        if (changes.blown)
            sheets_.blow(matter_, changes.blown);
        FLOE_PBD_LAUNCH_BLOCKS(applyForcesToBodies, matter_.bodies, matter_, weight,
                               static_cast<const Vec3f*>(changes.change));
    }

    /// Finds how far everything moves in a substep.
    void project(Solver& solver, double dt, Executor& executor)
    {
        const SolverSettings& settings = solver.settings;
        predict(solver, dt);
        findContacts(solver, dt, executor);
        if (settings.stabilisations > 0)
            stabilise(solver, settings.stabilisations);
        liquid_.find(matter_);
        liquid_.pull(matter_, environment_, dt);
        sweep(StartWarm{});
        atOnce(StartWarmAtOnce{}, matter_.predicted);
        joints_.beginStep();
        sheets_.beginStep();
        for (int k = 0; k < settings.iterations; ++k) {
            liquid_.project(matter_, environment_);
            if (anySoft_)
                FLOE_PBD_LAUNCH_BLOCKS(matchShapes, matter_.bodies, matter_, settings.rotation, dt);
            solveSheets(false, dt);
            joints_.project(matter_, dt);
            sweep(Project{});
            atOnce(ProjectAtOnce{static_cast<float>(settings.relaxation)}, matter_.predicted);
        }
        // Ropes have the last word: friction moves their particles one by one, which stretches
        // them.
        solveSheets(true, dt);
    }

    void solveSheets(bool ropes, double dt)
    {
        sheets_.project(matter_, joints_.joints(), contacts_.surfaces, ropes, dt);
    }

    /// As Solver::breakBodies(), on the host. @return whether any broke; the substep is done again
    bool breakBodies(Solver& solver, double dt)
    {
        if (!solver.mayBreak())
            return false;
        blow_.need(matter_.bodies);
        FLOE_PBD_LAUNCH_BLOCKS(sumBlows, matter_.bodies, matter_, contacts_, dt, blow_.data());
        return solver.breakBodies(blow_.download(matter_.bodies), [&] {
            readCounts();
            bringBack(solver);
            matterIsHere_ = false;
        });
    }

    /// Reads what the host must know. @param mayLeave  the domain
    void endStep(bool mayLeave)
    {
        FLOE_PBD_LAUNCH(lookAtParticles, matter_.count, matter_, environment_, mayLeave,
                        counters_.data());
        readCounts();
    }

    void predict(const Solver& solver, double dt)
    {
        const Lightness lightness(solver.settings);
        FLOE_PBD_LAUNCH(predictParticles, matter_.count, matter_, lightness, dt);
        FLOE_PBD_LAUNCH(predictBodies, matter_.bodies, matter_, lightness, dt);
    }

    void findContacts(Solver& solver, double dt, Executor& executor)
    {
        const float resting = restingApproach(solver.settings.gravity, dt);
        planes_ = liquid_.findColliders(matter_, environment_);
        const bool anyAsleep = solver.sleep().count() > 0;
        findSurfaceContacts(static_cast<float>(dt), resting);
        if (looksAtAll_)
            wakeBySurfaces(solver, executor);
        if (solver.sleep().mayWakeByPairs())
            wakeByPairs(solver, dt);
        if (anyAsleep)
            FLOE_PBD_LAUNCH(holdSleepers, matter_.count, matter_, contacts_.surfaces);
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
                        matter_, contacts_.surfaces, environment_, topSpeed_.data(), planes_, dt,
                        resting, looksAtAll_, counters_.data());
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

    // Sleeping.

    void wakeMarkedOnes(bool looks)
    {
        joints_.mark(matter_);
        FLOE_PBD_LAUNCH(wakeMarked, matter_.count, matter_, looks, counters_.data());
    }
    void clearMarks()
    {
        device_.fill(matter_.sleepers.woken, 0, matter_.count * sizeof(std::uint32_t));
    }
    void wakeBySurfaces(Solver& solver, Executor& executor)
    {
        clearMarks();
        FLOE_PBD_LAUNCH(markBySurfaces, matter_.count, matter_, contacts_.surfaces);
        const std::uint32_t left = counts_.left;
        wakeMarkedOnes(candidatesAreHere_);
        readCounts();
        if (counts_.woke > 0)
            downloadSleepers(solver.sleep());
        counts_.left += left;
        needCandidates(solver, executor);
        device_.fill(&counters_.data()->left, 0, sizeof counts_.left);
    }
    void wakeByPairs(const Solver& solver, double dt)
    {
        const double gravity = physics::length(solver.settings.gravity);
        if (contacts_.rigid.count > 0) {
            clearMarks();
            FLOE_PBD_LAUNCH(markByPairs, contacts_.rigid.count, matter_, contacts_.rigid.pair,
                            static_cast<const Push*>(nullptr), contacts_.rigid.count, gravity, dt);
            wakeMarkedOnes(false);
        }
        clearMarks();
        FLOE_PBD_LAUNCH(markByPairs, contacts_.swept.count, matter_, contacts_.swept.pair,
                        contacts_.swept.push, contacts_.swept.count, gravity, dt);
        wakeMarkedOnes(false);
    }

    /// Positions are the new ones.
    void endSleep(const Solver& solver, double dt)
    {
        FLOE_PBD_LAUNCH(noteStays, matter_.count, matter_, dt, counters_.data());
        if (!solver.sleep().checks())
            return;
        const auto after = static_cast<float>(solver.settings.sleepAfter);
        FLOE_PBD_LAUNCH(clearLoads, matter_.count, matter_);
        FLOE_PBD_LAUNCH(weighPairs, contacts_.swept.count, matter_, contacts_.swept.contact,
                        contacts_.swept.count, dt, after);
        FLOE_PBD_LAUNCH(weighPairs, contacts_.rigid.count, matter_, contacts_.rigid.contact,
                        contacts_.rigid.count, dt, after);
        FLOE_PBD_LAUNCH(weighSurfaces, matter_.count, matter_, contacts_.surfaces, dt, after);
        if (anyRigid_)
            endSleepOfBodies(solver, dt, after);
        FLOE_PBD_LAUNCH(restParticles, matter_.count, matter_, after, counters_.data());
    }
    void endSleepOfBodies(const Solver& solver, double dt, float after)
    {
        clearMarks();
        FLOE_PBD_LAUNCH_BLOCKS(weighBodies, matter_.bodies, matter_, contacts_,
                               physics::length(solver.settings.gravity), dt);
        wakeMarkedOnes(false);
        stirs_.need(2 * std::size_t{matter_.bodies});
        std::uint32_t *stirs = stirs_.data(), *next = stirs + matter_.bodies;
        FLOE_PBD_LAUNCH_BLOCKS(findStirring, matter_.bodies, matter_, stirs, after);
        joints_.stirDrivenOnes(matter_, stirs);
        do {
            device_.fill(&counters_.data()->spread, 0, sizeof counts_.spread);
            joints_.stir(stirs);
            FLOE_PBD_LAUNCH_BLOCKS(spreadStirring, matter_.bodies, matter_, contacts_.rigid, stirs,
                                   next, counters_.data());
            std::swap(stirs, next);
            readCounts();
        } while (counts_.spread > 0);
        FLOE_PBD_LAUNCH_BLOCKS(restBodies, matter_.bodies, matter_, stirs, counters_.data());
    }

    // Back to the host.

    void readCounts() { device_.download(&counts_, counters_.data(), sizeof counts_); }

    void bringBack(Solver& solver)
    {
        if (!matterIsHere_)
            return;
        downloadMatter(solver);
        downloadSleepers(solver.sleep());
        downloadPushes(solver);
        joints_.bringBack(solver.joints);
        sheets_.bringBack(solver);
    }

    /// Searches for candidates where somebody has left his margin, or they are not here.
    void needCandidates(Solver& solver, Executor& executor)
    {
        if (candidatesAreHere_ && counts_.left == 0)
            return;
        if (candidatesAreHere_)
            bringBack(solver);
        PairFinder finder;
        if (solver.settings.search != Search::tree)
            finder = [&](const Spheres& spheres) {
                return pairs_.find(spheres);
            };
        solver.contacts().update(solver.scene, solver.settings, solver.sleep(), executor, finder);
        uploadCandidates(solver);
        counts_.left = 0;
    }

    /// Takes out what has left.
    void remove(Solver& solver)
    {
        bringBack(solver);
        Solver::Counts counts = solver.counts();
        counts.taken += counts_.taken;
        counts.leftDomain += counts_.outside;
        solver.setCounts(counts);
        const std::vector<std::uint32_t> gone = gone_.download(matter_.count);
        solver.remove(std::vector<std::uint8_t>(gone.begin(), gone.end()));
        matterIsHere_ = false;
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
    DeviceLiquid liquid_{device_};
    DevicePairs pairs_{device_};
    JointSteps joints_{device_};
    DeviceSheets sheets_{device_};
    const LiquidPlanes* planes_ = nullptr; ///< of the substep
    Environment environment_;              ///< of the substep
    std::vector<std::shared_ptr<sdk::world::Collider>> colliders_;
    std::uint32_t surfaces_ = 0; ///< sides of colliders, and walls
    bool anyForces_ = false, anySoft_ = false, anyRigid_ = false, anyCloth_ = false;
    std::int32_t winds_ = 0;       ///< among forces, the last ones
    bool matterIsHere_ = false;    ///< else the host's is the newest
    bool looksAtAll_ = false;      ///< Sleep::looksAtSurfaces(), of the substep
    std::vector<float> topSpeeds_; ///< of colliders
    Counts counts_{};
    Report report_;
    DeviceArray<float> topSpeed_;
    DeviceArray<Counts> counters_;
    DeviceArray<ContactSums> reports_;
    DeviceArray<Vec3f> blown_{device_}; ///< of velocities of cloth, by winds
    DeviceArray<double> blow_{device_}; ///< of bodies: impulse of their contacts [N s]
    DeviceArray<std::uint32_t> stirs_;  ///< of bodies, twice: see findStirring()
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
