#include "nodes.hpp"

using namespace floe::fields;

FLOE_PLUGIN("floe.fields", "0.1.0", FileNode, SequenceNode, FormulaVolumeNode, FormulaForceNode,
            CurlNoiseNode, MotionNode, ParticlesNode)
