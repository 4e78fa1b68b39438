/// How far the faces and cells of a lattice are open, between the walls of a domain and colliders.
#pragma once

#include "fluid.hpp"
#include "lattice.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// The open share of each face is that of a plane cut through it, from signed distances at its
/// corners (Batty et al. 2007).
class Walls {
public:
    /// Samples the surroundings; colliders must be where they are in this step.
    void sample(const Lattice& lattice, const Surroundings& surroundings, double cellSize,
                Executor& executor);

    /// A face with less is closed: its flux is that of the wall.
    static constexpr float kClosed = 0.05f;

    /// Returns whether there may be a wall in or beside a block.
    bool near(std::size_t block) const { return near_[block] != 0; }
    float open(std::size_t face) const { return open_[face]; }
    bool closed(std::size_t face) const { return open_[face] < kClosed; }
    /// Returns whether the wall at a face that is not open holds the fluid in all directions.
    bool sticks(std::size_t face) const { return sticks_[face] != 0; }
    /// Velocity of the wall at a face, along the face's axis [m/s].
    float velocity(std::size_t face) const { return velocity_[face]; }
    /// Open share of a cell.
    float openVolume(std::size_t cell) const { return volume_[cell]; }

private:
    void sampleCorners(const Lattice& lattice, std::size_t block, const Surroundings& surroundings,
                       double cellSize);
    void findShares(const Lattice& lattice, std::size_t block);

    std::vector<std::uint8_t> near_, sticks_, cornerSticks_;
    std::vector<float> open_, velocity_, volume_;
    std::vector<float> distance_;       ///< at the lower corner of each cell [cells]
    std::vector<Vec3f> cornerVelocity_; ///< of the wall there, where the distance is not above 0
};

} // namespace floe::coupled
