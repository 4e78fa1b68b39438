#pragma once

/// How velocities go to the grid and back, as kernels are compiled for it.

#include "layout.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// @tparam kNodes   of the splines along an axis: 3, quadratic, or 4, cubic (Kernel)
/// @tparam kBlends  PIC and FLIP: without the affine matrix, but with a share of what the grid
/// cannot represent; else APIC (Transfer)
template <int kNodes, bool kBlends>
struct Scheme {
    static constexpr int kSupport = kNodes;
    static constexpr bool kFlip = kBlends;
};

/// Drift between binnings that keeps a particle's nodes in its block's arena [cells].
template <int kSupport>
inline constexpr double kMaxDrift = kSupport == 3 ? 1 : 0.499;

/// Velocities before stress and gravity, which PIC and FLIP compare a particle's own with; to be
/// found before the sums are cleared. One CUDA block of 64 threads per grid block.
__global__ void __launch_bounds__(kBlockNodes) findVelocitiesBefore(Grid grid, double velocityUnit)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto mass = static_cast<long long>(grid.sums(blockIdx.x).at<Mass>(node));
    const double perMass = mass > 0 ? velocityUnit / static_cast<double>(mass) : 0;
    const auto momentum = grid.before(blockIdx.x);
    const auto velocities = grid.velocitiesBefore(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        velocities.at<Velocity>(node, axis) = static_cast<float>(
            perMass *
            static_cast<double>(static_cast<long long>(momentum.at<Momentum>(node, axis))));
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
