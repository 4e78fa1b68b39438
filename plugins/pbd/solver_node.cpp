#include "body_outputs.hpp"
#include "body_record.hpp"
#include "checkpoint.hpp"
#include "coupling.hpp"
#include "emission_overlap.hpp"
#include "joint_record.hpp"
#include "nodes.hpp"
#include "sheet_record.hpp"
#include "solver/coupled_step.hpp"
#include "solver/solver.hpp"
#include "solver/surface_tension.hpp"
#include "substeps.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/host.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/time_scale.hpp"
#include "floe/sdk/world/emission.hpp"
#include "floe/sdk/world/material_colours.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

namespace floe::pbd {

/// Bodies, grains and liquids of particles of any size: advances from frame to frame in substeps,
/// its own or those of a solver that its bodies are linked to. In the latter case it cooks twice a
/// frame, before and after that solver (floe/sdk/coupling.h).
class SolverNode final : public sdk::Node, private SteppedByOthers {
public:
    static constexpr const char* kType = "floe.pbd.solver";

    ~SolverNode() override { *link_ = nullptr; }

    void cook(sdk::Context& context) override
    {
        executor_.context = &context;
        const auto bodies = context.inputs("bodies"), emitters = context.inputs("emitters"),
                   joints = context.inputs("joints");
        if (context.frame() == cookedFrame_) { // moved by another solver in the meantime
            if (!context.isStart())
                time_ = frameBegin_ + 1 / fps_;
            context.statistic("substeps", substepsTaken_);
            reportCloth(context, bodies);
            reportGrains(context);
            reportLeaks(context);
            output(context, bodies, emitters);
            forgetWorld();
            return;
        }
        cookedFrame_ = context.frame();
        owner_ = nullptr;
        name_ = context.nodeName();
        forgetWorld();
        fps_ = context.fps() / context.number("timeScale");
        readSettings(context);
        if (context.isStart())
            begin();
        readMaterials(bodies, emitters);
        if (context.isStart())
            create(bodies, joints);
        else if (!saved_.empty())
            restore(bodies, joints);
        readMotors(joints);
        readWorld(context);
        solver_.log = context.boolean("contactLog") ? &contactLog_ : nullptr;
        substeps_.choose(context, solver_, world());
        emit(context, emitters);
        reportTension(context, bodies, emitters);
        beginFrame(context);
        const bool moved = attachedFrame_ == context.frame() - 1;
        if (!context.isStart() && !moved)
            advance(context);
        reportCloth(context, bodies);
        reportGrains(context);
        reportLeaks(context);
        context.setOutput("coupling", makeCoupling(link_));
        output(context, bodies, emitters);
        if (!context.isStart() && !moved)
            forgetWorld();
    }

    void save(sdk::Context&, sdk::Writer& writer) override
    {
        if (!saved_.empty()) { // loaded, and nothing computed since
            writer.bytes(saved_.data(), saved_.size());
            return;
        }
        writer.value(time_);
        writer.value(attachedFrame_);
        writer.value(emitted_);
        saveState(solver_, writer);
    }
    void load(sdk::Context&, sdk::Reader& reader) override
    {
        // Rest shapes and materials come with the next frame's inputs.
        begin();
        cookedFrame_ = kNever;
        saved_.resize(reader.remaining());
        reader.bytes(saved_.data(), saved_.size());
    }

private:
    /// Reads bytes that are already here.
    struct MemoryReader {
        floe_reader raw{};
        const std::vector<unsigned char>* bytes;
        std::size_t at = 0;
    };

