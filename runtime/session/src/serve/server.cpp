#include "floe/session/server.hpp"

#include "rpc.hpp"
#include "session_document.hpp"
#include "transport.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/session/library.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <sys/random.h>
#include <unistd.h>

namespace floe::session {
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

/// In a time that does not tell where they differ.
bool sameToken(const std::string& a, const std::string& b)
{
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

fs::path chosenSocket(const ServeSettings& settings)
{
    if (!settings.socket.empty() || !settings.listen.empty())
        return settings.socket;
    return socketFolder() / ("serve-" + std::to_string(::getpid()) + ".sock");
}

} // namespace

class Server::Impl final : public Transport::Handler {
public:
    explicit Impl(ServeSettings settings)
        : settings_(std::move(settings)),
          transport_({chosenSocket(settings_), settings_.listen, settings_.keep}),
          token_(transport_.remote() ? randomToken() : std::string()),
          library_(settings_.openLibrary(false))
    {
        std::signal(SIGPIPE, SIG_IGN);
        compute::setThreadCount(settings_.threads);
        document_ = std::make_shared<SessionDocument>();
    }

    void run()
    {
        if (settings_.ready)
            settings_.ready(transport_.address(), token_);
        transport_.run(*this);
    }
    void stop() noexcept { transport_.stop(); }

    // Transport::Handler
    void connected() override { greeted_ = false; }
    void received(std::string_view line) override;
    void overflowed() override
    {
        transport_.send(errorLine(nullptr, RpcCode::InvalidRequest,
                                  "a message may not be longer than 64 MiB; good bye"));
    }
    void disconnected() override {}
    std::string refusal() override
    {
        return errorLine(nullptr, RpcCode::Refused,
                         "this server has a client already; start another server");
    }

private:
    using Method = Json (Impl::*)(const Params&);
    static const std::map<std::string_view, Method>& methods();

    Json hello(const Params& params);
    Json typesList(const Params& params);
    Json typesRescan(const Params& params);
    Json documentSet(const Params& params);
    Json shutdown(const Params& params);

    ServeSettings settings_;
    Transport transport_;
    std::string token_;
    std::unique_ptr<Library> library_;
    std::shared_ptr<const SessionDocument> document_;
    bool greeted_ = false;
};

const std::map<std::string_view, Server::Impl::Method>& Server::Impl::methods()
{
    static const std::map<std::string_view, Method> kMethods = {
        {"hello", &Impl::hello},
        {"types.list", &Impl::typesList},
        {"types.rescan", &Impl::typesRescan},
        {"document.set", &Impl::documentSet},
        {"shutdown", &Impl::shutdown},
    };
    return kMethods;
}

void Server::Impl::received(std::string_view line)
{
    Json id;
    bool answer = true;
    try {
        Request request = parseRequest(line);
        answer = request.id.has_value();
        id = request.id.value_or(Json());
        const auto found = methods().find(request.method);
        if (found == methods().end())
            throw RpcError(RpcCode::UnknownMethod, "there is no method '" + request.method + "'");
        if (!greeted_ && request.method != "hello")
            throw RpcError(RpcCode::NotGreeted, "say hello first");
        Json result = (this->*found->second)(Params(request.params));
        if (answer)
            transport_.send(resultLine(id, std::move(result)));
    } catch (...) {
        if (answer)
            transport_.send(errorLine(id, std::current_exception()));
    }
}

Json Server::Impl::hello(const Params& params)
{
    params.only({"protocol", "client", "token"});
    const auto protocol = params.integer("protocol", 0, 1'000'000);
    params.text("client", "");
    if (!token_.empty() && !sameToken(params.text("token", ""), token_)) {
        transport_.hangUp();
        throw RpcError(RpcCode::Refused, "the token is not the one that this server printed");
    }
    if (protocol != kProtocol)
        throw RpcError(RpcCode::Refused, "this server speaks protocol " +
                                             std::to_string(kProtocol) + ", not " +
                                             std::to_string(protocol));
    greeted_ = true;
    Json devices = Json::array();
    for (const compute::DeviceInfo& device : compute::listDevices())
        devices.push_back({{"id", device.id}, {"name", device.name}, {"memory", device.memory}});
    return {{"protocol", kProtocol},
            {"version", Library::programVersion()},
            {"pid", ::getpid()},
            {"devices", std::move(devices)}};
}

Json Server::Impl::typesList(const Params& params)
{
    params.only({});
    return typesJson(*library_);
}

Json Server::Impl::typesRescan(const Params& params)
{
    params.only({});
    document_ = std::make_shared<SessionDocument>();
    library_.reset();
    library_ = settings_.openLibrary(true);
    return typesJson(*library_);
}

Json Server::Impl::documentSet(const Params& params)
{
    params.only({"document", "path"});
    document_ = readDocument(params.member("document"), params.text("path", ""),
                             document_->revision + 1, *library_);
    Json faults = Json::array();
    for (const graph::Fault& fault : document_->faults)
        faults.push_back(faultJson(fault));
    return {{"revision", document_->revision},
            {"faults", std::move(faults)},
            {"frames", Json::array()}};
}

Json Server::Impl::shutdown(const Params& params)
{
    params.only({});
    transport_.stop();
    return Json::object();
}

Server::Server(ServeSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Server::~Server() = default;
void Server::run()
{
    impl_->run();
}
void Server::stop() noexcept
{
    impl_->stop();
}

} // namespace floe::session
