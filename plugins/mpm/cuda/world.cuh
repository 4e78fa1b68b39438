#pragma once

/// Names of the SDK that the CUDA solver uses.

#include "world.hpp"

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/grid/scan.cuh"
#include "floe/sdk/world/environment.cuh"
#include "floe/sdk/world/surroundings.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;
using sdk::grid::kScanThreads;
using sdk::grid::scanTiles;
using sdk::grid::scanTileSums;
using sdk::grid::scanTileValues;
using sdk::grid::sumTiles;
using sdk::world::applyContacts;
using sdk::world::applyForces;
using sdk::world::Environment;
using sdk::world::MirrorStencil;
using sdk::world::MirrorWalls;
using sdk::world::NodeValue;
using sdk::world::ParticleFate;
using sdk::world::particleFate;
using sdk::world::Surroundings;

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