    // SteppedByOthers
    void attach(const void* owner, double frameSeconds) override
    {
        if (owner_ && owner_ != owner)
            throw sdk::Failure("the bodies of '" + name_ +
                                   "' are linked to two solvers; only one can move them",
                               FLOE_BAD_ARGUMENT);
        if (std::abs(frameSeconds * fps_ - 1) > 1e-9)
            throw sdk::Failure("'" + name_ +
                                   "' has another time scale than the solver that moves its "
                                   "bodies; give both the same",
                               FLOE_BAD_ARGUMENT);
        if (substeps_.mustBeOnDevice())
            throw sdk::Failure("bodies that another solver moves are computed on the CPU alone; "
                               "choose 'device' automatic in '" +
                                   name_ + "'",
                               FLOE_BAD_ARGUMENT);
        owner_ = owner;
        attachedFrame_ = cookedFrame_;
    }
    std::span<const floe_coupling_body> beginStep(const sdk::Context& context, double dt) override
    {
        executor_.context = &context;
        return coupled_.begin(solver_.scene, solver_.settings, dt, executor_);
    }
    void distances(std::uint32_t body, std::uint32_t count, const float* x, float* distance,
                   float* normal) const override
    {
        coupled_.distances(solver_.scene, body, count, x, distance, normal);
    }
    void endStep(const sdk::Context& context, const floe_coupling_push* pushes) override
    {
        executor_.context = &context;
        const auto count = static_cast<std::size_t>(
            std::count_if(solver_.scene.bodies.begin(), solver_.scene.bodies.end(),
                          [](const Body& body) { return body.rigid; }));
        stepOrFail([&] {
            coupled_.end(solver_, world(), {pushes, count}, time_, longestSubstep_, executor_);
        });
        time_ += coupled_.length();
        ++substepsTaken_;
    }

    /// What is needed from a frame's inputs until all its steps are taken.
    void beginFrame(const sdk::Context& context)
    {
        frameBegin_ = time_;
        longestSubstep_ = 1 / (fps_ * static_cast<double>(context.integer("substeps")));
        substepsTaken_ = 0;
        wrenches_.begin(solver_.scene);
        contactLog_.clear({context.number("contactCell")});
    }
    void forgetWorld()
    {
        colliders_.clear(); // others hold on to inputs of this frame
        forces_.clear();
    }
    template <class Work>
    static void stepOrFail(const Work& work)
    {
        try {
            work();
        } catch (const std::runtime_error& e) {
            if (dynamic_cast<const sdk::Failure*>(&e))
                throw;
            throw sdk::Failure(e.what(), FLOE_DIVERGED);
        }
    }

    void begin()
    {
        coupled_ = {};
        attachedFrame_ = kNever;
        const SolverSettings settings = solver_.settings;
        solver_ = {};
        solver_.settings = settings;
        substeps_.begin();
        materialsOfBodies_.reset();
        saved_.clear();
        clothWarned_ = grainsWarned_ = tensionWarned_ = leaksWarned_ = false;
        time_ = 0;
        emitted_ = 0;
    }

    void readSettings(const sdk::Context& context)
    {
        SolverSettings& settings = solver_.settings;
        settings.iterations = static_cast<int>(context.integer("iterations"));
        settings.stabilisations = static_cast<int>(context.integer("stabilisations"));
        settings.relaxation = context.number("relaxation");
        settings.massScaling = context.number("massScaling");
        settings.sleepSpeed = context.number("sleepSpeed");
        settings.sleepAfter = context.number("sleepAfter");
        settings.slop = context.number("slop");
        settings.support = context.number("support");
        const std::string rotation = context.string("rotation"), search = context.string("search");
        settings.rotation = rotation == "polar"         ? RotationMethod::polar
                            : rotation == "gramSchmidt" ? RotationMethod::gramSchmidt
                                                        : RotationMethod::iterative;
        settings.search = search == "tree"   ? Search::tree
                          : search == "grid" ? Search::grid
                                             : Search::automatic;
        size_ = context.number("particleSize");
    }

    /// Bodies' materials come first, then those of emitters.
    void readMaterials(const std::vector<sdk::Value>& bodies,
                       const std::vector<sdk::Value>& emitters)
    {
        std::vector<Material> materials;
        for (const sdk::Value& body : bodies)
            materials.push_back(isSheet(body) ? SheetDescription(body).material
                                              : BodyDescription(body).material);
        for (const sdk::Value& emitter : emitters)
            materials.push_back(materialOf(emitter.require("material")));
        std::uint32_t needed = 0;
        for (const std::uint32_t material : solver_.scene.particles.material)
            needed = std::max(needed, material + 1);
        if (materials.size() < needed)
            throw sdk::Failure("the simulation holds particles of an emitter or body that is no "
                               "longer linked; link it again, or start from the first frame",
                               FLOE_BAD_ARGUMENT);
        solver_.scene.materials = std::move(materials);
        if (materialsOfBodies_ && *materialsOfBodies_ != bodies.size() &&
            solver_.scene.particles.size() > 0)
            throw sdk::Failure("bodies come into being on the first frame; start from there after "
                               "linking or unlinking one",
                               FLOE_BAD_ARGUMENT);
        materialsOfBodies_ = bodies.size();
    }

