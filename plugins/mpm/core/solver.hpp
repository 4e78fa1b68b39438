/// Material point method on a sparse, unbounded grid.
///
/// MLS-MPM (Hu et al. 2018) with quadratic B-splines and APIC (Jiang et al. 2015), symplectic
/// Euler, single precision. One step: stress and scatter to per-block arenas, sum of the arenas and
/// update of the nodes, gather and move. Inside a frame the gather of one step and the scatter of
/// the next are one pass over the blocks, while their particles are in the cache. Results do not
/// depend on the number of threads: every sum has a fixed order.
///
/// Independent of the plugin interface, so that it can be tested by itself.
#pragma once

#include "blocks.hpp"
#include "kernels.hpp"
#include "outbox.hpp"
#include "world.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/rounding.hpp>

#include <algorithm>
#include <bitset>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace floe::mpm {

/// A run that left the range of meaningful numbers. The message is one sentence: what happened to
/// which material, when, and what would help. The solver's state is that of the last good step.
class Diverged : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct SolverMaterial {
    std::string name; ///< for messages
    physics::Material law;
    std::shared_ptr<const CustomModel> custom; ///< instead of `law` (only its density is read then)
    float initialState[4] = {0, 0, 0, 0};      ///< custom only; else the law's own
    bool sleeps = true;                        ///< false: its blocks stay active
};

/// How velocities go to the grid and back.
enum class Transfer {
    apic,   ///< with their gradient (Jiang et al. 2015): keeps angular momentum, calm
    picFlip ///< without; a share of what the grid cannot hold is kept (SolverSettings::flip)
};

/// The splines that tie particles to nodes.
enum class Spline {
    quadratic, ///< 27 nodes a particle
    cubic      ///< 64: smoother, dearer; moves at most half a cell a step
};

/// How a step's end is found.
enum class Integrator {
    symplectic,  ///< forces of its begin: no step longer than a wave takes through a cell
    semiImplicit ///< forces of its end, by solving for them (implicit.hpp); built-in laws only,
                 ///< and no sleeping blocks
};

struct SolverSettings {
    double cellSize = 0.1;      ///< [m] > 0
    Vec3d gravity{0, -9.81, 0}; ///< [m/s^2]
    /// No node moves farther than this share of a cell in a step, 0 < .. <= 1.
    double advectionLimit = 0.5;
    /// The fastest wave of any living material moves at most this share of a cell in a step, 0 < ..
    /// <= 1.
    double materialLimit = 0.5;
    Transfer transfer = Transfer::apic;
    /// Of picFlip: 0 is PIC, which damps; 1 is FLIP (Brackbill and Ruppel 1986), which keeps energy
    /// and noise. 0 .. 1. Particles move with the grid's velocity (Zhu and Bridson 2005).
    double flip = 0.95;
    Spline spline = Spline::quadratic; ///< cannot change while there are particles
    Integrator integrator = Integrator::symplectic;
    /// Of semiImplicit: the material limit times this bounds a step, >= 1.
    double implicitReach = 50;
    /// Of semiImplicit: what may be wrong about the change of velocity in a step, 0 < .. < 1.
    double solveTolerance = 0.01;
    /// Of semiImplicit: linear iterations in a step before it is tried with half its length, >= 1.
    int solveIterations = 1000;
    double longestStep = 1; ///< [s]
    /// A step shorter than this is taken as failure to converge [s].
    double shortestStep = 1e-9;
    double restSpeed = 0.01; ///< below it a block counts as resting (Block::restTime) [m/s]
    /// The guard: a boundary block whose particles would be moved faster than this is woken before
    /// the step moves anything; <= 0: it is not [m/s].
    double wakeSpeed = 0;
    /// How long the guard remembers what slow pushes add up to [s] > 0.
    double guardMemory = 0.08;
    /// Connected blocks of material whose sound is at least this fast wake together; <= 0: every
    /// block for itself [m/s].
    double stiffSpeed = 0;
    bool startsAsleep = false; ///< particles added at rest begin asleep
};

/// Particles to add. Arrays hold `count` entries (times 3 for vectors); those marked ? may be null.
struct NewParticles {
    std::size_t count = 0;
    std::uint16_t material = 0;
    const float* x = nullptr;              ///< world position [m]
    const float* v = nullptr;              ///< ? [m/s]; null: at rest
    const float* volume = nullptr;         ///< [m^3] > 0
    const float* stiffnessScale = nullptr; ///< ? > 0
    const float* densityScale = nullptr;   ///< ? > 0
    const float* strain = nullptr;         ///< ? 9, F - I, row-major; liquids have none
    const float* state = nullptr;          ///< ? the law's scalar; null: the initial one
};

