// BlockView of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void DeviceBlocks::set(HostBlocks blocks, std::size_t others,
                              std::vector<std::uint64_t> cells, std::vector<float> cellSpeeds,
                              std::span<const SolverMaterial> materials, int support,
                              const Period& period)
{
    support_ = support;
    period_ = period;
    blocks_ = std::move(blocks);
    own_ = blocks_.state.size() - others;
    cells_ = std::move(cells);
    cellSpeeds_ = std::move(cellSpeeds);
    materials_.clear();
    for (const SolverMaterial& material : materials)
        materials_.push_back({soundSpeed(material), material.law.isLiquid(), material.sleeps});
    map_.clear();
    for (std::size_t b = 0; b < size(); ++b)
        map_.insert(coordinate(b), static_cast<std::int32_t>(b));
}

inline std::uint32_t DeviceBlocks::particles(std::size_t b) const
{
    std::uint32_t all = 0;
    if (isOthers(b))
        return all;
    for (std::size_t m = 0; m < materials_.size(); ++m)
        all += blocks_.particles[b * materials_.size() + m];
    return all;
}

inline BlockMatter DeviceBlocks::matter(std::size_t b) const
{
    BlockMatter matter{};
    if (isOthers(b))
        return matter;
    for (std::size_t m = 0; m < materials_.size(); ++m) {
        const std::uint32_t count = blocks_.particles[b * materials_.size() + m];
        if (count == 0)
            continue;
        matter.soundSpeed = std::max(matter.soundSpeed, materials_[m].soundSpeed);
        matter.liquid += materials_[m].liquid ? count : 0;
        matter.mustMove = matter.mustMove || !materials_[m].sleeps;
    }
    return matter;
}

/// Particles have been binned when blocks are viewed: the lowest node in a particle's support is
/// that of its cell or, with cubic splines, may be the one before.
inline ArenaNodes DeviceBlocks::feltNodes(std::size_t b) const
{
    const unsigned before = support_ == 3 ? 0 : 1, width = support_ == 3 ? 3 : 5;
    ArenaNodes nodes;
    for (unsigned cell = 0; cell < kBlockNodes; ++cell) {
        if (!(occupiedCells(b) >> cell & 1))
            continue;
        const unsigned low[3] = {cell / 16 + 1 - before, cell / 4 % 4 + 1 - before,
                                 cell % 4 + 1 - before};
        for (unsigned i = 0; i < width * width * width; ++i)
            nodes.set(kArenaEdge * (kArenaEdge * (low[0] + i / (width * width)) + low[1] +
                                    i / width % width) +
                      low[2] + i % width);
    }
    return nodes;
}

inline const BlockView& CudaBackend::blocks(bool cellSpeeds)
{
    core_.device().makeCurrent();
    HostBlocks blocks = core_.blocks();
    const std::size_t own = blocks.state.size();
    core_.addOthers(blocks);
    const std::size_t others = blocks.state.size() - own;
    view_.set(std::move(blocks), others, core_.occupiedCells(),
              cellSpeeds ? core_.cellSpeeds() : std::vector<float>(), materials_, core_.support(),
              ownership_.period);
    return view_;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
