// Read access to particles: snapshots and sums.

#include "cpu_backend.hpp"

#include <floe/sdk/physics/stretch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace floe::mpm {

namespace {

using physics::Mat3;

template <class Real>
Mat3<Real> matrixAt(const BinRef& bin, int firstRow, int lane)
{
    Mat3<Real> a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = bin.rowAt(firstRow + 3 * i + j)[lane];
    return a;
}

/// @param affine  C of the bins that do not store it
Mat3<double> affineAt(const Block& block, std::size_t b, int lane, const AffineRows* affine)
{
    const BinRef& bin = block.bins[b];
    if (keepsAffine(bin.layout))
        return matrixAt<double>(bin, row::C, lane);
    Mat3<double> C;
    for (int i = 0; i < 9; ++i)
        C[i / 3][i % 3] = affine[b].C[i * kLanes + lane];
    return C;
}

/// Returns F - I including the strain of the last step, which the next scatter would apply.
Mat3<double> currentGradient(const BinRef& bin, int lane, double strainStep)
{
    return physics::advanceGradient(matrixAt<double>(bin, row::H, lane),
                                    matrixAt<double>(bin, row::C, lane), strainStep);
}

} // namespace

void CpuBackend::storeStress(const BinRef& bin, int lane, const Mat3<double>& C, double strainStep,
                             float* stress) const
{
    std::fill(stress, stress + 6, 0.0f);
    const SolverMaterial& material = state_.materials[bin.material];
    if (material.custom)
        return;
    double state = bin.rowAt(row::state)[lane];
    physics::Sym3<double> tau{};
    double J = 0;
    physics::visitLaw(material.law, [&](const auto& law) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(law)>, physics::Liquid>) {
            tau = physics::respond(law, state, C).tau;
            if (bin.layout == Layout::tenseLiquid)
                physics::addSurfaceTension(law,
                                           Vec3d{bin.rowAt(row::surface)[lane],
                                                 bin.rowAt(row::surface + 1)[lane],
                                                 bin.rowAt(row::surface + 2)[lane]},
                                           state, tau);
            J = 1 + state;
        } else {
            Mat3<double> H = currentGradient(bin, lane, strainStep);
            tau = physics::respondToGradient(law, H, state, strainStep).tau;
            if (physics::isDamped(law))
                physics::addDamping(law, C, tau);
            J = 1 + physics::volumeChange(H);
        }
    });
    const double stiffness =
        bin.layout == Layout::liquid ? 1.0 : static_cast<double>(bin.rowAt(row::stiffness)[lane]);
    const double scale = stiffness / std::max(J, 1e-6);
    const double all[6] = {tau.xx, tau.yy, tau.zz, tau.xy, tau.xz, tau.yz};
    for (int k = 0; k < 6; ++k)
        stress[k] = static_cast<float>(scale * all[k]);
}

/// A snapshot of this rank's particles.
void CpuBackend::snapshotOwn(const Snapshot& to)
{
    std::vector<std::size_t> first(grid_.blocks.size() + 1, 0);
    for (std::size_t b = 0; b < grid_.blocks.size(); ++b) {
        std::size_t live = 0;
        for (const BinRef& bin : grid_.blocks[b].bins)
            for (int lane = 0; lane < bin.count; ++lane)
                live += bin.rowAt(row::mass)[lane] > 0;
        first[b + 1] = first[b] + live;
    }
    state_.executor->parallelFor(grid_.blocks.size(), 16, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t at = begin; at < end; ++at) {
            const Block& block = grid_.blocks[at];
            if (to.stress || to.C)
                transfers_.gatherAffine(block, affine);
            const Vec3d corner = state_.cornerOf(block);
            const double strain = block.state == BlockState::active ? state_.strainStep : 0;
            std::size_t i = first[at];
            for (std::size_t b = 0; b < block.bins.size(); ++b) {
                const BinRef& bin = block.bins[b];
                for (int lane = 0; lane < bin.count; ++lane) {
                    if (!(bin.rowAt(row::mass)[lane] > 0))
                        continue;
                    for (int axis = 0; axis < 3; ++axis) {
                        if (to.x)
                            to.x[3 * i + axis] =
                                static_cast<float>(state_.surroundings.domain.wrapped(
                                    axis, corner[axis] + state_.settings.cellSize *
                                                             bin.rowAt(row::x + axis)[lane]));
                        if (to.v)
                            to.v[3 * i + axis] = bin.rowAt(row::v + axis)[lane];
                    }
                    if (to.stress)
                        storeStress(bin, lane, affineAt(block, b, lane, affine.data()), strain,
                                    to.stress + 6 * i);
                    if (to.C) {
                        const Mat3<double> C = affineAt(block, b, lane, affine.data());
                        for (int k = 0; k < 9; ++k)
                            to.C[9 * i + k] = static_cast<float>(C[k / 3][k % 3]);
                    }
                    if (to.F || to.J) {
                        Mat3<double> F = Mat3<double>::identity();
                        double J = 0;
                        if (isLiquid(bin.layout)) {
                            J = 1 + static_cast<double>(bin.rowAt(row::state)[lane]);
                            if (to.F)
                                F = std::cbrt(J) * F;
                        } else {
                            const Mat3<double> H = currentGradient(bin, lane, strain);
                            F = F + H;
                            J = 1 + physics::volumeChange(H);
                        }
                        if (to.J)
                            to.J[i] = static_cast<float>(J);
                        for (int k = 0; k < 9 && to.F; ++k)
                            to.F[9 * i + k] = static_cast<float>(F[k / 3][k % 3]);
                    }
                    if (to.state)
                        to.state[i] =
                            bin.rowAt(row::state)[lane] + (isLiquid(bin.layout) ? 1.0f : 0.0f);
                    if (to.volume)
                        to.volume[i] = bin.rowAt(row::volume)[lane];
                    if (to.mass)
                        to.mass[i] = bin.rowAt(row::mass)[lane];
                    if (to.material)
                        to.material[i] = bin.material;
                    if (to.id)
                        to.id[i] = std::bit_cast<std::uint32_t>(bin.rowAt(row::id)[lane]);
                    if (to.activation)
                        to.activation[i] = static_cast<std::uint8_t>(block.state);
                    if (to.rank)
                        to.rank[i] = static_cast<float>(state_.ownership.rank());
                    ++i;
                }
            }
        }
    });
}

} // namespace floe::mpm
