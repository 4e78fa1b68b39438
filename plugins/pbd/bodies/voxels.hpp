/// A box of voxels, one bit each, and where it lies in the space of a mesh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace floe::pbd {

/// Voxels along x, y and z.
using VoxelSize = std::array<int, 3>;

/// Bits of a box of voxels, x fastest; rows along x begin at a new word. All are empty at first.
class VoxelSet {
public:
    static constexpr int kMaxAlongAxis = 1024;
    static constexpr std::size_t kMaxVoxels = std::size_t{1} << 27;

    /// @throws std::invalid_argument  a size below 1 or beyond what fits: the limits above
    explicit VoxelSet(const VoxelSize& size)
        : size_(size), words_(static_cast<std::size_t>((size[0] + 63) / 64))
    {
        std::size_t count = 1;
        for (const int along : size) {
            if (along < 1 || along > kMaxAlongAxis)
                throw std::invalid_argument("a body has between 1 and 1024 voxels along each axis; "
                                            "choose larger voxels");
            count *= static_cast<std::size_t>(along);
        }
        if (count > kMaxVoxels)
            throw std::invalid_argument(
                "a body's box holds more than 134 million voxels; choose larger voxels");
        bits_.resize(words_ * static_cast<std::size_t>(size[1]) *
                     static_cast<std::size_t>(size[2]));
    }

    const VoxelSize& size() const { return size_; }
    std::size_t volume() const
    {
        return static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
               static_cast<std::size_t>(size_[2]);
    }
    /// Number of a voxel of the box, x fastest; it must be inside.
    std::size_t number(int x, int y, int z) const
    {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) +
                static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(size_[0]) +
               static_cast<std::size_t>(x);
    }
    /// Outside the box everything is empty.
    bool test(int x, int y, int z) const
    {
        if (x < 0 || y < 0 || z < 0 || x >= size_[0] || y >= size_[1] || z >= size_[2])
            return false;
        return row(y, z)[x / 64] >> (x % 64) & 1;
    }
    void set(int x, int y, int z, bool on)
    {
        const std::uint64_t bit = std::uint64_t{1} << (x % 64);
        std::uint64_t& word = row(y, z)[x / 64];
        word = on ? word | bit : word & ~bit;
    }
    std::size_t count() const
    {
        std::size_t sum = 0;
        for (const std::uint64_t word : bits_)
            sum += static_cast<std::size_t>(__builtin_popcountll(word));
        return sum;
    }
    std::size_t wordsInRow() const { return words_; }
    std::uint64_t* row(int y, int z) { return bits_.data() + rowBegin(y, z); }
    const std::uint64_t* row(int y, int z) const { return bits_.data() + rowBegin(y, z); }

private:
    std::size_t rowBegin(int y, int z) const
    {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) +
                static_cast<std::size_t>(y)) *
               words_;
    }

    VoxelSize size_;
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

/// Where a box of voxels lies: voxel (x, y, z) is a cube centred at
/// origin + edge (x + 1/2, y + 1/2, z + 1/2).
struct VoxelGrid {
    std::array<double, 3> origin; ///< lower corner [m]
    double edge;                  ///< of a voxel [m]
    VoxelSize size;
};

} // namespace floe::pbd
