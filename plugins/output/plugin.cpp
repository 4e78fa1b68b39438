#include "nodes.hpp"

using namespace floe::output;

FLOE_PLUGIN("floe.output", "0.1.0", ExportParticles, ExportMesh, ExportVolume, ExportCoco, Render,
            Camera, Light)
