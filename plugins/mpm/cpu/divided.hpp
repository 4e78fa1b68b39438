/// Transfers of particles that do not see all of their nodes (thin_walls.hpp). For kernels only:
/// nothing here may use the C++ library.
#pragma once

#include "group.hpp"

namespace floe::mpm {
inline namespace FLOE_ISA {

/// Returns what is hidden from the particles of a bin from lane `first` on; null: nothing.
FLOE_HD const std::uint64_t* hiddenOf(const std::uint64_t* all, const BinRef* bins,
                                      const BinRef& bin, int first)
{
    return all ? all + (&bin - bins) * kLanes + first : nullptr;
}

FLOE_HD bool seeAll(const std::uint64_t* hidden, int count)
{
    std::uint64_t any = 0;
    for (int p = 0; p < count && hidden; ++p)
        any |= hidden[p];
    return any == 0;
}

/// Like scatterParticles(), for a group; what is hidden goes to `behind`.
template <int kSupport>
FLOE_HD void scatterParticles(const Stencils<kSupport>& s, const Vec3<Real>& atFirst,
                              const Mat3<Real>& A, Real mass, const Group& group, float* arena,
                              float* behind)
{
    if (seeAll(group.hidden, group.count)) {
        scatterParticles(s, atFirst, A, mass, group.count, arena);
        return;
    }
    Fields fields;
    storeFields(atFirst, A, mass, fields);
    for (int p = 0; p < group.count; ++p) {
        const int at = slotOf(p);
        const F4 dx = load4(fields.alongX[at]), dy = load4(fields.alongY[at]),
                 dz = load4(fields.alongZ[at]);
        F4 plane = load4(fields.first[at]);
        std::uint64_t hidden = group.hidden[p];
        for (int i = 0; i < kSupport; ++i) {
            F4 column = plane;
            for (int j = 0; j < kSupport; ++j) {
                F4 node = column;
                const float w = s.x[i][p] * s.y[j][p];
                const int first = s.first[p] + i * kStrideX + j * kStrideY;
                for (int k = 0; k < kSupport; ++k, hidden >>= 1) {
                    float* const to = (hidden & 1 ? behind : arena) + first + k * kNodeFloats;
                    store4(to, load4(to) + w * s.z[k][p] * node);
                    node = node + dz;
                }
                column = column + dy;
            }
            plane = plane + dx;
        }
    }
}

/// Like gatherParticles(); nodes that are hidden are those of `behind`.
template <int kSupport>
FLOE_HD Moments gatherParticles(const Stencils<kSupport>& s, int count, const std::uint64_t* hidden,
                                const float* arena, const float* behind)
{
    if (seeAll(hidden, count))
        return gatherParticles(s, count, arena);
    Fields sums;
    for (int p = 0; p < N; ++p) {
        F4 mean{}, alongX{}, alongY{}, alongZ{};
        std::uint64_t rest = p < count ? hidden[p] : 0;
        for (int i = 0; i < kSupport && p < count; ++i)
            for (int j = 0; j < kSupport; ++j) {
                const float w = s.x[i][p] * s.y[j][p];
                const int first = s.first[p] + i * kStrideX + j * kStrideY;
                for (int k = 0; k < kSupport; ++k, rest >>= 1) {
                    const float* const from = (rest & 1 ? behind : arena) + first + k * kNodeFloats;
                    const F4 part = w * s.z[k][p] * load4(from);
                    mean = mean + part;
                    alongX = alongX + static_cast<float>(i) * part;
                    alongY = alongY + static_cast<float>(j) * part;
                    alongZ = alongZ + static_cast<float>(k) * part;
                }
            }
        const int at = slotOf(p);
        store4(sums.first[at], mean);
        store4(sums.alongX[at], alongX);
        store4(sums.alongY[at], alongY);
        store4(sums.alongZ[at], alongZ);
    }
    return momentsOf(sums);
}

} // namespace FLOE_ISA
} // namespace floe::mpm
