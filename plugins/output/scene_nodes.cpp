#include "nodes.hpp"
#include "output_file.hpp"

#include <cmath>

namespace floe::output {

namespace {

double length(const sdk::Vector& v)
{
    return std::hypot(v[0], v[1], v[2]);
}

/// A camera as the parameters have it at a frame.
struct View {
    View(const sdk::Context& context, double frame)
        : eye(context.vector("eye", frame)), target(context.vector("target", frame)),
          up(context.vector("up", frame)), fieldOfView(context.number("fieldOfView", frame)),
          aperture(context.number("aperture", frame)), focus(context.number("focus", frame))
    {}
    /// What is wrong with it; null: nothing.
    const char* fault() const
    {
        const sdk::Vector view = {target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]};
        if (!(length(view) > 0))
            return "parameter 'target' is where the camera stands; it must lie apart";
        const sdk::Vector side = {view[1] * up[2] - view[2] * up[1],
                                  view[2] * up[0] - view[0] * up[2],
                                  view[0] * up[1] - view[1] * up[0]};
        if (!(length(side) > 1e-6 * length(view) * length(up)))
            return "parameter 'up' points along the view; it must point aside of it";
        return nullptr;
    }
    sdk::Value record() const
    {
        sdk::Value camera = sdk::makeRecord("camera");
        camera.set("eye", sdk::makeVector(eye))
            .set("target", sdk::makeVector(target))
            .set("up", sdk::makeVector(up))
            .set("fieldOfView", sdk::makeNumber(fieldOfView));
        if (aperture > 0)
            camera.set("aperture", sdk::makeNumber(aperture)).set("focus", sdk::makeNumber(focus));
        return camera;
    }
    bool operator==(const View&) const = default;

    sdk::Vector eye, target, up;
    double fieldOfView, aperture, focus;
};

} // namespace

void Camera::cook(sdk::Context& context)
{
    const View view(context, context.frame()), before(context, context.frame() - 1);
    if (const char* fault = view.fault())
        throw sdk::Failure(fault);
    sdk::Value camera = view.record();
    if (before != view && !before.fault())
        camera.set("before", before.record());
    context.setOutput("camera", camera);
}

void Light::cook(sdk::Context& context)
{
    const std::string type = context.string("type");
    sdk::Value light = sdk::makeRecord("light");
    light.set("type", sdk::makeString(type))
        .set("color", sdk::makeVector(context.vector("color")))
        .set("intensity", sdk::makeNumber(context.number("intensity")));
    if (type == "sun") {
        const sdk::Vector direction = context.vector("direction");
        if (!(length(direction) > 0))
            throw sdk::Failure("parameter 'direction' has no length");
        light.set("direction", sdk::makeVector(direction))
            .set("softness", sdk::makeNumber(context.number("softness")));
    } else if (type == "environment") {
        const std::string path = context.string("image");
        if (path.empty())
            throw sdk::Failure("parameter 'image' is empty; name a picture of all that is around");
        floe_value* image = nullptr;
        sdk::Context::require(files().read_image(context.raw(), path.c_str(), 0, &image));
        light.set("image", sdk::Value::own(image))
            .set("rotation", sdk::makeNumber(context.number("rotation")));
    } else if (type == "point") {
        light.set("position", sdk::makeVector(context.vector("position")));
    }
    context.setOutput("light", light);
}

} // namespace floe::output
