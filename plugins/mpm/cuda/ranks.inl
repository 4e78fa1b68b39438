// The CUDA backend on several ranks; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline double CudaBackend::fastestOnAll(double own) const
{
    if (!ranks())
        return own;
    double most[] = {own < HUGE_VAL ? own : HUGE_VAL};
    ranks()->reduce(FLOE_RANKS_MAX, std::span<double>(most));
    return most[0];
}

/// Particles come together at rank 0, by id, as on one rank.
inline void CudaBackend::snapshot(const Snapshot& to)
{
    if (!ranks()) {
        snapshotPart(to);
        return;
    }
    core_.device().makeCurrent();
    rebin();
    GatheredSnapshot gathered(*ranks(), to, core_.particleCount());
    snapshotPart(gathered.own);
    gathered.gather();
}

inline std::uint64_t CudaBackend::balance()
{
    if (!ranks() || !ownership_.partition || ownership_.byParticles)
        return 0;
    core_.device().makeCurrent();
    const HostBlocks blocks = core_.blocks();
    // A device does not say how long each block takes: what is awake counts, by its size.
    std::vector<BlockWork> own, work;
    for (std::size_t b = 0; b < blocks.state.size(); ++b) {
        std::uint32_t particles = 0;
        for (std::size_t m = 0; m < materials_.size(); ++m)
            particles += blocks.particles[b * materials_.size() + m];
        own.push_back(
            {{blocks.coordinate[3 * b], blocks.coordinate[3 * b + 1], blocks.coordinate[3 * b + 2]},
             particles,
             static_cast<mpm::BlockState>(blocks.state[b]),
             {},
             0});
    }
    const auto now = ownership_.partition,
               next = betterDivision(ownership_, own, std::exchange(steps_, 0), work);
    if (!next)
        return 0;
    moveBlocks(next);
    std::uint64_t moved = 0;
    for (const BlockWork& b : work)
        moved += now->ownerOf(b.block) != next->ownerOf(b.block);
    return moved;
}

/// Moves blocks to the ranks that own them from now on. A state that is saved and loaded goes on
/// with the same bits; so does one that moves.
inline void CudaBackend::moveBlocks(const sdk::grid::PartitionPointer& next)
{
    rebin();
    ownership_.partition = next;
    HostParticles particles = core_.download();
    HostBlocks blocks = core_.blocks();
    exchangeByOwner(*ranks(), particles, blocks,
                    [&](const BlockCoordinate& block) { return next->ownerOf(block); });
    core_.halo()->forget();
    core_.restore(particles, blocks, core_.found());
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
