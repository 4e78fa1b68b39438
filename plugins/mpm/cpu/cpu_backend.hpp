/// The MPM step on a CPU: SIMD over particles, threads over blocks.
///
/// One step: stress and scatter to per-block arenas, sum of the arenas and update of the nodes,
/// gather and move. Within a frame the gather of one step and the scatter of the next are one pass
/// over the blocks, while their particles are in the cache. Results do not depend on the number of
/// threads, nor on that of ranks: every sum has a fixed order.
#pragma once

#include "backend.hpp"
#include "block_grid.hpp"
#include "boundary_blocks.hpp"
#include "cpu_state.hpp"
#include "halo.hpp"
#include "implicit.hpp"
#include "node_contact.hpp"
#include "rest_grid.hpp"
#include "saved_parts.hpp"
#include "stepper.hpp"
#include "transfer.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace floe::mpm {

namespace saved {
class Reader;
class Writer;
} // namespace saved

class CpuBackend final : public Backend, private BlockView {
public:
    /// @param executor, memory  must outlive the backend
    /// @param ownership  of one rank among several; what it refers to must outlive the backend
    CpuBackend(const SolverSettings& settings, Executor& executor,
               MemorySource& memory = plainMemory(), Ownership ownership = {});

    std::optional<std::string> refusal(const SolverSettings& settings) const override;
    std::optional<std::string> refusal(std::span<const SolverMaterial>) const override;
    std::optional<std::string> refusal(const Collider& collider) const override;
    void setSettings(const SolverSettings& settings) override;
    void setMaterials(std::span<const SolverMaterial> materials) override;
    void setDomain(const Domain& domain) override;
    void setForces(std::span<const std::shared_ptr<const Force>> forces) override;
    void setColliders(std::span<const std::shared_ptr<Collider>> colliders) override;

    double maxDrift() const override { return state_.settings.kernel == Kernel::cubic ? 0.499 : 1; }
    double drift() const override { return state_.drift; }
    const Bounds& bounds() override;
    std::uint32_t signalMaterial() override;
    bool boundsKnown() const override { return !boundsOfOwn_; }
    double scatteredStep() override
    {
        return grid_.listsStale || state_.scatteredWhole > 0 ? 0 : state_.scatteredStep;
    }
    void scatter(double dt) override;
    void updateGrid(double time, double dt) override;
    void gather(const GatherRequest& request) override;
    void endBodies() override
    {
        if (coupled_.any())
            coupled_.endStep();
    }
    bool recordContacts(const std::optional<sdk::ContactCells>& cells) override
    {
        record_.choose(cells);
        return !cells || !halo_;
    }
    void endContacts() override
    {
        if (record_.isOn())
            record_.endStep();
    }
    std::vector<ColliderPush> takeContacts() override { return record_.take(); }
    void rebin() override;
    Deleted takeDeleted() override { return std::exchange(state_.deleted, {}); }
    std::uint64_t takeLeaked() override { return std::exchange(state_.leaked, 0); }

    void prepareSolve() override;
    bool solve(double time, double dt) override;
    std::uint64_t takeSolveIterations() override
    {
        return std::exchange(state_.solveIterations, 0);
    }

    // local time steps
    std::optional<std::string> localRefusal() const override;
    std::vector<double> signalSpeeds() override { return transfers_.signalSpeeds(); }
    std::uint64_t split(double speed) override { return transfers_.split(speed); }
    double scatteredWhole() override
    {
        return grid_.listsStale || state_.scatteredStep == 0 ? 0 : state_.scatteredWhole;
    }
    void scatterSplit(double dt, double whole) override;
    void dropSplit() override;
    void scatterFast(double dt) override { transfers_.scatterFast(dt); }
    void updateSlowOnly(double time, double whole, bool again) override;
    void updateShared(double time, double dt) override { transfers_.updateShared(time, dt); }
    void undoShared() override { transfers_.undoShared(); }
    void gatherFast(const GatherRequest& request) override;
    void gatherSlow(double time, double whole) override;

    const Ranks* ranks() const override { return state_.ownership.ranks; }
    const BlockView& blocks(bool) override { return *this; }
    std::size_t activeBlocks() override;
    std::size_t sleepingBlocks() override;
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) override;
    bool pushedElsewhere() const override { return pushedElsewhere_; }
    bool shareMarks(std::span<std::uint8_t> marks) override
    {
        return halo_ && halo_->shareMarks(marks);
    }
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update) override;
    void setStates(std::span<const std::int32_t> active,
                   std::span<const std::int32_t> passive) override;

    void add(const NewParticles& particles, std::uint32_t firstId) override;
    void addPart(const NewParticles& particles, std::uint32_t firstId,
                 const Numbering& numbering) override;
    bool undivided() const override { return state_.ownership.undivided(); }
    void divideNew(std::vector<sdk::grid::BlockCost> counts) override
    {
        state_.ownership.divideByOwn(counts);
    }
    bool isGiven(const BlockCoordinate& block) const override
    {
        return !state_.ownership.partition || state_.ownership.isGiven(block);
    }
    bool isCellOfOthers(const std::array<std::int64_t, 3>& cell) const override
    {
        return state_.ownership.isCellOfOthers(cell);
    }
    void findOccupied(CellSet& cells) override;
    void shareOccupied(std::span<std::uint8_t> occupied) override
    {
        if (halo_)
            state_.ownership.shareMarked(occupied);
    }
    void snapshot(const Snapshot& to) override;
    std::size_t ownParticleCount() const override;
    void snapshotPart(const Snapshot& to) override { snapshotOwn(to); }
    std::optional<std::uint16_t> findNotFinite() override;
    std::pair<std::uint16_t, double> findFastest() override;

    std::vector<unsigned char> save(const Clock& clock) override;
    Clock load(std::span<const unsigned char> bytes) override;
    Clock loadOwn(const saved::OwnState& own) override;
    std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const override;
    std::size_t bytes() const override;
    std::uint64_t balance() override;
    const char* name() const override { return state_.kernelSet->name; }

    /// For tests and benchmarks.
    void setKernels(const Kernels& kernels) { state_.kernelSet = &kernels; }

