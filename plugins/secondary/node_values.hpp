/// What the nodes of this plugin read and give.
#pragma once

#include "spray.hpp"

#include "floe/sdk/node.hpp"

#include <string>

namespace floe::secondary {

/// The body of input 'particles'. @throws Failure  it does not come from a solver
inline Body bodyOf(const sdk::Value& particles)
{
    const sdk::Value cellSize = particles.field("cellSize");
    Body body;
    body.x = particles.attribute<float>("x", 3);
    body.v = particles.attribute<float>("v", 3);
    body.id = particles.attribute<uint64_t>("id", 1);
    body.cellSize = cellSize ? cellSize.number() : 0;
    if (particles.particleCount() > 0 &&
        (body.x.empty() || body.v.empty() || body.id.empty() || !(body.cellSize > 0)))
        throw sdk::Failure("input 'particles' does not come from a solver: it has no x, v, id or "
                           "cellSize",
                           FLOE_WRONG_KIND);
    return body;
}

/// How a kind of particles is called and coloured in pictures.
inline sdk::Value lookOf(const std::string& name, const sdk::Vector& colour)
{
    sdk::Value look = sdk::makeRecord("material");
    look.set("name", sdk::makeString(name));
    look.set("color", sdk::makeVector(colour));
    return look;
}

} // namespace floe::secondary
