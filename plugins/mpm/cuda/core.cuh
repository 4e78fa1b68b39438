#pragma once

/// Device memory of the CUDA solver, and its kernels in the order of a step.
///
/// One step: toGrid (scatter, nodes), then toParticles (gather, contact, materials, re-binning).
/// The first changes no particle, so a step that turns out too large is done again with a smaller
/// dt. Transfers are kernels of their own; what a fused one (Wang et al. 2020) needs is here:
/// blocks, bins, and a scatter that takes its stress from memory.

#include "activation.cuh"
#include "compaction.cuh"
#include "device.hpp"
#include "gather.cuh"
#include "guard.cuh"
#include "nodes.cuh"
#include "scan.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Particles in host memory, channel by channel as on the device; positions are local to `block`.
struct HostParticles {
    std::uint64_t count = 0;
    std::vector<float> values;       ///< [kChannels][count]
    std::vector<std::int32_t> block; ///< 3 a particle
    std::vector<std::uint32_t> material;
    std::vector<std::uint64_t> id;

    void resize(std::uint64_t n)
    {
        count = n;
        values.assign(kChannels * n, 0.0f);
        block.assign(3 * n, 0);
        material.assign(n, 0);
        id.assign(n, 0);
    }
    float& at(unsigned channel, std::uint64_t particle)
    {
        return values[channel * count + particle];
    }
    float at(unsigned channel, std::uint64_t particle) const
    {
        return values[channel * count + particle];
    }
};

/// Particle blocks in host memory.
struct HostBlocks {
    std::vector<std::int32_t> coordinate; ///< 3 a block
    std::vector<std::uint32_t> state;     ///< BlockState
    std::vector<float> speed, restTime, pushSpeed;
    std::vector<float> gain;              ///< 3 a block
    std::vector<std::uint32_t> particles; ///< how many each holds, [block][material]
};

/// What a law consists of: its kind, then its numbers, zero behind them. Equal for equal laws,
/// which the bytes of the union are not.
using LawNumbers = std::array<float, 16>;
inline LawNumbers lawNumbers(const physics::Material& material)
{
    LawNumbers numbers{};
    numbers[0] = static_cast<float>(material.kind);
    physics::visitLaw(material, [&](const auto& law) {
        static_assert(sizeof law <= sizeof(float) * 15);
        std::memcpy(&numbers[1], &law, sizeof law);
    });
    return numbers;
}

class Core {
public:
    Core(Device device, double cellSize)
        : device_(device), dx_(static_cast<float>(cellSize)), cellSize_(cellSize), values_(device_),
          material_(device_), id_(device_), spareValues_(device_), spareMaterial_(device_),
          spareId_(device_), own_(device_), restingGain_(device_), cellSpeeds_(device_),
          resting_(device_), bin_(device_), rank_(device_), count_(device_), tiles_(device_),
          coordinates_(device_), spareCoordinates_(device_), sums_(device_), velocities_(device_),
          report_(device_), blocks_{BlockArrays(device_), BlockArrays(device_)}
    {
        report_.need(1);
        found_.notFinite = ~0ull;
    }
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    Device& device() { return device_; }
    /// Places in memory that hold a particle or one that was deleted since the last compaction.
    std::uint64_t particleCount() const { return particles_; }
    std::uint32_t particleBlocks() const { return particleBlocks_; }
    std::uint32_t blockCount() const { return blockCount_; }
    /// What kernels found since the last step began; maxima of the particles as they are.
    const Report& found() const { return found_; }

    /// The laws, by material index. May change their numbers at any time between steps, and grow.
    void setMaterials(std::vector<physics::Material> materials)
    {
        const bool grew = materials.size() != materials_.size();
        bool changed = false;
        for (std::size_t m = 0; m < std::min(materials.size(), materials_.size()); ++m)
            changed = changed || lawNumbers(materials[m]) != lawNumbers(materials_[m]);
        if (grew && particles_ > 0)
            writeBlockCoordinates();
        materials_ = std::move(materials);
        if (grew && particles_ > 0)
            rebuild(particles_);
        if (changed)
            findStress();
    }
    const std::vector<physics::Material>& materials() const { return materials_; }

