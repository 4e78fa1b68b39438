#pragma once

#include "floe/sdk/node.hpp"

/// The node types of this plugin, one class each; parameters and sockets are in plugin.json.
#define FLOE_SHAPE_NODE(Class, Type)                                                               \
    class Class final : public sdk::Node {                                                         \
    public:                                                                                        \
        static constexpr const char* kType = Type;                                                 \
        void cook(sdk::Context& context) override;                                                 \
    };

namespace floe::shapes {

// analytic_shapes.cpp
FLOE_SHAPE_NODE(SphereNode, "floe.shape.sphere")
FLOE_SHAPE_NODE(BoxNode, "floe.shape.box")
FLOE_SHAPE_NODE(CylinderNode, "floe.shape.cylinder")
FLOE_SHAPE_NODE(CapsuleNode, "floe.shape.capsule")
FLOE_SHAPE_NODE(TorusNode, "floe.shape.torus")
FLOE_SHAPE_NODE(PlaneNode, "floe.shape.plane")

// surface_shapes.cpp
FLOE_SHAPE_NODE(HeightFieldNode, "floe.shape.heightfield")
FLOE_SHAPE_NODE(MeshNode, "floe.shape.mesh")

// file_shapes.cpp
FLOE_SHAPE_NODE(FileNode, "floe.shape.file")
FLOE_SHAPE_NODE(SequenceNode, "floe.shape.sequence")

// combined_shapes.cpp
FLOE_SHAPE_NODE(TransformNode, "floe.shape.transform")
FLOE_SHAPE_NODE(UnionNode, "floe.shape.union")
FLOE_SHAPE_NODE(IntersectionNode, "floe.shape.intersection")
FLOE_SHAPE_NODE(DifferenceNode, "floe.shape.difference")
FLOE_SHAPE_NODE(OffsetNode, "floe.shape.offset")
FLOE_SHAPE_NODE(NoiseNode, "floe.shape.noise")
FLOE_SHAPE_NODE(ResampleNode, "floe.shape.resample")

// copied_shapes.cpp
FLOE_SHAPE_NODE(RepeatNode, "floe.shape.repeat")
FLOE_SHAPE_NODE(ScatterNode, "floe.shape.scatter")

} // namespace floe::shapes

#undef FLOE_SHAPE_NODE
