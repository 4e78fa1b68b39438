#include "server_impl.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/compute/parallel.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sys/random.h>
#include <unistd.h>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

/// 256 random bits as 64 hexadecimal digits.
std::string randomToken()
{
    unsigned char bytes[32];
    if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
        throw IoError({}, "the system gives no random numbers");
    std::string text;
    for (const unsigned char byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

/// Compares in constant time.
bool sameToken(const std::string& a, const std::string& b)
{
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

/// Identifies the code that makes the frames: this program and the files of all plugins.
std::string originOf(const session::Library& library)
{
    std::string text = session::Library::programVersion() + "\n";
    for (const plugin::ScannedPlugin& plugin : library.scanReport().plugins) {
        std::error_code error;
        std::set<std::string> files;
        for (fs::directory_iterator entry(plugin.folder, error), end; !error && entry != end;
             entry.increment(error))
            if (entry->is_regular_file(error))
                files.insert(
                    entry->path().string() + " " + std::to_string(entry->file_size(error)) + " " +
                    std::to_string(entry->last_write_time(error).time_since_epoch().count()));
        for (const std::string& file : files)
            text += file + "\n";
    }
    return hashBytes(text).text();
}

fs::path chosenSocket(const ServeSettings& settings)
{
    if (!settings.socket.empty() || settings.listen)
        return settings.socket;
    return socketFolder() / ("serve-" + std::to_string(publicProcess()) + ".sock");
}

/// Returns the part of a document that the viewer uses; owns the document. @pre document->flat
std::shared_ptr<const graph::FlatGraph>
flatGraph(const std::shared_ptr<const SessionDocument>& document)
{
    return {document, &*document->flat};
}

} // namespace

Server::Impl::Impl(ServeSettings settings)
    : settings_(std::move(settings)),
      transport_(
          {.socket = chosenSocket(settings_), .listen = settings_.listen, .keep = settings_.keep}),
      token_(transport_.remote() ? randomToken() : std::string()),
      store_(FrameStore::defaultParent(), settings_.cacheBytes, settings_.cacheMemory,
             [this](const std::string& text) {
                 notify("log", {{"severity", "warning"}, {"message", text}});
             }),
      library_(settings_.openLibrary(false)), document_(std::make_shared<SessionDocument>())
{
    std::signal(SIGPIPE, SIG_IGN);
    SharedMemory::removeLeftovers();
    compute::setThreadCount(settings_.threads);
    store_.inherit(originOf(*library_), settings_.predecessor);
    makeWorkers();
}

Server::Impl::~Impl()
{
    if (simulation_)
        simulation_->join();
    simulation_.reset();
    viewer_.reset();
}

void Server::Impl::makeWorkers()
{
    simulation_ = std::make_unique<Simulation>(*library_, store_, *this, settings_.threads);
    viewer_ = std::make_unique<Viewer>(
        *library_, store_, store_.runFolder(),
        [this](const render::Image& image, Json about) {
            return showPicture(image, std::move(about));
        },
        [this] { return !transport_.congested() && (transport_.remote() || ring_.hasPlace()); },
        [this](const char* severity, const std::string& text) {
            notify("log", {{"severity", severity}, {"message", text}});
        });
}

bool Server::Impl::run()
{
    if (settings_.ready)
        settings_.ready(transport_.address(), token_);
    transport_.run(*this);
    simulation_->stop();
    // Whoever ended this process did not ask the client, which may go on in another one.
    if (stoppedFromOutside_ && transport_.stoppedWithClient())
        store_.keep();
    if (simulation_->waitForEnd(2))
        return true;
    ring_.remove();
    arrays_.clear();
    store_.remove();
    if (!transport_.remote())
        ::unlink(transport_.address().c_str());
    return false;
}

/// Other methods wait for hello, and so does everything that a stranger could make the server do.
Transport::Reply Server::Impl::greeted(std::string_view line, const Transport::Places& places)
{
    Json id; // what is no request is answered without one
    try {
        const Request request = parseRequest(line);
        id = request.id.value_or(Json());
        if (request.method != "hello")
            throw RpcError(RpcCode::NotGreeted, "say hello first");
        const Params params(request.params);
        Json result = hello(params);
        const bool watches = params.boolean("watch", false);
        if (!(watches ? places.watcher : places.client))
            throw RpcError(RpcCode::Refused,
                           watches ? "as many watch this server as may"
                                   : "this server has a client already; start another server, or "
                                     "only watch");
        if (watches)
            result["frames"] = framesJson();
        return {.line = request.id ? resultLine(id, std::move(result)) : std::string(),
                .fault = {},
                .watches = watches};
    } catch (const std::exception& error) {
        return {.line = errorLine(id, std::current_exception()), .fault = error.what()};
    }
}

Transport::Reply Server::Impl::refused(Transport::Refusal why)
{
    const bool tooLong = why == Transport::Refusal::TooLong;
    const std::string text =
        tooLong ? "a message may not be longer than 64 MiB, nor a hello or a watcher's than 64 KiB"
                : "no hello came in time";
    return {.line = errorLine(nullptr, tooLong ? RpcCode::InvalidRequest : RpcCode::Refused, text),
            .fault = text};
}

void Server::Impl::turnedAway(const std::string& what)
{
    if (settings_.warn)
        settings_.warn(what);
}

void Server::Impl::disconnected()
{
    viewer_->pause();
    viewer_->cancelMovie();
    ring_.reset();
    arrays_.clear();
}

const std::map<std::string_view, Server::Impl::Method>& Server::Impl::methods()
{
    static const std::map<std::string_view, Method> kMethods = {
        {"hello", &Impl::helloAgain},
        {"types.list", &Impl::typesList},
        {"types.rescan", &Impl::typesRescan},
        {"document.set", &Impl::documentSet},
        {"run.start", &Impl::runStart},
        {"run.step", &Impl::runStep},
        {"run.stop", &Impl::runStop},
        {"control.set", &Impl::controlSet},
        {"pose.set", &Impl::poseSet},
        {"cache.clear", &Impl::cacheClear},
        {"cache.open", &Impl::cacheOpen},
        {"command.line", &Impl::commandLine},
        {"view.set", &Impl::viewSet},
        {"view.close", &Impl::viewClose},
        {"view.shown", &Impl::viewShown},
        {"view.pick", &Impl::viewPick},
        {"view.bounds", &Impl::viewBounds},
        {"view.draw", &Impl::viewDraw},
        {"value.table", &Impl::valueTable},
        {"value.info", &Impl::valueInfo},
        {"value.arrays", &Impl::valueArrays},
        {"value.release", &Impl::valueRelease},
        {"export.picture", &Impl::exportPicture},
        {"export.movie", &Impl::exportMovie},
        {"export.cancel", &Impl::exportCancel},
        {"shutdown", &Impl::shutdown},
    };
    return kMethods;
}

void Server::Impl::received(std::string_view line)
{
    handle(line, {});
}

void Server::Impl::asked(const Transport::Peer& watcher, std::string_view line)
{
    handle(line, watcher);
}

void Server::Impl::handle(std::string_view line, const std::optional<Transport::Peer>& watcher)
{
    Asker asker{Json(), watcher}; // an invalid request is answered without id
    try {
        const Request request = parseRequest(line);
        asker.id = request.id;
        const auto found = methods().find(request.method);
        if (found == methods().end())
            throw RpcError(RpcCode::UnknownMethod, "there is no method '" + request.method + "'");
        static const std::set<std::string_view> kOfWatchers = {
            "types.list", "view.draw", "value.table", "value.info", "value.arrays"};
        if (watcher && !kOfWatchers.contains(request.method))
            throw RpcError(RpcCode::Refused, "who watches cannot call '" + request.method + "'");
        if (auto result = (this->*found->second)({Params(request.params), asker}))
            answer(asker, std::move(*result));
    } catch (...) {
        answer(asker, std::current_exception());
    }
}

void Server::Impl::sendTo(const Asker& asker, std::string line)
{
    if (asker.watcher)
        transport_.send(*asker.watcher, std::move(line));
    else
        transport_.send(std::move(line));
}

void Server::Impl::answer(const Asker& asker, Json result)
{
    if (asker.id)
        sendTo(asker, resultLine(*asker.id, std::move(result)));
}

void Server::Impl::answer(const Asker& asker, const std::exception_ptr& failure)
{
    if (asker.id)
        sendTo(asker, errorLine(*asker.id, failure));
}

Json Server::Impl::hello(const Params& params)
{
    params.only({"protocol", "client", "token", "watch"});
    const auto protocol = params.integer("protocol", 0, 1'000'000);
    params.text("client", "");
    if (!token_.empty() && !sameToken(params.text("token", ""), token_))
        throw RpcError(RpcCode::Refused, "the token is not the one that this server printed");
    if (protocol != kProtocol)
        throw RpcError(RpcCode::Refused, "this server speaks protocol " +
                                             std::to_string(kProtocol) + ", not " +
                                             std::to_string(protocol));
    Json devices = Json::array();
    for (const compute::DeviceInfo& device : compute::listDevices())
        devices.push_back({{"id", device.id}, {"name", device.name}, {"memory", device.memory}});
    return Json{{"protocol", kProtocol},
                {"version", session::Library::programVersion()},
                {"pid", publicProcess()},
                {"devices", std::move(devices)}};
}

std::optional<Json> Server::Impl::helloAgain(const Call& call)
{
    return hello(call.params);
}

std::optional<Json> Server::Impl::typesList(const Call& call)
{
    call.params.only({});
    return typesJson(*library_);
}

std::optional<Json> Server::Impl::typesRescan(const Call& call)
{
    call.params.only({});
    if (simulation_->running())
        throw RpcError(RpcCode::Busy, "plugins cannot be looked for while a simulation runs");
    simulation_->join();
    simulation_.reset(); // everything that refers to the library is destroyed with it
    viewer_.reset();
    {
        const std::lock_guard lock(historyMutex_);
        pure_.reset();
        mixed_.reset();
        historyDocument_.reset();
    }
    good_.reset();
    document_ = std::make_shared<SessionDocument>();
    store_.clear();
    library_.reset();
    library_ = settings_.openLibrary(true);
    store_.inherit(originOf(*library_), 0);
    makeWorkers();
    return typesJson(*library_);
}

void Server::Impl::useDocument(std::shared_ptr<const SessionDocument> document)
{
    document_ = std::move(document);
    if (!document_->flat) {
        if (!good_ || good_->document.path != document_->document.path)
            if (const auto rest = withoutFaulty(*document_, *library_))
                viewer_->setGraph(flatGraph(rest));
        return;
    }
    good_ = document_;
    {
        const std::lock_guard lock(historyMutex_);
        historyDocument_ = good_;
        historyDevice_ = simulation_->deviceId();
        pure_.reset();
        mixed_.reset();
    }
    viewer_->setGraph(flatGraph(good_));
}

std::optional<Json> Server::Impl::documentSet(const Call& call)
{
    call.params.only({"document", "path"});
    useDocument(readDocument(call.params.member("document"), call.params.text("path", ""),
                             document_->revision + 1, *library_));
    Json faults = Json::array();
    for (const graph::Fault& fault : document_->faults)
        faults.push_back(faultJson(fault));
    const std::lock_guard lock(tellingMutex_);
    Json frames = framesJson();
    answer(call.asker, Json{{"revision", document_->revision},
                            {"faults", std::move(faults)},
                            {"frames", std::move(frames)},
                            {"kept", keptJson()}});
    return std::nullopt;
}

std::optional<Json> Server::Impl::shutdown(const Call& call)
{
    call.params.only({});
    transport_.stop();
    return Json::object();
}

Server::Server(ServeSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Server::~Server() = default;
bool Server::run()
{
    return impl_->run();
}
void Server::stop() noexcept
{
    impl_->stop();
}

} // namespace floe::serve
