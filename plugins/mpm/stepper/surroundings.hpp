/// External influences on nodes and particles.
#pragma once

#include "world.hpp"

#include <memory>
#include <vector>

namespace floe::mpm {

using Forces = std::vector<std::shared_ptr<const Force>>;
using Colliders = std::vector<std::shared_ptr<Collider>>;

struct Surroundings {
    Domain domain;
    Forces forces;
    Colliders colliders;
};

} // namespace floe::mpm
