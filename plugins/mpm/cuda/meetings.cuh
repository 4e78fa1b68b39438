#pragma once

/// Device memory of bodies that meet by contact, and what is launched for them.

#include "meeting.cuh"
#include "refusals.hpp"
#include "world.cuh"

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

static_assert(kMaxMaterials <= 64); // bits of BodyNodes::bodies

class Meetings {
public:
    /// @param device  outlives this
    Meetings(Device& device, double cellSize, int support)
        : device_(&device), reach_(support), cubic_(support == 4), start_(device),
          coordinate_(device), neighbour_(device), state_(device), speed_(device),
          restTime_(device), firstPart_(device), partBlock_(device), partBody_(device),
          bodies_(device), firstShared_(device), sharedBlock_(device), sharedBody_(device),
          count_(device), extents_(device), friction_(device), sound_(device),
          perCell_(static_cast<float>(1 / (cellSize * cellSize * cellSize)))
    {}

    /// Sets Coulomb's coefficients of pairs, [body][body], and the bodies' speeds of sound [m/s].
    void setPairs(std::span<const double> friction, std::span<const float> sound)
    {
        friction_.need(friction.size());
        friction_.upload(friction.data(), friction.size());
        sound_.need(sound.size());
        sound_.upload(sound.data(), sound.size());
    }

    /// Call when blocks have changed.
    void forget()
    {
        known_ = false;
        sharedCount_ = 0;
    }
    /// Finds parts and shared nodes unless they are known, and gives parts their blocks' state.
    /// Waits for the device when blocks have changed.
    /// @param blocks  with particles  @param blockCount  with those that only provide nodes
    /// @param scan    Core::scan()
    /// @throws std::bad_alloc
    template <class Scan>
    void begin(const Blocks& blocks, std::uint32_t blockCount, const Scan& scan);
    /// Gives blocks their parts' motion.
    void end(const Blocks& blocks)
    {
        FLOE_LAUNCH(endParts, groups(blocks.particleBlocks), 128, 0, device_->stream(), blocks,
                    parts(), partsAsBlocks(blocks));
        device_->checkLaunch("endParts");
    }

    /// Returns the parts as what kernels of particles work on.
    Blocks partsAsBlocks(const Blocks& blocks) const
    {
        Blocks made = blocks;
        made.coordinate = coordinate_.data();
        made.start = start_.data();
        made.neighbour = neighbour_.data();
        made.state = state_.data();
        made.speed = speed_.data();
        made.restTime = restTime_.data();
        made.particleBlocks = partCount_;
        return made;
    }
    /// Returns how many blocks of nodes bodies share, each counted once for each of its bodies.
    std::uint32_t sharedCount() const { return sharedCount_; }
    BodyNodes nodes() const
    {
        return {bodies_.data(), firstShared_.data(), sharedBlock_.data(), sharedBody_.data(),
                blockCount_};
    }
    /// Returns the blocks of the nodes that bodies share, in their order.
    std::vector<std::uint32_t> sharedBlocks() const { return sharedBlock_.download(sharedCount_); }

    /// Computes the velocities of the nodes of one body alone where there are mirrors.
    void updateAlone(const Blocks& blocks, const Grid& grid, const StepNumbers& step,
                     const Environment& environment, Report* report);
    /// Computes the velocities of shared nodes.
    void meet(const Particles& particles, const Blocks& blocks, const Grid& grid,
              const StepNumbers& step, const Environment& environment, Report* report);

    std::size_t bytes() const
    {
        return 4 * (start_.capacity() + coordinate_.capacity() + neighbour_.capacity() +
                    5 * state_.capacity() + firstPart_.capacity() + firstShared_.capacity() +
                    2 * sharedBlock_.capacity() + count_.capacity()) +
               8 * bodies_.capacity() + extents_.capacity();
    }

private:
    static unsigned groups(std::uint64_t threads)
    {
        return static_cast<unsigned>((threads + 127) / 128);
    }
    Parts parts() const { return {firstPart_.data(), partBlock_.data(), partBody_.data()}; }
    template <class Scan>
    void find(const Blocks& blocks, const Scan& scan);

    Device* device_;
    rules::Reach reach_;
    bool cubic_, known_ = false;
    std::uint32_t partCount_ = 0, blockCount_ = 0, sharedCount_ = 0;
    DeviceArray<std::uint32_t> start_; ///< the parts, as Blocks
    DeviceArray<std::int32_t> coordinate_;
    DeviceArray<std::uint32_t> neighbour_, state_;
    DeviceArray<float> speed_, restTime_;
    DeviceArray<std::uint32_t> firstPart_, partBlock_, partBody_; ///< Parts
    DeviceArray<unsigned long long> bodies_;                      ///< BodyNodes
    DeviceArray<std::uint32_t> firstShared_, sharedBlock_, sharedBody_;
    DeviceArray<std::uint32_t> count_;
    DeviceArray<unsigned char> extents_; ///< of shared nodes
    DeviceArray<double> friction_;
    DeviceArray<float> sound_;
    float perCell_;
};

