#include "served_session.hpp"

#include "floe/base/descriptor.hpp"
#include "floe/base/json.hpp"
#include "floe/serve/server.hpp"
#include "floe/session/library.hpp"
#include "temporary_folder.hpp"

#include <cstdlib>
#include <future>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace floe::fuzz {

namespace {

constexpr int kPatience = 15'000; ///< [ms]; less than the fuzzer's own
constexpr int kInternal = -32603; ///< JSON-RPC's code of a fault in the server

constexpr std::string_view kLeftOut[] = {"shutdown", "export.", "sinks", "rescan", "\\"};

constexpr std::string_view kDocument =
    R"({"document":{"floe":1,"nodes":{"half":{"type":"floe.value.math","version":1}}}})";

class ServedSession {
public:
    ServedSession()
    {
        ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
        const auto plugins = folder_ / "plugins";
        std::filesystem::create_directory(plugins);
        std::filesystem::create_symlink(FLOE_BINARY_DIR "/lib/floe/plugins/floe_values",
                                        plugins / "floe_values");
        serve::ServeSettings settings;
        settings.socket = folder_ / "a.sock";
        settings.cacheBytes = settings.cacheMemory = 16 << 20;
        settings.threads = 1;
        settings.openLibrary = [plugins](bool) {
            plugin::ScanSettings scan;
            scan.probe.command = {FLOE_TEST_PROBE};
            return std::make_unique<session::Library>(std::vector{plugins}, scan);
        };
        std::promise<std::string> ready;
        settings.ready = [&ready](const std::string& address, const std::string&) {
            ready.set_value(address);
        };
        server_ = std::make_unique<serve::Server>(std::move(settings));
        thread_ = std::thread([this] { server_->run(); });
        connect(ready.get_future().get());
        ask("hello", R"({"protocol":1})");
        while (next().value("id", Json()) != id_) {
        }
    }
    ~ServedSession()
    {
        ::close(socket_); // it ends with its client
        thread_.join();
    }
    ServedSession(const ServedSession&) = delete;
    ServedSession& operator=(const ServedSession&) = delete;

    bool serve(std::string_view lines)
    {
        startAnew();
        write(std::string(lines) + '\n');
        ask("run.stop");
        bool accepted = true;
        for (;;) {
            const Json message = next();
            const Json id = message.value("id", Json());
            if (const auto error = message.find("error"); error != message.end()) {
                accepted = false;
                if (error->at("message").get_ref<const std::string&>().empty())
                    throw std::logic_error("an error without a sentence: " + message.dump());
                if (error->at("code") == kInternal)
                    throw std::logic_error("a fault of the server: " + message.dump());
            }
            if (id == id_)
                return accepted;
        }
    }

private:
    void connect(const std::string& address)
    {
        sockaddr_un to{.sun_family = AF_UNIX, .sun_path = {}};
        address.copy(to.sun_path, sizeof to.sun_path - 1);
        socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
            throw std::logic_error("the server is not there");
    }

    /// A run takes its time to end; only then are its frames taken away.
    void startAnew()
    {
        for (bool done = false; !done;) {
            ask("run.stop");
            ask("view.set");
            ask("document.set", kDocument);
            ask("cache.clear");
            Json message = next();
            while (message.value("id", Json()) != id_)
                message = next();
            done = message.contains("result");
        }
    }

    /// Its answer has the id id_.
    void ask(const char* method, std::string_view params = "{}")
    {
        id_ = "ready " + std::to_string(++asked_);
        write(R"({"jsonrpc":"2.0","id":")" + id_ + R"(","method":")" + method + R"(","params":)" +
              std::string(params) + "}\n");
    }

    void write(std::string_view text)
    {
        while (!text.empty()) {
            const ssize_t count = uninterrupted(
                [&] { return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); });
            if (count <= 0)
                throw std::logic_error("the server has closed the connection");
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    /// The next line.
    Json next()
    {
        std::size_t end;
        while ((end = input_.find('\n')) == std::string::npos) {
            pollfd event{.fd = socket_, .events = POLLIN, .revents = 0};
            if (uninterrupted([&] { return ::poll(&event, 1, kPatience); }) <= 0)
                throw std::logic_error("the server does not answer");
            char buffer[1 << 16];
            const ssize_t count =
                uninterrupted([&] { return ::recv(socket_, buffer, sizeof buffer, 0); });
            if (count <= 0)
                throw std::logic_error("the server has closed the connection");
            input_.append(buffer, static_cast<std::size_t>(count));
        }
        Json message = Json::parse(input_.begin(), input_.begin() + static_cast<long>(end));
        input_.erase(0, end + 1);
        return message;
    }

    const test::TemporaryFolder folder_;
    std::unique_ptr<serve::Server> server_;
    std::thread thread_;
    int socket_ = -1;
    std::string input_, id_;
    unsigned asked_ = 0;
};

} // namespace

bool serveLines(std::string_view lines)
{
    for (const std::string_view word : kLeftOut)
        if (lines.find(word) != std::string_view::npos)
            return false;
    static ServedSession session;
    return session.serve(lines);
}

} // namespace floe::fuzz
