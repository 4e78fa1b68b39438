#include "material_record.hpp"
#include "model/pressure_nodes.hpp"
#include "step/coupled_solver.hpp"

#include "floe/sdk/grid/cell_set.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/host.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/time_scale.hpp"
#include "floe/sdk/world/emission.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace floe::coupled {

namespace {

std::string shortNumber(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", a);
    return text;
}

} // namespace

/// Incompressible liquids and elastic solids: advances from frame to frame in steps whose length
/// the flow decides.
class SolverNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.coupled.solver";

    void cook(sdk::Context& context) override
    {
        executor_.context = &context;
        fps_ = context.fps() / context.number("timeScale");
        const CoupledSettings settings = settingsOf(context);
        if (context.isStart() || !solver_) {
            solver_.emplace(settings);
            time_ = 0;
            nextId_ = leftDomain_ = deleted_ = 0;
        }
        if (settings.cellSize != solver_->fluid().cellSize())
            throw sdk::Failure("'cellSize' cannot change while the simulation holds particles; "
                               "start from the first frame",
                               FLOE_BAD_ARGUMENT);
        solver_->setSettings(settings);
        const auto emitters = context.inputs("emitters");
        readMaterials(emitters);
        readSurroundings(context);
        const auto models = context.inputs("pressure");
        readModels(context, models);
        emit(context, emitters);
        if (!context.isStart())
            advance(context);
        output(context, emitters);
        surroundings_ = {}; // holds on to inputs of this frame
        solver_->setModels({}, nullptr);
    }

    void save(sdk::Context&, sdk::Writer& writer) override
    {
        writer.value(time_);
        writer.value(nextId_);
        writer.value<std::uint64_t>(leftDomain_);
        writer.value<std::uint64_t>(deleted_);
        writer.value(solver_ ? solver_->fluid().cellSize() : 0.0);
        if (solver_)
            solver_->save(writer);
    }
    void load(sdk::Context&, sdk::Reader& reader) override
    {
        time_ = reader.value<double>();
        nextId_ = reader.value<std::uint64_t>();
        leftDomain_ = reader.value<std::uint64_t>();
        deleted_ = reader.value<std::uint64_t>();
        CoupledSettings settings;
        settings.cellSize = reader.value<double>();
        solver_.reset();
        if (settings.cellSize == 0)
            return;
        if (!(settings.cellSize > 0 && settings.cellSize < 1e9))
            throw damaged();
        solver_.emplace(settings);
        if (!solver_->load(reader) || solver_->fluid().cellSize() != settings.cellSize)
            throw damaged();
    }

