#include "nodes.hpp"

using namespace floe::gaussians;

FLOE_PLUGIN("floe.gaussians", "0.1.0", GaussiansFile, GaussianSequence, GaussiansFromMesh,
            SelectGaussians, FillGaussians, BoundSpikes, GaussianEmitter, LatticeNode,
            DeformGaussians, FollowParticles, WriteGaussians)
