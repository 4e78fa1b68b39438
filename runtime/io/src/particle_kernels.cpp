#include "particle_kernels.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/sdk/physics/pack.hpp"
#include "floe/sdk/physics/svd.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::io {

namespace {

using sdk::grid::BlockCoordinate;

/// How far a particle looks for neighbours [spacings].
constexpr double kSight = 4;
/// Semi-axis of a kernel deep in matter and of one alone [spacings], which is filled by this much
/// more, so that one sees about a ball of its volume.
constexpr double kAxis = 3.2, kLoneAxis = 1.7, kLoneFilled = 3.2;
/// The longest axis over that of a kernel deep in matter, and over the shortest.
constexpr double kLongest = 1.25, kFlattest = 3;
/// Variance of a neighbour's coordinate deep in matter [kSight^2], and the sum of weights there
/// [particles], both with weights 1 - (distance / kSight)^2.
constexpr double kFullVariance = 1.0 / 7;
constexpr double kFullWeight = 8 * std::numbers::pi / 15 * kSight * kSight * kSight;
/// Sums of weights between which a kernel goes from a ball to an ellipsoid.
constexpr double kLoneWeight = 2, kJoinedWeight = 12;
/// Densities, relative to that of matter of the same shape, between which particles go from drops
/// of their own to one body, and below which a body is filled more, by this much at most.
constexpr double kApart = 0.2, kTogether = 0.5, kThinned = 1, kMaxThinned = 3;
/// Shares of kFullWeight between which matter goes from thin to thick: a sheet has 0.22, an edge
/// 0.25, a flat surface 0.5.
constexpr double kThin = 0.2, kThick = 0.34;
/// Share of a cell that particles' volumes fill in matter; surfaces run through cells with less.
constexpr double kFullCell = 0.3;

/// Share of kFullWeight that matter has whose neighbours are spread as these, relative to what is
/// spread deep in it: 1 there, a half on a surface, an eighth in a corner, 0.23 in a sheet.
double expectedShare(const std::array<double, 3>& variances)
{
    double share = 1;
    for (const double variance : variances)
        share *= 0.2 + 0.8 * variance;
    return share;
}

double smoothStep(double low, double high, double x)
{
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

} // namespace

MatterCells::MatterCells(const Matter& matter, const std::function<void()>& check) : matter_(matter)
{
    edge_ = 0.5 * kSight * *std::ranges::max_element(matter.spacing);
    const std::size_t count = matter.positions.size();
    std::vector<std::pair<sdk::grid::BlockKey, std::uint32_t>> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        BlockCoordinate cell;
        for (std::size_t k = 0; k < 3; ++k) {
            const double at = std::floor(matter.positions[i][k] / edge_);
            if (!(std::abs(at) < sdk::grid::kMaxCoordinate - 2))
                throw InputError({.parameter = "voxelSize"},
                                 "the particles are too far apart for their size");
            cell[k] = static_cast<std::int32_t>(at);
        }
        keys[i] = {sdk::grid::keyOf(cell), static_cast<std::uint32_t>(i)};
    }
    check();
    std::ranges::sort(keys);
    check();
    order_.resize(count);
    numbers_.reserve(count / 4 + 16);
    for (std::size_t i = 0; i < count; ++i) {
        order_[i] = keys[i].second;
        if (i == 0 || keys[i].first != keys[i - 1].first) {
            BlockCoordinate at;
            for (std::size_t k = 0; k < 3; ++k)
                at[k] =
                    static_cast<std::int32_t>(std::floor(matter.positions[order_[i]][k] / edge_));
            numbers_.insert(at, static_cast<std::int32_t>(cells_.size()));
            cells_.push_back({at, static_cast<std::uint32_t>(i), 0});
        }
        cells_.back().end = static_cast<std::uint32_t>(i + 1);
    }
    constexpr std::size_t kBeyond = 8; // momentsOf() reads so far
    for (std::size_t k = 0; k < 3; ++k) {
        sorted_[k].resize(count + kBeyond, 0.0f);
        for (std::size_t i = 0; i < count; ++i)
            sorted_[k][i] = matter.positions[order_[i]][k];
    }
    markDeep(check);
}

const MatterCells::Cell* MatterCells::find(const BlockCoordinate& at) const
{
    const std::int32_t number = numbers_.find(at);
    return number < 0 ? nullptr : &cells_[static_cast<std::size_t>(number)];
}

