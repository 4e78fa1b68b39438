#pragma once

#include "floe/view/view_scene.hpp"

#include "floe/render/renderer.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace floe::view {

/// Draws full pictures on a thread and with a renderer of its own, so that the quick ones of a
/// camera in motion never wait for one that takes seconds. For machines whose processor draws; its
/// threads give way to all others.
///
/// What takes long comes in two steps, coarse edges first; a newer job ends it between them.
class StillDrawer {
public:
    using Lines = std::vector<std::vector<render::Float3>>; ///< points of meshes
    struct Job {
        std::shared_ptr<const ViewScene> content; ///< holds what `scene` borrows
        render::Scene scene;
        Lines lines; ///< points that `scene` borrows, too
        /// Takes a picture; called on the drawer's thread. @return false: not now, ask again
        std::function<bool(const render::Image&, double milliseconds)> show;
    };

    /// @param complain takes the reason why a picture could not be drawn; on the drawer's thread
    explicit StillDrawer(std::function<void(const std::string&)> complain);
    ~StillDrawer(); ///< waits for the picture in work, and shows it to nobody
    StillDrawer(const StillDrawer&) = delete;
    StillDrawer& operator=(const StillDrawer&) = delete;

    /// In place of the job that waits. Any thread.
    void draw(Job job);
    /// Nobody wants the job that waits, nor the second step of the one in work. Any thread.
    void drop();

private:
    void loop();
    void work(const Job& job);
    bool hold(const Job& job, const render::Image& image, double milliseconds);
    bool superseded() const;

    std::function<void(const std::string&)> complain_;
    std::unique_ptr<render::Renderer> renderer_; ///< of the thread
    double lastTook_ = 0;                        ///< [ms], for a full picture

    mutable std::mutex mutex_; ///< guards the rest
    std::condition_variable changed_;
    std::optional<Job> next_;
    bool dropped_ = false;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace floe::view
