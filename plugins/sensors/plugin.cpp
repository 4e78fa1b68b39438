#include "nodes.hpp"

using namespace floe::sensors;

FLOE_PLUGIN("floe.sensors", "0.1.0", CameraSensor, ForcePlate)
