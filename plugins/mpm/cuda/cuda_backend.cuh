#pragma once

/// The MPM step on a CUDA device.
///
/// Sums are integers, so a run repeats bit for bit. The particles' bounds are known after the next
/// grid update: one wait per step. Functions that read or change particles or blocks wait and rebin
/// first.

#include "backend.hpp"
#include "block_cost.hpp"
#include "core.cuh"
#include "device_state.hpp"
#include "forces_on_host.cuh"
#include "refusals.hpp"
#include "together.hpp"
#include "world.cuh"

#include <cmath>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// The device's blocks when they were last viewed.
class DeviceBlocks final : public BlockView {
public:
    /// @param others  of `blocks`, at the end, that other ranks hold; of these there is the state
    /// alone
    void set(HostBlocks blocks, std::size_t others, std::vector<std::uint64_t> cells,
             std::vector<float> cellSpeeds, std::span<const SolverMaterial> materials, int support,
             const Period& period);

    std::size_t size() const override { return blocks_.state.size(); }
    BlockCoordinate coordinate(std::size_t b) const override
    {
        const std::int32_t* c = blocks_.coordinate.data() + 3 * b;
        return {c[0], c[1], c[2]};
    }
    std::uint32_t particles(std::size_t b) const override;
    mpm::BlockState state(std::size_t b) const override
    {
        return static_cast<mpm::BlockState>(blocks_.state[b]);
    }
    bool isOthers(std::size_t b) const override { return b >= own_; }
    std::int32_t neighbour(std::size_t b, int offset) const override
    {
        return map_.find(period_.neighbourOf(coordinate(b), offset));
    }
    BlockMotion motion(std::size_t b) const override
    {
        if (isOthers(b))
            return {};
        return {blocks_.speed[b], blocks_.restTime[b], blocks_.pushSpeed[b]};
    }
    BlockMatter matter(std::size_t b) const override;
    std::uint64_t occupiedCells(std::size_t b) const override
    {
        return isOthers(b) ? 0 : cells_[b];
    }
    ArenaNodes feltNodes(std::size_t b) const override;
    void cellSpeeds(std::size_t b, CellSpeeds& speeds) const override
    {
        std::copy_n(cellSpeeds_.begin() + std::ptrdiff_t(b * kBlockNodes), kBlockNodes,
                    speeds.begin());
    }
    const HostBlocks& host() const { return blocks_; }

private:
    struct Matter {
        float soundSpeed;
        bool liquid, sleeps;
    };
    HostBlocks blocks_;
    std::size_t own_ = 0;
    int support_ = 3; ///< nodes of the splines along an axis
    std::vector<std::uint64_t> cells_;
    std::vector<float> cellSpeeds_;
    std::vector<Matter> materials_;
    Period period_;
    BlockMap map_;
};

class CudaBackend final : public Backend {
public:
    /// @param ownership  of one rank among several; what it refers to must outlive the backend
    /// @param executor  on the host; outlives the backend
    CudaBackend(const SolverSettings& settings, Device device, Executor& executor,
                Ownership ownership = {})
        : settings_(settings), ownership_(std::move(ownership)),
          core_(device, settings.cellSize, ownership_.alone() ? nullptr : &ownership_),
          surroundings_(core_.device()), executor_(&executor)
    {
        core_.setExecutor(executor);
        core_.setScheme(settings.kernel == Kernel::cubic, settings.transfer == Transfer::picFlip,
                        settings.bodiesMeet);
    }
    ~CudaBackend() override { core_.device().makeCurrent(); }
    const Ranks* ranks() const override { return ownership_.ranks; }

