#include "viewer.hpp"

#include "rpc.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/io/image.hpp"
#include "floe/io/movie.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

/// How much is drawn while the camera moves: level by level half the particles and half the pixels.
/// The level is found by what the pictures take.
constexpr int kLowestDetail = 5;
constexpr std::size_t kMovingParticles = 1'000'000;
constexpr double kMovingPixels = 1280.0 * 720;
constexpr int kShadowsUpTo = 2;        // level
constexpr double kTooSlow = 120;       // [ms]
constexpr double kQuick = 35;          // [ms]: twice that is still good
constexpr float kWidestAngle = 170;    // [degrees], of the protocol
constexpr int kPicturesBeforeMore = 5; // quick ones in a row

double millisecondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

Json vectorJson(const render::Float3& v)
{
    return Json::array({v[0], v[1], v[2]});
}

} // namespace

Json cameraJson(const render::Camera& camera)
{
    return {{"eye", vectorJson(camera.eye)},
            {"target", vectorJson(camera.target)},
            {"up", vectorJson(camera.up)},
            {"fov", camera.verticalFov}};
}

Viewer::Viewer(Library& library, FrameStore& store, fs::path temporary, Show show, Ready ready,
               Say say)
    : store_(store), temporary_(std::move(temporary)), show_(std::move(show)),
      ready_(std::move(ready)), say_(std::move(say)), values_(library, store, temporary_.string()),
      thread_([this] { loop(); })
{}

Viewer::~Viewer()
{
    cancelMovie_ = true;
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    stills_.reset();
    if (encoding_.joinable())
        encoding_.join();
}

void Viewer::setDocument(std::shared_ptr<const SessionDocument> document)
{
    const std::lock_guard lock(mutex_);
    document_ = std::move(document);
    contentChanged_ = dirty_ = true;
    changed_.notify_all();
}

void Viewer::setView(ViewSettings view)
{
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
    dirty_ = true;
    changed_.notify_all();
}

std::optional<ViewSettings> Viewer::view() const
{
    const std::lock_guard lock(mutex_);
    return view_;
}

void Viewer::frameChanged(std::optional<int> frame)
{
    const std::lock_guard lock(mutex_);
    if (frame)
        changedFrames_.insert(*frame);
    else
        allChanged_ = true;
    if (view_ && (!frame || *frame == view_->frame)) {
        contentChanged_ = dirty_ = true;
        changed_.notify_all();
    }
}

void Viewer::wake()
{
    const std::lock_guard lock(mutex_); // not between its looking and its sleeping
    changed_.notify_all();
}

void Viewer::pause()
{
    const std::lock_guard lock(mutex_);
    view_.reset();
    dirty_ = false;
}

void Viewer::post(Job job)
{
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= kMaxJobs)
        throw RpcError(RpcCode::Busy, "too many requests wait; ask again later");
    jobs_.push_back(std::move(job));
    changed_.notify_all();
}

void Viewer::makeMovie(MovieJob job)
{
    const std::lock_guard lock(mutex_);
    if (std::exchange(movieBusy_, true))
        throw RpcError(RpcCode::Busy, "another movie is being made");
    cancelMovie_ = false;
    newMovie_ = std::move(job);
    changed_.notify_all();
}

void Viewer::cancelMovie()
{
    cancelMovie_ = true;
}

render::Renderer& Viewer::renderer()
{
    if (!renderer_) {
        const compute::DevicePointer computing = compute::selectDevice("auto");
        renderer_ = std::make_unique<render::Renderer>(
            render::RendererSettings{.device = drawingDevice(computing.get())});
        shared_ = std::make_unique<SharedMemory>(*renderer_);
        detail_ = renderer_->device().kind == render::DeviceInfo::Kind::Cpu ? 3 : 0;
    }
    return *renderer_;
}

