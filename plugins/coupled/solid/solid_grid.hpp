/// Solids on the nodes of a lattice: quadratic B-splines, one node at the centre of each cell.
#pragma once

#include "fluid/lattice.hpp"
#include "solid.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Weights of the 27 nodes around a particle and their gradients. The nodes are those of the cells
/// around its own.
struct SolidStencil {
    int cell[3];        ///< the particle's, from the block's corner
    float w[3][3];      ///< by axis
    float slope[3][3];  ///< derivatives [1/m]
    float offset[3][3]; ///< of the node from the particle [m]

    /// @param x  offset from the corner of the particle's block [m]
    SolidStencil(const Vec3f& x, float cellSize);
    /// Calls body(dx, dy, dz, weight, gradient, offset), each d -1, 0 or 1.
    template <class Body>
    void forAll(const Body& body) const
    {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k)
                    body(i - 1, j - 1, k - 1, w[0][i] * w[1][j] * w[2][k],
                         Vec3f{slope[0][i] * w[1][j] * w[2][k], w[0][i] * slope[1][j] * w[2][k],
                               w[0][i] * w[1][j] * slope[2][k]},
                         Vec3f{offset[0][i], offset[1][j], offset[2][k]});
    }
};

/// Node n of cell c has the components (3 b + axis) 64 + c, like faces (lattice.hpp).
struct SolidNodes {
    std::vector<float> mass;      ///< of cells [kg]
    std::vector<double> velocity; ///< components [m/s]; 0 where there is no mass
    std::vector<float> volume;    ///< of particles as they are, spread linearly to cells [m^3]
    /// Shares of cells, and of boxes of a cell's size around faces, that particles fill, each a
    /// cube of its volume. Their sums are the solids' volume exactly, along each axis.
    std::vector<float> cellShare, faceShare;
};

void scatter(const Solid& solid, const Lattice& lattice, SolidNodes& out, Executor& executor);

/// What an elastic step did.
struct ElasticReport {
    int iterations = 0;
    bool converged = true;
};

/// Changes the velocities of nodes by the stress of the laws: backward Euler, linear in the
/// velocity, with the stiffness 2 mu of the deformed state:
///
///     (M + (dt^2 + dt t_d) K) v' = M v + dt (f + push)
///
/// Solved by conjugate gradients. The laws have no pressure (solid.hpp); `push` is the force of
/// pressures as they are. The pressure system replaces it by that of the pressures that it finds.
/// Without it a solid at rest would be softer the longer the step.
/// @param held  components of nodes whose velocity does not change
/// @param push  of components of nodes [N]
ElasticReport applyElasticity(const Solid& solid, const std::vector<SolidMaterial>& materials,
                              const Lattice& lattice, const std::vector<std::uint8_t>& held,
                              const std::vector<double>& push, SolidNodes& nodes, double dt,
                              Executor& executor);

/// Gives particles the velocities of nodes, deforms them and moves them.
void gather(Solid& solid, const Lattice& lattice, const std::vector<double>& velocity, double dt,
            Executor& executor);

} // namespace floe::coupled
