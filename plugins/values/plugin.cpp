#include "nodes.hpp"

using namespace floe::values;

FLOE_PLUGIN("floe.values", "0.1.0", TransformNode, MathNode, NoiseNode, SwitchNode, CacheNode,
            TimeShiftNode)
