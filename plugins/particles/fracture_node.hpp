/// floe.mesh.fracture: a solid in the pieces that a simulation has made of it.
#pragma once

#include "moving_pieces.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace floe::particles {

/// Keeps the particles at rest and the pieces from the frame on at which it has found them; until
/// then the solid is one piece.
class FractureNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.mesh.fracture";
    void cook(sdk::Context& context) override;
    void save(sdk::Context& context, sdk::Writer& writer) override;
    void load(sdk::Context& context, sdk::Reader& reader) override;

private:
    void takeRest(const sdk::Context& context, const SolidMesh& solid, const sdk::Value& particles,
                  const char* socket);
    void makeWhole(const sdk::Context& context, const sdk::Value& mesh);
    void findAt(sdk::Context& context, const SolidMesh& solid, const sdk::Value& mesh,
                const sdk::Value& broken, const char* socket);
    sdk::Value labelled(const sdk::Value& particles) const;

    RestParticles rest_;                   ///< empty: not there yet
    std::unique_ptr<MovingPieces> pieces_; ///< none without particles at rest
    std::vector<uint32_t> label_;          ///< of each particle at rest: its piece; or kNoPiece
    bool found_ = false;                   ///< until then the solid is one piece
};

} // namespace floe::particles
