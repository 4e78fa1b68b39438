#include "floe/view/still_drawer.hpp"

#include <chrono>
#include <exception>
#include <sys/resource.h>
#include <unistd.h>

namespace floe::view {

namespace {

constexpr int kNice = 10;              // priority of the drawing threads, inherited from this one
constexpr double kOneStep = 400;       // [ms]: faster pictures are drawn in one step
constexpr std::size_t kMany = 200'000; // particles: the first picture of so many is slow

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
    next_ = std::move(job);
    changed_.notify_all();
}

void StillDrawer::drop()
{
    const std::lock_guard lock(mutex_);
    next_.reset();
    dropped_ = true;
    changed_.notify_all();
}

bool StillDrawer::superseded() const
{
    const std::lock_guard lock(mutex_);
    return ending_ || dropped_ || next_;
}

void StillDrawer::loop()
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice); // failure is harmless
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ending_ || next_; });
            if (ending_)
                return;
            job = std::move(*next_);
            next_.reset();
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
    const auto begin = std::chrono::steady_clock::now();
    const auto milliseconds = [&] {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    };
    if (!renderer_)
        renderer_ = std::make_unique<render::Renderer>();
    if (lastTook_ > kOneStep || particleCount(job.scene) > kMany) {
        render::Scene coarse = job.scene;
        coarse.samples = 1;
        const render::Image image = renderer_->render(coarse);
        if (!hold(job, image, milliseconds()) || superseded())
            return;
    }
    const render::Image image = renderer_->render(job.scene);
    lastTook_ = milliseconds();
    hold(job, image, lastTook_);
}

/// Shows a picture as soon as there is room. @return false when there is none and other work waits
bool StillDrawer::hold(const Job& job, const render::Image& image, double milliseconds)
{
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (ending_)
                return false;
        }
        if (job.show(image, milliseconds))
            return true;
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, std::chrono::milliseconds(20),
                              [this] { return ending_ || dropped_ || next_; }))
            return false;
    }
}

} // namespace floe::view
