#include "floe/view/viewport.hpp"

#include "floe/compute/device.hpp"
#include "floe/view/preview.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::view {

namespace {

constexpr std::size_t kMovingParticles = 1'000'000;
constexpr double kMovingPixels = 1280.0 * 720;
constexpr int kFirstDetail = 3;     // where the processor draws
constexpr float kWidestAngle = 170; // [degrees]

} // namespace

Viewport::Viewport(SceneValues& values, FrameSource& frames,
                   std::function<void(const std::string&)> say)
    : values_(values), frames_(frames), say_(std::move(say))
{}

render::Renderer& Viewport::renderer()
{
    if (!renderer_) {
        const compute::DevicePointer computing = compute::selectDevice("auto");
        renderer_ = std::make_unique<render::Renderer>(
            render::RendererSettings{.device = drawingDevice(computing.get())});
        shared_ = std::make_unique<SharedMemory>(*renderer_);
        detail_ = MotionDetail(
            renderer_->device().kind == render::DeviceInfo::Kind::Cpu ? kFirstDetail : 0);
    }
    return *renderer_;
}

bool Viewport::processorDraws()
{
    return renderer().device().kind == render::DeviceInfo::Kind::Cpu;
}

void Viewport::prepare(const ViewSettings& view, Drawer drawer)
{
    const bool surfacesMissing =
        !view.moving && view.surfaces && !values_.surfaces(view.frame, false);
    const bool smoothMissing = !view.moving && view.surfaces && scene_ && !scene_->smooth;
    const bool preview =
        view.moving && processorDraws() && (view.mode != "attribute" || inPreview(view.attribute));
    const bool cutElsewhere = scene_ && scene_->picture &&
                              !scene_->picture->arrays().surfaces.empty() && sceneOf_ &&
                              sceneOf_->cut != view.cut;
    const bool sameNode =
        view.cameraNode.empty() || (sceneOf_ && sceneOf_->cameraNode == view.cameraNode);
    if (sameContent(view) && !cutElsewhere && sameNode && !surfacesMissing && !smoothMissing &&
        (preview || !scene_->preview) && (drawer == Drawer::Own || !scene_->shared))
        return;
    sceneOf_.reset();
    std::shared_ptr<const FrameValues> frame;
    SharedMemory* shared = nullptr;
    if (preview) {
        frame = frames_.preview(view.frame);
    } else if (drawer == Drawer::Own && (frame = frames_.inDeviceMemory(view.frame))) {
        renderer(); // creates shared_
        shared = shared_.get();
    } else {
        frame = frames_.get(view.frame);
    }
    scene_ = std::make_shared<ViewScene>(
        makeViewScene(values_, frame, view, shared, detail_.surfaces()));
    if (const std::string notice = shared ? shared->takeNotice() : ""; !notice.empty())
        say_(notice);
    ++revision_;
    ++content_;
    for (render::ParticleSet& set : scene_->picture->scene.particles)
        set.revision = revision_;
    for (render::Mesh& mesh : scene_->picture->scene.meshes)
        mesh.revision = revision_;
    for (render::GaussianSet& set : scene_->picture->scene.gaussians)
        set.revision = revision_;
    sceneOf_ = view;
}

/// Thins out particles in motion: every n-th, enlarged so that bodies stay closed.
void Viewport::thinOut(render::Scene& scene) const
{
    std::uint64_t count = 0;
    for (const auto& set : scene.particles)
        count += set.positions.size();
    const std::uint64_t most = kMovingParticles >> detail_.reduction();
    const auto step = static_cast<std::uint32_t>((count + most - 1) / most);
    if (step < 2)
        return;
    for (render::ParticleSet& set : scene.particles) {
        set.every = step;
        set.radius *= static_cast<float>(std::cbrt(static_cast<double>(step)));
    }
}

/// Reduces quality in motion, level by level.
void Viewport::coarsen(render::Scene& scene) const
{
    thinOut(scene);
    scene.samples = 1;
    scene.effects.ambientOcclusion = 0;
    scene.effects.clear = detail_.clear();
    scene.effects.shadowMapSize = 512;
    scene.sun.shadow = detail_.shadows();
    const double most = kMovingPixels / (1 << detail_.reduction());
    if (const double pixels = static_cast<double>(scene.width) * scene.height; pixels > most) {
        const double scale = std::sqrt(most / pixels);
        scene.width = std::max(1, static_cast<int>(scene.width * scale));
        scene.height = std::max(1, static_cast<int>(scene.height * scale));
    }
}