/// Where to put a snapshot: arrays for particleCount() entries; null ones are skipped. The order of
/// the particles is that of memory and changes from step to step; `id` identifies them.
struct Snapshot {
    float* x = nullptr;      ///< 3 [m]
    float* v = nullptr;      ///< 3 [m/s]
    float* F = nullptr;      ///< 9; a liquid's is J^(1/3) I
    float* J = nullptr;      ///< volume ratio
    float* stress = nullptr; ///< 6, Cauchy [Pa]: xx yy zz xy xz yz; zero of custom materials
    float* state = nullptr;  ///< the law's scalar
    float* volume = nullptr; ///< at rest [m^3]
    float* mass = nullptr;   ///< [kg]
    std::uint32_t* material = nullptr;
    std::uint64_t* id = nullptr;
    std::uint8_t* activation = nullptr; ///< BlockState
};

struct Totals {
    double mass = 0;                ///< [kg]
    Vec3d momentum{0, 0, 0};        ///< [kg m/s]
    Vec3d angularMomentum{0, 0, 0}; ///< about the origin, with APIC's affine share [kg m^2/s]
    double kineticEnergy = 0;       ///< with the affine share [J]
    double elasticEnergy = 0;       ///< built-in laws only [J]
};

struct Counts {
    std::uint64_t emitted = 0;
    std::uint64_t alive = 0;
    std::uint64_t leftDomain = 0; ///< deleted by open faces
    std::uint64_t deletedByCollider = 0;
    std::uint64_t blocks = 0, activeBlocks = 0, boundaryBlocks = 0;
    std::uint64_t activeParticles = 0;
};

/// Of the steps since the last call of takeStatistics().
struct StepStatistics {
    std::uint32_t steps = 0;
    std::uint32_t redone = 0;          ///< steps tried with too large a time step
    std::uint64_t solveIterations = 0; ///< linear iterations of the semi-implicit integrator
    std::uint32_t regroupings = 0;
    double shortest = 0, longest = 0; ///< steps [s]
    double transferSeconds = 0;       ///< stress, scatter, gather and move
    double gridSeconds = 0, regroupSeconds = 0;
    std::uint64_t guardWakes = 0; ///< blocks that the guard has woken
    double topSpeed = 0;          ///< of any particle, after the last step [m/s]
};

/// What an activation strategy is asked about: all blocks that hold particles, in a fixed order.
struct ActivationRequest {
    std::vector<std::int32_t> block;     ///< 3 each
    std::vector<float> maxSpeed;         ///< [m/s]
    std::vector<float> restTime;         ///< [s]
    std::vector<std::uint8_t> pushKnown; ///< of the last step
    std::vector<float> pushSpeed;        ///< Block::pushSpeed [m/s]
    std::vector<float> soundSpeed;       ///< of the stiffest material at rest [m/s]
    std::vector<float> liquidShare;      ///< of its particles, 0 to 1
    /// Of sleeping blocks: the cells that hold particles, bit 16 x + 4 y + z. Empty: not known.
    std::vector<std::uint64_t> cells;
    std::vector<std::uint8_t> state; ///< BlockState now; the strategy writes passive or active
};

/// How fast matter is, cell by cell, in the blocks where anything moves (records.h).
struct SpeedField {
    std::vector<std::int32_t> block; ///< 3 each, ascending
    std::vector<float> speed;        ///< 64 each, 16 x + 4 y + z [m/s]
};

class Solver {
public:
    /// @param executor, memory  outlive the solver
    Solver(const SolverSettings& settings, Executor& executor,
           MemorySource& memory = plainMemory());
    ~Solver();

    /// Cell size cannot change once particles exist. @throws std::invalid_argument on values out of
    /// range
    void setSettings(const SolverSettings& settings);
    const SolverSettings& settings() const { return settings_; }
    /// Materials keep their index; the table may grow, and laws may change their numbers but not
    /// their kind. @throws std::invalid_argument
    void setMaterials(std::vector<SolverMaterial> materials);
    void setDomain(const Domain& domain);
    void setForces(std::vector<std::shared_ptr<const Force>> forces)
    {
        forces_ = std::move(forces);
    }
    void setColliders(std::vector<std::shared_ptr<Collider>> colliders);

