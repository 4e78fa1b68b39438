// BlockView of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void DeviceBlocks::set(HostBlocks blocks, std::size_t others,
                              std::vector<std::uint64_t> cells, std::vector<float> cellSpeeds,
                              std::span<const SolverMaterial> materials)
{
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
/// that of its cell.
inline ArenaNodes DeviceBlocks::feltNodes(std::size_t b) const
{
    ArenaNodes nodes;
    for (unsigned cell = 0; cell < kBlockNodes; ++cell) {
        if (!(occupiedCells(b) >> cell & 1))
            continue;
        for (unsigned i = 0; i < 27; ++i)
            nodes.set(kArenaEdge *
                          (kArenaEdge * (cell / 16 + i / 9 + 1) + cell / 4 % 4 + i / 3 % 3 + 1) +
                      cell % 4 + i % 3 + 1);
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
              cellSpeeds ? core_.cellSpeeds() : std::vector<float>(), materials_);
    return view_;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
