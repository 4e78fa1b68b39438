// The plugin of a build without OpenVDB; its manifest lists the same nodes.
#include "nodes.hpp"

using namespace floe::shapes;

FLOE_PLUGIN("floe.shapes", "0.1.0", SphereNode, BoxNode, CylinderNode, CapsuleNode, TorusNode,
            PlaneNode)
