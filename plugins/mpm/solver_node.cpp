#include "activation_record.hpp"
#include "cpu_backend.hpp"
#include "emitter_record.hpp"
#include "friction_record.hpp"
#include "material_record.hpp"
#include "node_ranks.hpp"
#include "rest_conditions.hpp"
#include "step_report.hpp"
#include "stored_state.hpp"
#if FLOE_HAVE_CUDA
#include "cuda_stepper.hpp"
#endif

#include "floe/sdk/contacts.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/host.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/time_scale.hpp"
#include "floe/sdk/world/coupled_bodies.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <new>
#include <optional>
#include <string>

namespace floe::mpm {

namespace {

/// Returns the processor time of the calling thread [s].
double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

/// Solver node for particles that move as one continuum: advances from frame to frame in as many
/// steps as stability requires.
class SolverNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.mpm.solver";

    void cook(sdk::Context& context) override
    {
        executor_.context = &context;
        try {
            ranks_.join(context);
            cookFrame(context);
        } catch (const sdk::parallel::RanksFailure& e) {
            throw sdk::Failure("", e.status); // the host has said why
        } catch (const Diverged& e) {
            throw sdk::Failure(e.what(), FLOE_DIVERGED);
        } catch (const sdk::world::CouplingFailed& e) {
            throw sdk::Failure("", e.status());
        } catch (const std::bad_alloc&) {
            throw sdk::Failure(outOfMemory(), FLOE_OUT_OF_MEMORY);
        } catch (const std::invalid_argument& e) {
            throw sdk::Failure(e.what(), FLOE_BAD_ARGUMENT);
        }
    }

    /// Of several ranks, the first saves what all know alike.
    void save(sdk::Context& context, sdk::Writer& writer) override
    {
        executor_.context = &context;
        ranks_.use(context);
        std::vector<unsigned char> state;
        if (saved_.bytes.empty())
            state = solver_ ? solver_->save() : std::vector<unsigned char>();
        else // loaded, and nothing computed since
            state = saved_.partition ? saved::makePart(saved_.bytes, ranks_.rank(), ranks_.size())
                                     : saved_.bytes;
        if (ranks_.follows()) {
            if (!state.empty()) // else the first has the whole
                writer.array(state);
            return;
        }
        writer.array(emitterMaterial_);
        writer.array(state);
        rest_.save(writer);
        writer.value(pace_);
    }

    void load(sdk::Context& context, sdk::Reader& reader) override
    {
        solver_.reset();
        saved_ = {};
        rest_ = {};
        pace_ = {};
        try {
            ranks_.join(context);
            emitterMaterial_ = reader.array<std::uint16_t>();
            saved_ = readState(reader, ranks_.ownership(), [&] {
                if (reader.remaining() == 0) // older states end here
                    return;
                rest_.load(reader);
                pace_ = reader.value<ActivationPace>();
            });
        } catch (const sdk::Failure&) {
            throw;
        } catch (const std::runtime_error& e) {
            throw sdk::Failure(e.what(), FLOE_IO_FAILED);
        }
    }

private:
    std::unique_ptr<Stepper> makeSolver(const sdk::Context& context, const SolverSettings& settings)
    {
#if FLOE_HAVE_CUDA
        if (context.device().kind == FLOE_DEVICE_CUDA)
            return makeCudaStepper(settings, context.device(), executor_, ranks_.ownership());
#else
        (void)context;
#endif
        if (!memory_)
            memory_.emplace(context.device());
        return makeCpuStepper(settings, executor_, *memory_, ranks_.ownership());
    }

    std::string outOfMemory() const
    {
        std::string text = "memory ran out";
        if (solver_)
            text += " while the solver holds " + std::to_string(solver_->bytes() >> 20) +
                    " MiB for " + std::to_string(solver_->knownParticleCount()) + " particles";
        return text + "; a larger cell size or fewer particles in a cell need less";
    }

