#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::gaussians {

/// How much of the motion around it a Gaussian follows.
enum class Following {
    Full,  ///< its covariance A becomes F A F^T (Xie et al. 2024, PhysGaussian)
    Rigid, ///< it turns by the rotation R of F = R S
    Fixed  ///< it moves only; its colours can turn all the same
};

/// Gaussians that are deformed together: what they are at rest, and where their new shapes go.
struct DeformedBatch {
    std::size_t count;
    const float* F;        ///< 9 of each, row by row; where it is not finite, nothing changes
    const float* scale;    ///< 3 of each, at rest [m]
    const float* rotation; ///< 4 of each, at rest, x, y, z, w, of length 1
    Following following;   ///< of the ellipsoids
    float maxStretch;      ///< axes grow to at most so many times the longest at rest, > 0
    float* newScale;       ///< 3 of each: standard deviations along the own axes [m]
    float* newRotation;    ///< 4 of each: own axes to the world
    float* turn;           ///< 4 of each: R, by which colours turn; null: not asked
};

/// Deforms a batch, with the widest registers that this processor has. Iterations end when several
/// neighbours of a batch have converged: in other batches, results may differ by rounding. No
/// allocation.
void deform(const DeformedBatch& batch);

using Deform = void (*)(const DeformedBatch&);
/// The same, compiled for an instruction set: "baseline", "avx2" or "avx512"; null where this
/// processor or this build has it not.
Deform findDeform(const char* instructionSet);

} // namespace floe::gaussians
