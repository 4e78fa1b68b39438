#pragma once

#include "floe/view/view_scene.hpp"

#include "floe/render/renderer.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace floe::view {

/// Draws full pictures on its own thread with its own renderer, so that quick pictures of a moving
/// camera never wait for one that takes seconds. For machines whose processor draws; its threads
/// have lower priority than all others.
///
/// Slow pictures come in two steps, coarse edges first. Then the picture becomes finer for some
/// seconds: the mean of more and more exposures (render/exposure.hpp), with smooth edges, soft
/// shadows, what the lens blurs and, where the scene has a shutter, what moves. A newer job of the
/// same view ends this in between. Views are drawn in turn.
class StillDrawer {
public:
    using Lines = std::vector<std::vector<render::Float3>>; ///< points of meshes
    struct Job {
        int view = 0;                             ///< number of the view that this is a picture of
        std::shared_ptr<const ViewScene> content; ///< owns what `scene` borrows
        render::Scene scene;
        Lines lines;        ///< points that `scene` also borrows
        bool shown = false; ///< the full picture of one exposure, so that only finer ones are drawn
        /// Takes a picture of so many exposures; called on the drawer's thread.
        /// @return false: not now, try again
        std::function<bool(const render::Image&, double milliseconds, int exposures)> show;
    };

    /// @param complain receives the reason why a picture could not be drawn; on the drawer's thread
    explicit StillDrawer(std::function<void(const std::string&)> complain);
    ~StillDrawer(); ///< waits for the picture in progress and drops it
    StillDrawer(const StillDrawer&) = delete;
    StillDrawer& operator=(const StillDrawer&) = delete;

    /// Replaces the waiting job of the same view. Any thread.
    void draw(Job job);
    /// Drops a view's waiting job, and what is left of its job in progress. Any thread.
    void drop(int view);

private:
    void loop();
    void work(const Job& job);
    bool drawOne(const Job& job);
    void refine(const Job& job);
    bool hold(const Job& job, const render::Image& image, double milliseconds, int exposures = 1);
    bool superseded(int view) const;
    bool isOver(int view) const;

    std::function<void(const std::string&)> complain_;
    std::unique_ptr<render::Renderer> renderer_; ///< used by the thread
    double lastTook_ = 0;                        ///< duration of the last full picture [ms]

    mutable std::mutex mutex_; ///< guards the rest
    std::condition_variable changed_;
    std::deque<Job> waiting_;    ///< at most one of a view
    std::optional<int> drawing_; ///< view of the job in progress
    bool dropped_ = false;       ///< that job
    bool ending_ = false;
    std::thread thread_;
};

} // namespace floe::view
