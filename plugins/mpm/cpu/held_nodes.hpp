/// What blocks that take one long step share with those that take several meanwhile.
///
/// A long step is T, of which the others' steps are parts. Blocks that take it, the slow ones, are
/// scattered at its beginning and gathered at its end. In between the nodes that they share with
/// others keep the slow blocks' mass, at the velocity that the last step has left it with, and get
/// the force of their stress for the length of each step: over T that is the impulse which they
/// would give in one step, and matter at rest stays at rest. Momentum is conserved to rounding.
#pragma once

#include "layout.hpp"
#include "world.hpp"

#include <cstdint>
#include <vector>

namespace floe::mpm {

struct HeldNodes {
    explicit HeldNodes(MemorySource& memory)
        : momenta(memory), start(memory), force(memory), last(memory)
    {}

    bool on = false;                      ///< within a long step
    bool first = false;                   ///< no step has been taken since it began
    std::vector<std::int32_t> fast, slow; ///< blocks, by their slots in the scatter list
    /// Slots of grid blocks: whose nodes take all steps, and those that slow blocks alone reach.
    std::vector<std::int32_t> shared, slowOnly;
    std::vector<std::int32_t> placeOf;   ///< in `shared`, by grid slot; -1: not in it
    std::vector<std::int32_t> momentaOf; ///< in `momenta`, by slot of the scatter list; -1: none
    FloatBuffer momenta;                 ///< arenas without stress
    // kBlockNodes nodes for each of `shared`
    FloatBuffer start; ///< momentum and mass of slow blocks at the beginning
    FloatBuffer force; ///< of their stress [N]; and their mass
    FloatBuffer last;  ///< velocity after the last step, and all mass

    std::size_t bytes() const
    {
        return momenta.bytes() + start.bytes() + force.bytes() + last.bytes();
    }
};

} // namespace floe::mpm
