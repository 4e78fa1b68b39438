#pragma once

#include "client/messages.hpp"

#include <QElapsedTimer>
#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <array>
#include <functional>
#include <optional>

namespace floe::client {

class Connection;

/// What the runtime is asked to draw.
struct View {
    QSize size;         ///< pixels
    int frame = 1;      ///< of the cache
    QString cameraNode; ///< empty: the camera below
    double gate = 0;    ///< width / height of what that node is rendered to; 0: nothing
    Camera camera;
    std::optional<Cut> cut;
    QString mode =
        QStringLiteral("material"); ///< colouring: material, speed, activation, attribute
    QString attribute;              ///< for mode "attribute"
    QString map = QStringLiteral("viridis");
    std::optional<std::array<double, 2>> range; ///< of the colour map; none: from the data
    QString selected;   ///< path of a node that is outlined where it is not drawn; or empty
    QStringList ghosts; ///< paths of nodes whose shapes are seen through
    bool colliders = true, surfaces = true, grid = true, domain = true;
    bool emitters = false; ///< their shapes, whatever has become of them
    double shutter = 0;    ///< how long it is open in still pictures [frames]
    bool moving = false;   ///< quick instead of beautiful
    bool operator==(const View&) const = default;
};

Json toJson(const View& view);

/// The runtime process (`floe serve`) as the editor sees it.
///
/// Starts it, speaks JSON-RPC with it, and tells when it died and of what. Lives in the window's
/// thread and never blocks it: everything is asked with a callback and answered through the event
/// loop. What was set (document, view) is remembered and sent again to a new runtime.
class Runtime : public QObject {
    Q_OBJECT
public:
    enum class State {
        Stopped,  ///< none was started, or it was stopped on purpose
        Starting, ///< the process or the connection is being made
        Ready,
        Lost ///< it ended or the connection broke; restart() makes a new one
    };
    Q_ENUM(State)

    using Answer = std::function<void(const Json& result)>;
    using Failure = std::function<void(const QString& message)>;

    explicit Runtime(QObject* parent = nullptr);
    ~Runtime() override; ///< ends the process it started

    /// Starts `program serve` and connects. @param program empty: `floe` beside the editor itself
    void start(const QString& program = {},
               const QStringList& arguments = {QStringLiteral("serve")});
    /// The program that start() started last; empty before.
    const QString& program() const { return program_; }
    /// Connects to a runtime that runs already.
    void connectLocal(const QString& socketPath);
    /// The same on another machine. @param token what it printed when it began to listen
    void connectTcp(const QString& host, quint16 port, const QString& token);
    /// Arguments after those of start(), from the next start on.
    void setOptions(const QStringList& options) { options_ = options; }
    /// Ends what is there and starts (or connects to) the same again.
    void restart();
    void stop();

    State state() const { return state_; }
    /// True when it was not started by this: restart() then connects again.
    bool isElsewhere() const { return way_ == Way::Tcp || way_ == Way::Local; }
    RunState runState() const { return runState_; }
    /// True when a process that was started lives and has not answered for so long that somebody
    /// may want to know. It is not given up: a machine under load starts slowly.
    bool isSlow() const { return slow_; }
    void setPatience(int milliseconds) { patience_ = milliseconds; } ///< until it is slow
    /// Why it was lost, for a person; empty while it is not.
    QString lossMessage() const { return loss_; }
    /// `types.list` of the runtime; null before it answered.
    const Json& types() const { return types_; }
    /// What it can simulate on, `[{"id", "name", "memory"}]`; empty before it answered.
    const Json& devices() const { return devices_; }
    /// True when faults() and frames() are of the newest document: this runtime has answered to it.
    bool knowsDocument() const
    {
        return state_ == State::Ready && hasDocument_ && !documentWaits_ && !documentSent_;
    }
    const std::vector<graph::Fault>& faults() const { return faults_; }
    const QVector<FrameSpan>& frames() const { return frames_; }
    /// What is on disk of nodes that keep their frames, by node.
    const QMap<QString, QVector<FrameSpan>>& keptFrames() const { return kept_; }
    /// @param which  number of the view, 0 to kMaxViews - 1
    const View& view(int which = 0) const { return views_[static_cast<std::size_t>(which)].wanted; }