    void cookFrame(sdk::Context& context)
    {
        const double began = threadSeconds();
        const bool start = context.isStart();
        fps_ = context.fps() / context.number("timeScale");
        settings_ = settingsOf(context);
        const Forces forces = readForces(context); // they determine gravity
        const std::optional<ActivationRecord> activation = readActivation(context);
        if (!solver_)
            solver_ = makeSolver(context, settings_);
        else
            solver_->setSettings(settings_);
        const std::vector<sdk::Value> emitters = context.inputs("emitters");
        updateMaterials(context, emitters, activation);
        const sdk::Value domainRecord = context.input("domain");
        const Domain domain = domainRecord ? sdk::world::domainOf(domainRecord) : Domain{};
        solver_->setDomain(domain);
        solver_->setForces(forces);
        if (!saved_.bytes.empty()) {
            if (saved_.partition)
                solver_->loadOwn(saved_);
            else
                solver_->load(saved_.bytes);
            saved_ = {};
        }
        Colliders colliders = readColliders(context);
        if (activation && !surfaces_.empty())
            throw sdk::Failure("a Mesh collider's walls know no sleep; unlink input 'activation', "
                               "or link a Collider",
                               FLOE_BAD_ARGUMENT);
        solver_->setColliders(colliders);
        std::optional<sdk::ContactCells> cells;
        if (context.boolean("contactLog"))
            cells = {context.number("contactCell")};
        solver_->recordContacts(cells);

        if (!start)
            ranks_.moved(solver_->balance());
        emit(context, emitters);
        if (!start)
            advance(context, activation, domain, colliders, forces);
        report(context);
        // With one thread this is all the work of the frame, independent of the machine's load.
        const double seconds = threadSeconds() - began;
        context.statistic("processorSeconds", seconds);
        if (ranks_.several())
            ranks_.report(context, seconds, solver_->bytes());
        output(context);
        context.setOutput("contacts",
                          contactsOf(solver_->takeContacts(), cells, start, colliders.size()));
        // The others keep references to inputs of this frame.
        std::erase_if(colliders, [](const auto& collider) { return !collider->rests(); });
        solver_->setColliders(colliders);
        resting_ = std::move(colliders);
        solver_->setForces({});
    }

    /// Returns the settings from the node's own parameters.
    SolverSettings settingsOf(const sdk::Context& context) const
    {
        SolverSettings settings;
        settings.cellSize = context.number("cellSize");
        settings.advectionLimit = context.number("advectionLimit");
        settings.materialLimit = context.number("materialLimit");
        settings.transfer =
            context.string("transfer") == "picFlip" ? Transfer::picFlip : Transfer::apic;
        settings.flip = context.number("flip");
        settings.kernel = context.string("kernel") == "cubic" ? Kernel::cubic : Kernel::quadratic;
        settings.integrator = context.string("integrator") == "semiImplicit"
                                  ? Integrator::semiImplicit
                                  : Integrator::explicitEuler;
        settings.bodiesMeet = context.string("bodies") != "together";
        settings.volumeByPosition =
            context.boolean("volumeByPosition") && settings.integrator == Integrator::explicitEuler;
        settings.implicitReach = context.number("implicitReach");
        settings.solveTolerance = context.number("solveTolerance");
        settings.solveIterations = static_cast<int>(context.integer("solveIterations"));
        settings.localTimeSteps = context.boolean("localTimeSteps");
        settings.longestStep = 1 / (fps_ * static_cast<double>(context.integer("minimumSubsteps")));
        settings.shortestStep =
            1 / (fps_ * static_cast<double>(context.integer("maximumSubsteps")));
        // Rest is defined by what the eye sees: a twentieth of a cell in a frame.
        settings.restSpeed = 0.05 * settings.cellSize * fps_;
        settings.guardMemory = 2 / fps_; // what an eye sees
        return settings;
    }

    /// Returns the linked forces; gravity forces replace the node's own gravity.
    Forces readForces(const sdk::Context& context)
    {
        auto linked = sdk::world::forcesOf(context.inputs("forces"), context.vector("gravity"));
        settings_.gravity = linked.gravity;
        return std::move(linked.forces);
    }

    /// Returns the linked activation, which may override the rest speed.
    std::optional<ActivationRecord> readActivation(const sdk::Context& context)
    {
        std::optional<ActivationRecord> activation;
        if (const sdk::Value record = context.input("activation"))
            activation = activationOf(record);
        if (!activation)
            return activation;
        constexpr std::uint32_t kOracles = FLOE_NEXT_STEP_SPEED | FLOE_EVALUATION_SPEED;
        if (ranks_.several() && (activation->table->wants & kOracles) != 0)
            throw sdk::Failure("several ranks cannot look into the future, which the strategy of "
                               "input 'activation' asks for; link another one, or run on one rank",
                               FLOE_BAD_ARGUMENT);
        if (ranks_.byParticles())
            throw sdk::Failure("ranks that keep their particles let nothing sleep; unlink input "
                               "'activation', or divide space by --partition "
                               "bisection",
                               FLOE_BAD_ARGUMENT);
        if (settings_.bodiesMeet)
            throw sdk::Failure("'bodies' meet by contact, which knows no sleep; unlink input "
                               "'activation' or let them move together",
                               FLOE_BAD_ARGUMENT);
        if (settings_.integrator == Integrator::semiImplicit)
            throw sdk::Failure("'integrator' is semi-implicit, which knows no sleep; unlink input "
                               "'activation' or choose the explicit integrator",
                               FLOE_BAD_ARGUMENT);
        if (activation->restSpeed.value_or(-1) >= 0)
            settings_.restSpeed = *activation->restSpeed;
        settings_.wakeSpeed = std::max(activation->wakeSpeed, 0.0);
        settings_.stiffSpeed = activation->stiffSpeed;
        settings_.startsPassive = activation->startsPassive;
        return activation;
    }

