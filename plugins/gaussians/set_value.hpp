#pragma once

#include "set/gaussian_set.hpp"

#include "floe/sdk/node.hpp"

namespace floe::gaussians {

/// Returns whether particles have the attributes of Gaussians: x, scale, rotation, opacity, sh.
bool isGaussians(const sdk::Value& particles);

/// @param input  name of the socket, for the message
/// @throws sdk::Failure  they are no Gaussians
void requireGaussians(const sdk::Value& particles, const char* input);

/// Copies Gaussians out of particles. Where an attribute `shRotation` turns their colours (see
/// Deform), the coefficients come out turned.
/// @param input  name of the socket, for the message
/// @throws sdk::Failure  they are no Gaussians
GaussianSet setOf(const sdk::Value& particles, const char* input);

/// @throws std::bad_alloc
sdk::Value valueOf(const GaussianSet& set);

} // namespace floe::gaussians
