#include "nodes.hpp"

#include "floe/sdk/motion_track.hpp"

namespace floe::values {

/// A motion: the parameters over the step that ends at this frame, composed with a parent's motion.
void TransformNode::cook(sdk::Context& context)
{
    const sdk::Value parent = context.input("parent");
    const auto poseAt = [&](double frame) {
        const sdk::Vector position = context.vector("position", frame);
        const sdk::Quaternion q = sdk::fromEuler(context.vector("rotation", frame));
        const floe_transform_key own{frame,
                                     {position[0], position[1], position[2]},
                                     {q[0], q[1], q[2], q[3]},
                                     context.number("scale", frame)};
        return parent ? sdk::compose(sdk::interpolate(parent.transform(), frame), own) : own;
    };
    context.setOutput("transform", sdk::makeTransform(sdk::motionTrack(context.frame() - 1,
                                                                       context.frame(), poseAt)));
}

} // namespace floe::values
