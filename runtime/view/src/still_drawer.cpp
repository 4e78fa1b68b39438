#include "floe/view/still_drawer.hpp"

#include "floe/render/exposure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <sys/resource.h>
#include <unistd.h>

namespace floe::view {

namespace {

constexpr int kNice = 10;              // priority of the drawing threads, inherited from this one
constexpr double kOneStep = 400;       // [ms]: faster pictures are drawn in one step
constexpr std::size_t kMany = 200'000; // particles: the first picture of so many is slow
constexpr double kRefining = 10'000;   // [ms]: about the longest time for finer pictures
constexpr int kFewest = 8;             // exposures that are finer than one of four samples a pixel

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::size_t particleCount(const render::Scene& scene)
{
    std::size_t count = 0;
    for (const render::ParticleSet& set : scene.particles)
        count += set.positions.size();
    return count;
}

} // namespace

StillDrawer::StillDrawer(std::function<void(const std::string&)> complain)
    : complain_(std::move(complain)), thread_([this] { loop(); })
{}

StillDrawer::~StillDrawer()
{
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void StillDrawer::draw(Job job)
{
    const std::lock_guard lock(mutex_);
    const auto of = [&](const Job& other) {
        return other.view == job.view;
    };
    if (const auto older = std::find_if(waiting_.begin(), waiting_.end(), of);
        older != waiting_.end())
        *older = std::move(job);
    else
        waiting_.push_back(std::move(job));
    changed_.notify_all();
}

void StillDrawer::drop(int view)
{
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [view](const Job& job) { return job.view == view; });
    dropped_ = dropped_ || drawing_ == view;
    changed_.notify_all();
}

/// Returns whether the job in progress need not go on; mutex_ is held.
bool StillDrawer::isOver(int view) const
{
    return ending_ || dropped_ ||
           std::any_of(waiting_.begin(), waiting_.end(),
                       [view](const Job& job) { return job.view == view; });
}

bool StillDrawer::superseded(int view) const
{
    const std::lock_guard lock(mutex_);
    return isOver(view);
}

void StillDrawer::loop()
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice); // failure is harmless
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            drawing_.reset();
            changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (ending_)
                return;
            job = std::move(waiting_.front());
            waiting_.pop_front();
            drawing_ = job.view;
            dropped_ = false;
        }
        try {
            work(job);
        } catch (const std::exception& error) {
            complain_(error.what());
        }
    }
}

void StillDrawer::work(const Job& job)
{
    if (!renderer_)
        renderer_ = std::make_unique<render::Renderer>();
    if (job.shown || drawOne(job))
        refine(job);
}

/// @return whether the full picture is shown
bool StillDrawer::drawOne(const Job& job)
{
    const Clock::time_point begin = Clock::now();
    if (lastTook_ > kOneStep || particleCount(job.scene) > kMany) {
        render::Scene coarse = job.scene;
        coarse.samples = 1;
        const render::Image image = renderer_->render(coarse);
        if (!hold(job, image, millisecondsSince(begin)) || superseded(job.view))
            return false;
    }
    const render::Image image = renderer_->render(job.scene);
    lastTook_ = millisecondsSince(begin);
    return hold(job, image, lastTook_);
}

void StillDrawer::refine(const Job& job)
{
    const Clock::time_point begin = Clock::now();
    render::MeanImage mean;
    int count = kStillExposures;
    for (int i = 0; i < count; ++i) {
        if (superseded(job.view))
            return;
        render::Scene exposed = job.scene;
        exposed.samples = 1;
        const auto moved =
            job.content->picture->moveTo(exposed, render::momentOf(i, kStillExposures));
        render::expose(exposed, i, kStillExposures);
        mean.add(renderer_->render(exposed));
        if (i == 0 && millisecondsSince(begin) * kStillExposures > kRefining)
            count = static_cast<int>(kRefining / millisecondsSince(begin));
        if (count < kFewest)
            return;
        const bool fine = mean.count() >= kFewest && (mean.count() & (mean.count() - 1)) == 0;
        if ((fine || mean.count() == count) &&
            !hold(job, mean.display(), millisecondsSince(begin), mean.count()))
            return;
    }
}

/// Shows a picture as soon as there is room. @return false when there is none and a newer one is
/// wanted
bool StillDrawer::hold(const Job& job, const render::Image& image, double milliseconds,
                       int exposures)
{
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (ending_)
                return false;
        }
        if (job.show(image, milliseconds, exposures))
            return true;
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, std::chrono::milliseconds(20),
                              [&] { return isOver(job.view); }))
            return false;
    }
}

} // namespace floe::view