    /// Adds particles between steps. Ids count up in the order given. Particles beyond open faces
    /// are not added (and not counted).
    /// @throws std::invalid_argument  positions, velocities or volumes that are not usable numbers
    void addParticles(const NewParticles& particles);
    /// occupied[i] = 1 where the cell of position i holds a particle already.
    void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied) const;

    /// One step, at most `longest` [s], chosen so that equal steps fill `longest`. What is left of
    /// `longest` is expected to follow: the next step may have begun when this returns.
    /// @return its length [s]  @throws Diverged
    double advance(double longest);
    double time() const { return time_; }
    double topSpeed() const { return topSpeed_; } ///< of any particle, after the last step [m/s]

    ActivationRequest activationRequest() const;
    /// With a guard, which looks ahead of colliders itself, of matter alone.
    SpeedField speedField() const;
    /// Takes `request.state`, finds the boundary blocks, puts what falls asleep to rest.
    void applyActivation(const ActivationRequest& request);

    std::size_t particleCount() const { return counts_.alive; }
    Counts counts() const;
    StepStatistics takeStatistics();
    void snapshot(const Snapshot& to) const;
    Totals totals() const;
    std::size_t bytes() const; ///< memory held
    const char* kernelsName() const { return kernels_->name; }
    /// For tests and benchmarks.
    void setKernels(const Kernels& kernels) { kernels_ = &kernels; }

    /// Everything needed to go on, settings, materials and surroundings excepted. Bit for bit when
    /// the last step left nothing of its `longest`.
    std::vector<unsigned char> save() const;
    /// @throws std::runtime_error  not a state this solver can go on from (truncated, of another
    ///         cell size, of unknown materials)
    void load(std::span<const unsigned char> bytes);
    /// Takes the state, materials and surroundings of another solver.
    void continueAs(const Solver& other);

