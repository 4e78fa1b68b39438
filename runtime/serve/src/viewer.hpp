#pragma once

#include "frame_store.hpp"
#include "value_page.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/view/scene_values.hpp"
#include "floe/view/still_drawer.hpp"
#include "floe/view/viewport.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace floe::serve {

using view::ViewSettings;

/// A movie to make from cached frames.
struct MovieJob {
    std::filesystem::path path;
    int first = 1, last = 1;
    int width = 1280, height = 720;
    double fps = 24;
    std::function<void(double fraction)> progress;
    std::function<void(Json result, std::exception_ptr failure)> done;
};

/// Draws the session's pictures and answers questions about its values, on its own thread. Only the
/// newest view is drawn. Functions are for the session's thread.
class Viewer {
public:
    /// Takes a finished picture, 4 bytes per pixel; on the viewer's threads, one at a time.
    /// @return false when it cannot be taken now; it is drawn again after wake()
    using Show = std::function<bool(const render::Image&, Json about)>;
    /// Returns whether show would take a picture; from any thread.
    using Ready = std::function<bool()>;
    /// Shows a message to the user; from any thread.
    using Say = std::function<void(const char* severity, const std::string&)>;

    Viewer(session::Library& library, FrameStore& store, std::filesystem::path temporary, Show show,
           Ready ready, Say say);
    ~Viewer();
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;

    void setGraph(std::shared_ptr<const graph::FlatGraph> graph);
    void setView(ViewSettings view);
    std::optional<ViewSettings> currentView() const;
    /// The stored values of a frame have changed; of all frames without an argument.
    void frameChanged(std::optional<int> frame);
    void wake();
    void pause(); ///< no pictures until the next setView: the client is disconnected

    static constexpr std::size_t kMaxJobs = 64;
    using Job = std::function<void(Viewer&)>;
    /// Runs a job on the viewer's thread, before the next picture. @throws RpcError Busy
    void post(Job job);
    void makeMovie(MovieJob job); ///< @throws RpcError Busy: one at a time
    void cancelMovie();

    // For jobs, on the viewer's thread:

    view::SceneValues& values() { return values_; }
    ValuePages& pages() { return pages_; }
    /// Returns what is seen at a pixel of the present view: {"node", "particle", "position", ...}.
    Json pick(double x, double y);
    /// Returns {"low", "high"} of a node's geometry, or of everything; empty when there is none.
    Json bounds(const std::string& node);
    render::Image draw(const ViewSettings& view, int samples);

private:
    void loop();
    void takeNews();
    void drawView();
    bool drawNow(std::uint64_t number, const ViewSettings& view);
    void drawInSteps(std::uint64_t number, const ViewSettings& view);
    void drawStill(std::uint64_t number, const ViewSettings& view);
    Json describe(const ViewSettings& view, double milliseconds) const;
    bool show(std::uint64_t number, const render::Image& image, Json about);
    void complainOnce(const std::string& message);
    void stepMovie();
    void beginMovie();
    void encodeMovie();
    void endMovie(std::exception_ptr failure);

    FrameStore& store_;
    std::filesystem::path temporary_;
    Show show_;
    Ready ready_;
    Say say_;

    // of the viewer's thread
    view::SceneValues values_;
    ValuePages pages_;
    view::Viewport viewport_;
    std::uint64_t number_ = 0;       ///< of the views drawn
    std::uint64_t shownContent_ = 0; ///< of the last picture
    std::optional<MovieJob> movie_;
    int movieFrame_ = 0;
    std::filesystem::path movieFolder_;
    std::thread encoding_;

    mutable std::mutex mutex_; ///< guards the rest
    std::condition_variable changed_;
    std::shared_ptr<const graph::FlatGraph> graph_; ///< new one, or null
    std::optional<ViewSettings> view_;
    bool dirty_ = false;
    bool contentChanged_ = false;
    std::set<int> changedFrames_; ///< frames whose surfaces are stale
    bool allChanged_ = false;
    std::deque<Job> jobs_;
    std::optional<MovieJob> newMovie_;
    bool movieBusy_ = false;
    std::atomic<bool> cancelMovie_{false};
    bool ending_ = false;

    std::mutex showMutex_;    ///< pictures come from two threads
    std::uint64_t shown_ = 0; ///< number of the newest picture shown
    std::string complaint_;
    std::unique_ptr<view::StillDrawer> stills_; ///< where the processor draws
    std::thread thread_;
};

} // namespace floe::serve
