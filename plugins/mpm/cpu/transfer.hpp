/// The passes of a step over the blocks: scatter, grid update, gather.
#pragma once

#include "block_grid.hpp"
#include "body_fields.hpp"
#include "collider_images.hpp"
#include "cpu_state.hpp"
#include "halo.hpp"
#include "held_nodes.hpp"
#include "node_contact.hpp"
#include "rest_grid.hpp"
#include "thin_walls.hpp"

#include <floe/sdk/world/mirror.hpp>

#include <span>
#include <vector>

namespace floe::mpm {

/// C of a block's bins that do not store it, while a thread processes that block.
class AffineScratch {
public:
    /// Makes uninitialised room for as many bins; contents are lost.
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
    /// @param halo  null: one rank
    Transfers(CpuState& state, BlockGrid& grid, const NodeContact& contact, Halo* halo,
              RestGrid& rest, ThinWalls& walls, MemorySource& memory);

    /// Scatters all blocks of the list to their arenas.
    /// @param arrivals  contents of migration buffers for each
    void scatter(double dt, const std::vector<MigrationBuffer>& arrivals);
    /// Like scatter(), for the blocks of the list from `scattered` on.
    void scatterMore(std::size_t scattered, double dt);
    /// Scatters a boundary block's particles, as if at rest, to given arenas.
    ScatterResult scatterCached(Block& block, double dt, float* arena, float* before);
    /// Sends the arenas of all blocks that others need again.
    void sendArenas() { halo_->beginArenas(arenas_.data(), arenasEach()); }
    /// With several ranks: waits for the arenas of others. updateGrid() does so itself.
    void takeArenas()
    {
        if (halo_)
            halo_->takeArenas(arenas_.data(), arenasEach());
    }
    /// Sums arenas at nodes and applies forces, colliders and walls.
    void updateGrid(double time, double dt);
    /// The same for some nodes, by their places in the list of grid blocks, of which the first
    /// `kept` keep their values otherwise.
    void updateNodes(std::span<const std::int32_t> slots, std::size_t kept, double time, double dt);
    /// Gathers from nodes to particles and moves them.
    /// @param leaving  if not null: takes the particles that have left their blocks
    void gather(const GatherRequest& request, std::vector<MigrationBuffer>* leaving);

    // -- blocks that take one long step while others take several (held_nodes.hpp): scatterSplit(),
    //    updateSlowOnly(), then updateShared() and gatherFast() for each step of the others, then
    //    gatherSlow() and scatter() or scatterSplit()

    /// Returns the speed of the fastest wave in each material [m/s], as far as the last scatter of
    /// all blocks has found it, else at rest; 0: it has no particles.
    std::vector<double> signalSpeeds() const;
    /// Marks blocks as slow in which, and near which, all waves are at most this fast [m/s].
    /// @return the number of their particles
    std::uint64_t split(double speed);
    /// Scatters slow blocks for the long step, all others for their first.
    void scatterSplit(double dt, double whole);
    /// Scatters the others alone.
    void scatterFast(double dt);
    /// Scatters slow blocks again, for a step that turned out shorter.
    void shortenSlow(double whole);
    /// Updates the nodes that slow blocks alone reach.
    void updateSlowOnly(double time, double whole);
    /// Updates all other nodes.
    void updateShared(double time, double dt);
    /// Returns these to what they were after the last gatherFast().
    void undoShared() { copyShared(true); }
    void gatherFast(const GatherRequest& request);
    /// @return the largest velocity component of their particles [m/s]
    double gatherSlow(double time, double whole);

    /// Gathers C of the bins that do not store it, as the last step left it.
    void gatherAffine(const Block& block, AffineScratch& affine) const;
    /// Makes liquid particles store from now on what their materials need of them.
    /// @param dropsAffine  whether that is without C
    void growLiquids(bool dropsAffine);