private:
    static constexpr std::size_t kMaxParticles = 100'000'000;

    static sdk::Failure damaged()
    {
        return sdk::Failure("the saved state is damaged; start again from the first frame",
                            FLOE_IO_FAILED);
    }

    static CoupledSettings settingsOf(const sdk::Context& context)
    {
        CoupledSettings settings;
        settings.cellSize = context.number("cellSize");
        settings.limits.tolerance = context.number("tolerance");
        settings.limits.maxIterations = static_cast<int>(context.integer("solveIterations"));
        settings.densityCorrection = context.number("densityCorrection");
        const std::string solver = context.string("solver"), start = context.string("start");
        settings.solver = solver == "diagonal"      ? SolverKind::diagonal
                          : solver == "gaussSeidel" ? SolverKind::gaussSeidel
                                                    : SolverKind::multigrid;
        settings.start = start == "zero"           ? StartVector::zero
                         : start == "extrapolated" ? StartVector::extrapolated
                                                   : StartVector::last;
        return settings;
    }

    /// Particles refer to the emitter that they came from.
    void readMaterials(const std::vector<sdk::Value>& emitters)
    {
        matters_.clear();
        for (const sdk::Value& emitter : emitters)
            matters_.push_back(matterOf(emitter.require("material")));
        const auto check = [&](const auto& particles, bool solid) {
            for (std::size_t b = 0; b < particles.size(); ++b)
                for (const auto& p : particles[b].particles)
                    if (p.material >= matters_.size() || matters_[p.material].isSolid != solid)
                        throw sdk::Failure("the simulation holds particles of an emitter that is "
                                           "no longer linked or has another kind of material; "
                                           "link it again, or start from the first frame",
                                           FLOE_BAD_ARGUMENT);
        };
        check(solver_->fluid(), false);
        check(solver_->solid(), true);
        std::vector<SolidMaterial> laws;
        for (const Matter& matter : matters_)
            laws.push_back(matter.solid);
        solver_->setMaterials(std::move(laws));
    }

    void readSurroundings(const sdk::Context& context)
    {
        sdk::world::FrameClock clock;
        clock.fps = fps_;
        clock.first = context.isStart() ? context.frame() : context.frame() - 1;
        clock.begin = time_;
        for (const sdk::Value& record : context.inputs("colliders"))
            surroundings_.colliders.push_back(sdk::world::colliderOf(record, clock));
        auto linked = sdk::world::forcesOf(context.inputs("forces"), context.vector("gravity"));
        surroundings_.forces = std::move(linked.forces);
        surroundings_.gravity = linked.gravity;
        if (const sdk::Value record = context.input("domain"))
            surroundings_.domain = sdk::world::domainWithoutPeriod(record);
    }

    void readModels(const sdk::Context& context, const std::vector<sdk::Value>& records)
    {
        std::vector<PressureModel> models;
        for (const sdk::Value& record : records) {
            const auto [table, self] =
                record.require("model").interface<floe_pressure_interface>(FLOE_PRESSURE_INTERFACE);
            if (table->past > FLOE_PRESSURE_MAX_PAST)
                throw sdk::Failure("a model linked to 'pressure' needs the pressures of " +
                                       std::to_string(table->past) + " steps; at most " +
                                       std::to_string(FLOE_PRESSURE_MAX_PAST) + " are kept",
                                   FLOE_BAD_ARGUMENT);
            models.push_back({table, self});
        }
        solver_->setModels(std::move(models), context.raw());
    }

    void emit(const sdk::Context& context, const std::vector<sdk::Value>& emitters)
    {
        Fluid& fluid = solver_->fluid();
        Solid& solid = solver_->solid();
        const double cell = fluid.cellSize();
        for (std::size_t e = 0; e < emitters.size(); ++e) {
            context.throwIfCancelled();
            const auto given = sdk::world::askEmitter(context, emitters[e], cell, fps_);
            if (fluid.particles() + solid.particles() + given.count > kMaxParticles)
                throw sdk::Failure("emitters would give more than a hundred million particles; "
                                   "choose a larger cell size",
                                   FLOE_BAD_ARGUMENT);
            sdk::grid::CellSet taken;
            if (given.avoidOverlap) {
                addOccupied(fluid, taken);
                addOccupied(solid, taken);
            }
            for (std::size_t i = 0; i < given.count; ++i) {
                const Vec3d at{given.x[3 * i], given.x[3 * i + 1], given.x[3 * i + 2]};
                const double place[3] = {at.x / cell, at.y / cell, at.z / cell};
                if (given.avoidOverlap && taken.contains(place))
                    continue;
                const auto fill = [&](auto particle) {
                    if (given.v)
                        particle.v = {given.v[3 * i], given.v[3 * i + 1], given.v[3 * i + 2]};
                    particle.volume = given.volume[i];
                    particle.mass = matters_[e].density * given.volume[i] *
                                    (given.densityScale ? given.densityScale[i] : 1);
                    particle.material = static_cast<std::uint32_t>(e);
                    particle.id = nextId_;
                    return particle;
                };
                nextId_ += matters_[e].isSolid ? solid.add(at, fill(SolidParticle{}))
                                               : fluid.add(at, fill(FluidParticle{}));
            }
            fluid.rebin();
            solid.rebin();
        }
    }

    template <class Particles>
    static void addOccupied(const Particles& particles, sdk::grid::CellSet& taken)
    {
        for (std::size_t b = 0; b < particles.size(); ++b)
            for (const auto& p : particles[b].particles) {
                const Vec3d at = (1 / particles.cellSize()) * particles.placeOf(particles[b], p);
                const auto whole = [](double a) {
                    return static_cast<std::int64_t>(std::floor(a));
                };
                taken.add(whole(at.x), whole(at.y), whole(at.z));
            }
    }

    /// The length of the next step, of equal ones to the end of the frame.
    double nextStep(const sdk::Context& context, double left) const
    {
        const double shortest =
            1 / (fps_ * static_cast<double>(context.integer("maximumSubsteps")));
        const double longest = 1 / (fps_ * static_cast<double>(context.integer("minimumSubsteps")));
        const double limit = longestStep(*solver_, surroundings_, context.number("advectionLimit"));
        if (const double shear = solver_->shearSpeed();
            shear * shortest > solver_->fluid().cellSize())
            throw sdk::Failure(
                "shear waves run at " + shortNumber(shear) +
                    " m/s in the stiffest solid, and a frame would need more steps "
                    "than 'maximumSubsteps' allows; raise that, or the cell size, or "
                    "choose a softer material",
                FLOE_DIVERGED);
        if (!(limit >= shortest))
            throw sdk::Failure("at " + shortNumber(solver_->topSpeed()) +
                                   " m/s a frame would need more steps than 'maximumSubsteps' "
                                   "allows; raise that, or the cell size",
                               FLOE_DIVERGED);
        return left / std::max(1.0, std::ceil(left / std::min(limit, longest) - 1e-6));
    }

    void advance(sdk::Context& context)
    {
        const double begin = time_, frame = 1 / fps_;
        while (begin + frame - time_ > 1e-9 * frame) {
            context.throwIfCancelled();
            const double dt = nextStep(context, begin + frame - time_);
            solver_->step(surroundings_, time_, dt, executor_);
            sdk::world::requireNoFault(surroundings_.forces);
            time_ += dt;
            context.progress(std::clamp((time_ - begin) / frame, 0.0, 1.0));
        }
        time_ = begin + frame;
    }

    void output(sdk::Context& context, const std::vector<sdk::Value>& emitters)
    {
        const CoupledStatistics steps = solver_->takeStatistics();
        const Fluid& fluid = solver_->fluid();
        const Solid& solid = solver_->solid();
        const std::size_t count = fluid.particles() + solid.particles();
        leftDomain_ += steps.leftDomain;
        deleted_ += steps.deletedByCollider;
        const auto say = [&](const char* name, auto value) {
            context.statistic(name, static_cast<double>(value));
        };
        say("particles", count);
        say("solidParticles", solid.particles());
        say("blocks", fluid.size() + solid.size());
        say("emitted", nextId_);
        say("leftDomain", leftDomain_);
        say("deletedByCollider", deleted_);
        say("substeps", steps.steps);
        say("solidPressures", steps.pressures[0]);
        say("fluidPressures", steps.pressures[1]);
        say("wallPressures", steps.pressures[2]);
        say("solveIterations", steps.iterations);
        say("correctionIterations", steps.correctionIterations);
        say("elasticIterations", steps.elasticIterations);
        say("droppedStarts", steps.droppedStarts);
        say("guesses", steps.guesses);
        say("droppedGuesses", steps.droppedGuesses);
        const double guesses = std::max(1.0, static_cast<double>(steps.guesses));
        say("startResidual", steps.startResidual / guesses);
        say("guessResidual", steps.guessResidual / guesses);
        say("setupSeconds", steps.setupSeconds);
        say("guessSeconds", steps.guessSeconds);
        say("processorSeconds", steps.processorSeconds);
        say("pressureProcessorSeconds", steps.pressureProcessorSeconds);
        say("setupProcessorSeconds", steps.setupProcessorSeconds);
        say("guessProcessorSeconds", steps.guessProcessorSeconds);
        say("firstResidual", steps.firstResidual);
        say("residual", steps.residual);
        say("transferSeconds", steps.transferSeconds);
        say("elasticSeconds", steps.elasticSeconds);
        say("assemblySeconds", steps.assemblySeconds);
        say("pressureSeconds", steps.pressureSeconds);
        say("correctionSeconds", steps.correctionSeconds);
        if (steps.unconverged > 0)
            context.warn(std::to_string(steps.unconverged) + " of " + std::to_string(steps.steps) +
                         " pressure solves stopped at residual " + shortNumber(steps.residual) +
                         " before they reached 'tolerance'; raise 'solveIterations' or choose the "
                         "multigrid solver");
        auto particles = sdk::makeParticles(count);
        const auto x = particles.addAttribute<float>("x", 3);
        const auto v = particles.addAttribute<float>("v", 3);
        const auto id = particles.addAttribute<std::uint64_t>("id", 1);
        const auto material = particles.addAttribute<std::uint32_t>("material", 1);
        const auto volume = particles.addAttribute<float>("volume", 1);
        std::size_t i = 0;
        const auto give = [&](const auto& from) {
            for (std::size_t b = 0; b < from.size(); ++b)
                for (const auto& p : from[b].particles) {
                    const Vec3d at = from.placeOf(from[b], p);
                    for (int axis = 0; axis < 3; ++axis) {
                        const std::size_t k = 3 * i + static_cast<std::size_t>(axis);
                        x[k] = static_cast<float>(at[axis]);
                        v[k] = p.v[axis];
                    }
                    id[i] = p.id;
                    material[i] = p.material;
                    volume[i++] = p.volume;
                }
        };
        give(fluid);
        give(solid);
        auto materials = sdk::makeRecord("materials");
        for (std::size_t m = 0; m < emitters.size(); ++m)
            materials.set(std::to_string(m).c_str(), emitters[m].require("material"));
        particles.set("materials", materials);
        particles.set("cellSize", sdk::makeNumber(fluid.cellSize()));
        sdk::setTimeScale(particles, context);
        context.setOutput("particles", particles);
    }

    sdk::parallel::HostExecutor executor_;
    std::optional<CoupledSolver> solver_;
    Surroundings surroundings_;
    std::vector<Matter> matters_; ///< of each emitter
    double time_ = 0;             ///< [s]
    double fps_ = 24;             ///< frames in a second of the simulation
    std::uint64_t nextId_ = 0, leftDomain_ = 0, deleted_ = 0;
};

} // namespace floe::coupled

FLOE_PLUGIN("floe.coupled", "0.1.0", floe::coupled::SolverNode, floe::coupled::PredictorNode,
            floe::coupled::RecordNode)
