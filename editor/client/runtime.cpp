#include "client/runtime.hpp"

#include "client/connection.hpp"

#include <QCoreApplication>
#include <QDir>

#include <utility>

namespace floe::client {

namespace {

constexpr int kProtocol = 1;
constexpr int kStartTimeout = 20'000; // a cold start scans all plugins in child processes
constexpr int kLastWait = 3000;       // for the process, at the end of the application
constexpr int kNever = 1'000'000'000; // a week and more
constexpr int kLargestView = 8192;    // pixels, of the protocol

} // namespace

Json toJson(const View& view)
{
    const QSize size = view.size.boundedTo({kLargestView, kLargestView});
    Json json = {{"width", size.width()},
                 {"height", size.height()},
                 {"frame", view.frame},
                 {"quality", view.moving ? "moving" : "still"}};
    if (view.cameraNode.isEmpty()) {
        json["camera"] = {{"eye", view.camera.eye},
                          {"target", view.camera.target},
                          {"up", view.camera.up},
                          {"fov", view.camera.fieldOfView}};
        if (view.camera.orthographic)
            json["camera"]["orthographic"] = true;
    } else {
        json["cameraNode"] = view.cameraNode.toStdString();
        if (view.gate > 0)
            json["gate"] = view.gate;
    }
    if (view.cut)
        json["cut"] = {{"normal", view.cut->normal}, {"offset", view.cut->offset}};
    Json colouring = {{"mode", view.mode.toStdString()}};
    if (!view.attribute.isEmpty())
        colouring["attribute"] = view.attribute.toStdString();
    colouring["map"] = view.map.toStdString();
    if (view.range)
        colouring["range"] = {(*view.range)[0], (*view.range)[1]};
    json["colouring"] = std::move(colouring);
    if (!view.selected.isEmpty())
        json["selected"] = view.selected.toStdString();
    if (!view.ghosts.isEmpty()) {
        Json& ghosts = json["ghosts"] = Json::array();
        for (const QString& node : view.ghosts)
            ghosts.push_back(node.toStdString());
    }
    json["show"] = {{"colliders", view.colliders},
                    {"surfaces", view.surfaces},
                    {"grid", view.grid},
                    {"domain", view.domain},
                    {"legend", false}}; // the window draws it, as sharp as its other text
    if (view.emitters)
        json["show"]["emitters"] = true;
    if (view.shutter > 0)
        json["shutter"] = view.shutter;
    return json;
}

Runtime::Runtime(QObject* parent) : QObject(parent), patience_(kStartTimeout)
{
    qRegisterMetaType<floe::client::RunState>();
    since_.start();
    thread_.setObjectName(QStringLiteral("runtime connection"));
    thread_.start();
    clock_.setInterval(250);
    connect(&clock_, &QTimer::timeout, this, &Runtime::expire);
}

Runtime::~Runtime()
{
    blockSignals(true);
    stop();
    thread_.quit();
    thread_.wait();
    // It removes its frames, which may be gigabytes; what is left of it then is killed.
    for (const QPointer<QProcess>& process : std::as_const(ending_))
        if (process)
            process->waitForFinished(kLastWait);
}

void Runtime::start(const QString& program, const QStringList& arguments)
{
    way_ = Way::Process;
    program_ = program.isEmpty()
                   ? QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("floe"))
                   : program;
    arguments_ = arguments;
    restart();
}

void Runtime::connectLocal(const QString& socketPath)
{
    way_ = Way::Local;
    socket_ = socketPath;
    restart();
}

void Runtime::connectTcp(const QString& host, quint16 port, const QString& token)
{
    way_ = Way::Tcp;
    host_ = host;
    port_ = port;
    token_ = token;
    restart();
}

void Runtime::restart()
{
    if (way_ == Way::None)
        return;
    abandon(tr("The runtime was restarted."));
    begin();
}

void Runtime::stop()
{
    abandon(tr("The runtime was stopped."));
    setState(State::Stopped);
}