    /// Colliders at rest are kept from the last frame, so that cached contacts stay valid.
    Colliders readColliders(const sdk::Context& context)
    {
        sdk::world::FrameClock clock;
        clock.fps = fps_;
        clock.first = context.isStart() ? context.frame() : context.frame() - 1;
        clock.begin = solver_->time();
        Colliders colliders;
        std::vector<sdk::world::SurfaceCollider::Shared> surfaces;
        for (const sdk::Value& record : context.inputs("colliders")) {
            if (record.schema() == FLOE_COUPLING_RECORD) {
                const auto [table, self] =
                    record.require("bodies").interface<floe_coupling_interface>(
                        FLOE_COUPLING_INTERFACE);
                colliders.push_back(std::make_shared<sdk::world::CoupledBodies>(
                    table, self, context.raw(), this, 1 / fps_));
                continue;
            }
            if (record.field("surface") && !record.field("shape")) {
                auto surface = sdk::world::surfaceColliderOf(record, clock, surfaces_);
                surfaces.push_back(surface->shared());
                colliders.push_back(std::move(surface));
                continue;
            }
            colliders.push_back(sdk::world::colliderOf(record, clock, resting_));
            std::erase(resting_, colliders.back()); // each is reused once
        }
        surfaces_ = std::move(surfaces);
        return colliders;
    }

    /// Fixes the material of an emitter's particles when the emitter first appears; numbers may
    /// change from frame to frame.
    void updateMaterials(sdk::Context& context, const std::vector<sdk::Value>& emitters,
                         const std::optional<ActivationRecord>& activation)
    {
        std::vector<sdk::Value> records;
        std::vector<std::string> identities;
        for (const sdk::Value& emitter : emitters) {
            records.push_back(emitter.require("material"));
            identities.push_back(materialIdentity(records.back()));
        }
        std::size_t count = 0;
        for (const std::uint16_t m : emitterMaterial_)
            count = std::max<std::size_t>(count, m + 1u);
        const std::size_t known = std::min(emitterMaterial_.size(), emitters.size());
        for (std::size_t i = known; i < emitters.size(); ++i) {
            std::size_t same = context.string("bodies") == "emitters" ? i : 0;
            while (same < i && identities[same] != identities[i])
                ++same;
            emitterMaterial_.push_back(same < i ? emitterMaterial_[same]
                                                : static_cast<std::uint16_t>(count++));
        }
        std::vector<SolverMaterial> materials(count);
        std::vector<bool> given(count);
        materialRecords_.resize(count);
        for (std::size_t i = emitters.size(); i-- > 0;) { // the first emitter of a material decides
            const std::uint16_t m = emitterMaterial_[i];
            materials[m] = materialOf(records[i], context.number("cellSize"), &context.device());
            materialRecords_[m] = records[i];
            given[m] = true;
            if (activation && materials[m].staysWhole)
                throw sdk::Failure("material '" + materials[m].name +
                                       "' stays whole, which knows no sleep; unlink input "
                                       "'activation' or let it tear",
                                   FLOE_BAD_ARGUMENT);
            if (activation)
                materials[m].sleeps =
                    std::find(activation->neverSleeps.begin(), activation->neverSleeps.end(),
                              materials[m].name) == activation->neverSleeps.end();
        }
        for (std::size_t m = 0; m < count; ++m)
            if (!given[m])
                throw sdk::Failure("the simulation holds particles of an emitter that is no longer "
                                   "linked; link it again, or start from the first frame");
        if (settings_.bodiesMeet)
            readFrictions(context, materialRecords_, materials);
        const bool liquid =
            std::any_of(materials.begin(), materials.end(), [](const SolverMaterial& material) {
                return !material.custom && material.law.isLiquid();
            });
        materials_ = materials;
        solver_->setMaterials(std::move(materials));
        const bool idle = settings_.volumeByPosition && liquid && !solver_->keepsVolume();
        if (idle && !idle_)
            context.warn("'volumeByPosition' acts on nothing here, as materials differ in density: "
                         "liquids that splash may take up more room. Let 'bodies' meet, or switch "
                         "it off");
        idle_ = idle;
    }