void Viewport::adaptSurfaces()
{
    if (scene_->merging && scene_->picture->surfaceMilliseconds > 0)
        detail_.madeSurfaces(scene_->picture->surfaceMilliseconds, scene_->particleCount);
    else if (!scene_->merging)
        detail_.madeSpheres(scene_->particleCount);
}

render::Camera Viewport::cameraOf(const ViewSettings& view) const
{
    if (view.camera && view.cameraNode.empty())
        return *view.camera;
    const float aspect = static_cast<float>(view.width) / static_cast<float>(view.height);
    if (view.cameraNode.empty())
        return render::frameCamera(boundsOf(scene_->picture->scene), aspect);
    render::Camera camera = scene_->picture->scene.camera;
    if (const auto gate = static_cast<float>(view.gate); gate > aspect) {
        constexpr float kHalf = std::numbers::pi_v<float> / 360;
        const float rise = std::tan(camera.verticalFov * kHalf) * gate / aspect;
        camera.verticalFov = std::min(std::atan(rise) / kHalf, kWidestAngle);
    }
    return camera;
}

/// Draws boxes as lines for the camera and size of `scene`.
/// @return the storage that it then borrows
StillDrawer::Lines Viewport::drawLines(render::Scene& scene)
{
    StillDrawer::Lines lines;
    for (const auto& [mesh, corners] : scene_->boxes) {
        lines.push_back(thinLines(corners, scene.camera, scene.height));
        scene.meshes[mesh].points = lines.back();
        scene.meshes[mesh].revision = ++revision_;
    }
    return lines;
}

render::Image Viewport::draw(const ViewSettings& view, int samples)
{
    render::Renderer& device = renderer();
    prepare(view, Drawer::Own);
    render::Scene& scene = scene_->picture->scene;
    const render::Effects effects = scene.effects;
    const auto particles = scene.particles;
    const auto meshes = scene.meshes;
    const render::Camera camera = scene.camera;
    scene.camera = cameraOf(view);
    scene.cut = view.cut;
    scene.width = view.width;
    scene.height = view.height;
    scene.samples = samples;
    if (view.moving)
        coarsen(scene);
    const auto restore = [&] {
        scene.effects = effects;
        scene.particles = particles;
        scene.meshes = meshes;
        scene.camera = camera;
        scene.cut.reset();
        scene.sun.shadow = true;
    };
    const StillDrawer::Lines lines = drawLines(scene);
    try {
        render::Image image = device.render(scene);
        restore();
        return image;
    } catch (...) {
        restore();
        throw;
    }
}

StillDrawer::Job Viewport::still(const ViewSettings& view)
{
    StillDrawer::Job job;
    job.content = scene_;
    job.scene = scene_->picture->scene;
    job.scene.camera = cameraOf(view);
    job.scene.cut = view.cut;
    job.scene.width = view.width;
    job.scene.height = view.height;
    job.scene.samples = 4;
    job.lines = drawLines(job.scene);
    return job;
}

std::optional<Picked> Viewport::pickAt(ViewSettings view, double x, double y)
{
    view.moving = false; // all particles, by their numbers
    prepare(view, Drawer::Own);
    return pick(*scene_, cameraOf(view), x, y, view.width, view.height, view.cut);
}

std::optional<render::Bounds> Viewport::bounds(const ViewSettings& view, const std::string& node)
{
    prepare(view, Drawer::Own);
    const render::Scene& all = scene_->picture->scene;
    // The action is where the matter is or will come from, not on the ground around it.
    const auto isMeant = [&](const std::string& of) {
        return node.empty() ? !scene_->surroundings.contains(of) : of == node;
    };
    render::Scene part;
    for (std::size_t i = 0; i < all.particles.size(); ++i)
        if (node.empty() || scene_->particleNodes[i] == node)
            part.particles.push_back(all.particles[i]);
    for (std::size_t i = 0; i < scene_->meshNodes.size(); ++i)
        if (isMeant(scene_->meshNodes[i]))
            part.meshes.push_back(all.meshes[i]);
    for (std::size_t i = 0; i < all.gaussians.size(); ++i)
        if (node.empty() || scene_->gaussianNodes[i] == node)
            part.gaussians.push_back(all.gaussians[i]);
    const auto isEmpty = [&] {
        return part.particles.empty() && part.meshes.empty() && part.gaussians.empty();
    };
    if (isEmpty() && node.empty())
        part.meshes = all.meshes;
    if (isEmpty())
        return std::nullopt;
    return boundsOf(part);
}

} // namespace floe::view