    static bool isSheet(const sdk::Value& record) { return record.schema() == "floe.pbd.sheet"; }

    /// Adds what is linked, as it begins.
    /// @return which bodies each record became
    std::vector<LinkedBody> addBodies(Scene& scene, const std::vector<sdk::Value>& bodies)
    {
        std::vector<LinkedBody> linked;
        for (std::uint32_t m = 0; m < bodies.size(); ++m) {
            const auto first = static_cast<std::uint32_t>(scene.bodies.size());
            if (isSheet(bodies[m])) {
                const SheetDescription description(bodies[m]);
                const auto cloth = description.make(bodies[m]);
                requireRoom(scene, cloth->body.particles.size());
                scene.addSheet(cloth, m, description.placed, description.damping, description.tear);
                linked.push_back({bodies[m].get(), first, 1});
                continue;
            }
            const BodyDescription description(bodies[m]);
            const auto rest = description.makeRest(bodies[m], executor_);
            requireRoom(scene, rest->particles.size() * description.places.size());
            for (const Scene::Placed& placed : description.places) {
                const std::uint32_t body = scene.addBody(
                    rest, m, placed, !description.soft, description.frequency, description.damping);
                scene.bodies[body].strength = description.strength;
            }
            linked.push_back(
                {bodies[m].get(), first, static_cast<std::uint32_t>(description.places.size())});
        }
        return linked;
    }
    static void requireRoom(const Scene& scene, std::size_t more)
    {
        if (scene.particles.size() + more > kMaxParticles)
            throw sdk::Failure("bodies would have more than a hundred million particles; choose "
                               "larger voxels or fewer copies",
                               FLOE_BAD_ARGUMENT);
    }
    void addJoints(const std::vector<sdk::Value>& records, const std::vector<LinkedBody>& linked,
                   const Scene& start)
    {
        solver_.joints.clear();
        for (const sdk::Value& record : records)
            solver_.joints.push_back(jointOf(record, linked, start));
    }
    void readMotors(const std::vector<sdk::Value>& records)
    {
        if (records.size() != solver_.joints.size())
            throw sdk::Failure("joints come into being on the first frame; start from there after "
                               "linking or unlinking one",
                               FLOE_BAD_ARGUMENT);
        for (std::size_t k = 0; k < records.size(); ++k)
            readMotor(solver_.joints[k], records[k]);
    }

    void create(const std::vector<sdk::Value>& bodies, const std::vector<sdk::Value>& joints)
    {
        addJoints(joints, addBodies(solver_.scene, bodies), solver_.scene);
        emitted_ += solver_.scene.particles.size();
        solver_.changed();
    }

    void restore(const std::vector<sdk::Value>& bodies, const std::vector<sdk::Value>& joints)
    {
        Scene start;
        start.materials = solver_.scene.materials;
        addJoints(joints, addBodies(start, bodies), start);
        MemoryReader memory;
        memory.bytes = &saved_;
        memory.raw.struct_size = sizeof memory.raw;
        memory.raw.self = &memory;
        memory.raw.remaining = saved_.size();
        memory.raw.read = [](floe_reader* self, void* data, std::uint64_t size) -> floe_status {
            auto& from = *static_cast<MemoryReader*>(self->self);
            std::memcpy(data, from.bytes->data() + from.at, size);
            from.at += size;
            self->remaining -= size;
            return FLOE_OK;
        };
        sdk::Reader reader(&memory.raw);
        time_ = reader.value<double>();
        attachedFrame_ = reader.value<double>();
        emitted_ = reader.value<std::uint64_t>();
        loadState(solver_, start, solver_.scene.materials.size(), reader);
        saved_.clear();
    }