    /// Stress of all particles as they are: after laws changed.
    void findStress()
    {
        if (particles_ == 0)
            return;
        step_.dt = 0;
        step_.dx = dx_;
        found_.maxWave = 0;
        found_.maxForce = 0;
        report_.upload(&found_, 1);
        updateMaterials(0, false);
        found_ = readReport();
    }

    /// Adds particles to blocks that become active, and finds their stress. Ids must be larger than
    /// all before.
    /// @throws std::bad_alloc
    /// @param asleep  those at rest do not wake their blocks
    void add(const HostParticles& more, bool asleep = false)
    {
        if (more.count == 0)
            return;
        const std::uint64_t before = particles_;
        try {
            append(more);
            rebuild(before, asleep);
        } catch (...) {
            particles_ = before; // what was there is untouched
            throw;
        }
        step_.dt = 0;
        step_.dx = dx_;
        const Report old = found_;
        Report fresh{};
        fresh.notFinite = ~0ull;
        report_.upload(&fresh, 1);
        updateMaterials(*std::min_element(more.id.begin(), more.id.end()), false);
        found_ = readReport();
        found_.maxComponent = old.maxComponent;
        found_.maxGradient = std::max(found_.maxGradient, old.maxGradient);
        for (std::uint64_t p = 0; p < more.count; ++p)
            for (unsigned axis = 0; axis < 3; ++axis)
                found_.maxComponent =
                    std::max(found_.maxComponent,
                             std::bit_cast<int>(std::abs(more.at(kVelocity + axis, p))));
        found_.maxSpeed = std::max(found_.maxSpeed, old.maxSpeed);
        found_.maxWave = std::max(found_.maxWave, old.maxWave);
        found_.maxMomentum = std::max(found_.maxMomentum, old.maxMomentum);
        found_.maxForce = std::max(found_.maxForce, old.maxForce);
        found_.maxMass = std::max(found_.maxMass, old.maxMass);
        HostBlocks made = blocks();
        std::map<std::array<std::int32_t, 3>, std::size_t> at;
        for (std::size_t b = 0; b < made.state.size(); ++b)
            at[{made.coordinate[3 * b], made.coordinate[3 * b + 1], made.coordinate[3 * b + 2]}] =
                b;
        for (std::uint64_t p = 0; p < more.count; ++p) {
            const auto block =
                at.find({more.block[3 * p], more.block[3 * p + 1], more.block[3 * p + 2]});
            if (block == at.end())
                continue;
            const float speed = std::hypot(more.at(kVelocity, p), more.at(kVelocity + 1, p),
                                           more.at(kVelocity + 2, p));
            made.speed[block->second] = std::max(made.speed[block->second], speed);
        }
        now().speed.upload(made.speed.data(), made.speed.size());
        markStates();
    }

    /// Instead of all there was: particles with their stress, the states of their blocks, and what
    /// found() was.
    void restore(const HostParticles& all, const HostBlocks& states, const Report& found)
    {
        found_ = found;
        particles_ = 0;
        particleBlocks_ = blockCount_ = 0;
        if (all.count == 0)
            return;
        append(all);
        rebuild(0);
        // Blocks were made anew, in another order: match them by coordinate.
        HostBlocks made = blocks();
        const auto key = [](const std::int32_t* c) {
            return std::array<std::int32_t, 3>{c[0], c[1], c[2]};
        };
        std::map<std::array<std::int32_t, 3>, std::size_t> saved;
        for (std::size_t i = 0; i < states.state.size(); ++i)
            saved[key(states.coordinate.data() + 3 * i)] = i;
        for (std::size_t i = 0; i < made.state.size(); ++i) {
            const auto at = saved.find(key(made.coordinate.data() + 3 * i));
            if (at == saved.end())
                continue;
            made.state[i] = states.state[at->second];
            made.speed[i] = states.speed[at->second];
            made.restTime[i] = states.restTime[at->second];
            made.pushSpeed[i] = states.pushSpeed[at->second];
            std::copy_n(states.gain.begin() + std::ptrdiff_t(3 * at->second), 3,
                        made.gain.begin() + std::ptrdiff_t(3 * i));
        }
        now().state.upload(made.state.data(), made.state.size());
        now().speed.upload(made.speed.data(), made.speed.size());
        now().restTime.upload(made.restTime.data(), made.restTime.size());
        now().pushSpeed.upload(made.pushSpeed.data(), made.pushSpeed.size());
        now().gain.upload(made.gain.data(), made.gain.size());
        markStates();
    }