    /// Several ranks agree on it, in a step: they are not asked at the same moment.
    void throwIfCancelled(const sdk::Context& context) const
    {
        if (!ranks_.several())
            context.throwIfCancelled();
    }

    void emit(sdk::Context& context, const std::vector<sdk::Value>& emitters)
    {
        std::uint64_t given = 0;
        std::vector<Emission> emissions = askEmitters(context, emitters, *solver_, fps_, given);
        for (std::size_t i = 0; i < emitters.size(); ++i)
            emissions[i].added.material = emitterMaterial_[i];
        ranks_.given(given);
        dropEmpty(emissions, solver_->ranks());
        if (settings_.startsPassive && !emissions.empty())
            pace_ = {};
        const std::vector<Settled> settled = settleAll(emissions, materials_, settings_.gravity,
                                                       settings_.cellSize, solver_->ranks());
        for (const Emission& emission : emissions) {
            const bool free = emission.avoidOverlap && solver_->particleCount() > 0;
            stepReport_.beyondWalls(context,
                                    free ? addFree(*solver_, emission.added)
                                         : solver_->addParticles(emission.added),
                                    materials_[emission.added.material].name);
        }
    }

    void advance(sdk::Context& context, const std::optional<ActivationRecord>& activation,
                 const Domain& domain, const std::vector<std::shared_ptr<Collider>>& colliders,
                 const std::vector<std::shared_ptr<const Force>>& forces)
    {
        const double begin = solver_->time(), duration = 1 / fps_, end = begin + duration;
        while (end - solver_->time() > 1e-9 * duration) {
            double until = end;
            bool oneStep = false;
            if (activation) {
                const double left = end - solver_->time();
                const double interval =
                    std::min(evaluationInterval(*activation, *solver_, colliders, duration), left);
                // Ignore the last rounding error of a frame.
                if (left - interval > 1e-6 * duration)
                    until = solver_->time() + interval;
                oneStep = interval == 0;
                if (solver_->particleCount() > 0 && pace_.due(solver_->time())) {
                    ActivationRequest asked = askStrategy(context, *activation, *solver_, domain,
                                                          fps_, context.fps() / fps_, interval);
                    if (activation->wakeSpeed != 0)
                        rest_.wake(asked, *solver_, colliders, forces, duration);
                    solver_->applyActivation(asked);
                    pace_.answered(*activation, asked, solver_->time(), duration);
                }
            }
            if (oneStep)
                until = end;
            do {
                throwIfCancelled(context);
                solver_->advance(until - solver_->time());
                sdk::world::requireNoFault(forces);
                pace_.stepped();
                context.progress(std::clamp(1 - (end - solver_->time()) / duration, 0.0, 1.0));
            } while (!oneStep && until - solver_->time() > 1e-9 * duration);
        }
    }

    void report(sdk::Context& context)
    {
        const Counts counts = solver_->counts();
        const StepStatistics steps = solver_->takeStatistics();
        const auto say = [&](const char* name, auto value) {
            context.statistic(name, static_cast<double>(value));
        };
        say("particles", counts.alive);
        say("activeParticles", counts.activeParticles);
        say("activeShare", counts.alive ? static_cast<double>(counts.activeParticles) /
                                              static_cast<double>(counts.alive)
                                        : 0.0);
        say("emitted", counts.emitted);
        say("leftDomain", counts.leftDomain);
        say("deletedByCollider", counts.deletedByCollider);
        leaked_ += steps.leaked;
        if (!surfaces_.empty())
            say("leaked", leaked_);
        say("blocks", counts.blocks);
        say("activeBlocks", counts.activeBlocks);
        say("guardWakes", steps.guardWakes);
        say("substeps", steps.steps);
        if (settings_.localTimeSteps)
            stepReport_.local(context, steps, solver_->whyNotLocal());
        say("redoneSubsteps", steps.redone);
        say("solveIterations", steps.solveIterations);
        say("shortestStep", steps.shortest);
        say("longestStep", steps.longest);
        say("topSpeed", steps.topSpeed);
        say("transferSeconds", steps.transferSeconds);
        say("gridSeconds", steps.gridSeconds);
        say("rebinSeconds", steps.rebinSeconds);
        say("bytes", solver_->bytes());
        if (settings_.integrator == Integrator::explicitEuler) {
            if (context.isStart())
                for (const auto& [name, step] : stableSteps(materials_, settings_))
                    say(("stable step of " + name).c_str(), step);
            stepReport_.explainMany(context, steps, materials_, settings_);
        }
    }