    void readWorld(const sdk::Context& context)
    {
        sdk::world::FrameClock clock;
        clock.fps = fps_;
        clock.first = context.isStart() ? context.frame() : context.frame() - 1;
        clock.begin = time_;
        std::vector<sdk::world::SurfaceCollider::Shared> known;
        known.swap(surfaces_);
        for (const sdk::Value& record : context.inputs("colliders")) {
            if (!record.field("surface")) {
                colliders_.push_back(sdk::world::colliderOf(record, clock));
                continue;
            }
            const auto surface = sdk::world::surfaceColliderOf(record, clock, known);
            surfaces_.push_back(surface->shared());
            colliders_.push_back(surface);
        }
        auto linked = sdk::world::forcesOf(context.inputs("forces"), context.vector("gravity"));
        forces_ = std::move(linked.forces);
        solver_.settings.gravity = linked.gravity;
        const sdk::Value record = context.input("domain");
        domain_ = record ? sdk::world::domainWithoutPeriod(record) : sdk::world::Domain{};
    }

    World world() const { return {colliders_, forces_, &domain_}; }

    void emit(sdk::Context& context, const std::vector<sdk::Value>& emitters)
    {
        Particles& particles = solver_.scene.particles;
        bool any = false;
        for (std::size_t e = 0; e < emitters.size(); ++e) {
            context.throwIfCancelled();
            // Eight particles in a cell, the emitters' default, have half its edge as diameter.
            const auto given = sdk::world::askEmitter(context, emitters[e], 2 * size_, fps_);
            if (particles.size() + given.count > kMaxParticles)
                throw sdk::Failure("emitters would give more than a hundred million particles; "
                                   "choose a larger particle size",
                                   FLOE_BAD_ARGUMENT);
            const std::vector<std::uint8_t> taken = occupied(solver_, given, executor_);
            for (std::size_t i = 0; i < given.count; ++i) {
                if (taken[i])
                    continue;
                const float* x = given.x + 3 * i;
                const float* v = given.v ? given.v + 3 * i : nullptr;
                solver_.scene.addParticle({x[0], x[1], x[2]},
                                          v ? Vec3f{v[0], v[1], v[2]} : Vec3f{0, 0, 0},
                                          0.5f * std::cbrt(given.volume[i]),
                                          static_cast<std::uint32_t>(*materialsOfBodies_ + e));
                if (given.densityScale)
                    particles.mass.back() *= given.densityScale[i];
                ++emitted_;
                any = true;
            }
        }
        if (!any)
            return;
        solver_.changed();
        // Samples are strewn and overlap; they make room before they move.
        substeps_.settle(solver_, world(), context.isStart() ? 20 : 4, executor_);
    }

    /// How well cloth was solved in this frame; once, a warning where it was not.
    void reportCloth(sdk::Context& context, const std::vector<sdk::Value>& bodies)
    {
        const Sheets::Solves solves = solver_.sheets().takeSolves();
        if (solves.all == 0)
            return;
        context.statistic("clothSolves", static_cast<double>(solves.all));
        context.statistic("clothSolvesLeft", static_cast<double>(solves.left));
        if (clothWarned_ || 10 * solves.left < solves.all)
            return;
        clothWarned_ = true;
        const Body& body = solver_.scene.bodies[solves.body];
        const sdk::Value& record = bodies[solver_.scene.particles.material[body.first]];
        context.warn("cloth '" + record.require("name").string() + "' is too stiff to be solved: " +
                     std::to_string(solves.left) + " of " + std::to_string(solves.all) +
                     " solves of this frame ended before the cloth was in balance, and it will "
                     "look limp; lower its Stretch, or take more substeps or a coarser mesh");
    }

    /// Once, a warning where grains are pressed into each other.
    void reportGrains(sdk::Context& context)
    {
        const double overlap = substeps_.overlapOfGrains(solver_);
        context.statistic("grainOverlap", overlap);
        if (grainsWarned_ || overlap < 0.15)
            return;
        grainsWarned_ = true;
        context.warn("grains overlap by " + std::to_string(std::lround(100 * overlap)) +
                     " % of their radius where they touch, and a heap will sink into itself; take "
                     "more Substeps (now " +
                     std::to_string(context.integer("substeps")) +
                     ") where they are fast, and for a high heap more Mass scaling: 0.1 over the "
                     "radius of its grains holds 60 layers");
    }