void Viewer::loop()
{
    for (;;) {
        Job job;
        bool draw = false;
        {
            std::unique_lock lock(mutex_);
            const auto due = [this] {
                return ending_ || !jobs_.empty() || newMovie_ || movie_ || document_ ||
                       (dirty_ && view_ && ready_());
            };
            // A picture also waits for the client to read: nobody tells when it has.
            while (!changed_.wait_for(lock, std::chrono::milliseconds(dirty_ ? 30 : 1000), due)) {
            }
            if (ending_)
                break;
            if (document_) {
                values_.setDocument(std::exchange(document_, nullptr));
                pages_.clear();
            }
            if (std::exchange(contentChanged_, false)) {
                sceneOf_.reset();
                for (const int frame : std::exchange(changedFrames_, {}))
                    values_.forgetSurfaces(frame);
                if (std::exchange(allChanged_, false))
                    values_.forgetSurfaces(std::nullopt);
                pages_.clear();
            }
            if (!jobs_.empty()) {
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            if (newMovie_ && !movie_) {
                movie_ = std::exchange(newMovie_, std::nullopt);
                movieFrame_ = movie_->first;
            }
            draw = dirty_ && view_ && ready_();
        }
        if (job)
            job(*this); // answers for its own failures
        else if (draw)
            drawView();
        else if (movie_)
            stepMovie();
    }
    if (movie_)
        endMovie(std::make_exception_ptr(CancelledError({}, "the session ends")));
}

/// Makes scene_ show what `view` asks for.
/// @param drawer  the other's scene borrows nothing but host memory
void Viewer::prepare(const ViewSettings& view, Drawer drawer)
{
    const bool surfacesMissing =
        !view.moving && view.surfaces && !values_.surfaces(view.frame, false);
    const bool preview =
        view.moving && processorDraws() && (view.mode != "attribute" || inPreview(view.attribute));
    if (sceneOf_ && sceneOf_->sameContent(view) && sceneOf_->cameraNode == view.cameraNode &&
        !surfacesMissing && (preview || !scene_->preview) &&
        (drawer == Drawer::Own || !scene_->shared))
        return;
    sceneOf_.reset();
    std::shared_ptr<const FrameValues> frame;
    SharedMemory* shared = nullptr;
    if (preview) {
        frame = store_.preview(view.frame);
    } else if (drawer == Drawer::Own && (frame = store_.inDeviceMemory(view.frame))) {
        renderer(); // makes shared_
        shared = shared_.get();
    } else {
        frame = store_.get(view.frame);
    }
    scene_ = std::make_shared<ViewScene>(makeViewScene(values_, frame, view, shared));
    if (const std::string notice = shared ? shared->takeNotice() : ""; !notice.empty())
        say_("info", notice);
    ++revision_;
    ++content_;
    for (render::ParticleSet& set : scene_->picture->scene.particles)
        set.revision = revision_;
    for (render::Mesh& mesh : scene_->picture->scene.meshes)
        mesh.revision = revision_;
    sceneOf_ = view;
}

/// Fewer particles for views in motion: every n-th, as large as keeps bodies closed.
void Viewer::thinOut(render::Scene& scene) const
{
    std::uint64_t count = 0;
    for (const auto& set : scene.particles)
        count += set.positions.size();
    const std::uint64_t most = kMovingParticles >> detail_;
    const auto step = static_cast<std::uint32_t>((count + most - 1) / most);
    if (step < 2)
        return;
    for (render::ParticleSet& set : scene.particles) {
        set.every = step;
        set.radius *= static_cast<float>(std::cbrt(static_cast<double>(step)));
    }
}

/// Chooses the level of detail by what a picture in motion took.
void Viewer::adaptDetail(double milliseconds)
{
    quickPictures_ = milliseconds < kQuick ? quickPictures_ + 1 : 0;
    if (milliseconds > kTooSlow && detail_ < kLowestDetail)
        detail_ += milliseconds > 3 * kTooSlow && detail_ + 1 < kLowestDetail ? 2 : 1;
    else if (quickPictures_ > kPicturesBeforeMore && detail_ > 0) {
        --detail_;
        quickPictures_ = 0;
    }
}

render::Camera Viewer::cameraOf(const ViewSettings& view) const
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

/// Draws the boxes of domains as lines for the camera and size of `scene`.
/// @return what it then borrows
Viewer::Lines Viewer::drawLines(render::Scene& scene)
{
    Lines lines;
    for (const auto& [mesh, corners] : scene_->domains) {
        lines.push_back(thinLines(corners, scene.camera, scene.height));
        scene.meshes[mesh].points = lines.back();
        scene.meshes[mesh].revision = ++revision_;
    }
    return lines;
}

render::Image Viewer::draw(const ViewSettings& view, int samples)
{
    render::Renderer& device = renderer();
    prepare(view, Drawer::Own);
    render::Scene& scene = scene_->picture->scene;
    const render::Effects effects = scene.effects;
    const auto particles = scene.particles;
    const auto meshes = scene.meshes;
    const render::Camera camera = scene.camera;
    scene.camera = cameraOf(view);
    scene.width = view.width;
    scene.height = view.height;
    scene.samples = samples;
    if (view.moving) {
        thinOut(scene);
        scene.samples = 1;
        scene.effects.ambientOcclusion = 0;
        scene.effects.clear = false;
        scene.effects.shadowMapSize = 512;
        scene.sun.shadow = detail_ <= kShadowsUpTo;
        const double most = kMovingPixels / (1 << detail_);
        if (const double pixels = static_cast<double>(view.width) * view.height; pixels > most) {
            const double scale = std::sqrt(most / pixels);
            scene.width = std::max(1, static_cast<int>(view.width * scale));
            scene.height = std::max(1, static_cast<int>(view.height * scale));
        }
    }
    const auto restore = [&] {
        scene.effects = effects;
        scene.particles = particles;
        scene.meshes = meshes;
        scene.camera = camera;
        scene.sun.shadow = true;
    };
    const Lines lines = drawLines(scene);
    try {
        render::Image image = device.render(scene);
        restore();
        return image;
    } catch (...) {
        restore();
        throw;
    }
}

/// What goes with a picture of scene_.
Json Viewer::describe(const ViewSettings& view, double milliseconds) const
{
    Json about = {{"frame", view.frame},
                  {"milliseconds", milliseconds},
                  {"quality", view.moving ? "moving" : "still"},
                  {"cached", scene_->cached},
                  {"camera", cameraJson(cameraOf(view))}};
    // Also when it is not drawn into the picture: who shows the picture may draw it beside.
    const render::Legend& legend = scene_->picture->scene.legend;
    if (scene_->picture->scene.particles.empty())
        return about;
    about["legend"] = {{"title", legend.title}};
    if (legend.entries.empty()) {
        about["legend"]["map"] = view.map;
        about["legend"]["range"] = {legend.low, legend.high};
        return about;
    }
    Json entries = Json::array();
    for (const auto& entry : legend.entries)
        entries.push_back({{"label", entry.label}, {"colour", vectorJson(entry.colour)}});
    about["legend"]["entries"] = std::move(entries);
    return about;
}

/// Shows a picture unless a newer one was. @return false when it could not be taken now
bool Viewer::show(std::uint64_t number, const render::Image& image, Json about)
{
    const std::lock_guard lock(showMutex_);
    if (number < shown_)
        return true;
    if (!show_(image, std::move(about)))
        return false;
    shown_ = number;
    complaint_.clear();
    return true;
}

void Viewer::complainOnce(const std::string& message)
{
    const std::lock_guard lock(showMutex_);
    if (std::exchange(complaint_, message) != message) // not for every picture
        say_("warning", "No picture: " + message);
}

/// Has the full picture of scene_ drawn; it is shown when it is there.
void Viewer::drawStill(std::uint64_t number, const ViewSettings& view)
{
    if (!stills_)
        stills_ = std::make_unique<StillDrawer>(
            [this](const std::string& message) { complainOnce(message); });
    StillDrawer::Job job;
    job.content = scene_;
    job.scene = scene_->picture->scene;
    job.scene.camera = cameraOf(view);
    job.scene.width = view.width;
    job.scene.height = view.height;
    job.scene.samples = 4;
    job.lines = drawLines(job.scene);
    Json about = describe(view, 0);
    job.show = [this, number, about = std::move(about)](const render::Image& image,
                                                        double milliseconds) {
        if (!ready_())
            return false;
        Json now = about;
        now["milliseconds"] = milliseconds;
        return show(number, image, std::move(now));
    };
    stills_->draw(std::move(job));
}

/// @return false when nothing was shown
bool Viewer::drawView()
{
    const auto begin = std::chrono::steady_clock::now();
    ViewSettings view;
    {
        const std::lock_guard lock(mutex_);
        view = *view_;
        dirty_ = false;
    }
    try {
        const bool sameContent = sceneOf_ && sceneOf_->sameContent(view);
        const std::uint64_t number = number_ += 2; // and one for the full picture
        if (view.moving || !processorDraws()) {
            if (stills_)
                stills_->drop();
            const render::Image image = draw(view, 4);
            if (view.moving && (sameContent || scene_->preview))
                adaptDetail(millisecondsSince(begin));
            shownContent_ = content_;
            if (show(number, image, describe(view, millisecondsSince(begin))))
                return true;
        } else {
            ViewSettings quick = view;
            quick.moving = true;
            prepare(quick, Drawer::Own);
            if (shownContent_ != content_) { // at once, if not at its best
                const render::Image image = draw(quick, 1);
                if (show(number, image, describe(quick, millisecondsSince(begin))))
                    shownContent_ = content_;
            }
            {
                const std::lock_guard lock(mutex_);
                if (dirty_) // something else is wanted already
                    return true;
            }
            prepare(view, Drawer::Other);
            drawStill(number + 1, view);
            shownContent_ = content_;
            return true;
        }
        const std::lock_guard lock(mutex_);
        dirty_ = true;
    } catch (const std::exception& error) {
        complainOnce(error.what());
    }
    return false;
}

Json Viewer::bounds(const std::string& node)
{
    ViewSettings view;
    {
        const std::lock_guard lock(mutex_);
        if (view_)
            view = *view_;
    }
    prepare(view, Drawer::Own);
    const render::Scene& all = scene_->picture->scene;
    render::Scene part;
    for (std::size_t i = 0; i < all.particles.size(); ++i)
        if (node.empty() || scene_->particleNodes[i] == node)
            part.particles.push_back(all.particles[i]);
    for (std::size_t i = 0; i < all.meshes.size(); ++i)
        if (node.empty() || scene_->meshNodes[i] == node)
            part.meshes.push_back(all.meshes[i]);
    if (part.particles.empty() && part.meshes.empty())
        return Json::object();
    const render::Bounds box = boundsOf(part);
    return {{"low", vectorJson(box.low)}, {"high", vectorJson(box.high)}};
}

void Viewer::stepMovie()
{
    try {
        if (cancelMovie_)
            throw CancelledError({.file = movie_->path.string()}, "was cancelled");
        if (movieFrame_ == movie_->first) {
            if (!io::canWriteMovies())
                throw DeviceError({}, "movies need ffmpeg, which is not installed",
                                  "install it, or export pictures");
            movieFolder_ = temporary_ / "movie";
            fs::remove_all(movieFolder_);
            fs::create_directories(movieFolder_);
        }
        if (!store_.has(movieFrame_))
            throw InputError({.frame = movieFrame_}, "is not simulated",
                             "simulate it, or name other frames");
        ViewSettings view;
        {
            const std::lock_guard lock(mutex_);
            if (view_)
                view = *view_;
        }
        view.frame = movieFrame_;
        view.width = movie_->width / 2 * 2; // what H.264 can hold
        view.height = movie_->height / 2 * 2;
        view.moving = false;
        const render::Image image = draw(view, 4);
        char name[32];
        std::snprintf(name, sizeof name, "movie.%06d.png", movieFrame_ - movie_->first);
        io::writePng(movieFolder_ / name, image.width, image.height, 4, image.display);
        movie_->progress((movieFrame_ - movie_->first + 1.0) /
                         (movie_->last - movie_->first + 2.0));
        if (++movieFrame_ <= movie_->last)
            return;
        if (encoding_.joinable())
            encoding_.join();
        encoding_ = std::thread([this, job = std::move(*movie_), folder = movieFolder_] {
            std::exception_ptr failure;
            try {
                io::writeMovie(job.path, (folder / "movie.%06d.png").string(), 0, job.fps);
            } catch (...) {
                failure = std::current_exception();
            }
            std::error_code ignored;
            fs::remove_all(folder, ignored);
            {
                const std::lock_guard lock(mutex_);
                movieBusy_ = false;
            }
            job.done({{"path", job.path.string()}, {"pictures", job.last - job.first + 1}},
                     failure);
        });
        movie_.reset();
    } catch (...) {
        endMovie(std::current_exception());
    }
}

void Viewer::endMovie(std::exception_ptr failure)
{
    std::error_code ignored;
    fs::remove_all(movieFolder_, ignored);
    const MovieJob job = std::move(*movie_);
    movie_.reset();
    {
        const std::lock_guard lock(mutex_);
        movieBusy_ = false;
    }
    job.done({}, std::move(failure));
}

} // namespace floe::session