    /// Asks; exactly one of the callbacks is called, later, from the event loop.
    /// @param owner when it is destroyed, neither is called
    void request(QObject* owner, const QString& method, Json params, Answer answer = {},
                 Failure failure = {}, int timeoutMilliseconds = 30'000);

    /// The document as it is now. While the runtime still checks an earlier one, only the newest
    /// waits. @param path empty: never saved
    void setDocument(Json document, const QString& path);
    /// What a view shows; of several in a row the newest is drawn.
    void setView(const View& view, int which = 0);
    void closeView(int which); ///< no pictures of it until the next setView()
    /// A parameter of the running simulation (its manifest says `live`). Of several in a row for
    /// the same parameter the newest is sent.
    void control(const QString& node, const QString& parameter, Json value);

    /// What to simulate on: "auto", "cpu", "cuda", "cuda:1"; empty: as the runtime likes. For the
    /// runs to come.
    void setDevice(const QString& device) { device_ = device; }
    /// @param resumeFrom a cached frame to go on from; none: from the first frame that is not
    /// cached
    /// What is refused is told by refused().
    /// @param accepted  called when it is not
    /// @param live  keep the scene's frame rate, and slow time down where frames take longer
    void play(std::optional<int> from = {}, std::optional<int> to = {},
              std::optional<int> resumeFrom = {}, std::function<void()> accepted = {},
              bool live = false);
    void cancel();
    void clearCache();

signals:
    void stateChanged(floe::client::Runtime::State state);
    /// The runtime is gone. @param message what happened, with the node that was cooking
    /// @param lastLines of its standard error, oldest first
    void lost(const QString& message, const QString& node, const QStringList& lastLines);
    void slowChanged(); ///< isSlow()
    void typesChanged();
    void faultsChanged();
    void framesChanged(); ///< frames(), keptFrames()
    void runStateChanged(floe::client::RunState state, const QString& message, const QString& node);
    void refused(const QString& message); ///< a run that was asked for does not begin
    void frameFinished(int frame, const floe::Json& statistics);
    void paced(double speed);        ///< of time in the frame of a live run that finished; 1: full
    void livedThrough(double speed); ///< a live run has ended; its mean
    void progressed(const floe::client::Progress& progress);
    void nodeChanged(const floe::client::NodeStatus& status);
    void pictureArrived(const floe::client::Picture& picture);
    void exportProgressed(const QString& path, double fraction);
    void logged(const floe::client::LogLine& line);
    void warned(const QString& message); ///< of the session, not of a node: the disk is full, ...

private:
    struct Pending {
        QPointer<QObject> owner;
        Answer answer;
        Failure failure;
        QString method;
        qint64 deadline;
    };
    enum class Way { None, Process, Local, Tcp };

    void begin();
    void openLocal(const QString& path);
    void greet();
    void setState(State state);
    void setSlow(bool slow);
    void lose(const QString& reason);
    void finishLoss(const QString& reason);
    void abandon(const QString& reason);
    void drain();
    bool handleNext();
    void handle(const Json& message);
    void answerTo(const Json& message);
    void notification(const QString& method, const Json& params);
    void readErrors();
    void expire();
    void sendDocument();
    void sendView(int which);
    void sendControls();
    void log(LogLine::Severity severity, const QString& message);
    QString deathNote() const;

    QThread thread_;
    Connection* connection_ = nullptr; // lives in thread_
    QProcess* process_ = nullptr;
    QList<QPointer<QProcess>> ending_; ///< earlier ones, until they have ended
    QTimer clock_;
    QElapsedTimer since_;

    Way way_ = Way::None;
    QString program_, socket_, host_, token_;
    QStringList arguments_, options_;
    QString device_;
    int patience_;
    bool slow_ = false;
    quint16 port_ = 0;

    State state_ = State::Stopped;
    RunState runState_ = RunState::Idle;
    QString loss_;
    QStringList cooking_, lastLines_; // nodes that cook, the one heard of last at the end
    QByteArray errorPart_;
    qint64 startedAt_ = 0;
    qint64 processId_ = 0, dead_ = 0; ///< dead_: one that ended by itself leaves its frames
    bool socketKnown_ = false, waitingForEnd_ = false;
    bool heardAll_ = false; ///< the connection is over and everything it brought was handled

    qint64 lastId_ = 0;
    QHash<qint64, Pending> pending_;

    Json types_, devices_ = Json::array(), document_;
    QString path_;
    bool hasDocument_ = false, documentWaits_ = false, documentSent_ = false;
    std::vector<graph::Fault> faults_;
    QVector<FrameSpan> frames_;
    QMap<QString, QVector<FrameSpan>> kept_;

    struct OpenView {
        View wanted;
        bool isOpen = false, waits = false, sent = false;
    };
    std::array<OpenView, kMaxViews> views_;
    QHash<QString, Json> controls_; // newest of each parameter, to be sent
    bool controlSent_ = false;
};

} // namespace floe::client
