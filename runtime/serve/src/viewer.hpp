#pragma once

#include "frame_store.hpp"
#include "value_page.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/view/scene_values.hpp"
#include "floe/view/still_drawer.hpp"
#include "floe/view/viewport.hpp"

#include <array>
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
    ViewSettings view; ///< of what is seen; its frame, size and quality play no part
    int first = 1, last = 1;
    int width = 1280, height = 720;
    double fps = 24;
    std::function<void(double fraction)> progress;
    std::function<void(Json result, std::exception_ptr failure)> done;
};

/// Draws the session's pictures and answers questions about its values, on its own thread. Up to
/// kMaxViews views are open, each drawn as it was set last, in turn. Functions are for the
/// session's thread.
class Viewer {
public:
    static constexpr int kMaxViews = 4;

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
    /// @param which  number of the view, 0 to kMaxViews - 1
    void setView(int which, ViewSettings view);
    void closeView(int which); ///< no pictures of it until the next setView
    std::optional<ViewSettings> currentView(int which) const;
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
    /// Returns what is seen at a pixel of a view: {"node", "particle", "position", ...}.
    Json pick(int which, double x, double y);
    /// Returns {"low", "high"} of a node's geometry in a view, or of everything; empty when there
    /// is none.
    Json bounds(int which, const std::string& node);
    render::Image draw(const ViewSettings& view, int samples);

private:
    void loop();
    void takeNews();
    std::optional<int> nextView() const;
    std::optional<int> nextStill() const;
    void drawView(int which);
    bool drawNow(int which, std::uint64_t number, const ViewSettings& view);
    void drawQuickly(int which, std::uint64_t number, const ViewSettings& view);
    void drawStill(int which);
    Json describe(const ViewSettings& view, double milliseconds) const;
    bool show(int which, std::uint64_t number, const render::Image& image, Json about);
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
    std::uint64_t number_ = 0;                            ///< of the views drawn
    int drawn_ = 0;                                       ///< the view drawn last
    bool warm_ = false;                                   ///< a picture in motion was drawn
    std::array<std::uint64_t, kMaxViews> shownContent_{}; ///< of the last picture of each view
    std::optional<MovieJob> movie_;
    int movieFrame_ = 0;
    std::filesystem::path movieFolder_;
    std::thread encoding_;

    mutable std::mutex mutex_; ///< guards the rest
    std::condition_variable changed_;
    std::shared_ptr<const graph::FlatGraph> graph_; ///< new one, or null
    struct View {
        std::optional<ViewSettings> settings; ///< nothing: closed
        bool dirty = false;
        std::optional<std::uint64_t>
            still; ///< number of the full picture that is to be queued, or finer ones
    };
    std::array<View, kMaxViews> views_;
    bool contentChanged_ = false;
    std::set<int> changedFrames_; ///< frames whose surfaces are stale
    bool allChanged_ = false;
    std::deque<Job> jobs_;
    std::optional<MovieJob> newMovie_;
    bool movieBusy_ = false;
    std::atomic<bool> cancelMovie_{false};
    bool ending_ = false;

    std::mutex showMutex_;                         ///< pictures come from two threads
    std::array<std::uint64_t, kMaxViews> shown_{}; ///< number of each view's newest picture shown
    std::string complaint_;
    std::unique_ptr<view::StillDrawer>
        stills_; ///< full pictures where the processor draws, finer ones
    std::thread thread_;
};

} // namespace floe::serve
