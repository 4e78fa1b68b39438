/// The passes of a step over the blocks: particles to arenas, arenas to nodes, nodes to particles.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"
#include "node_contact.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

inline constexpr std::size_t kArenaFloats = std::size_t{kArenaNodes} * kNodeFloats;
inline constexpr std::size_t kBlockFloats = std::size_t{kBlockNodes} * kNodeFloats;

/// C of those of a block's bins that keep none, while a thread is busy with that block.
class AffineScratch {
public:
    /// Makes room for as many bins; what is in it is lost. Uninitialised.
    void resize(std::size_t bins)
    {
        if (bins > size_)
            rows_ = std::make_unique_for_overwrite<AffineRows[]>(size_ = bins);
    }
    AffineRows* data() const { return rows_.get(); }

private:
    std::unique_ptr<AffineRows[]> rows_;
    std::size_t size_ = 0;
};

class Transfers {
public:
    Transfers(CpuState& state, BlockGrid& grid, const NodeContact& contact, MemorySource& memory);

    /// All blocks of the list to their arenas.
    /// @param arrivals  what migration buffers hold for each
    void scatter(double dt, const std::vector<MigrationBuffer>& arrivals);
    /// Blocks at the end of the list too; those before `scattered` are done already.
    void scatterMore(std::size_t scattered, double dt);
    /// A boundary block's particles, as if at rest, to arenas of its own.
    ScatterResult scatterCached(Block& block, double dt, float* arena, float* before);
    /// Arenas to nodes, which forces, colliders and walls then act on.
    void updateGrid(double time, double dt);
    /// The same of some, by their places in the list of grid blocks, of which the first `kept` keep
    /// what they have otherwise.
    void updateNodes(std::span<const std::int32_t> slots, std::size_t kept, double time, double dt);
    /// Nodes to particles, which move.
    /// @param leaving  if not null: takes the particles that have left their blocks
    void gather(const GatherRequest& request, std::vector<MigrationBuffer>* leaving);
    /// C of the bins that keep none, as the last step left it.
    void gatherAffine(const Block& block, AffineScratch& affine) const;
    /// Particles keep C from now on.
    void keepAffine();

    float* arena(std::size_t slot) const;
    /// The second arena of a block, behind the first; null where the transfer needs none.
    float* arenaBefore(std::size_t slot) const;
    /// Room for the nodes of all grid blocks; the first `kept` keep theirs.
    void makeNodes(std::size_t kept);
    float* nodes() const { return nodes_.data(); }
    float* before() const { return before_.data(); }
    FloatBuffer& keptNodes() { return keptNodes_; }
    const FloatBuffer& keptNodes() const { return keptNodes_; }
    /// A task that sums a block's arenas.
    GridTask gridTask(const Block& block) const;
    /// The fastest of all nodes, into the bounds.
    void measureNodes();
    std::size_t bytes() const;

private:
    std::size_t arenasEach() const { return state_->blendsFlip() ? 2 : 1; }
    ScatterResult scatterBlock(std::size_t slot, double dt, const AffineRows* affine);
    ScatterTask scatterTask(const Block& block, double dt, const AffineRows* affine, float* arena,
                            float* before) const;
    void fillGatherTask(GatherTask& task, const Block& block, double dt, const FloatBuffer& nodes,
                        std::int32_t Block::*slot, AffineScratch& affine) const;
    void updateNodesOf(std::size_t slot, double time, double dt);
    void measureNodesOf(std::size_t slot);
    void summariseNodes();
    void takeSignalSpeed(std::span<const ScatterResult> results);

    CpuState* state_;
    BlockGrid* grid_;
    const NodeContact* contact_;
    FloatBuffer arenas_, nodes_;
    FloatBuffer keptNodes_; ///< of the last step, Block::keptNodes; where liquids keep no C
    FloatBuffer before_;    ///< node velocities before forces; picFlip only
    std::vector<float> nodeComponent_;     ///< largest velocity component, by grid slot [m/s]
    std::vector<std::uint8_t> nodeFinite_; ///< by grid slot
};

} // namespace floe::mpm