    std::optional<std::string> refusal(const SolverSettings& settings) const override
    {
        if (settings.cellSize != settings_.cellSize)
            return "the cell size of a solver on a CUDA device cannot change";
        if (settings.bodiesMeet && !ownership_.alone())
            return "several ranks move all bodies as one; let 'bodies' move together, or run on "
                   "one rank";
        return refusalOf(settings);
    }
    std::optional<std::string> refusal(std::span<const SolverMaterial> materials) const override
    {
        return refusalOf(materials);
    }
    std::optional<std::string> refusal(const Collider& collider) const override
    {
        return refusalOf(collider);
    }
    void setSettings(const SolverSettings& settings) override
    {
        core_.device().makeCurrent();
        settings_ = settings;
        core_.setScheme(settings.kernel == Kernel::cubic, settings.transfer == Transfer::picFlip,
                        settings.bodiesMeet);
        setPairs();
        core_.setReach(reach());
    }
    void setMaterials(std::span<const SolverMaterial> materials) override;
    void setDomain(const Domain& domain) override
    {
        core_.device().makeCurrent();
        const Period period(domain, settings_.cellSize);
        if (period != ownership_.period && core_.totals().particleBlocks > 0)
            throw std::invalid_argument(kPeriodMoved);
        ownership_.period = period;
        core_.setPeriod(period);
        surroundings_.setDomain(domain);
        core_.setReach(reach());
    }
    void setForces(std::span<const std::shared_ptr<const Force>> forces) override
    {
        core_.device().makeCurrent();
        faultAsked_ = false;
        surroundings_.setForces({forces.begin(), forces.end()});
    }
    void setColliders(std::span<const std::shared_ptr<Collider>> colliders) override
    {
        core_.device().makeCurrent();
        surroundings_.setColliders({colliders.begin(), colliders.end()});
        core_.setReach(reach());
    }

    double maxDrift() const override { return core_.support() == 3 ? kMaxDrift<3> : kMaxDrift<4>; }
    double drift() const override { return core_.drift(); }
    const mpm::Bounds& bounds() override;
    bool boundsKnown() const override { return core_.isKnown(); }
    double scatteredStep() override
    {
        return core_.scatteredStep() > 0 && core_.scatteredStep() == static_cast<float>(begun_)
                   ? begun_
                   : 0;
    }
    void scatter(double dt) override;
    void updateGrid(double time, double dt) override;
    void gather(const GatherRequest& request) override;
    void rebin() override;
    Deleted takeDeleted() override { return std::exchange(deleted_, {}); }
    void bringUpToDate() override;

    void prepareSolve() override { throw std::logic_error("refused"); }
    bool solve(double, double) override { throw std::logic_error("refused"); }
    std::uint64_t takeSolveIterations() override { return 0; }

    const BlockView& blocks(bool cellSpeeds) override;
    std::size_t activeBlocks() override { return core_.totals().active; }
    std::size_t sleepingBlocks() override
    {
        return core_.totals().particleBlocks - core_.totals().active;
    }
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) override;
    bool pushedElsewhere() const override { return pushedElsewhere_; }
    bool shareMarks(std::span<std::uint8_t> marks) override
    {
        return core_.halo() && core_.halo()->shareMarks(marks, core_.particleBlocks());
    }
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update) override;
    void setStates(std::span<const std::int32_t> active,
                   std::span<const std::int32_t> passive) override;

    void add(const NewParticles& particles, std::uint32_t firstId) override;
    void addPart(const NewParticles& particles, std::uint32_t firstId,
                 const Numbering& numbering) override;
    bool undivided() const override { return ownership_.undivided(); }
    void divideNew(std::vector<sdk::grid::BlockCost> counts) override
    {
        ownership_.divideByOwn(counts);
        core_.halo()->forget();
    }
    bool isGiven(const BlockCoordinate& block) const override
    {
        return !ownership_.partition || ownership_.isGiven(block);
    }
    bool isCellOfOthers(const std::array<std::int64_t, 3>& cell) const override
    {
        return ownership_.isCellOfOthers(cell);
    }
    void findOccupied(CellSet& cells) override;
    void shareOccupied(std::span<std::uint8_t> occupied) override
    {
        if (ranks())
            ownership_.shareMarked(occupied);
    }
    void snapshot(const Snapshot& to) override;
    std::size_t ownParticleCount() const override { return core_.particleCount(); }
    void snapshotPart(const Snapshot& to) override;
    /// Of several ranks, rank 0 puts particles together in host memory.
    bool onDevice() const override { return !ranks(); }
    void snapshotOnDevice(const Snapshot& to) override;
    std::optional<std::uint16_t> findNotFinite() override;
    std::pair<std::uint16_t, double> findFastest() override
    {
        const unsigned long long fastest = core_.found().maxSpeed;
        return {materialOf(fastest), real(fastest)};
    }

    std::vector<unsigned char> save(const Clock& clock) override;
    Clock load(std::span<const unsigned char> bytes) override;
    Clock loadOwn(const saved::OwnState& own) override;
    std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const override
    {
        return std::make_unique<CudaBackend>(settings, core_.device(), *executor_);
    }
    std::size_t bytes() const override { return core_.bytes(); }
    std::uint64_t balance() override;
    const char* name() const override { return FLOE_CUDA_EMULATED ? "emulated CUDA" : "CUDA"; }

    /// For tests.
    const Surroundings& surroundings() const { return surroundings_; }