    /// Gives the places of deleted particles free.
    void compact()
    {
        if (particles_ == 0)
            return;
        writeBlockCoordinates();
        const auto count = static_cast<std::uint32_t>(particles_);
        bin_.need(particles_);
        rank_.need(particles_ + 1);
        FLOE_LAUNCH(markLiving, groups(count, 128), 128, 0, device_.stream(), particles(), count,
                    bin_.data());
        scan(bin_.data(), particles_, rank_.data());
        std::uint32_t living = 0;
        device_.download(&living, rank_.data() + particles_, sizeof living);
        if (living == count)
            return;
        needSpare(stride_);
        spareCoordinates_.need(3 * particles_);
        FLOE_LAUNCH(compactValues, groups(count, 128), 128, 0, device_.stream(), particles(),
                    spareParticles(), bin_.data(), rank_.data(), coordinates_.data(),
                    spareCoordinates_.data(), count);
        device_.checkLaunch("compactValues");
        swapSpare();
        std::swap(coordinates_, spareCoordinates_);
        particles_ = living;
        if (living > 0)
            rebuild(living);
        else
            particleBlocks_ = blockCount_ = 0;
        markStates();
    }

    /// All particles, deleted ones (mass 0) too, in memory order.
    HostParticles download()
    {
        HostParticles all;
        all.resize(particles_);
        if (particles_ == 0)
            return all;
        writeBlockCoordinates();
        for (unsigned channel = 0; channel < kChannels; ++channel)
            device_.download(all.values.data() + channel * particles_,
                             values_.data() + channel * stride_, particles_ * sizeof(float));
        all.block = coordinates_.download(3 * particles_);
        all.material = material_.download(particles_);
        all.id = id_.download(particles_);
        return all;
    }

    HostBlocks blocks()
    {
        HostBlocks all;
        all.coordinate = now().coordinate.download(3 * std::size_t(particleBlocks_));
        all.state = now().state.download(particleBlocks_);
        all.speed = now().speed.download(particleBlocks_);
        all.restTime = now().restTime.download(particleBlocks_);
        all.pushSpeed = now().pushSpeed.download(particleBlocks_);
        all.gain = now().gain.download(3 * std::size_t(particleBlocks_));
        all.particles.resize(std::size_t(particleBlocks_) * materialCount_);
        if (particleBlocks_ > 0) {
            const auto start =
                now().start.download(std::size_t(particleBlocks_) * materialCount_ + 1);
            for (std::size_t i = 0; i < all.particles.size(); ++i)
                all.particles[i] = start[i + 1] - start[i];
        }
        return all;
    }

    /// New states, active or passive, for all particle blocks in the order of blocks(). What falls
    /// asleep is put to rest; neighbours of active blocks become boundary blocks.
    void setStates(const std::vector<std::uint32_t>& state, const std::vector<float>& restTime)
    {
        if (particleBlocks_ == 0)
            return;
        now().state.upload(state.data(), particleBlocks_);
        now().restTime.upload(restTime.data(), particleBlocks_);
        markStates();
        if (found_.active == particleBlocks_)
            return;
        FLOE_LAUNCH(putToRest, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view());
        device_.checkLaunch("putToRest");
        step_.dt = 0;
        step_.dx = dx_;
        updateMaterials(0, true); // stress without the viscous part
    }

    /// Cell by cell, how fast each particle block is [block][cell] (mpm::SpeedField).
    std::vector<float> cellSpeeds()
    {
        if (particleBlocks_ == 0)
            return {};
        cellSpeeds_.need(std::size_t(particleBlocks_) * kBlockNodes);
        FLOE_LAUNCH(findCellSpeeds, particleBlocks_, kBlockNodes, 0, device_.stream(), particles(),
                    now().view(), 0x1p20f / std::bit_cast<float>(found_.maxMass),
                    cellSpeeds_.data());
        device_.checkLaunch("findCellSpeeds");
        return cellSpeeds_.download(std::size_t(particleBlocks_) * kBlockNodes);
    }