    /// Once, a warning where something went through a thin wall.
    void reportLeaks(sdk::Context& context)
    {
        if (leaksWarned_ || solver_.thinWalls().leaked() == 0)
            return;
        leaksWarned_ = true;
        context.warn("particles went through a Mesh collider: it was put elsewhere, or a rigid "
                     "body was pushed through it; take more Substeps, or keep the collider from "
                     "jumping");
    }

    /// Once, a warning where substeps are too long for surface tension.
    void reportTension(sdk::Context& context, const std::vector<sdk::Value>& bodies,
                       const std::vector<sdk::Value>& emitters)
    {
        const Scene& scene = solver_.scene;
        const auto steps = static_cast<double>(context.integer("substeps"));
        double needed = 0;
        std::uint32_t material = 0;
        for (std::size_t i = 0; i < scene.particles.size() && !tensionWarned_; ++i) {
            const std::uint32_t own = scene.particles.material[i];
            if (!scene.isLiquid(i) || scene.materials[own].surfaceTension <= 0)
                continue;
            const double step = capillaryStep(scene.materials[own], scene.particles.radius[i]);
            if (1 / (fps_ * step) <= needed)
                continue;
            needed = 1 / (fps_ * step);
            material = own;
        }
        if (needed <= steps || material < bodies.size())
            return;
        tensionWarned_ = true;
        const sdk::Value record = emitters[material - bodies.size()].require("material");
        context.warn("the surface tension of '" + record.require("name").string() +
                     "' is too strong for so small particles and " +
                     std::to_string(context.integer("substeps")) +
                     " substeps: it will spray; take at least " +
                     std::to_string(std::lround(std::ceil(needed))) +
                     " Substeps, or a larger Particle size");
    }

    void advance(sdk::Context& context)
    {
        const auto steps = static_cast<int>(context.integer("substeps"));
        const double begin = time_, frame = 1 / fps_, dt = frame / steps;
        stepOrFail([&] {
            context.throwIfCancelled();
            substeps_.advance(
                solver_, world(), begin, dt, steps,
                [&](int taken) {
                    context.progress(static_cast<double>(taken) / steps);
                    if (taken < steps)
                        context.throwIfCancelled();
                },
                executor_);
        });
        sdk::world::requireNoFault(forces_);
        time_ = begin + frame;
        context.statistic("substeps", steps);
    }

