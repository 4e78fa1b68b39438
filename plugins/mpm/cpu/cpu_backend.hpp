/// The MPM step on a CPU: SIMD over particles, threads over blocks.
///
/// One step: stress and scatter to per-block arenas, sum of the arenas and update of the nodes,
/// gather and move. Within a frame the gather of one step and the scatter of the next are one pass
/// over the blocks, while their particles are in the cache. Results do not depend on the number of
/// threads: every sum has a fixed order.
#pragma once

#include "backend.hpp"
#include "block_grid.hpp"
#include "boundary_blocks.hpp"
#include "cpu_state.hpp"
#include "implicit.hpp"
#include "node_contact.hpp"
#include "stepper.hpp"
#include "transfer.hpp"

#include <memory>
#include <utility>

namespace floe::mpm {

class CpuBackend final : public Backend, private BlockView {
public:
    /// @param executor, memory  must outlive the backend
    CpuBackend(const SolverSettings& settings, Executor& executor,
               MemorySource& memory = plainMemory());

    std::optional<std::string> refusal(const SolverSettings&) const override { return {}; }
    std::optional<std::string> refusal(std::span<const SolverMaterial>) const override
    {
        return {};
    }
    std::optional<std::string> refusal(const Collider&) const override { return {}; }
    void setSettings(const SolverSettings& settings) override;
    void setMaterials(std::span<const SolverMaterial> materials) override;
    void setDomain(const Domain& domain) override;
    void setForces(std::span<const std::shared_ptr<const Force>> forces) override;
    void setColliders(std::span<const std::shared_ptr<Collider>> colliders) override;

    double maxDrift() const override { return state_.settings.kernel == Kernel::cubic ? 0.499 : 1; }
    double drift() const override { return state_.drift; }
    const Bounds& bounds() override { return state_.bounds; }
    double scatteredStep() override { return grid_.listsStale ? 0 : state_.scatteredStep; }
    void scatter(double dt) override;
    void updateGrid(double time, double dt) override;
    void gather(const GatherRequest& request) override;
    void endBodies() override
    {
        if (coupled_.any())
            coupled_.endStep();
    }
    void rebin() override;
    Deleted takeDeleted() override { return std::exchange(state_.deleted, {}); }

    void prepareSolve() override;
    bool solve(double time, double dt) override;
    std::uint64_t takeSolveIterations() override
    {
        return std::exchange(state_.solveIterations, 0);
    }

    const BlockView& blocks(bool) override { return *this; }
    std::size_t activeBlocks() override;
    std::size_t sleepingBlocks() override;
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) override;
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update) override;
    void setStates(std::span<const std::int32_t> active,
                   std::span<const std::int32_t> passive) override;

    void add(const NewParticles& particles, std::uint32_t firstId) override;
    void findOccupied(CellSet& cells) override;
    void snapshot(const Snapshot& to) override;
    std::optional<std::uint16_t> findNotFinite() override;
    std::pair<std::uint16_t, double> findFastest() override;

    std::vector<unsigned char> save(const Clock& clock) override;
    Clock load(std::span<const unsigned char> bytes) override;
    std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const override;
    std::size_t bytes() const override;
    const char* name() const override { return state_.kernelSet->name; }

    /// For tests and benchmarks.
    void setKernels(const Kernels& kernels) { state_.kernelSet = &kernels; }

private:
    // BlockView
    std::size_t size() const override { return grid_.blocks.size(); }
    BlockCoordinate coordinate(std::size_t b) const override { return grid_.blocks[b].coordinate; }
    std::uint32_t particles(std::size_t b) const override { return grid_.blocks[b].particles; }
    BlockState state(std::size_t b) const override { return grid_.blocks[b].state; }
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

    class Reader;
    std::uint64_t readBlock(Reader& in);

    MemorySource* memory_;
    CpuState state_;
    BlockGrid grid_;
    CoupledContact coupled_;
    NodeContact contact_;
    Transfers transfers_;
    BoundaryBlocks boundary_;
    std::unique_ptr<ImplicitSolve> implicit_; ///< made by the first solve
    std::vector<MigrationBuffer> arrivals_;   ///< from rebin() to the scatter that takes them
    bool migrating_ = false; ///< gather() has filled the buffers, or the next scatter takes them
};

/// Makes a stepper on a CPU. @param executor, memory  must outlive it
std::unique_ptr<Stepper> makeCpuStepper(const SolverSettings& settings, Executor& executor,
                                        MemorySource& memory = plainMemory());

} // namespace floe::mpm