bool MatterCells::isDeep(const BlockCoordinate& cell) const
{
    const Cell* found = find(cell);
    return found && found->deep;
}

/// A full cell among full cells is deep; one among cells deep among deep ones is hidden: no kernel
/// in it reaches what is not deep.
void MatterCells::markDeep(const std::function<void()>& check)
{
    std::vector<std::uint8_t> now(cells_.size()), next(cells_.size());
    compute::parallelFor(cells_.size(), 4096, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t c = begin; c < end; ++c) {
            double volume = 0;
            for (std::uint32_t i = cells_[c].begin; i < cells_[c].end; ++i)
                volume += std::pow(spacingOf(order_[i]), 3);
            now[c] = volume >= kFullCell * edge_ * edge_ * edge_;
        }
    });
    for (int layer = 0; layer < 3; ++layer) {
        check();
        compute::parallelFor(cells_.size(), 4096, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t c = begin; c < end; ++c) {
                bool all = now[c];
                for (int n = 0; n < sdk::grid::kOffsets && all; ++n) {
                    const std::int32_t beside =
                        numbers_.find(sdk::grid::neighbourOf(cells_[c].at, n));
                    all = beside >= 0 && now[static_cast<std::size_t>(beside)];
                }
                next[c] = all;
            }
        });
        now.swap(next);
        for (std::size_t c = 0; c < cells_.size(); ++c)
            (layer == 0 ? cells_[c].deep : cells_[c].hidden) = now[c];
    }
}

std::vector<Kernel> MatterCells::kernels(const std::function<void()>& check) const
{
    std::vector<std::uint32_t> first(cells_.size() + 1, 0);
    for (std::size_t c = 0; c < cells_.size(); ++c)
        first[c + 1] = first[c] + (cells_[c].hidden ? 0 : cells_[c].end - cells_[c].begin);
    std::vector<Kernel> kernels(first.back());
    compute::parallelFor(cells_.size(), 64, [&](std::uint64_t begin, std::uint64_t end) {
        check();
        for (std::uint64_t c = begin; c < end; ++c) {
            if (cells_[c].hidden)
                continue;
            const std::vector<Run> runs = around(cells_[c].at);
            for (std::uint32_t i = cells_[c].begin; i < cells_[c].end; ++i)
                kernels[first[c] + i - cells_[c].begin] = kernelOf(order_[i], runs);
        }
    });
    return kernels;
}

std::vector<MatterCells::Run> MatterCells::around(const BlockCoordinate& cell) const
{
    std::vector<Run> runs;
    for (int x = -2; x <= 2; ++x)
        for (int y = -2; y <= 2; ++y) {
            Run run{1, 0};
            for (int z = -2; z <= 2; ++z)
                if (const Cell* there = find({cell[0] + x, cell[1] + y, cell[2] + z})) {
                    run.begin = run.end == 0 ? there->begin : run.begin;
                    run.end = there->end;
                }
            if (run.end != 0)
                runs.push_back(run);
        }
    return runs;
}

