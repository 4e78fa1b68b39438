/// Host particles binned by block.
#pragma once

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/physics/vec.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace floe::sdk::grid {

/// Bins in Morton order, each with the particles of one block in the order of their insertion. The
/// place of a particle does not depend on the number of threads: only rebin() moves particles, on
/// one thread.
/// @tparam Particle  trivially copyable; its member `x` is the offset from the corner of its block
/// [m], so its precision does not depend on the block's place in the world
template <class Particle>
class Bins {
public:
    struct Bin {
        BlockCoordinate block{};
        std::vector<Particle> particles;
    };

    /// @param cellSize  [m] > 0
    explicit Bins(double cellSize) : cellSize_(cellSize) {}

    double cellSize() const { return cellSize_; }
    std::size_t size() const { return bins_.size(); }
    Bin& operator[](std::size_t i) { return bins_[i]; }
    const Bin& operator[](std::size_t i) const { return bins_[i]; }
    std::size_t particles() const
    {
        std::size_t sum = 0;
        for (const Bin& bin : bins_)
            sum += bin.particles.size();
        return sum;
    }
    /// Returns the bin of a block, or null when the block has no particles.
    const Bin* find(const BlockCoordinate& block) const
    {
        const std::int32_t index = map_.find(block);
        return index < 0 ? nullptr : &bins_[static_cast<std::size_t>(index)];
    }
    /// Returns the corner of a block in the world [m].
    physics::Vec3<double> cornerOf(const BlockCoordinate& block) const
    {
        const double edge = kBlockEdge * cellSize_;
        return {block[0] * edge, block[1] * edge, block[2] * edge};
    }
    physics::Vec3<double> placeOf(const Bin& bin, const Particle& particle) const
    {
        return cornerOf(bin.block) +
               physics::Vec3<double>{particle.x.x, particle.x.y, particle.x.z};
    }

    /// Adds a particle at a position in the world; call rebin() after the last.
    /// @return false: beyond the range of blocks, or not a number; the particle was left out
    bool add(const physics::Vec3<double>& place, Particle particle)
    {
        BlockCoordinate block;
        for (int axis = 0; axis < 3; ++axis) {
            const double index = std::floor(place[axis] / (kBlockEdge * cellSize_));
            if (!(std::abs(index) <= kMaxCoordinate))
                return false;
            block[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(index);
        }
        const physics::Vec3<double> offset = place - cornerOf(block);
        particle.x = {static_cast<float>(offset.x), static_cast<float>(offset.y),
                      static_cast<float>(offset.z)};
        binOf(block).particles.push_back(particle);
        return true;
    }

    /// Adds a particle, whose `x` says where it is in a block; call rebin() after the last.
    void put(const BlockCoordinate& block, const Particle& particle)
    {
        binOf(block).particles.push_back(particle);
    }
    /// Drops the particles of blocks for which drops(block). Call rebin() afterwards.
    template <class Drops>
    void drop(const Drops& drops)
    {
        for (Bin& bin : bins_)
            if (drops(bin.block))
                bin.particles.clear();
    }

    /// Moves every particle into the bin of its present block; drops empty bins and particles
    /// beyond the range of blocks.
    void rebin()
    {
        const auto edge = static_cast<float>(kBlockEdge * cellSize_);
        std::vector<std::pair<physics::Vec3<double>, Particle>> leaving;
        for (Bin& bin : bins_)
            std::erase_if(bin.particles, [&](const Particle& p) {
                const bool stays = p.x.x >= 0 && p.x.y >= 0 && p.x.z >= 0 && p.x.x < edge &&
                                   p.x.y < edge && p.x.z < edge;
                if (!stays)
                    leaving.emplace_back(placeOf(bin, p), p);
                return !stays;
            });
        for (const auto& [place, particle] : leaving)
            add(place, particle);
        std::erase_if(bins_, [](const Bin& bin) { return bin.particles.empty(); });
        std::sort(bins_.begin(), bins_.end(), [](const Bin& a, const Bin& b) {
            return mortonOrder(a.block) < mortonOrder(b.block);
        });
        map_.clear();
        for (std::size_t i = 0; i < bins_.size(); ++i)
            map_.insert(bins_[i].block, static_cast<std::int32_t>(i));
    }

    /// Writes everything, for checkpoints: a run continues bit for bit.
    template <class Writer>
    void save(Writer& writer) const
    {
        writer.value(cellSize_);
        writer.value(std::uint64_t{bins_.size()});
        for (const Bin& bin : bins_) {
            writer.value(bin.block);
            writer.array(bin.particles);
        }
    }
    /// @throws Failure  the state is cut short
    template <class Reader>
    static Bins load(Reader& reader)
    {
        Bins bins(reader.template value<double>());
        for (auto left = reader.template value<std::uint64_t>(); left > 0; --left) {
            const auto block = reader.template value<BlockCoordinate>();
            bins.binOf(block).particles = reader.template array<Particle>();
        }
        bins.rebin();
        return bins;
    }

private:
    Bin& binOf(const BlockCoordinate& block)
    {
        std::int32_t index = map_.find(block);
        if (index < 0) {
            index = static_cast<std::int32_t>(bins_.size());
            map_.insert(block, index);
            bins_.push_back({block, {}});
        }
        return bins_[static_cast<std::size_t>(index)];
    }

    double cellSize_;
    std::vector<Bin> bins_;
    BlockMap map_;
};

} // namespace floe::sdk::grid
