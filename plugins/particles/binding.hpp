#pragma once

#include "nearest.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace floe::particles {

/// Where the local deformation around a point of the mesh comes from.
enum class Deformation {
    Neighbours, ///< the affine map that fits how its particles moved (Müller et al. 2004)
    Gradient    ///< the particles' deformation gradient F
};

struct BindingSettings {
    std::size_t particles = 16; ///< bound to each point
    Deformation deformation = Deformation::Neighbours;
};

/// A mesh bound to particles at rest: each point to its nearest ones.
///
/// With weights w that fall to 0 at the first particle that is not bound, a point X moves to
///     Gradient:    x = sum w_i (x_i + F_i F0_i^-1 (X - X_i))
///     Neighbours:  x = c + A (X - C),  c, C the weighted centres now and at rest, and
///                  A = (sum w_i (x_i - c) (X_i - C)^T) (sum w_i (X_i - C) (X_i - C)^T)^-1
/// so that both follow an affine motion of all particles exactly. Where the particles at rest lie
/// in a plane or on a line, A turns the missing directions like a rotation.
/// Particles are known again by their `id`, without one by their index. Those that are gone are
/// left out; a point that has lost all of its particles stays where it was.
class Binding {
public:
    /// Binds.
    /// @throws Failure  no particles with finite positions; Gradient without F
    Binding(const sdk::Context& context, const BindingSettings& settings, const floe_mesh& rest,
            const sdk::Value& particles);
    /// Reads what save() wrote.
    explicit Binding(sdk::Reader& reader);
    void save(sdk::Writer& writer) const;

    /// Moves the mesh to where the particles are. @return the mesh, with velocities
    /// @throws Failure  Gradient without F; without ids, another number of particles
    sdk::Value deform(const sdk::Context& context, const sdk::Value& particles);

    std::size_t boundParticles() const { return ids_.size(); }
    /// Points of the last deform() that have lost all of their particles.
    std::size_t lostPoints() const { return lost_; }
    /// Points at rest further from their nearest particle than that one from its neighbours.
    std::size_t farPoints() const { return far_; }

private:
    /// The particles of a frame, in the order of ids_.
    struct Now {
        std::span<const float> x, v, F;
        std::vector<uint32_t> index; ///< of each bound particle; kGone
    };

    Now locate(const sdk::Value& particles) const;
    bool move(std::size_t point, const Now& now, float* x, float* v) const;

    BindingSettings settings_;
    std::vector<float> restPoints_; ///< 3 a point
    std::vector<uint32_t> triangles_;
    std::vector<uint32_t> bound_; ///< settings_.particles a point, numbers in ids_; or kGone
    std::vector<float> weights_;  ///< of each
    std::vector<uint64_t> ids_;   ///< of the particles, ascending
    std::vector<float> restX_;    ///< 3 a particle
    std::vector<float> inverseF_; ///< 9 a particle: F0^-1; Gradient only
    std::vector<float> points_;   ///< as last moved
    uint64_t count_ = 0;          ///< of particles, where they have no ids; else 0
    std::size_t far_ = 0, lost_ = 0;
};

} // namespace floe::particles