    /// After toGrid(): what the grid would do to boundary blocks. Those pushed faster than
    /// `wakeSpeed` [m/s] (<= 0: none) become active; then the grid has to be made again.
    /// @param forget  share of its memory that the guard keeps in this step
    /// @return how many were woken
    std::uint32_t guard(float forget, float wakeSpeed)
    {
        if (found_.boundary == 0)
            return 0;
        own_.need(std::size_t(particleBlocks_) * kArenaNodes);
        resting_.need(std::size_t(blockCount_) * kBlockNodes);
        resting_.fill(0, std::size_t(blockCount_) * kBlockNodes);
        restingGain_.need(3 * std::size_t(particleBlocks_));
        found_.woken = 0;
        report_.upload(&found_, 1);
        const RestingMass resting{own_.data(), resting_.data()};
        FLOE_LAUNCH(findRestingMass, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), resting, step_);
        FLOE_LAUNCH(findPush, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), grid(), resting, forget, wakeSpeed, restingGain_.data(),
                    report_.data());
        device_.checkLaunch("findPush");
        found_ = readReport();
        if (found_.woken > 0)
            markStates();
        else
            FLOE_LAUNCH(keepGain, groups(particleBlocks_, 128), 128, 0, device_.stream(),
                        now().view(), restingGain_.data());
        return found_.woken;
    }

    /// Scatters and updates nodes with this dt; found() then has what the nodes do.
    void toGrid(float dt, const Environment& environment)
    {
        chooseUnits(dt);
        sums_.need(std::size_t(blockCount_) * 4 * kBlockNodes);
        velocities_.need(std::size_t(blockCount_) * 3 * kBlockNodes);
        sums_.fill(0, std::size_t(blockCount_) * 4 * kBlockNodes);
        found_.maxNodeComponent = 0;
        found_.badNodes = 0;
        if (particleBlocks_ == 0)
            return;
        report_.upload(&found_, 1);
        FLOE_LAUNCH(scatter, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), grid(), step_);
        device_.checkLaunch("scatter");
        FLOE_LAUNCH(updateNodes, blockCount_, kBlockNodes, 0, device_.stream(), now().view(),
                    grid(), step_, environment, report_.data());
        device_.checkLaunch("updateNodes");
        found_ = readReport();
    }

    /// Node velocities [block][x, y, z][node], masses [block][node] [kg] and block coordinates of
    /// the last toGrid(): for forces that only the host knows.
    struct HostNodes {
        std::vector<float> velocity, mass;
        std::vector<std::int32_t> coordinate;
    };
    HostNodes downloadNodes()
    {
        HostNodes nodes;
        const std::size_t count = std::size_t(blockCount_) * kBlockNodes;
        nodes.velocity = velocities_.download(3 * count);
        nodes.coordinate = now().coordinate.download(3 * std::size_t(blockCount_));
        const auto sums = sums_.download(4 * count);
        nodes.mass.resize(count);
        for (std::size_t i = 0; i < count; ++i)
            nodes.mass[i] = static_cast<float>(
                step_.massUnit * static_cast<double>(static_cast<long long>(
                                     sums[i / kBlockNodes * 4 * kBlockNodes + i % kBlockNodes])));
        return nodes;
    }
    void uploadVelocities(const HostNodes& nodes)
    {
        velocities_.upload(nodes.velocity.data(), nodes.velocity.size());
    }

    /// Moves particles with the grid of the last toGrid(), updates materials and bins. found() then
    /// has what the particles do; when it names one that is not finite, bins are left alone.
    void toParticles(const Environment& environment, bool particleContact, float restSpeed,
                     std::int32_t chance)
    {
        step_.chance = chance;
        Report fresh{};
        fresh.notFinite = ~0ull;
        fresh.maxNodeComponent = found_.maxNodeComponent;
        fresh.active = found_.active;
        fresh.boundary = found_.boundary;
        report_.upload(&fresh, 1);
        if (particleBlocks_ == 0) {
            found_ = fresh;
            return;
        }
        FLOE_LAUNCH(gather, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), grid(), step_, restSpeed, report_.data());
        device_.checkLaunch("gather");
        if (particleContact) {
            FLOE_LAUNCH(contactParticles, particleBlocks_, kThreads, 0, device_.stream(),
                        particles(), now().view(), cellSize_, environment, report_.data());
            device_.checkLaunch("contactParticles");
        }
        updateMaterials(0, false);
        found_ = readReport();
        if (found_.notFinite == ~0ull) {
            bin();
            markStates();
        }
    }

    std::size_t bytes() const
    {
        return (values_.capacity() + spareValues_.capacity() + velocities_.capacity() +
                own_.capacity() + restingGain_.capacity() + cellSpeeds_.capacity()) *
                   sizeof(float) +
               (material_.capacity() + spareMaterial_.capacity() + bin_.capacity() +
                rank_.capacity() + count_.capacity() + coordinates_.capacity() +
                spareCoordinates_.capacity()) *
                   4 +
               (id_.capacity() + spareId_.capacity() + sums_.capacity() + resting_.capacity()) * 8 +
               blocks_[0].bytes() + blocks_[1].bytes();
    }

