/// Names of the SDK that the solver uses.
#pragma once

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/grid/cell_set.hpp"
#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/parallel/memory.hpp"
#include "floe/sdk/parallel/stopwatch.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/force.hpp"
#include "floe/sdk/world/level_set.hpp"
#include "floe/sdk/world/mirror.hpp"
#include "floe/sdk/world/period.hpp"

namespace floe::mpm {

using sdk::grid::BlockCoordinate;
using sdk::grid::BlockMap;
using sdk::grid::BlockState;
using sdk::grid::CellSet;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::kMaxCoordinate;
using sdk::grid::kOffsets;
using sdk::grid::kSelf;
using sdk::grid::mortonOrder;
using sdk::grid::neighbourOf;
using sdk::grid::offsetNumber;

using sdk::parallel::allocateFloats;
using sdk::parallel::Executor;
using sdk::parallel::FloatBuffer;
using sdk::parallel::FloatPool;
using sdk::parallel::Floats;
using sdk::parallel::kFloatsOf;
using sdk::parallel::makePooled;
using sdk::parallel::MemorySource;
using sdk::parallel::plainMemory;
using sdk::parallel::Pooled;
using sdk::parallel::SerialExecutor;
using sdk::parallel::Stopwatch;
using sdk::world::applyContact;
using sdk::world::AxisStencil;
using sdk::world::Collider;
using sdk::world::ColliderSample;
using sdk::world::Contact;
using sdk::world::Domain;
using sdk::world::Force;
using sdk::world::GridView;
using sdk::world::LevelSetMotion;
using sdk::world::LevelSetShape;
using sdk::world::LevelSetSource;
using sdk::world::MirrorAxis;
using sdk::world::MirrorStencil;
using sdk::world::MirrorWalls;
using sdk::world::NodeValue;
using sdk::world::ParticleContact;
using sdk::world::Period;
using sdk::world::PointBatch;
using sdk::world::Vec3d;

} // namespace floe::mpm
