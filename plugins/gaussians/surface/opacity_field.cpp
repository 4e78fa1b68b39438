#include "surface/opacity_field.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace floe::gaussians {

namespace {

constexpr double kMaxCells = 1e8;
constexpr double kMaxEvaluations = 4e9;
constexpr double kReach = 3;    // standard deviations beyond which a Gaussian counts for nothing
constexpr double kLongest = 16; // cells, of a standard deviation
constexpr std::uint32_t kNobody = ~0u;
constexpr std::size_t kOften = 4096; // between checkpoints

using Index = std::array<std::int64_t, 3>;

[[noreturn]] void refuse(const char* what, double number, double cell)
{
    char text[200];
    std::snprintf(text, sizeof text,
                  "%s (%.2g) with cells of %.3g m; crop the set or use larger cells", what, number,
                  cell);
    throw sdk::Failure(text, FLOE_OUT_OF_MEMORY);
}

/// One Gaussian's place, reach and inverse covariance.
struct Blob {
    Vec3 middle;
    Mat3 inverse;
    Vec3 reach; ///< half the box around it [m]
    double opacity;
    bool isWall; ///< not haze, and not without thickness
};

Blob blobOf(const GaussianSet& set, std::size_t i, double cell)
{
    Quaternion q;
    std::copy_n(&set.rotation[4 * i], 4, q.begin());
    const Mat3 R = matrixOf(q);
    const float* x = &set.x[3 * i];
    Blob blob{};
    blob.middle = {x[0], x[1], x[2]};
    blob.opacity = set.opacity[i];
    blob.isWall = true;
    Vec3 variance, inverse;
    for (int axis = 0; axis < 3; ++axis) {
        const double scale = set.scale[3 * i + static_cast<std::size_t>(axis)];
        blob.isWall = blob.isWall && scale <= kLongest * cell;
        // Thinner than half a cell it would slip between the middles of cells.
        variance[axis] = std::max(scale * scale, 0.25 * cell * cell);
        inverse[axis] = 1 / variance[axis];
    }
    blob.inverse = R * Mat3::diagonal(inverse) * transpose(R);
    const Mat3 covariance = R * Mat3::diagonal(variance) * transpose(R);
    for (int axis = 0; axis < 3; ++axis)
        blob.reach[axis] = kReach * std::sqrt(covariance[axis][axis]);
    return blob;
}

class Field {
public:
    Field(const GaussianSet& set, const FillingSettings& settings, const Checkpoint& checkpoint)
        : set_(set), settings_(settings), checkpoint_(checkpoint)
    {
        measure();
        opacity_.assign(cells(), 0.0f);
        owner_.assign(cells(), kNobody);
        seen_.assign(cells(), 0);
        odd_.assign(cells(), 0);
        for (std::size_t i = 0; i < set_.count(); ++i) {
            if (i % kOften == 0)
                checkpoint_();
            add(i);
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
            look(axis);
        spread();
    }

    GaussianSet inside() const
    {
        std::vector<std::size_t> chosen;
        for (std::size_t c = 0; c < cells(); ++c)
            if (!isWall(c) && seen_[c] == 6 && odd_[c] >= 2)
                chosen.push_back(c);
        if (chosen.size() > settings_.most)
            refuse("the filling has too many Gaussians", static_cast<double>(chosen.size()),
                   settings_.cell);
        GaussianSet filling;
        filling.degree = set_.degree;
        for (const Property& property : set_.properties)
            filling.properties.push_back({property.name, {}});
        filling.resize(chosen.size());
        const double radius = settings_.cell * std::cbrt(3 / (4 * 3.14159265358979323846));
        const std::size_t components = set_.shComponents();
        for (std::size_t n = 0; n < chosen.size(); ++n) {
            const Index at = indexOf(chosen[n]);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                filling.x[3 * n + axis] = static_cast<float>(
                    (static_cast<double>(low_[axis] + at[axis]) + 0.5) * settings_.cell);
                filling.scale[3 * n + axis] = static_cast<float>(radius);
            }
            filling.rotation[4 * n + 3] = 1;
            const std::size_t near = owner_[chosen[n]];
            filling.opacity[n] = set_.opacity[near];
            std::copy_n(&set_.sh[components * near], components, &filling.sh[components * n]);
            for (std::size_t p = 0; p < set_.properties.size(); ++p)
                filling.properties[p].values[n] = set_.properties[p].values[near];
        }
        return filling;
    }

private:
    std::size_t cells() const { return static_cast<std::size_t>(size_[0] * size_[1] * size_[2]); }
    std::size_t numberOf(const Index& at) const
    {
        return static_cast<std::size_t>((at[0] * size_[1] + at[1]) * size_[2] + at[2]);
    }
    Index indexOf(std::size_t number) const
    {
        const auto n = static_cast<std::int64_t>(number);
        return {n / (size_[1] * size_[2]), n / size_[2] % size_[1], n % size_[2]};
    }
    bool isWall(std::size_t number) const
    {
        return opacity_[number] >= static_cast<float>(settings_.threshold);
    }