    float* arena(std::size_t slot) const;
    /// Returns the second arena of a block, behind the first; null where the transfer needs none.
    float* arenaBefore(std::size_t slot) const;
    /// Makes room for the nodes of all grid blocks; the first `kept` keep theirs.
    void makeNodes(std::size_t kept);
    float* nodes() const { return nodes_.data(); }
    float* before() const { return before_.data(); }
    FloatBuffer& keptNodes() { return keptNodes_; }
    const FloatBuffer& keptNodes() const { return keptNodes_; }
    /// Returns a task that sums a block's arenas.
    GridTask gridTask(const Block& block) const;
    /// Stores the speed of the fastest node in the bounds.
    void measureNodes();
    std::size_t bytes() const;

private:
    std::size_t arenaCount() const;
    std::size_t nodesCount() const;
    std::size_t arenasEach() const { return state_->blendsFlip() ? 2 : 1; }
    /// Calls work(slot, scratch) for the blocks of scatterList; where there are several ranks,
    /// first for those whose arenas others need, which are sent while the rest is in work.
    template <class Work>
    void forScattered(bool sends, const Work& work);
    void takeArrivals(const std::vector<MigrationBuffer>& arrivals);
    ScatterResult scatterBlock(std::size_t slot, double dt, const AffineRows* affine);
    ScatterResult scatterDivided(std::size_t slot, double dt, const AffineRows* affine);
    ScatterResult scatterBodies(std::size_t slot, double dt, const AffineRows* affine);
    ScatterTask scatterTask(const Block& block, double dt, const AffineRows* affine, float* arena,
                            float* before) const;
    void fillGatherTask(GatherTask& task, const Block& block, double dt, const FloatBuffer& nodes,
                        std::int32_t Block::*slot, AffineScratch& affine) const;
    GatherResult gatherBodies(const Block& block, const GatherTask& task);
    GatherResult gatherDivided(const Block& block, GatherTask task);
    void useNodesOf(GatherTask& task, const Block& block, std::uint16_t body) const;
    void addBefore(GatherTask& task) const;
    /// Calls work(body, number of its nodes among those of all blocks) for each body that has nodes
    /// of its own in a grid block; where bodies have none, once, with any number.
    template <class Work>
    void forFieldsOf(std::size_t slot, const Work& work) const;
    GridTask gridTask(const Block& block, std::uint16_t body) const;
    std::int32_t nodesOf(const Block& block, std::uint16_t body) const;
    void sumNodesOf(std::size_t slot, double dt);
    void sumNodesOf(const GridTask& task, std::size_t nodes, double dt);
    void updateNodesOf(std::size_t slot, double time, double dt);
    void meetNodesOf(std::size_t slot, std::uint64_t left, double time, double dt);
    void meetThinWalls();
    void moveCoupled(double time, double dt);
    void foldNodesOf(std::size_t slot, double time, double dt);
    void completeMasses();
    void completeMassesOf(const Block& block, std::uint16_t body, bool behind, float* nodes) const;
    std::uint64_t foldImages(const Block& block, std::uint16_t body, float* nodes) const;
    void holdNodes(const Block& block, std::uint64_t behind, float* nodes) const;
    void extendNodesOf(const Block& block, std::uint16_t body, float* nodes) const;
    void findMirrored();
    bool mirrorsAny() const { return mirror_.any() || surfacesMirror_; }
    void foldSurfaces();
    void updateMirrored(double time, double dt);
    template <class Work>
    void forMirrored(const Work& work);
    template <class Work>
    void forFieldsAround(std::span<const std::uint32_t> slots, const Work& work);
    // local_steps.cpp
    void findShared();
    template <class Work>
    void forSlots(const std::vector<std::int32_t>& slots, std::size_t grain,
                  const Work& work) const;
    ScatterResult scatterSlow(std::size_t slot, double dt);
    void takeSplitSignals(const std::vector<ScatterResult>& results);
    void takeFastSignals(const std::vector<ScatterResult>& results);
    void holdNodes(double whole);
    void fillHeld(std::size_t place, double dt, float* held) const;
    void sumSharedOf(std::size_t slot, double dt);
    void copyShared(bool back);
    GatherResult gatherLocal(Block& block, double time, double dt, AffineScratch& affine,
                             Deleted& deleted);
    void takeMotion(std::span<const GatherResult> results, std::span<const Deleted> deleted,
                    bool more);

    void measureNodesOf(const Block& block, std::size_t slot);
    void summariseNodes();
    /// Call before takeSignalSpeed(), where all blocks have been scattered.
    void beginSignals();
    /// @param results  of scatterList from slot `first` on
    void takeSignalSpeed(std::span<const ScatterResult> results, std::size_t first = 0);

    CpuState* state_;
    BlockGrid* grid_;
    const NodeContact* contact_;
    Halo* halo_;
    RestGrid* rest_;
    ThinWalls* walls_;
    BodyFields bodies_;
    HeldNodes held_;
    std::vector<double> measured_; ///< speed of the fastest wave, by material [m/s]; 0: none found
    FloatBuffer arenas_, nodes_;
    FloatBuffer keptNodes_;       ///< from the last step, Block::keptNodes; where liquids keep no C
    FloatBuffer before_;          ///< node velocities before forces; picFlip only
    std::vector<float> metNodes_; ///< of meetThinWalls()
    std::vector<float> nodeComponent_;     ///< largest velocity component, by grid slot [m/s]
    std::vector<std::uint8_t> nodeFinite_; ///< by grid slot
    MirrorWalls mirror_;                   ///< of the present domain
    ColliderImages images_;
    bool surfacesMirror_ = false;        ///< images_ are in use
    std::vector<std::uint8_t> mirrored_; ///< by grid slot: one of these concerns its block
};

} // namespace floe::mpm
