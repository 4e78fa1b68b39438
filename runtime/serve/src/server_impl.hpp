#pragma once

#include "floe/serve/server.hpp"

#include "frame_store.hpp"
#include "history.hpp"
#include "picture_ring.hpp"
#include "rpc.hpp"
#include "session_document.hpp"
#include "simulation.hpp"
#include "transport.hpp"
#include "value_arrays.hpp"
#include "viewer.hpp"

#include "floe/session/library.hpp"
#include "floe/view/node_pictures.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace floe::serve {

/// One session and its client. Requests are handled on the thread of run(); long work is passed to
/// the simulation's or the viewer's thread, which answers when done.
class Server::Impl final : public Transport::Handler, public SimulationListener {
public:
    explicit Impl(ServeSettings settings);
    ~Impl() override;

    bool run();
    void stop() noexcept
    {
        stoppedFromOutside_ = true;
        transport_.stop();
    }

    // Transport::Handler
    Transport::Reply greeted(std::string_view line, const Transport::Places& places) override;
    void received(std::string_view line) override;
    void asked(const Transport::Peer& watcher, std::string_view line) override;
    void disconnected() override;
    Transport::Reply refused(Transport::Refusal why) override;
    void turnedAway(const std::string& what) override;

    // SimulationListener, from its threads
    void notify(const char* method, Json params) override;
    void framesChanged(std::optional<int> frame) override;

private:
    /// Who waits for an answer.
    struct Asker {
        std::optional<Json> id;                 ///< nothing: nobody
        std::optional<Transport::Peer> watcher; ///< nothing: the client
    };
    /// A request in progress.
    struct Call {
        Params params;
        Asker asker;
    };
    using Method = std::optional<Json> (Impl::*)(const Call&); ///< nothing: it answers later
    static const std::map<std::string_view, Method>& methods();
    void handle(std::string_view line, const std::optional<Transport::Peer>& watcher);

    // server.cpp
    Json hello(const Params& params);
    std::optional<Json> helloAgain(const Call& call);
    std::optional<Json> typesList(const Call& call);
    std::optional<Json> typesRescan(const Call& call);
    std::optional<Json> documentSet(const Call& call);
    std::optional<Json> shutdown(const Call& call);
    // server_run.cpp
    std::optional<Json> runStart(const Call& call);
    std::optional<Json> runStep(const Call& call);
    std::optional<Json> runStop(const Call& call);
    std::optional<Json> controlSet(const Call& call);
    std::optional<Json> poseSet(const Call& call);
    std::optional<Json> cacheClear(const Call& call);
    std::optional<Json> cacheOpen(const Call& call);
    std::optional<Json> commandLine(const Call& call);
    // server_view.cpp
    std::optional<Json> viewSet(const Call& call);
    std::optional<Json> viewClose(const Call& call);
    std::optional<Json> viewShown(const Call& call);
    std::optional<Json> viewPick(const Call& call);
    std::optional<Json> viewBounds(const Call& call);
    std::optional<Json> viewDraw(const Call& call);
    std::optional<Json> valueTable(const Call& call);
    std::optional<Json> valueInfo(const Call& call);
    std::optional<Json> valueArrays(const Call& call);
    std::optional<Json> valueRelease(const Call& call);
    std::optional<Json> exportPicture(const Call& call);
    std::optional<Json> exportMovie(const Call& call);
    std::optional<Json> exportCancel(const Call& call);

    void makeWorkers();
    void useDocument(std::shared_ptr<const SessionDocument> document);
    /// @throws GraphError naming the first fault when there is no document that can run
    const SessionDocument& runnable() const;
    std::map<std::string, int> resumeNodes(const Params& params);
    Json start(std::optional<int> from, std::optional<int> to, std::optional<int> resumeFrom,
               const Params& params);
    /// Returns the last frame of the contiguous up-to-date frames from the first frame on; the one
    /// before the first when there are none.
    int upToDateUntil();
    bool showPicture(const render::Image& image, Json about);
    /// Runs `job` on the viewer's thread and answers with its result.
    void answerLater(const Call& call, std::function<Json(Viewer&)> job);
    void answer(const Asker& asker, Json result);
    void answer(const Asker& asker, const std::exception_ptr& failure);
    void sendTo(const Asker& asker, std::string line);

    // frames (server_run.cpp)
    struct FrameState {
        const char* state;
        bool mixed = false;
    };
    /// Returns the state of every frame that is not empty. Any thread.
    std::map<int, FrameState> frameStates();
    bool isPlayed(const Simulation::Lineage& lineage);
    Json framesJson();
    Json keptJson(); ///< after framesJson()

    ServeSettings settings_;
    std::atomic<bool> stoppedFromOutside_{false}; ///< by stop(), not by the client
    Transport transport_;
    std::string token_;
    PictureRing ring_;
    ValueArrays arrays_;
    FrameStore store_;
    view::NodePictures pictures_;
    std::unique_ptr<session::Library> library_;
    std::shared_ptr<const SessionDocument> document_; ///< as last received
    std::shared_ptr<const SessionDocument> good_;     ///< the last one without errors

    /// Held while a list of frames is made and sent, so that newer lists are sent later.
    std::mutex tellingMutex_;
    std::mutex historyMutex_; ///< guards the following, used by frameStates() from any thread
    std::shared_ptr<const SessionDocument> historyDocument_;
    std::string historyDevice_;
    std::unique_ptr<ExpectedHistory> pure_;  ///< of the document alone
    std::unique_ptr<ExpectedHistory> mixed_; ///< of the last run's lineage
    std::optional<int> mixedFrom_;
    std::unique_ptr<ExpectedHistory> played_; ///< of the document at the end of the last run
    std::shared_ptr<const SessionDocument> playedDocument_;
    std::chrono::steady_clock::time_point framesTold_{};

    // Last: their threads end first.
    std::unique_ptr<Simulation> simulation_;
    std::unique_ptr<Viewer> viewer_;
};

} // namespace floe::serve
