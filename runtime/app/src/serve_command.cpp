#include "commands.hpp"
#include "ending_signals.hpp"
#include "exit_code.hpp"
#include "machine_library.hpp"
#include "standard_output.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>

namespace floe::app {

namespace {

std::atomic<serve::Server*> serving{nullptr};

void onSignal(int)
{
    if (serve::Server* server = serving)
        server->stop();
}

} // namespace

int serveCommand(serve::ServeSettings settings, const std::vector<std::string>& isolated)
{
    moveOutput();
    settings.openLibrary = [isolated](bool rescan) {
        return openLibrary(rescan, false, isolated);
    };
    settings.ready = [](const std::string& address, const std::string& token) {
        std::printf("%s\n", address.c_str());
        if (!token.empty())
            std::printf("token %s\n", token.c_str());
        std::fflush(stdout);
    };
    settings.warn = [](const std::string& text) {
        std::fprintf(stderr, "warning: %s\n", text.c_str());
    };
    settings.lost = [](const std::string& text) {
        sayError(text);
        endNow(kFiles);
    };
    serve::Server server(std::move(settings));
    serving = &server;
    struct sigaction action {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    forEachEndingSignal([&action](int signal) { ::sigaction(signal, &action, nullptr); });
    const bool clean = server.run();
    serving = nullptr;
    if (!clean)
        endNow(kSuccess);
    return kSuccess;
}

} // namespace floe::app