    /// Finds the box of all walls.
    void measure()
    {
        const double cell = settings_.cell;
        std::array<double, 3> low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
        double evaluations = 0;
        for (std::size_t i = 0; i < set_.count(); ++i) {
            if (i % kOften == 0)
                checkpoint_();
            const Blob blob = blobOf(set_, i, cell);
            if (!blob.isWall)
                continue;
            double own = 1;
            for (int axis = 0; axis < 3; ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                low[a] = std::min(low[a], blob.middle[axis] - blob.reach[axis]);
                high[a] = std::max(high[a], blob.middle[axis] + blob.reach[axis]);
                own *= 2 * blob.reach[axis] / cell + 1;
            }
            evaluations += own;
        }
        if (low[0] > high[0])
            throw sdk::Failure("there are no Gaussians to fill, or all of them are longer than 16 "
                               "cells",
                               FLOE_BAD_ARGUMENT);
        if (evaluations > kMaxEvaluations)
            refuse("the opacity field takes too many evaluations", evaluations, cell);
        double count = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double first = std::floor(low[axis] / cell) - 1;
            const double number = std::floor(high[axis] / cell) + 2 - first;
            count *= number;
            if (!(count <= kMaxCells))
                refuse("the set's box holds too many cells", count, cell);
            low_[axis] = static_cast<std::int64_t>(first);
            size_[axis] = static_cast<std::int64_t>(number);
        }
    }

    /// Adds a Gaussian to the field.
    void add(std::size_t i)
    {
        const double cell = settings_.cell;
        const Blob blob = blobOf(set_, i, cell);
        if (!blob.isWall)
            return;
        Index first, last, middle;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double x = blob.middle[static_cast<int>(axis)],
                         reach = blob.reach[static_cast<int>(axis)];
            const auto at = [&](double place) {
                const auto n = static_cast<std::int64_t>(std::floor(place / cell)) - low_[axis];
                return std::clamp<std::int64_t>(n, 0, size_[axis] - 1);
            };
            first[axis] = at(x - reach);
            last[axis] = at(x + reach);
            middle[axis] = at(x);
        }
        owner_[numberOf(middle)] = static_cast<std::uint32_t>(i);
        for (std::int64_t a = first[0]; a <= last[0]; ++a)
            for (std::int64_t b = first[1]; b <= last[1]; ++b)
                for (std::int64_t c = first[2]; c <= last[2]; ++c) {
                    const Vec3 x = {(static_cast<double>(low_[0] + a) + 0.5) * cell,
                                    (static_cast<double>(low_[1] + b) + 0.5) * cell,
                                    (static_cast<double>(low_[2] + c) + 0.5) * cell};
                    const Vec3 d = x - blob.middle;
                    const double power = 0.5 * dot(d, blob.inverse * d);
                    if (power < 0.5 * kReach * kReach)
                        opacity_[numberOf({a, b, c})] +=
                            static_cast<float>(blob.opacity * std::exp(-power));
                }
    }

    /// Along one axis, both ways: which cells see a wall, and how many begin before them.
    void look(std::size_t axis)
    {
        const std::size_t second = (axis + 1) % 3, third = (axis + 2) % 3;
        Index at{};
        for (at[second] = 0; at[second] < size_[second]; ++at[second]) {
            checkpoint_();
            for (at[third] = 0; at[third] < size_[third]; ++at[third])
                for (const bool forward : {true, false}) {
                    std::int64_t walls = 0; // passed so far
                    bool before = false;
                    for (std::int64_t k = 0; k < size_[axis]; ++k) {
                        at[axis] = forward ? k : size_[axis] - 1 - k;
                        const std::size_t number = numberOf(at);
                        const bool wall = isWall(number);
                        // Entering on the way here is leaving on the way back: one wall either way.
                        walls += wall && !before;
                        before = wall;
                        seen_[number] = static_cast<std::uint8_t>(seen_[number] + (walls > 0));
                        if (forward)
                            odd_[number] = static_cast<std::uint8_t>(odd_[number] + (walls & 1));
                    }
                }
        }
    }

    /// Gives every cell a Gaussian that is near, from cell to cell.
    void spread()
    {
        std::vector<std::uint32_t> front;
        for (std::size_t c = 0; c < cells(); ++c)
            if (owner_[c] != kNobody)
                front.push_back(static_cast<std::uint32_t>(c));
        std::vector<std::uint32_t> next;
        for (; !front.empty(); front.swap(next), next.clear()) {
            checkpoint_();
            for (const std::uint32_t from : front)
                for (std::size_t way = 0; way < 6; ++way) {
                    Index at = indexOf(from);
                    at[way / 2] += way % 2 ? 1 : -1;
                    if (at[way / 2] < 0 || at[way / 2] >= size_[way / 2])
                        continue;
                    const std::size_t to = numberOf(at);
                    if (owner_[to] != kNobody)
                        continue;
                    owner_[to] = owner_[from];
                    next.push_back(static_cast<std::uint32_t>(to));
                }
        }
    }

    const GaussianSet& set_;
    const FillingSettings& settings_;
    const Checkpoint& checkpoint_;
    Index low_{}, size_{}; ///< cells
    std::vector<float> opacity_;
    std::vector<std::uint32_t> owner_; ///< a Gaussian that is near
    std::vector<std::uint8_t> seen_;   ///< in how many of six directions there is a wall
    std::vector<std::uint8_t> odd_;    ///< along how many axes an odd number of walls
};

} // namespace

GaussianSet fillingOf(const GaussianSet& set, const FillingSettings& settings,
                      const Checkpoint& checkpoint)
{
    if (set.count() >= kNobody)
        throw sdk::Failure("a set of more than four billion Gaussians cannot be filled",
                           FLOE_OUT_OF_MEMORY);
    return Field(set, settings, checkpoint).inside();
}

} // namespace floe::gaussians
