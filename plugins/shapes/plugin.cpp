#include "nodes.hpp"

using namespace floe::shapes;

FLOE_PLUGIN("floe.shapes", "0.1.0", SphereNode, BoxNode, CylinderNode, CapsuleNode, TorusNode,
            PlaneNode, HeightFieldNode, MeshNode, FileNode, SequenceNode, TransformNode, UnionNode,
            IntersectionNode, DifferenceNode, OffsetNode, NoiseNode, RepeatNode, ScatterNode,
            ResampleNode)