private:
    struct Implicit;

    // regroup.cpp
    void regroup();
    std::vector<Outbox> openOutboxes();
    void closeOutboxes();
    void expectArrivals(const std::vector<Outbox>& outboxes);
    const Outbox* outboxOf(const Block& block, int offset,
                           const std::vector<Outbox>& outboxes) const;
    void takeArrivals(Block& block, const std::vector<Outbox>& outboxes);
    void checkRange(const BlockCoordinate& coordinate, std::uint16_t material) const;
    void rebuildTopology();
    void rebuildLists();
    void markBoundary();
    std::int32_t blockAt(const BlockCoordinate& coordinate);

    // implicit.cpp
    double advanceImplicit(double longest);
    [[noreturn]] void failSolve(double dt) const;

    // solver.cpp
    const Kernels& kernels() const
    {
        return settings_.spline == Spline::cubic ? *kernels_->cubic : *kernels_;
    }
    /// How far particles may move before they are grouped again: what arenas have room for [cells].
    double mostDrift() const { return settings_.spline == Spline::cubic ? 0.499 : 1; }
    double advectionLimit() const { return std::min(settings_.advectionLimit, mostDrift()); }
    void finishStep(double dt);
    PointBatch nodesOf(const Block& block, const float* nodes) const;
    double chooseStep(double longest, double component) const;
    void scatter(double dt, const std::vector<Outbox>& arrivals = {});
    ScatterResult scatterBlock(std::size_t slot, double dt, const AffineRows* affine);
    ScatterTask scatterTask(const Block& block, double dt, const AffineRows* affine, float* arena,
                            float* before) const;
    void fillGatherTask(GatherTask& task, const Block& block, double dt, const FloatBuffer& nodes,
                        std::int32_t Block::*slot, AffineScratch& affine) const;
    void gatherAffine(const Block& block, AffineScratch& affine) const;
    static bool dropsAffine(const SolverSettings& settings);
    void keepAffine();
    float* arena(std::size_t slot) const;
    float* arenaBefore(std::size_t slot) const;
    std::size_t arenasEach() const { return settings_.transfer == Transfer::picFlip ? 2 : 1; }
    void scatterMore(std::size_t scattered, double dt);
    void makeNodes(std::size_t kept);
    void updateNodes(std::size_t slot, double dt);
    void measureNodes(std::size_t slot);
    void summariseNodes();
    bool brokeMaterialLimit(double longest, double& dt);

    // guard.cpp
    ScatterResult scatterFrozen(Block& block, double dt, float* arena, float* before);
    void forgetFrozen();
    void guard(double dt);
    void findFrozenMass(const std::vector<std::int32_t>& boundary);
    std::array<float, 3> findPush(Block& block, double dt) const;
    void startMoving(Block& block);
    std::size_t enlist(const std::vector<std::int32_t>& woken, double dt);
    void admit(const std::vector<std::int32_t>& woken, double dt);

    // activation.cpp
    void findCellSpeeds(const Block& block, std::array<float, kBlockNodes>& speed) const;
    double wakeBeforeColliders(double longest);
    static std::uint64_t occupiedCells(const Block& block);
    std::bitset<kArenaNodes> feltNodes(const Block& block) const;
    std::vector<std::shared_ptr<Collider>> movingNow() const;
    bool isNear(const Block& block, std::span<const std::shared_ptr<Collider>> moving,
                double reach) const;
    static void wake(Block& block);
    bool isStiff(const Block& block) const;
    void spreadThroughStiff(std::vector<std::int32_t>& active) const;
    void takeSignalSpeed(std::span<const ScatterResult> results);
    void updateGrid(double dt);
    void gather(double dt, double scatterStep, std::vector<Outbox>* leaving = nullptr);
    void gatherRegrouping(double dt, double rest);
    /// @param walls  whether the nodes may be near walls
    void sampleNodes(const Collider& collider, const PointBatch& nodes, bool walls,
                     ColliderSample& out) const;
    const ColliderSample* remember(Block& block, const Collider& collider, bool walls,
                                   PointBatch& nodes) const;
    void applyHooks(Block& block, float* nodes, double dt) const;
    void contactParticles(Block& block, std::uint32_t& left, std::uint32_t& eaten) const;
    [[noreturn]] void failNotANumber() const;
    [[noreturn]] void failStep(double dt, bool bySpeed) const;
    Layout layoutOf(std::uint16_t material, float stiffness) const;
    Vec3d cornerOf(const Block& block) const;
    const float* initialStateOf(std::uint16_t material) const;
    void storeStress(const BinRef& bin, int lane, const physics::Mat3<double>& C, double strainStep,
                     float* stress) const;

    SolverSettings settings_;
    Executor* executor_;
    const Kernels* kernels_;
    std::vector<SolverMaterial> materials_;
    std::vector<KernelMaterial> kernelMaterials_;
    bool liquids_ = false; // among the materials
    Domain domain_;
    std::vector<std::shared_ptr<const Force>> forces_;
    std::vector<std::shared_ptr<Collider>> colliders_;

    BinPool pool_;
    FloatPool frozenPool_;
    mutable FloatPool contactPool_;
    std::vector<Block> blocks_; // gives back to the pools
    BlockMap map_;
    std::vector<std::int32_t> scatterList_, gatherList_, gridList_;
    std::size_t asleep_ = 0;               // blocks that hold particles and are in no gatherList_
    std::vector<float> nodeComponent_;     // largest velocity component, by grid slot [m/s]
    std::vector<std::uint8_t> nodeFinite_; // by grid slot
    std::vector<float> frozenMass_;        // of boundary blocks, by grid slot and node [kg]
    std::vector<std::uint8_t> nodesComplete_; // by grid slot: no passive block misses there
    std::vector<std::int32_t> frozenMassOf_;  // the boundary blocks that both are of
    std::vector<float> materialSound_;        // at rest, by material [m/s]
    FloatBuffer arenas_, nodes_;
    FloatBuffer keptNodes_; // of the last step, Block::keptNodes; where liquids keep no C
    FloatBuffer before_;    // node velocities before forces; picFlip only
    bool listsStale_ = true;
    std::unique_ptr<Implicit> implicit_; // semiImplicit only
    double collidersFree_ = 0; // the guard looks at moving colliders again at this time [s]

    double time_ = 0;
    double strainStep_ = 0; // time for which C has not acted on F yet, liquids excepted
    double lastStep_ = 0;
    double scatteredStep_ =
        0;             // the arenas hold the particles for a step of this length; 0: they do not
    double drift_ = 0; // most any particle has moved since it was grouped [cells]
    double topComponent_ = 0; // largest velocity component of a particle [m/s]
    double topSpeed_ = 0;
    double topGradient_ = 0; // [1/s]
    double signalSpeed_ = 0; // [m/s]
    std::uint32_t signalMaterial_ = 0;
    double gridComponent_ = 0; // largest velocity component of a node in this step [m/s]
    bool gridFinite_ = true;
    bool needsRegroup_ = false;
    std::uint32_t nextId_ = 0;
    std::uint32_t newFrom_ = 0; // particles from this id on have not been gathered yet
    Counts counts_;
    StepStatistics statistics_;
};

} // namespace floe::mpm
