#include "fracture_node.hpp"
#include "nodes.hpp"

using namespace floe::particles;

FLOE_PLUGIN("floe.particles", "0.1.0", FileNode, SequenceNode, EmitterNode, MergeNode, FilterNode,
            AttributeNode, BlurNode, DeformedMeshNode, FractureNode, PassiveNode)
