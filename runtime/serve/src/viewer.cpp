#include "viewer.hpp"

#include "rpc.hpp"

#include "floe/base/error.hpp"

#include <chrono>

namespace floe::serve {

namespace {

double millisecondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

Json vectorJson(const render::Float3& v)
{
    return Json::array({v[0], v[1], v[2]});
}

Json cameraJson(const render::Camera& camera)
{
    Json json = {{"eye", vectorJson(camera.eye)},
                 {"target", vectorJson(camera.target)},
                 {"up", vectorJson(camera.up)},
                 {"fov", camera.verticalFov}};
    if (camera.orthographic)
        json["orthographic"] = true;
    return json;
}

} // namespace

Viewer::Viewer(session::Library& library, FrameStore& store, std::filesystem::path temporary,
               Show show, Ready ready, Say say)
    : store_(store), temporary_(std::move(temporary)), show_(std::move(show)),
      ready_(std::move(ready)), say_(std::move(say)), values_(library, store, temporary_.string()),
      viewport_(values_, store, [this](const std::string& notice) { say_("info", notice); }),
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

void Viewer::setGraph(std::shared_ptr<const graph::FlatGraph> graph)
{
    const std::lock_guard lock(mutex_);
    graph_ = std::move(graph);
    contentChanged_ = true;
    for (View& view : views_)
        view.dirty = true;
    changed_.notify_all();
}

void Viewer::setView(int which, ViewSettings view)
{
    const std::lock_guard lock(mutex_);
    views_[static_cast<std::size_t>(which)].settings = std::move(view);
    views_[static_cast<std::size_t>(which)].dirty = true;
    changed_.notify_all();
}

void Viewer::closeView(int which)
{
    const std::lock_guard lock(mutex_);
    views_[static_cast<std::size_t>(which)] = {};
}

std::optional<ViewSettings> Viewer::currentView(int which) const
{
    const std::lock_guard lock(mutex_);
    return views_[static_cast<std::size_t>(which)].settings;
}

void Viewer::frameChanged(std::optional<int> frame)
{
    const std::lock_guard lock(mutex_);
    if (frame)
        changedFrames_.insert(*frame);
    else
        allChanged_ = true;
    for (View& view : views_)
        if (view.settings && (!frame || *frame == view.settings->frame)) {
            contentChanged_ = view.dirty = true;
            changed_.notify_all();
        }
}

void Viewer::wake()
{
    const std::lock_guard lock(mutex_); // not between its check and its wait
    changed_.notify_all();
}

void Viewer::pause()
{
    const std::lock_guard lock(mutex_);
    views_ = {};
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

void Viewer::loop()
{
    for (;;) {
        Job job;
        std::optional<int> draw, still;
        {
            std::unique_lock lock(mutex_);
            const auto due = [this] {
                return ending_ || !jobs_.empty() || newMovie_ || movie_ || graph_ || nextStill() ||
                       (nextView() && ready_());
            };
            // A picture also waits for the client to read, which sends no notification.
            while (
                !changed_.wait_for(lock, std::chrono::milliseconds(nextView() ? 30 : 1000), due)) {
            }
            if (ending_)
                break;
            takeNews();
            if (!jobs_.empty()) {
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            draw = ready_() ? nextView() : std::nullopt;
            still = nextStill();
        }
        if (job)
            job(*this); // handles its own failures
        else if (draw)
            drawView(*draw);
        else if (still)
            drawStill(*still);
        else if (movie_)
            stepMovie();
    }
    if (movie_)
        endMovie(std::make_exception_ptr(CancelledError({}, "the session ends")));
}

/// Returns the view to draw next, after the one drawn last; mutex_ is held.
std::optional<int> Viewer::nextView() const
{
    for (int i = 1; i <= kMaxViews; ++i) {
        const int which = (drawn_ + i) % kMaxViews;
        const View& view = views_[static_cast<std::size_t>(which)];
        if (view.settings && view.dirty)
            return which;
    }
    return std::nullopt;
}

/// Returns a view whose full picture is to be queued; mutex_ is held.
std::optional<int> Viewer::nextStill() const
{
    for (int which = 0; which < kMaxViews; ++which) {
        const View& view = views_[static_cast<std::size_t>(which)];
        if (view.settings && !view.dirty && view.still)
            return which;
    }
    return std::nullopt;
}

/// Takes over settings of other threads; call with mutex_ held.
void Viewer::takeNews()
{
    if (graph_) {
        values_.setGraph(std::exchange(graph_, nullptr));
        pages_.clear();
    }
    for (const int frame : std::exchange(changedFrames_, {}))
        values_.forgetSurfaces(frame);
    if (std::exchange(allChanged_, false))
        values_.forgetSurfaces(std::nullopt);
    if (std::exchange(contentChanged_, false)) {
        viewport_.forget();
        pages_.clear();
    }
    if (newMovie_ && !movie_) {
        movie_ = std::exchange(newMovie_, std::nullopt);
        movieFrame_ = movie_->first;
    }
}

/// Returns the data that accompanies a picture of the prepared scene.
Json Viewer::describe(const ViewSettings& view, double milliseconds) const
{
    const view::ViewScene& scene = viewport_.scene();
    Json about = {{"frame", view.frame},
                  {"milliseconds", milliseconds},
                  {"quality", view.moving ? "moving" : "still"},
                  {"cached", scene.cached},
                  {"camera", cameraJson(viewport_.cameraOf(view))}};
    // Included even when it is not drawn into the picture: the client may draw it beside.
    const render::Legend& legend = scene.picture->scene.legend;
    if (scene.picture->scene.particles.empty())
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

/// Shows a picture unless a newer one was shown or the view is closed.
/// @return false when it could not be taken now
bool Viewer::show(int which, std::uint64_t number, const render::Image& image, Json about)
{
    const std::lock_guard lock(showMutex_);
    std::uint64_t& shown = shown_[static_cast<std::size_t>(which)];
    if (number < shown || !currentView(which))
        return true;
    if (which > 0)
        about["view"] = which;
    if (!show_(image, std::move(about)))
        return false;
    shown = number;
    complaint_.clear();
    return true;
}

void Viewer::complainOnce(const std::string& message)
{
    const std::lock_guard lock(showMutex_);
    if (std::exchange(complaint_, message) != message) // not for every picture
        say_("warning", "No picture: " + message);
}

void Viewer::drawView(int which)
{
    ViewSettings view;
    View& state = views_[static_cast<std::size_t>(which)];
    {
        const std::lock_guard lock(mutex_);
        if (!state.settings) // closed meanwhile
            return;
        view = *state.settings;
        state.dirty = false;
        state.still.reset();
    }
    drawn_ = which;
    try {
        const std::uint64_t number = number_ += 2; // and one for the full picture
        if (!view.moving && viewport_.processorDraws()) {
            drawQuickly(which, number, view);
        } else if (!drawNow(which, number, view)) {
            const std::lock_guard lock(mutex_);
            state.dirty = true;
        }
    } catch (const std::exception& error) {
        complainOnce(error.what());
    }
}

/// @return false when the picture could not be taken now
bool Viewer::drawNow(int which, std::uint64_t number, const ViewSettings& view)
{
    const auto begin = std::chrono::steady_clock::now();
    if (stills_)
        stills_->drop(which);
    const std::uint64_t content = viewport_.content();
    viewport_.prepare(view, view::Viewport::Drawer::Own);
    if (view.moving && viewport_.content() != content)
        viewport_.adaptSurfaces();
    const auto prepared = std::chrono::steady_clock::now();
    const render::Image image = viewport_.draw(view, 4);
    if (view.moving && std::exchange(warm_, true)) // the first one also makes the pipelines
        viewport_.detail().drew(millisecondsSince(prepared));
    shownContent_[static_cast<std::size_t>(which)] = viewport_.content();
    if (!show(which, number, image, describe(view, millisecondsSince(begin))))
        return false;
    if (!view.moving) {
        const std::lock_guard lock(mutex_);
        views_[static_cast<std::size_t>(which)].still = number + 1;
    }
    return true;
}

/// Draws a quick picture at once where the content is another than that of the last; the full one
/// is queued when all views have been drawn so.
void Viewer::drawQuickly(int which, std::uint64_t number, const ViewSettings& view)
{
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t& shownContent = shownContent_[static_cast<std::size_t>(which)];
    ViewSettings quick = view;
    quick.moving = true;
    const std::uint64_t content = viewport_.content();
    viewport_.prepare(quick, view::Viewport::Drawer::Own);
    if (viewport_.content() != content)
        viewport_.adaptSurfaces();
    if (shownContent != viewport_.content()) {
        const render::Image image = viewport_.draw(quick, 1);
        if (show(which, number, image, describe(quick, millisecondsSince(begin))))
            shownContent = viewport_.content();
    }
    const std::lock_guard lock(mutex_);
    views_[static_cast<std::size_t>(which)].still = number + 1;
}

/// Queues the full picture of a view, if it is not shown yet, and finer ones; they are shown when
/// finished, unless another is requested.
void Viewer::drawStill(int which)
{
    ViewSettings view;
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(mutex_);
        View& state = views_[static_cast<std::size_t>(which)];
        if (!state.settings || state.dirty || !state.still)
            return;
        view = *state.settings;
        number = *std::exchange(state.still, std::nullopt);
    }
    try {
        const bool shown = !viewport_.processorDraws();
        if (shown && viewport_.scene().shared)
            return; // it would take the particles from the device's memory
        viewport_.prepare(view, view::Viewport::Drawer::Other);
        shownContent_[static_cast<std::size_t>(which)] = viewport_.content();
        if (!stills_)
            stills_ = std::make_unique<view::StillDrawer>(
                [this](const std::string& message) { complainOnce(message); });
        view::StillDrawer::Job job = viewport_.still(view);
        job.view = which;
        job.shown = shown;
        job.show = [this, which, number, about = describe(view, 0)](
                       const render::Image& image, double milliseconds, int exposures) {
            if (!ready_())
                return false;
            Json now = about;
            now["milliseconds"] = milliseconds;
            if (exposures > 1)
                now["exposures"] = exposures;
            return show(which, number, image, std::move(now));
        };
        stills_->draw(std::move(job));
    } catch (const std::exception& error) {
        complainOnce(error.what());
    }
}

render::Image Viewer::draw(const ViewSettings& view, int samples)
{
    return viewport_.draw(view, samples);
}

Json Viewer::pick(int which, double x, double y)
{
    const auto view = currentView(which);
    const auto picked = view ? viewport_.pickAt(*view, x, y) : std::nullopt;
    if (!picked)
        return Json::object();
    Json result = {
        {"node", picked->node}, {"distance", picked->distance}, {"position", picked->position}};
    if (picked->particles) {
        const ParticlesValue& particles = *picked->particles;
        result["particle"] = picked->particle;
        if (const auto ids = particles.get<std::uint64_t>("id", 1); !ids.empty())
            result["id"] = ids[picked->particle];
        result["values"] = particleRow(particles, picked->particle);
    }
    return result;
}

Json Viewer::bounds(int which, const std::string& node)
{
    const auto box = viewport_.bounds(currentView(which).value_or(ViewSettings()), node);
    if (!box)
        return Json::object();
    return {{"low", vectorJson(box->low)}, {"high", vectorJson(box->high)}};
}

} // namespace floe::serve