void Runtime::begin()
{
    loss_.clear();
    cooking_.clear();
    lastLines_.clear();
    errorPart_.clear();
    heardAll_ = waitingForEnd_ = false;
    startedAt_ = since_.elapsed();
    setSlow(false);
    clock_.start();
    connection_ = new Connection;
    connection_->moveToThread(&thread_);
    connect(connection_, &Connection::opened, this, &Runtime::greet);
    connect(connection_, &Connection::closed, this,
            [this, connection = connection_](const QString& reason) {
                while (connection_ == connection && handleNext()) // all of it: it tells of the end
                    ;
                if (connection_ != connection)
                    return;
                heardAll_ = true;
                lose(reason);
            });
    connect(connection_, &Connection::mail, this, &Runtime::drain);
    setState(State::Starting);
    if (way_ == Way::Local)
        return openLocal(socket_);
    if (way_ == Way::Tcp) {
        QMetaObject::invokeMethod(
            connection_, [c = connection_, host = host_, port = port_] { c->openTcp(host, port); },
            Qt::QueuedConnection);
        return;
    }
    process_ = new QProcess(this);
    process_->setProcessChannelMode(QProcess::SeparateChannels);
    connect(process_, &QProcess::readyReadStandardError, this, &Runtime::readErrors);
    connect(process_, &QProcess::readyReadStandardOutput, this, [this] {
        while (process_->canReadLine()) { // the first line names the socket
            const QString line = QString::fromUtf8(process_->readLine(4096)).trimmed();
            if (!line.isEmpty() && std::exchange(socketKnown_, true) == false)
                openLocal(line);
        }
        if (process_->bytesAvailable() > 65'536)
            process_->readAllStandardOutput();
    });
    connect(process_, &QProcess::finished, this, [this] { lose({}); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            lose(tr("The runtime %1 could not be started: %2.")
                     .arg(program_, process_->errorString()));
    });
    socketKnown_ = false;
    connect(process_, &QProcess::started, this, [this] { processId_ = process_->processId(); });
    QStringList arguments = arguments_ + options_;
    if (const qint64 dead = std::exchange(dead_, 0))
        arguments << QStringLiteral("--take-over") << QString::number(dead);
    process_->start(program_, arguments, QIODevice::ReadOnly);
}

void Runtime::openLocal(const QString& path)
{
    QMetaObject::invokeMethod(
        connection_, [c = connection_, path] { c->openLocal(path); }, Qt::QueuedConnection);
}

void Runtime::greet()
{
    if (state_ != State::Starting)
        return;
    Json params = {{"protocol", kProtocol}, {"client", "floe-editor"}};
    if (way_ == Way::Tcp)
        params["token"] = token_.toStdString();
    const auto refused = [this](const QString& message) {
        lose(message);
    };
    request(
        this, QStringLiteral("hello"), std::move(params),
        [this](const Json& hello) {
            const Json* devices = member(hello, "devices");
            devices_ = devices && devices->is_array() ? *devices : Json::array();
            setState(State::Ready);
            request(this, QStringLiteral("types.list"), Json::object(), [this](const Json& result) {
                types_ = result;
                emit typesChanged();
            });
            documentSent_ = controlSent_ = false;
            documentWaits_ = hasDocument_;
            sendDocument();
            for (int which = 0; which < kMaxViews; ++which) {
                OpenView& view = views_[static_cast<std::size_t>(which)];
                view.sent = false;
                view.waits = view.isOpen;
                sendView(which);
            }
        },
        refused, way_ == Way::Process ? kNever : kStartTimeout);
}

void Runtime::setState(State state)
{
    if (state != State::Starting)
        setSlow(false);
    if (std::exchange(state_, state) != state)
        emit stateChanged(state);
}

void Runtime::setSlow(bool slow)
{
    if (std::exchange(slow_, slow) != slow)
        emit slowChanged();
}

void Runtime::request(QObject* owner, const QString& method, Json params, Answer answer,
                      Failure failure, int timeoutMilliseconds)
{
    const bool greeting = method == QLatin1String("hello");
    if (state_ != State::Ready && !(greeting && state_ == State::Starting)) {
        if (failure)
            QMetaObject::invokeMethod(
                owner, [failure] { failure(tr("The runtime is not running.")); },
                Qt::QueuedConnection);
        return;
    }
    const qint64 id = ++lastId_;
    pending_.insert(id, {owner, std::move(answer), std::move(failure), method,
                         since_.elapsed() + timeoutMilliseconds});
    const Json message = {{"jsonrpc", "2.0"},
                          {"id", id},
                          {"method", method.toStdString()},
                          {"params", std::move(params)}};
    QMetaObject::invokeMethod(
        connection_,
        [c = connection_, line = QByteArray::fromStdString(dumpJson(message))] { c->send(line); },
        Qt::QueuedConnection);
}

void Runtime::expire()
{
    const qint64 now = since_.elapsed();
    if (state_ == State::Starting && way_ == Way::Process) {
        setSlow(now - startedAt_ > patience_); // its end would be heard of
    } else if (state_ == State::Starting && now - startedAt_ > kStartTimeout) {
        finishLoss(tr("The runtime did not answer for %1 seconds.").arg(kStartTimeout / 1000));
        return;
    }
    QVector<qint64> late;
    for (auto it = pending_.cbegin(); it != pending_.cend(); ++it)
        if (it->deadline < now)
            late.append(it.key());
    for (const qint64 id : late) {
        const Pending waiting = pending_.take(id);
        const QString message = tr("The runtime did not answer '%1' in time.").arg(waiting.method);
        log(LogLine::Severity::Warning, message);
        if (waiting.owner && waiting.failure)
            waiting.failure(message);
    }
}

void Runtime::drain()
{
    if (!connection_)
        return;
    QElapsedTimer spent;
    spent.start();
    while (const auto picture = connection_->takePicture()) {
        emit pictureArrived(*picture);
        if (!connection_)
            return;
    }
    while (handleNext()) {
        if (!connection_) // whoever listens restarted or stopped it
            return;
        if (spent.elapsed() > 8) { // the window wants its turn
            QMetaObject::invokeMethod(this, &Runtime::drain, Qt::QueuedConnection);
            return;
        }
    }
}

/// Handles one message of those that wait. @return false when there was none
bool Runtime::handleNext()
{
    const auto message = connection_->take();
    if (message)
        handle(*message);
    return message.has_value();
}

void Runtime::handle(const Json& message)
{
    const QString method = textOf(message, "method");
    if (method.isEmpty())
        return answerTo(message);
    const Json* params = member(message, "params");
    notification(method, params ? *params : Json::object());
}

void Runtime::answerTo(const Json& message)
{
    const auto found = pending_.find(integerOf(message, "id", -1, -1, qint64(1) << 53));
    if (found == pending_.end())
        return; // it came too late
    const Pending waiting = *found;
    pending_.erase(found);
    if (!waiting.owner)
        return;
    if (const Json* error = member(message, "error")) {
        QString text = textOf(*error, "message");
        if (text.isEmpty())
            text = tr("The runtime refused '%1'.").arg(waiting.method);
        if (waiting.failure)
            waiting.failure(text);
        else
            log(LogLine::Severity::Error, text);
        return;
    }
    const Json* result = member(message, "result");
    if (waiting.answer)
        waiting.answer(result ? *result : Json());
}

void Runtime::notification(const QString& method, const Json& params)
{
    if (method == QLatin1String("run.state")) {
        runState_ = client::runState(params);
        const QString node = textOf(params, "node");
        if (runState_ != RunState::Running && runState_ != RunState::Stopping)
            cooking_.clear();
        emit runStateChanged(runState_, textOf(params, "message"), node);
        if (member(params, "speed"))
            emit livedThrough(numberOf(params, "speed", 1));
    } else if (method == QLatin1String("run.frame")) {
        const Json* statistics = member(params, "statistics");
        emit frameFinished(static_cast<int>(integerOf(params, "frame", 0)),
                           statistics && statistics->is_object() ? *statistics : Json::object());
        if (member(params, "speed"))
            emit paced(numberOf(params, "speed", 1));
    } else if (method == QLatin1String("run.progress")) {
        const Progress now = client::progress(params);
        if (!now.node.isEmpty()) {
            cooking_.removeAll(now.node);
            cooking_.append(now.node);
        }
        emit progressed(now);
    } else if (method == QLatin1String("node.state")) {
        const NodeStatus status = nodeStatus(params);
        cooking_.removeAll(status.node);
        if (status.mark == NodeMark::Cooking && cooking_.size() < 1000)
            cooking_.append(status.node);
        emit nodeChanged(status);
    } else if (method == QLatin1String("cache.changed")) {
        frames_ = frameSpans(params, "frames");
        kept_ = client::keptFrames(params, "kept");
        emit framesChanged();
    } else if (method == QLatin1String("export.progress")) {
        emit exportProgressed(textOf(params, "path"), numberOf(params, "fraction", 0));
    } else if (method == QLatin1String("log")) {
        const LogLine line = logLine(params);
        emit logged(line);
        if (line.severity == LogLine::Severity::Warning && line.node.isEmpty())
            emit warned(line.message);
    }
}

void Runtime::setDocument(Json document, const QString& path)
{
    document_ = std::move(document);
    path_ = path;
    hasDocument_ = documentWaits_ = true;
    sendDocument();
}

void Runtime::sendDocument()
{
    if (state_ != State::Ready || !documentWaits_ || documentSent_)
        return;
    documentWaits_ = false;
    documentSent_ = true;
    request(
        this, QStringLiteral("document.set"),
        {{"document", document_}, {"path", path_.toStdString()}},
        [this](const Json& result) {
            documentSent_ = false;
            faults_ = client::faults(result, "faults");
            emit faultsChanged();
            if (member(result, "frames")) {
                frames_ = frameSpans(result, "frames");
                kept_ = client::keptFrames(result, "kept");
                emit framesChanged();
            }
            sendDocument();
        },
        [this](const QString& message) {
            documentSent_ = false;
            if (state_ == State::Ready) {
                log(LogLine::Severity::Error, message);
                sendDocument();
            }
        },
        60'000);
}

void Runtime::setView(const View& view, int which)
{
    OpenView& open = views_[static_cast<std::size_t>(which)];
    if (open.isOpen && view == open.wanted)
        return;
    open.wanted = view;
    open.isOpen = open.waits = true;
    sendView(which);
}

void Runtime::closeView(int which)
{
    OpenView& open = views_[static_cast<std::size_t>(which)];
    if (!std::exchange(open.isOpen, false))
        return;
    open.waits = false;
    if (state_ == State::Ready)
        request(this, QStringLiteral("view.close"), {{"view", which}}, {}, [](const QString&) {});
}

void Runtime::sendView(int which)
{
    OpenView& open = views_[static_cast<std::size_t>(which)];
    if (state_ != State::Ready || !open.waits || open.sent || open.wanted.size.isEmpty())
        return;
    open.waits = false;
    open.sent = true;
    Json params = toJson(open.wanted);
    if (which > 0) // a runtime of before knows one view
        params["view"] = which;
    const auto next = [this, which] {
        views_[static_cast<std::size_t>(which)].sent = false;
        sendView(which);
    };
    request(
        this, QStringLiteral("view.set"), std::move(params), [next](const Json&) { next(); },
        [this, next](const QString& message) {
            if (state_ == State::Ready)
                log(LogLine::Severity::Warning, message);
            next();
        });
}

void Runtime::control(const QString& node, const QString& parameter, Json value)
{
    if (runState_ != RunState::Running)
        return;
    if (controls_.size() < 1000)
        controls_.insert(node + QLatin1Char('.') + parameter,
                         {{"node", node.toStdString()},
                          {"parameter", parameter.toStdString()},
                          {"value", std::move(value)}});
    sendControls();
}

void Runtime::sendControls()
{
    if (state_ != State::Ready || controlSent_ || controls_.isEmpty())
        return;
    const auto first = controls_.begin();
    Json params = std::move(*first);
    controls_.erase(first);
    controlSent_ = true;
    const auto next = [this] {
        controlSent_ = false;
        sendControls();
    };
    request(
        this, QStringLiteral("control.set"), std::move(params), [next](const Json&) { next(); },
        [this, next](const QString& message) {
            log(LogLine::Severity::Warning, message);
            next();
        });
}

void Runtime::play(std::optional<int> from, std::optional<int> to, std::optional<int> resumeFrom,
                   std::function<void()> accepted, bool live)
{
    Json params = Json::object();
    if (from)
        params["from"] = *from;
    if (to)
        params["to"] = *to;
    if (resumeFrom)
        params["resumeFrom"] = *resumeFrom;
    if (live)
        params["live"] = true;
    if (!device_.isEmpty())
        params["device"] = device_.toStdString();
    request(
        this, QStringLiteral("run.start"), std::move(params),
        [accepted = std::move(accepted)](const Json&) {
            if (accepted)
                accepted();
        },
        [this](const QString& message) {
            log(LogLine::Severity::Error, message);
            emit refused(message);
        });
}

void Runtime::cancel()
{
    request(this, QStringLiteral("run.stop"), Json::object());
}

void Runtime::clearCache()
{
    request(this, QStringLiteral("cache.clear"), Json::object());
}

void Runtime::log(LogLine::Severity severity, const QString& message)
{
    emit logged({severity, {}, message, QDateTime::currentDateTime()});
}

} // namespace floe::client
