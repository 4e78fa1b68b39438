/// The pieces of a solid, moved by the particles that it consists of.
#pragma once

#include "cut_solid.hpp"
#include "pieces.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/world/particle_binding.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace floe::particles {

/// Particles of a solid at rest, by ascending id.
struct RestParticles {
    std::vector<uint64_t> id;
    std::vector<float> x; ///< 3 a particle [m]
    std::vector<float> F; ///< 9 a particle, row by row; or empty

    /// Returns the number of a particle here for each one of a set; kNoPiece of others.
    std::vector<uint32_t> numbersOf(std::span<const uint64_t> ids) const;
    void save(sdk::Writer& writer) const;
    /// @throws Failure  it is damaged
    static RestParticles load(sdk::Reader& reader);
};

/// How the points of a piece move.
struct PieceMotion {
    bool rigid = false;                  ///< as its particles do on the whole, without bending
    sdk::world::BindingSettings binding; ///< else: to the nearest particles of the piece
};

/// Meshes of pieces, and which particles they follow.
class MovingPieces {
public:
    /// @param own  of each particle at rest: the piece that it moves; or kNoPiece
    /// @param ids  of the pieces
    /// @throws Failure  as ParticleBinding
    MovingPieces(const sdk::Context& context, const PieceMotion& motion, CutSolid cut,
                 const RestParticles& rest, std::vector<uint32_t> own, std::vector<uint64_t> ids);
    /// Reads what save() wrote. @throws Failure  it is damaged
    MovingPieces(sdk::Reader& reader, const RestParticles& rest);
    void save(sdk::Writer& writer) const;

    /// Moves all points to where the particles are. Those that have lost all of theirs stay.
    /// @throws Failure  as ParticleBinding::move()
    void move(const sdk::Context& context, const RestParticles& rest, const sdk::Value& particles);

    const CutSolid& cut() const { return cut_; } ///< at rest
    const std::vector<uint64_t>& ids() const { return ids_; }
    const std::vector<uint32_t>& own() const { return own_; }
    std::size_t lostPoints() const { return lost_; }
    /// The mesh of all pieces, where they are now, with velocities.
    sdk::Value mesh() const;
    /// The same, of the seams (1) or of the surface (0) alone.
    sdk::Value part(uint8_t seam) const;
    /// One particle a piece: x, v, id, volume, particles, firstPoint, points, firstTriangle,
    /// triangles.
    sdk::Value table() const;

private:
    /// Each piece in the colour of its material.
    void paint(const RestParticles& rest, const sdk::Value& particles);
    void moveRigidly(const sdk::Context& context, const RestParticles& rest,
                     const sdk::Value& particles);

    bool rigid_ = false;
    CutSolid cut_;
    std::vector<uint32_t> own_;
    std::vector<uint64_t> ids_;
    std::unique_ptr<sdk::world::ParticleBinding> binding_; ///< none of rigid ones
    std::vector<float> x_, v_;                             ///< 3 a point, as last moved
    std::vector<float> colours_;                           ///< 3 a point, or empty
    std::size_t lost_ = 0;
};

} // namespace floe::particles