private:
    // BlockView
    std::size_t size() const override { return grid_.blocks.size(); }
    BlockCoordinate coordinate(std::size_t b) const override { return grid_.blocks[b].coordinate; }
    std::uint32_t particles(std::size_t b) const override { return grid_.blocks[b].particles; }
    BlockState state(std::size_t b) const override { return grid_.blocks[b].state; }
    bool isOthers(std::size_t b) const override { return grid_.blocks[b].ghost; }
    std::int32_t neighbour(std::size_t b, int offset) const override
    {
        return grid_.blocks[b].neighbour[static_cast<std::size_t>(offset)];
    }
    BlockMotion motion(std::size_t b) const override
    {
        const Block& block = grid_.blocks[b];
        return {block.speed, block.restTime, block.pushSpeed};
    }
    BlockMatter matter(std::size_t b) const override;
    std::uint64_t occupiedCells(std::size_t b) const override;
    ArenaNodes feltNodes(std::size_t b) const override;
    void cellSpeeds(std::size_t b, CellSpeeds& speeds) const override;

    void storeStress(const BinRef& bin, int lane, const physics::Mat3<double>& C, double strainStep,
                     float* stress) const;

    // checkpoint.cpp
    void clear();
    Clock restore(std::span<const unsigned char> bytes, std::optional<std::uint64_t> live,
                  const sdk::grid::PartitionPointer& partition);
    bool needsNodes(const Block& block) const;
    void writeKeptNodes(saved::Writer& out, const Block& block) const;
    std::uint64_t readBlock(saved::Reader& in);
    std::uint64_t addBin(Block& block, saved::Reader& in, std::uint16_t material, Layout layout,
                         int count);
    std::vector<BlockCoordinate> readKeptNodes(saved::Reader& in, std::uint64_t count,
                                               std::size_t first);
    void linkKeptNodes(std::span<const BlockCoordinate> blocks, std::size_t first);
    // snapshot.cpp
    void snapshotOwn(const Snapshot& to);
    // several_ranks.cpp, balance.cpp
    /// @param place  row::rest, in a material that stays whole
    void put(const NewParticles& particles, std::size_t index, std::uint32_t id,
             std::uint32_t place = 0);
    void finishAdd(std::uint32_t nextId);
    void wakeOnRanks(std::span<const std::int32_t> blocks, double time, double dt, bool update);
    bool isBesideOwn(const BlockCoordinate& block) const;
    void prepare(bool rebuild);
    void markBoundary();
    void updateGhosts();
    void expectArrivals(std::vector<MigrationBuffer>& buffers);
    void moveBlocks(const sdk::grid::PartitionPointer& next);

    MemorySource* memory_;
    CpuState state_;
    BlockGrid grid_;
    std::unique_ptr<Halo> halo_; ///< several ranks; else null
    CoupledContact coupled_;
    ContactRecord record_;
    NodeContact contact_;
    RestGrid rest_;
    ThinWalls walls_;
    Transfers transfers_;
    BoundaryBlocks boundary_;
    std::unique_ptr<ImplicitSolve> implicit_; ///< made by the first solve
    std::vector<MigrationBuffer> arrivals_;   ///< from rebin() to the scatter that takes them
    bool migrating_ = false;    ///< gather() has filled the buffers, or the next scatter takes them
    bool boundsOfOwn_ = false;  ///< the bounds are those of this rank alone as yet
    bool deletedOfOwn_ = false; ///< so are the numbers of deleted particles
    double fastDrift_ = 0;      ///< of fast blocks since their long step began [cells]
    double stepToDrift_ = 0;    ///< a step whose motion is not yet part of the drift [s]
    bool ghostsStale_ = false;  ///< the domain has changed
    bool pushedElsewhere_ = false; ///< what the last findPushed() has found
};

/// Makes a stepper on a CPU. @param executor, memory  must outlive it
/// @param ownership  of one rank among several; what it refers to must outlive it
std::unique_ptr<Stepper> makeCpuStepper(const SolverSettings& settings, Executor& executor,
                                        MemorySource& memory = plainMemory(),
                                        Ownership ownership = {});

} // namespace floe::mpm