    void output(sdk::Context& context, const std::vector<sdk::Value>& bodies,
                const std::vector<sdk::Value>& emitters) const
    {
        const Particles& from = solver_.scene.particles;
        const Solver::Counts counts = solver_.counts();
        context.statistic("particles", static_cast<double>(from.size()));
        context.statistic("bodies", static_cast<double>(solver_.scene.bodies.size()));
        context.statistic("asleep", static_cast<double>(solver_.sleep().count()));
        context.statistic("contacts", static_cast<double>(substeps_.contacts(solver_)));
        if (context.device().kind == FLOE_DEVICE_CUDA)
            context.statistic("onDevice", substeps_.onDevice() ? 1 : 0);
        context.statistic("emitted", static_cast<double>(emitted_));
        context.statistic("leftDomain", static_cast<double>(counts.leftDomain));
        context.statistic("broken", static_cast<double>(counts.broken));
        context.statistic("deletedByCollider", static_cast<double>(counts.taken));
        if (!surfaces_.empty())
            context.statistic("leaked", static_cast<double>(counts.leaked));
        const bool all = context.boolean("bodyParticles");
        std::vector<std::size_t> shown;
        for (std::size_t i = 0; i < from.size(); ++i)
            if (all || from.body[i] == kNoBody)
                shown.push_back(i);
        sdk::Value particles = sdk::makeParticles(shown.size());
        const auto x = particles.addAttribute<float>("x", 3);
        const auto v = particles.addAttribute<float>("v", 3);
        const auto id = particles.addAttribute<std::uint64_t>("id", 1);
        const auto material = particles.addAttribute<std::uint32_t>("material", 1);
        const auto volume = particles.addAttribute<float>("volume", 1);
        const auto radius = particles.addAttribute<float>("radius", 1);
        const auto body = particles.addAttribute<std::uint32_t>("body", 1);
        for (std::size_t k = 0; k < shown.size(); ++k) {
            const std::size_t i = shown[k];
            const Vec3f at = toFloat(from.x[i]);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * k + axis] = at[static_cast<int>(axis)];
                v[3 * k + axis] = from.v[i][static_cast<int>(axis)];
            }
            id[k] = from.id[i];
            material[k] = from.material[i];
            radius[k] = from.radius[i];
            body[k] = from.body[i];
            volume[k] = 8 * from.radius[i] * from.radius[i] * from.radius[i];
        }
        sdk::Value materials = sdk::makeRecord("materials");
        for (std::size_t m = 0; m < bodies.size() + emitters.size(); ++m)
            materials.set(std::to_string(m).c_str(),
                          m < bodies.size() ? bodies[m]
                                            : emitters[m - bodies.size()].require("material"));
        particles.set("materials", materials);
        particles.set("cellSize", sdk::makeNumber(2 * size_));
        sdk::setTimeScale(particles, context);
        context.setOutput("particles", particles);
        std::vector<Vec3f> colours;
        for (const sdk::Value& record : bodies)
            colours.push_back(sdk::world::colourOf(record));
        context.setOutput("mesh", meshOfBodies(solver_.scene, colours));
        context.setOutput("states", statesOfBodies(solver_.scene, wrenches_, time_ - frameBegin_,
                                                   solver_.settings.gravity));
        std::optional<sdk::ContactScope> scope;
        if (solver_.log)
            scope = {.seconds = time_ - frameBegin_,
                     .bodies = static_cast<std::uint32_t>(solver_.scene.bodies.size()),
                     .colliders = static_cast<std::uint32_t>(colliders_.size()),
                     .walls = domain_.bounded ? 6u : 0u,
                     .cells = contactLog_.cells()};
        context.setOutput("contacts", contactsOf(contactLog_, scope));
    }

    static constexpr std::size_t kMaxParticles = 100'000'000;

    sdk::parallel::HostExecutor executor_;
    Solver solver_;
    Substeps substeps_;
    std::vector<std::shared_ptr<sdk::world::Collider>> colliders_;
    std::vector<sdk::world::SurfaceCollider::Shared> surfaces_; ///< of this frame's colliders
    std::vector<std::shared_ptr<const sdk::world::Force>> forces_;
    sdk::world::Domain domain_;
    std::optional<std::size_t> materialsOfBodies_; ///< how many of the materials are bodies'
    double time_ = 0;                              ///< [s]
    double fps_ = 24;                              ///< frames in a second of the simulation
    double size_ = 0.05;                           ///< diameter of free particles [m]
    std::uint64_t emitted_ = 0;
    static constexpr double kNever = -1e300;
    std::string name_; ///< of this node
    bool clothWarned_ = false, grainsWarned_ = false, tensionWarned_ = false, leaksWarned_ = false;
    double cookedFrame_ = kNever;   ///< the last
    double attachedFrame_ = kNever; ///< the last in which another solver moved the bodies
    double frameBegin_ = 0;         ///< [s]
    double longestSubstep_ = 0;     ///< [s]
    double substepsTaken_ = 0;      ///< in this frame, by the other solver
    const void* owner_ = nullptr;   ///< that solver
    CoupledStep coupled_;
    Wrenches wrenches_;
    ContactLog contactLog_; ///< of this frame
    CouplingLink link_ = std::make_shared<SteppedByOthers*>(static_cast<SteppedByOthers*>(this));
    std::vector<unsigned char> saved_; ///< loaded, and not yet used
};

} // namespace floe::pbd

FLOE_PLUGIN("floe.pbd", "0.1.0", floe::pbd::SolverNode, floe::pbd::BodyNode, floe::pbd::GrainsNode,
            floe::pbd::LiquidNode, floe::pbd::ClothNode, floe::pbd::RopeNode, floe::pbd::JointNode)