private:
    /// One generation of blocks; the other is made while particles move from one to the other.
    struct BlockArrays {
        DeviceArray<std::int32_t> coordinate;
        DeviceArray<std::uint32_t> start, order, neighbour, state;
        DeviceArray<float> speed, restTime, pushSpeed, gain;
        DeviceArray<unsigned long long> key;
        DeviceArray<unsigned> keyBlock;
        std::uint32_t tableMask = 0, particleBlocks = 0, capacity = 0, materials = 1;

        explicit BlockArrays(Device& device)
            : coordinate(device), start(device), order(device), neighbour(device), state(device),
              speed(device), restTime(device), pushSpeed(device), gain(device), key(device),
              keyBlock(device)
        {}
        Blocks view() const
        {
            return {coordinate.data(), start.data(),
                    order.data(),      neighbour.data(),
                    state.data(),      speed.data(),
                    restTime.data(),   pushSpeed.data(),
                    gain.data(),       {key.data(), keyBlock.data(), tableMask},
                    particleBlocks,    capacity,
                    materials};
        }
        std::size_t bytes() const
        {
            return 4 * (coordinate.capacity() + start.capacity() + order.capacity() +
                        neighbour.capacity() + 7 * state.capacity() + keyBlock.capacity()) +
                   8 * key.capacity();
        }
    };
    BlockArrays& now() { return blocks_[current_]; }
    BlockArrays& next() { return blocks_[1 - current_]; }

    static unsigned groups(std::uint64_t threads, unsigned size)
    {
        return static_cast<unsigned>((threads + size - 1) / size);
    }
    Particles particles() const { return {values_.data(), material_.data(), id_.data(), stride_}; }
    Particles spareParticles() const
    {
        return {spareValues_.data(), spareMaterial_.data(), spareId_.data(), stride_};
    }
    Grid grid() const { return {sums_.data(), velocities_.data()}; }
    Report readReport()
    {
        Report value;
        device_.download(&value, report_.data(), sizeof value);
        return value;
    }
    void needSpare(std::uint64_t stride)
    {
        spareValues_.need(kChannels * stride);
        spareMaterial_.need(stride);
        spareId_.need(stride);
    }
    void swapSpare()
    {
        std::swap(values_, spareValues_);
        std::swap(material_, spareMaterial_);
        std::swap(id_, spareId_);
    }

    void writeBlockCoordinates()
    {
        coordinates_.need(3 * particles_);
        FLOE_LAUNCH(writeCoordinates, particleBlocks_, kThreads, 0, device_.stream(), now().view(),
                    coordinates_.data());
        device_.checkLaunch("writeCoordinates");
    }

    /// Puts particles behind those there are; their blocks are in coordinates_ then, and not yet
    /// made.
    void append(const HostParticles& more)
    {
        const std::uint64_t before = particles_, after = before + more.count;
        if (after >= 0xFFFFFF00ull)
            throw std::bad_alloc();
        if (before > 0)
            writeBlockCoordinates();
        coordinates_.grow(3 * after, 3 * before);
        coordinates_.upload(more.block.data(), 3 * more.count, 3 * before);
        if (after > stride_) {
            const std::uint64_t stride = after + after / 4;
            needSpare(stride);
            for (unsigned channel = 0; channel < kChannels && before > 0; ++channel)
                device_.copy(spareValues_.data() + channel * stride,
                             values_.data() + channel * stride_, before * sizeof(float));
            if (before > 0) {
                device_.copy(spareMaterial_.data(), material_.data(), before * 4);
                device_.copy(spareId_.data(), id_.data(), before * 8);
            }
            swapSpare();
            stride_ = stride;
        }
        for (unsigned channel = 0; channel < kChannels; ++channel)
            values_.upload(more.values.data() + channel * more.count, more.count,
                           channel * stride_ + before);
        material_.upload(more.material.data(), more.count, before);
        id_.upload(more.id.data(), more.count, before);
        particles_ = after;
    }

    /// Units of the grid's sums: 2^24 of the largest contributions at one node stay below 2^62
    /// units.
    void chooseUnits(float dt)
    {
        const auto exponent = [](double bound) {
            int above = 0;
            std::frexp(std::max(bound, 1e-30) * 1.001, &above); // bound < 2^above
            return 62 - 24 + 1 - above;
        };
        const auto real = [](int bits) {
            return static_cast<double>(std::bit_cast<float>(bits));
        };
        step_.dt = dt;
        step_.dx = dx_;
        step_.cellSize = cellSize_;
        step_.massExponent = exponent(real(found_.maxMass));
        step_.momentumExponent =
            exponent(real(found_.maxMomentum) + double(dt) * real(found_.maxForce));
        step_.massUnit = std::ldexp(1.0, -step_.massExponent);
        step_.velocityUnit = std::ldexp(1.0, step_.massExponent - step_.momentumExponent);
    }

    void updateMaterials(std::uint64_t firstId, bool still)
    {
        for (std::uint32_t m = 0; m < materials_.size(); ++m)
            physics::visitLaw(materials_[m], [&](const auto& law) {
                using Law = std::remove_cvref_t<decltype(law)>;
                FLOE_LAUNCH((updateMaterial<Law>), particleBlocks_, kThreads, 0, device_.stream(),
                            particles(), now().view(), law, m, step_, firstId, still,
                            report_.data());
                device_.checkLaunch("updateMaterial");
            });
    }

    /// Boundary blocks and what they can scatter, and how many blocks are in each state.
    void markStates()
    {
        found_.active = found_.boundary = 0;
        if (particleBlocks_ == 0)
            return;
        report_.upload(&found_, 1);
        FLOE_LAUNCH(markBoundary, groups(particleBlocks_, 128), 128, 0, device_.stream(),
                    now().view(), report_.data());
        device_.checkLaunch("markBoundary");
        found_ = readReport();
        if (found_.boundary > 0) {
            step_.dx = dx_;
            FLOE_LAUNCH(boundStill, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                        now().view(), step_, report_.data());
            device_.checkLaunch("boundStill");
            found_ = readReport();
        }
    }

    /// Room for `wanted` blocks in the next generation, and an empty table for them.
    void prepareBlocks(std::uint32_t wanted);
    /// After counting: starts, slots, arenas; then the next generation is the present one.
    /// @return false when blocks did not fit and all must be done again
    /// @param asleep  blocks at a new place are, unless something moves in them
    bool finishBlocks(bool asleep);
    /// New blocks for particles that have moved.
    void bin();
    /// Blocks from coordinates_. Particles from `firstNew` on wake their blocks.
    void rebuild(std::uint64_t firstNew, bool asleep = false);
    void scan(const std::uint32_t* values, std::uint64_t count, std::uint32_t* sums);
    /// Moves payload into slot order.
    void reorder();

    /// Steps between moves of the payload; order decays slowly (as in taichi_mpm).
    static constexpr unsigned kReorderInterval = 64;

    Device device_;
    float dx_;
    double cellSize_;
    std::vector<physics::Material> materials_;
    std::uint32_t materialCount_ = 1;

    std::uint64_t particles_ = 0, stride_ = 0;
    DeviceArray<float> values_;
    DeviceArray<std::uint32_t> material_;
    DeviceArray<std::uint64_t> id_;
    DeviceArray<float> spareValues_;
    DeviceArray<std::uint32_t> spareMaterial_;
    DeviceArray<std::uint64_t> spareId_;

    DeviceArray<float> own_, restingGain_, cellSpeeds_;
    DeviceArray<unsigned long long> resting_;
    DeviceArray<std::uint32_t> bin_, rank_, count_, tiles_;
    DeviceArray<std::int32_t> coordinates_, spareCoordinates_;
    DeviceArray<unsigned long long> sums_;
    DeviceArray<float> velocities_;
    DeviceArray<Report> report_;
    BlockArrays blocks_[2];
    int current_ = 0;
    std::uint32_t particleBlocks_ = 0, blockCount_ = 0;
    unsigned binnings_ = 0;

    StepNumbers step_{};
    Report found_{};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "core_blocks.inl"
