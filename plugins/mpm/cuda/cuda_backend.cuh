#pragma once

/// The MPM step on a CUDA device.
///
/// Sums are integers, so a run repeats bit for bit. The particles' bounds are known after the next
/// grid update: one wait per step. Functions that read or change particles or blocks wait and rebin
/// first.

#include "backend.hpp"
#include "core.cuh"
#include "forces_on_host.cuh"
#include "refusals.hpp"
#include "world.cuh"

#include <cmath>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// The device's blocks when they were last viewed.
class DeviceBlocks final : public BlockView {
public:
    void set(HostBlocks blocks, std::vector<std::uint64_t> cells, std::vector<float> cellSpeeds,
             std::span<const SolverMaterial> materials);

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
    std::int32_t neighbour(std::size_t b, int offset) const override
    {
        return map_.find(neighbourOf(coordinate(b), offset));
    }
    BlockMotion motion(std::size_t b) const override
    {
        return {blocks_.speed[b], blocks_.restTime[b], blocks_.pushSpeed[b]};
    }
    BlockMatter matter(std::size_t b) const override;
    std::uint64_t occupiedCells(std::size_t b) const override { return cells_[b]; }
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
    std::vector<std::uint64_t> cells_;
    std::vector<float> cellSpeeds_;
    std::vector<Matter> materials_;
    BlockMap map_;
};

class CudaBackend final : public Backend {
public:
    CudaBackend(const SolverSettings& settings, Device device)
        : settings_(settings), core_(device, settings.cellSize), surroundings_(core_.device())
    {}
    ~CudaBackend() override { core_.device().makeCurrent(); }

    std::optional<std::string> refusal(const SolverSettings& settings) const override
    {
        if (settings.cellSize != settings_.cellSize)
            return "the cell size of a solver on a CUDA device cannot change";
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
    void setSettings(const SolverSettings& settings) override { settings_ = settings; }
    void setMaterials(std::span<const SolverMaterial> materials) override;
    void setDomain(const Domain& domain) override { surroundings_.setDomain(domain); }
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
    }

    double maxDrift() const override { return kMaxDrift; }
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
    std::size_t activeBlocks() override { return core_.activeBlocks(); }
    std::size_t sleepingBlocks() override { return core_.particleBlocks() - core_.activeBlocks(); }
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) override;
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update) override;
    void setStates(std::span<const std::int32_t> active,
                   std::span<const std::int32_t> passive) override;

    void add(const NewParticles& particles, std::uint32_t firstId) override;
    void findOccupied(CellSet& cells) override;
    void snapshot(const Snapshot& to) override;
    bool onDevice() const override { return true; }
    void snapshotOnDevice(const Snapshot& to) override;
    std::optional<std::uint16_t> findNotFinite() override;
    std::pair<std::uint16_t, double> findFastest() override
    {
        const unsigned long long fastest = core_.found().maxSpeed;
        return {materialOf(fastest), real(fastest)};
    }

    std::vector<unsigned char> save(const Clock& clock) override;
    Clock load(std::span<const unsigned char> bytes) override;
    std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const override
    {
        return std::make_unique<CudaBackend>(settings, core_.device());
    }
    std::size_t bytes() const override { return core_.bytes(); }
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
    void findPushOnDevice(double dt);

    SolverSettings settings_;
    std::vector<SolverMaterial> materials_;
    Core core_;
    Surroundings surroundings_;
    DeviceBlocks view_;
    mpm::Bounds bounds_;
    double begun_ = 0;                ///< length of the last scattered step [s]
    double hostComponent_ = -1;       ///< of the nodes, where the host has changed them; else < 0
    bool faultAsked_ = false;         ///< what a force failed at
    bool pushKnown_ = false;          ///< findPushed() only needs to read the result
    Deleted deleted_;                 ///< since the last query
    std::uint64_t deletedPlaces_ = 0; ///< places of deleted particles since the last compaction
    std::uint32_t left_ = 0, taken_ = 0; ///< those of Report that deleted_ includes
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "blocks.inl"
#include "checkpoint.inl"
#include "particles.inl"
#include "step.inl"