private:
    static double real(int bits) { return std::bit_cast<float>(bits); }
    static double real(unsigned long long bits)
    {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
    }
    std::uint16_t materialOf(unsigned long long bits) const
    {
        return static_cast<std::uint16_t>(
            std::min<std::size_t>(bits & 0xFFFFFFFFu, materials_.size() - 1));
    }
    void compact();
    /// Hands over what bodies that meet are to each other.
    void setPairs();
    bool surfacesMirror() const;
    /// Nodes inside surfaces mirror those before them, which have images of their own: what a
    /// particle feels hangs on nodes up to eight cells away.
    int reach() const { return surfacesMirror() ? 2 : 1; }
    /// Returns the largest of all ranks; what is not a number is the largest.
    double fastestOnAll(double own) const;
    void findPushOnDevice(double dt);
    /// Describes particles to add. @param numbers  of each, added to `firstId`; null: as they come
    HostParticles hostParticles(const NewParticles& particles, std::uint32_t firstId,
                                const std::uint64_t* numbers) const;
    void moveBlocks(const sdk::grid::PartitionPointer& next);
    /// A saved state.
    struct Loaded {
        HostParticles particles;
        HostBlocks blocks;
        Report found{};
        Clock clock;
        bool changed = false; ///< laws, by animation, or splines: its stress is that of others
    };
    Loaded read(std::span<const unsigned char> bytes, std::optional<std::uint64_t> live) const;
    Clock restore(std::span<const unsigned char> bytes, std::optional<std::uint64_t> live,
                  const sdk::grid::PartitionPointer& partition);

    SolverSettings settings_;
    Ownership ownership_;
    std::vector<SolverMaterial> materials_;
    Core core_;
    Surroundings surroundings_;
    Executor* executor_;
    DeviceBlocks view_;
    mpm::Bounds bounds_;
    double begun_ = 0;                ///< length of the last scattered step [s]
    double hostComponent_ = -1;       ///< of the nodes, where the host has changed them; else < 0
    bool faultAsked_ = false;         ///< what a force failed at
    bool pushKnown_ = false;          ///< findPushed() only needs to read the result
    Deleted deleted_;                 ///< since the last query
    std::uint64_t deletedPlaces_ = 0; ///< places of deleted particles since the last compaction
    std::uint64_t left_ = 0, taken_ = 0; ///< those of Totals that deleted_ includes
    bool pushedElsewhere_ = false;       ///< what the last findPushed() has found
    std::uint64_t steps_ = 0;            ///< since balance()
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "blocks.inl"
#include "checkpoint.inl"
#include "particles.inl"
#include "ranks.inl"
#include "step.inl"