    /// All matter with each collider.
    sdk::Value contactsOf(const std::vector<ColliderPush>& pushes,
                          const std::optional<sdk::ContactCells>& cells, bool start,
                          std::size_t colliders) const
    {
        std::vector<sdk::ContactRow> rows;
        for (const ColliderPush& push : pushes) {
            const Vec3d point = (1 / push.weight) * push.point;
            const Vec3d turn = push.moment - physics::cross(point, push.impulse);
            const Vec3d normal = (1 / std::max(physics::length(push.normal), 1e-300)) * push.normal;
            const auto numbers = [](const Vec3d& v) {
                return std::array<double, 3>{v.x, v.y, v.z};
            };
            rows.push_back({.aKind = sdk::ContactKind::particles,
                            .bKind = sdk::ContactKind::collider,
                            .a = 0,
                            .b = push.collider,
                            .point = numbers(point),
                            .normal = numbers(normal),
                            .impulse = numbers(push.impulse),
                            .couple = numbers(turn)});
        }
        std::optional<sdk::ContactScope> scope;
        if (cells)
            scope = {.seconds = start ? 0 : 1 / fps_,
                     .colliders = static_cast<std::uint32_t>(colliders),
                     .cells = *cells};
        return sdk::makeContacts(rows, scope);
    }

    void output(sdk::Context& context)
    {
        // Of several ranks, the first gives the particles of all, or each its own.
        const bool parts = ranks_.inParts(context, "particles");
        const std::size_t all = solver_->particleCount();
        const std::size_t count = parts ? solver_->ownParticleCount() : ranks_.follows() ? 0 : all;
        // Particles stay where they are computed: a reader in host memory gets a copy.
        sdk::Value particles =
            sdk::makeParticles(count, solver_->onDevice() ? &context.device() : nullptr);
        Snapshot to;
        to.x = particles.addAttribute<float>("x", 3).data();
        to.v = particles.addAttribute<float>("v", 3).data();
        to.id = particles.addAttribute<std::uint64_t>("id", 1).data();
        to.material = particles.addAttribute<std::uint32_t>("material", 1).data();
        to.activation = particles.addAttribute<std::uint8_t>("state", 1).data();
        to.J = particles.addAttribute<float>("J", 1).data();
        to.volume = particles.addAttribute<float>("volume", 1).data();
        if (context.boolean("outputDeformation"))
            to.F = particles.addAttribute<float>("F", 9).data();
        if (context.boolean("outputAffine"))
            to.C = particles.addAttribute<float>("C", 9).data();
        if (context.boolean("outputStress"))
            to.stress = particles.addAttribute<float>("stress", 6).data();
        if (context.boolean("outputPlastic"))
            to.state = particles.addAttribute<float>("plastic", 1).data();
        if (context.boolean("outputRank") && !solver_->onDevice())
            to.rank = particles.addAttribute<float>("rank", 1).data();
        if (solver_->onDevice())
            solver_->snapshotOnDevice(to);
        else if (parts)
            solver_->snapshotPart(to);
        else
            solver_->snapshot(to);
        sdk::Value materials = sdk::makeRecord("materials");
        for (std::size_t m = 0; m < materialRecords_.size(); ++m)
            if (materialRecords_[m])
                materials.set(std::to_string(m).c_str(), materialRecords_[m]);
        particles.set("materials", materials);
        particles.set("cellSize", sdk::makeNumber(settings_.cellSize));
        sdk::setTimeScale(particles, context);
        context.setOutput("particles", particles);
    }

    sdk::parallel::HostExecutor executor_;
    NodeRanks ranks_;                                 ///< outlives solver_
    std::optional<sdk::parallel::HostMemory> memory_; ///< outlives solver_
    std::unique_ptr<Stepper> solver_;
    SolverSettings settings_;
    std::vector<std::shared_ptr<Collider>> resting_;            ///< from the last frame
    std::vector<sdk::world::SurfaceCollider::Shared> surfaces_; ///< of this frame's colliders
    std::uint64_t leaked_ = 0; ///< particles that have crossed them
    double fps_ = 24;          ///< frames per second of the simulation
    RestConditions rest_;
    ActivationPace pace_;
    std::vector<std::uint16_t> emitterMaterial_;
    std::vector<sdk::Value> materialRecords_;
    std::vector<SolverMaterial> materials_;
    StepReport stepReport_;
    bool idle_ = false;     ///< 'volumeByPosition' acts on no liquid, and that was said
    saved::OwnState saved_; ///< loaded, for the next frame
};

} // namespace floe::mpm

FLOE_PLUGIN("floe.mpm", "0.1.0", floe::mpm::SolverNode, floe::mpm::FrictionNode)