/// Of the neighbours' positions relative to a particle, in units of its sight: weights 1 - q^2.
MatterCells::Moments MatterCells::momentsOf(const std::array<float, 3>& here, float perSight,
                                            std::span<const Run> around) const
{
    // Lanes are added up in one order, whatever the machine.
    using Lanes = physics::Pack<float, 4>;
    constexpr std::size_t kLanes = 4, kSums = 10;
    static constexpr float kNumbers[kLanes] = {0, 1, 2, 3};
    const Lanes numbers = Lanes::load(kNumbers);
    Lanes w0(0.0f), wx(0.0f), wy(0.0f), wz(0.0f);
    Lanes xx(0.0f), yy(0.0f), zz(0.0f), xy(0.0f), xz(0.0f), yz(0.0f);
    for (const Run& run : around)
        for (std::size_t i = run.begin; i < run.end; i += kLanes) {
            // The arrays go on for kLanes after their end.
            const Lanes x = (Lanes::load(&sorted_[0][i]) - Lanes(here[0])) * Lanes(perSight);
            const Lanes y = (Lanes::load(&sorted_[1][i]) - Lanes(here[1])) * Lanes(perSight);
            const Lanes z = (Lanes::load(&sorted_[2][i]) - Lanes(here[2])) * Lanes(perSight);
            const Lanes near = max(Lanes(1.0f) - (x * x + y * y + z * z), Lanes(0.0f));
            const Lanes w =
                select(numbers < Lanes(static_cast<float>(run.end - i)), near, Lanes(0.0f));
            const Lanes px = w * x, py = w * y, pz = w * z;
            w0 = w0 + w;
            wx = wx + px;
            wy = wy + py;
            wz = wz + pz;
            xx = xx + px * x;
            yy = yy + py * y;
            zz = zz + pz * z;
            xy = xy + px * y;
            xz = xz + px * z;
            yz = yz + py * z;
        }
    const std::array<Lanes, kSums> sums = {w0, wx, wy, wz, xx, yy, zz, xy, xz, yz};
    std::array<float, kSums> total{};
    for (std::size_t n = 0; n < kSums; ++n)
        total[n] = sums[n][0] + sums[n][1] + sums[n][2] + sums[n][3];
    Moments moments{.weight = total[0]}; // at least 1: its own
    for (std::size_t n = 0; n < 3; ++n)
        moments.mean[n] = total[1 + n] / total[0];
    for (std::size_t n = 0; n < 6; ++n)
        moments.square[n] = total[4 + n] / total[0];
    return moments;
}

Kernel MatterCells::kernelOf(std::uint32_t particle, std::span<const Run> around) const
{
    const auto& here = matter_.positions[particle];
    const double spacing = spacingOf(particle);
    const Moments moments = momentsOf(here, static_cast<float>(1 / (kSight * spacing)), around);
    const auto& [weight, mean, square] = moments;
    physics::Mat3<float> covariance;
    const auto put = [&](int a, int b, float sum) {
        covariance[a][b] = covariance[b][a] =
            sum - mean[static_cast<std::size_t>(a)] * mean[static_cast<std::size_t>(b)];
    };
    put(0, 0, square[0]);
    put(1, 1, square[1]);
    put(2, 2, square[2]);
    put(0, 1, square[3]);
    put(0, 2, square[4]);
    put(1, 2, square[5]);
    const physics::Svd<float> parts = physics::svd(covariance);

    std::array<double, 3> variance{}, axis{}; // axis: [m]
    for (int k = 0; k < 3; ++k) {
        const auto n = static_cast<std::size_t>(k);
        variance[n] = std::max(static_cast<double>(parts.sigma[k]), 0.0) / kFullVariance;
        axis[n] = std::clamp(std::sqrt(variance[n]), 0.05, kLongest);
    }
    const double density = weight / kFullWeight / expectedShare(variance);
    const double joined =
        smoothStep(kLoneWeight, kJoinedWeight, weight) * smoothStep(kApart, kTogether, density);
    const double longest = std::max({axis[0], axis[1], axis[2]});
    for (double& a : axis) {
        a = std::max(a, longest / kFlattest) * kAxis;
        a = std::pow(kLoneAxis, 1 - joined) * std::pow(a, joined) * spacing;
    }
    const double thinned = std::pow(std::clamp(kThinned / density, 1.0, kMaxThinned), joined);
    Kernel kernel{};
    kernel.particle = particle;
    kernel.bulk = static_cast<float>(smoothStep(kThin, kThick, weight / kFullWeight));
    kernel.peak = static_cast<float>(thinned * std::pow(kLoneFilled, (1 - joined) * (1 - joined)) *
                                     315 / (64 * std::numbers::pi) * spacing * spacing * spacing /
                                     (axis[0] * axis[1] * axis[2]));
    static constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
    for (int n = 0; n < 6; ++n) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += static_cast<double>(parts.V[kFirst[n]][k]) * parts.V[kSecond[n]][k] /
                   (axis[static_cast<std::size_t>(k)] * axis[static_cast<std::size_t>(k)]);
        kernel.metric[static_cast<std::size_t>(n)] = static_cast<float>(sum);
    }
    for (int n = 0; n < 3; ++n) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += std::pow(parts.V[n][k] * axis[static_cast<std::size_t>(k)], 2);
        kernel.reach[static_cast<std::size_t>(n)] = static_cast<float>(std::sqrt(sum));
        kernel.centre[static_cast<std::size_t>(n)] = here[static_cast<std::size_t>(n)];
    }
    return kernel;
}

} // namespace floe::io
