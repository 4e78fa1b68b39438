#include "nearest_seed.hpp"

#include <cmath>

namespace floe::fields {

namespace {

/// The voxels of a lattice along one axis, in lines that many threads may work on.
struct Lines {
    std::size_t length, stride; ///< of a line, in voxels
    std::size_t outer, inner;   ///< first voxel of line (a, b): a * outerStride + b * innerStride
    std::size_t outerStride, innerStride;
};

Lines linesAlong(const Lattice& lattice, std::size_t axis)
{
    const std::size_t stride[] = {lattice.planeCount(), lattice.size[2], 1};
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    return {lattice.size[axis], stride[axis], lattice.size[a],
            lattice.size[b],    stride[a],    stride[b]};
}

/// The lower envelope of the parabolas (q - i)^2 + height_i over a line.
class Envelope {
public:
    explicit Envelope(std::size_t length)
        : place_(length), seed_(length), height_(length), from_(length)
    {}

    void clear() { count_ = 0; }
    /// Places must increase.
    void add(std::size_t place, double height, int32_t seed)
    {
        const auto q = static_cast<double>(place);
        double from = -HUGE_VAL;
        while (count_ > 0) {
            const std::size_t last = count_ - 1;
            const auto p = static_cast<double>(place_[last]);
            from = ((height + q * q) - (height_[last] + p * p)) / (2 * (q - p));
            if (from > from_[last])
                break;
            --count_;
            from = -HUGE_VAL;
        }
        place_[count_] = place;
        height_[count_] = height;
        seed_[count_] = seed;
        from_[count_] = from;
        ++count_;
    }
    /// Seed of the lowest parabola at each place of the line. visit(place, seed)
    template <class Visit>
    void each(std::size_t length, const Visit& visit) const
    {
        std::size_t n = 0;
        for (std::size_t q = 0; q < length && count_ > 0; ++q) {
            while (n + 1 < count_ && from_[n + 1] < static_cast<double>(q))
                ++n;
            visit(q, seed_[n]);
        }
    }

private:
    std::vector<std::size_t> place_;
    std::vector<int32_t> seed_;
    std::vector<double> height_, from_; ///< from_: where a parabola begins to be the lowest
    std::size_t count_ = 0;
};

} // namespace

void findNearestSeeds(const sdk::Context& context, const Lattice& lattice,
                      std::vector<int32_t>& nearest)
{
    const auto placeOf = [&](std::size_t voxel) {
        return std::array<double, 3>{static_cast<double>(voxel / lattice.planeCount()),
                                     static_cast<double>(voxel / lattice.size[2] % lattice.size[1]),
                                     static_cast<double>(voxel % lattice.size[2])};
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Lines lines = linesAlong(lattice, axis);
        forEachPlane(context, lines.outer, [&](std::size_t a) {
            Envelope envelope(lines.length);
            for (std::size_t b = 0; b < lines.inner; ++b) {
                const std::size_t first = a * lines.outerStride + b * lines.innerStride;
                envelope.clear();
                for (std::size_t q = 0; q < lines.length; ++q) {
                    const std::size_t voxel = first + q * lines.stride;
                    const int32_t seed = nearest[voxel];
                    if (seed == kNoSeed)
                        continue;
                    // The distance found so far, along the axes before this one.
                    const auto at = placeOf(voxel), to = placeOf(static_cast<std::size_t>(seed));
                    double square = 0;
                    for (std::size_t k = 0; k < 3; ++k)
                        square += (at[k] - to[k]) * (at[k] - to[k]);
                    envelope.add(q, square, seed);
                }
                envelope.each(lines.length, [&](std::size_t q, int32_t seed) {
                    nearest[first + q * lines.stride] = seed;
                });
            }
        });
    }
}

} // namespace floe::fields