template <class Scan>
void Meetings::begin(const Blocks& blocks, std::uint32_t blockCount, const Scan& scan)
{
    if (!known_) {
        blockCount_ = blockCount;
        find(blocks, scan);
    }
    known_ = true;
    FLOE_LAUNCH(beginParts, groups(partCount_), 128, 0, device_->stream(), blocks, parts(),
                partsAsBlocks(blocks));
    device_->checkLaunch("beginParts");
}

template <class Scan>
void Meetings::find(const Blocks& blocks, const Scan& scan)
{
    const std::uint32_t bins = blocks.particleBlocks * blocks.materials;
    bodies_.need(blockCount_);
    bodies_.fill(0, blockCount_);
    count_.need(blockCount_);
    count_.fill(0, blocks.particleBlocks);
    FLOE_LAUNCH(countParts, groups(bins), 128, 0, device_->stream(), blocks, count_.data(),
                bodies_.data());
    firstPart_.need(blocks.particleBlocks + std::size_t{1});
    scan(count_.data(), blocks.particleBlocks, firstPart_.data());
    FLOE_LAUNCH(countShared, groups(blockCount_), 128, 0, device_->stream(), bodies_.data(),
                blockCount_, count_.data());
    firstShared_.need(blockCount_ + std::size_t{1});
    scan(count_.data(), blockCount_, firstShared_.data());
    device_->checkLaunch("countShared");
    device_->enqueueDownload(&partCount_, firstPart_.data() + blocks.particleBlocks,
                             sizeof partCount_);
    device_->enqueueDownload(&sharedCount_, firstShared_.data() + blockCount_, sizeof sharedCount_);
    device_->synchronise();
    // Kernels count starts and neighbours in 32 bits.
    if (std::uint64_t(partCount_) * std::max(blocks.materials, 27u) >= 0xFFFFFF00ull)
        throw std::bad_alloc();
    start_.need(std::size_t(partCount_) * blocks.materials + 1);
    coordinate_.need(3 * std::size_t(partCount_));
    neighbour_.need(27 * std::size_t(partCount_));
    for (DeviceArray<std::uint32_t>* array : {&state_, &partBlock_, &partBody_})
        array->need(partCount_);
    speed_.need(partCount_);
    restTime_.need(partCount_);
    sharedBlock_.need(sharedCount_);
    sharedBody_.need(sharedCount_);
    FLOE_LAUNCH(listParts, groups(bins), 128, 0, device_->stream(), blocks, parts(),
                partsAsBlocks(blocks));
    FLOE_LAUNCH(listShared, groups(blockCount_), 128, 0, device_->stream(), nodes());
    FLOE_LAUNCH(linkParts, groups(27 * std::uint64_t(partCount_)), 128, 0, device_->stream(),
                blocks, parts(), nodes(), partsAsBlocks(blocks));
    device_->checkLaunch("linkParts");
}

inline void Meetings::updateAlone(const Blocks& blocks, const Grid& grid, const StepNumbers& step,
                                  const Environment& environment, Report* report)
{
    if (blocks.particleBlocks == 0)
        return;
    if (environment.colliderCount > 0)
        FLOE_LAUNCH(updateNodesOfBodies<true>, blockCount_, kBlockNodes, 0, device_->stream(),
                    blocks, grid, nodes(), step, environment, report);
    else
        FLOE_LAUNCH(updateNodesOfBodies<false>, blockCount_, kBlockNodes, 0, device_->stream(),
                    blocks, grid, nodes(), step, environment, report);
}

inline void Meetings::meet(const Particles& particles, const Blocks& blocks, const Grid& grid,
                           const StepNumbers& step, const Environment& environment, Report* report)
{
    if (sharedCount_ == 0)
        return;
    const std::size_t bytes = std::size_t(sharedCount_) * NodeSums::kBytes;
    extents_.need(bytes);
    extents_.fill(0, bytes);
    const Extents extents{extents_.data()};
    if (cubic_)
        FLOE_LAUNCH(measureBodies<4>, partCount_, kThreads, 0, device_->stream(), particles,
                    partsAsBlocks(blocks), blockCount_, extents, perCell_);
    else
        FLOE_LAUNCH(measureBodies<3>, partCount_, kThreads, 0, device_->stream(), particles,
                    partsAsBlocks(blocks), blockCount_, extents, perCell_);
    device_->checkLaunch("measureBodies");
    const BodyPairs pairs{friction_.data(), sound_.data(), blocks.materials, reach_};
    if (environment.colliderCount > 0)
        FLOE_LAUNCH(meetBodies<true>, sharedCount_, kBlockNodes, 0, device_->stream(), blocks, grid,
                    nodes(), extents, pairs, step, environment, report);
    else
        FLOE_LAUNCH(meetBodies<false>, sharedCount_, kBlockNodes, 0, device_->stream(), blocks,
                    grid, nodes(), extents, pairs, step, environment, report);
    device_->checkLaunch("meetBodies");
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
