#include "nodes.hpp"

using namespace floe::gaussians;

FLOE_PLUGIN("floe.gaussians", "0.1.0", GaussiansFile, GaussiansFromMesh, SelectGaussians,
            FillGaussians, GaussianEmitter, LatticeNode, DeformGaussians, WriteGaussians)
