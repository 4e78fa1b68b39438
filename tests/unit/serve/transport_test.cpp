#include "temporary_folder.hpp"
#include "transport.hpp"

#include "floe/base/error.hpp"

#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <poll.h>
#include <sstream>
#include <thread>

namespace floe::serve {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int kPatience = 60'000; // ms: only a broken transport takes so long
const std::string kGone = "(gone)";

/// The other side of a connection.
class Peer {
public:
    explicit Peer(const std::string& address) : socket_(io_)
    {
        if (address.starts_with('/')) {
            asio::local::stream_protocol::socket local(io_);
            local.connect(address);
            socket_ = std::move(local);
            return;
        }
        const std::size_t colon = address.rfind(':');
        std::string host = address.substr(0, colon);
        if (host.starts_with('['))
            host = host.substr(1, host.size() - 2);
        asio::ip::tcp::socket tcp(io_);
        asio::connect(tcp, asio::ip::tcp::resolver(io_).resolve(host, address.substr(colon + 1)));
        socket_ = std::move(tcp);
    }

    /// @return false when the connection is broken
    bool write(const std::string& text)
    {
        std::error_code error;
        asio::write(socket_, asio::buffer(text), error);
        return !error;
    }
    /// The next line, or kGone.
    std::string read()
    {
        for (;;) {
            if (const std::size_t end = input_.find('\n'); end != std::string::npos) {
                const std::string line = input_.substr(0, end);
                input_.erase(0, end + 1);
                return line;
            }
            pollfd wait{socket_.native_handle(), POLLIN, 0};
            if (::poll(&wait, 1, kPatience) != 1)
                return "(nothing came)";
            char buffer[65536];
            std::error_code error;
            const std::size_t got = socket_.read_some(asio::buffer(buffer), error);
            if (error)
                return kGone;
            input_.append(buffer, got);
        }
    }
    std::string ask(const std::string& line) { return write(line + "\n") ? read() : kGone; }
    void halfClose() { socket_.shutdown(Socket::shutdown_send); }
    void close() { socket_.close(); }

private:
    asio::io_context io_;
    Socket socket_;
    std::string input_;
};

/// Takes who says "hello" for the client, and says again what that says.
class Host final : public Transport::Handler {
public:
    explicit Host(TransportSettings settings)
        : transport(std::move(settings)), thread_([this] {
              transport.run(*this);
              ended_ = true;
          })
    {}
    ~Host() override
    {
        transport.stop();
        thread_.join();
    }

    Transport::Reply greeted(std::string_view line, const Transport::Places& places) override
    {
        const bool watches = line == "watch";
        if ((line == "hello" && !places.client) || (watches && !places.watcher))
            return {.line = "taken", .fault = "taken"};
        if (line == "hello" || watches)
            return {.line = "welcome", .fault = {}, .watches = watches};
        return {.line = "not you", .fault = "it said something else"};
    }
    void received(std::string_view line) override
    {
        if (line == "news")
            transport.tell("news", false);
        else
            transport.send("again " + std::string(line));
    }
    void asked(const Transport::Peer& watcher, std::string_view line) override
    {
        transport.send(watcher, "seen " + std::string(line));
    }
    void disconnected() override { ++disconnections; }
    Transport::Reply refused(Transport::Refusal why) override
    {
        const char* text = why == Transport::Refusal::TooLong ? "too long" : "late";
        return {.line = text, .fault = text};
    }
    void turnedAway(const std::string& what) override
    {
        const std::lock_guard lock(mutex_);
        warnings_.push_back(what);
    }
    std::vector<std::string> warnings() const
    {
        const std::lock_guard lock(mutex_);
        return warnings_;
    }
    /// @return false when run() goes on
    bool hasEnded(std::chrono::milliseconds within = std::chrono::milliseconds(kPatience)) const
    {
        const auto end = Clock::now() + within;
        while (!ended_ && Clock::now() < end)
            std::this_thread::sleep_for(1ms);
        return ended_;
    }

    Transport transport;
    std::atomic<int> disconnections{0};

private:
    mutable std::mutex mutex_;
    std::vector<std::string> warnings_;
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

class OnEachSocket : public testing::TestWithParam<const char*> {
protected:
    TransportSettings settings() const
    {
        TransportSettings settings{.socket = folder_.path() / "socket", .helloTime = 60s};
        if (GetParam() == std::string("tcp"))
            settings.listen = "127.0.0.1:0";
        return settings;
    }

private:
    test::TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Transport, OnEachSocket, testing::Values("local", "tcp"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(OnEachSocket, TheClientIsServedAndEndsIt)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    EXPECT_EQ(client.ask("\none\n\ntwo"), "again one");
    EXPECT_EQ(client.read(), "again two");
    EXPECT_FALSE(host.transport.congested());
    client.close();
    EXPECT_TRUE(host.hasEnded());
    EXPECT_EQ(host.disconnections, 1);
}

TEST_P(OnEachSocket, WhoComesAndGoesWithoutHelloDoesNotEndIt)
{
    Host host(settings());
    for (int i = 0; i < 5; ++i)
        Peer(host.transport.address()).close();
    Peer half(host.transport.address());
    half.write("hel");
    half.halfClose();
    EXPECT_EQ(half.read(), kGone);
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    EXPECT_EQ(host.disconnections, 0);
    EXPECT_THAT(host.warnings(), testing::Contains(HasSubstr("without a hello")));
}

TEST_P(OnEachSocket, AWrongHelloCostsTheCallerAlone)
{
    Host host(settings());
    Peer client(host.transport.address()); // waits meanwhile
    for (int i = 0; i < 5; ++i) {
        Peer stranger(host.transport.address());
        EXPECT_EQ(stranger.ask("hallo\nhello\nhello"), "not you");
        EXPECT_EQ(stranger.read(), kGone);
    }
    EXPECT_EQ(client.ask("hello"), "welcome");
    EXPECT_FALSE(host.hasEnded(0ms));
    EXPECT_THAT(host.warnings(), testing::Contains(HasSubstr("it said something else")));
}

TEST_P(OnEachSocket, SilentAndSlowStrangersAreToldThatTheyAreLate)
{
    TransportSettings brief = settings();
    brief.helloTime = 300ms;
    Host host(brief);
    Peer late(host.transport.address()), dripping(host.transport.address());
    for (int i = 0; i < 1000 && dripping.write("x"); ++i)
        std::this_thread::sleep_for(5ms);
    EXPECT_EQ(late.read(), "late");
    EXPECT_EQ(late.read(), kGone);
    EXPECT_FALSE(dripping.write("x"));
}

TEST_P(OnEachSocket, TheClientMayBeSilentForEver)
{
    TransportSettings brief = settings();
    brief.helloTime = 1s;
    Host host(brief);
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    std::this_thread::sleep_for(1200ms);
    EXPECT_EQ(client.ask("one"), "again one");
}

TEST_P(OnEachSocket, AHelloWithoutEndIsCutOff)
{
    Host host(settings());
    Peer stranger(host.transport.address());
    EXPECT_TRUE(stranger.write(std::string(Transport::kMaxHello + 1, 'x')));
    EXPECT_EQ(stranger.read(), "too long");
    const std::string more(1 << 20, 'x');
    int written = 0;
    while (written < 64 && stranger.write(more))
        ++written;
    EXPECT_LT(written, 64);
    EXPECT_EQ(Peer(host.transport.address()).ask("hello"), "welcome");
}

TEST_P(OnEachSocket, AMessageWithoutEndIsCutOff)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    EXPECT_TRUE(client.write(std::string(Transport::kMaxLine, 'x')));
    EXPECT_TRUE(client.write("x"));
    EXPECT_EQ(client.read(), "too long");
    EXPECT_EQ(client.read(), kGone);
    EXPECT_TRUE(host.hasEnded());
}

TEST_P(OnEachSocket, ManyStrangersAreBoundedAndDoNotKeepTheOwnerOut)
{
    Host host(settings());
    std::vector<std::unique_ptr<Peer>> crowd;
    for (std::size_t i = 0; i < 5 * Transport::kMaxStrangers; ++i)
        crowd.push_back(std::make_unique<Peer>(host.transport.address()));
    EXPECT_EQ(crowd.front()->read(), kGone);
    for (int i = 0; i < 1000; ++i)
        Peer(host.transport.address()).write("nonsense\n");
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    for (int i = 0; i < 1000; ++i)
        Peer(host.transport.address()).write("nonsense\n");
    EXPECT_EQ(client.ask("one"), "again one");
    EXPECT_FALSE(host.warnings().empty());
    EXPECT_LT(host.warnings().size(), 60u) << "one a second, not one for each";
}

TEST_P(OnEachSocket, ASecondClientHearsThatThereIsOne)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    for (int i = 0; i < 20; ++i) {
        Peer other(host.transport.address());
        other.write("hello\n" + std::string(10'000, 'x')); // what it has said is not read
        EXPECT_EQ(other.read(), "taken");
        EXPECT_EQ(other.read(), kGone);
    }
    EXPECT_EQ(client.ask("one"), "again one");
}

TEST_P(OnEachSocket, SeveralWatchTheClient)
{
    Host host(settings());
    Peer early(host.transport.address());
    EXPECT_EQ(early.ask("watch"), "welcome");
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    std::vector<std::unique_ptr<Peer>> others;
    for (std::size_t i = 1; i < Transport::kMaxWatchers; ++i) {
        others.push_back(std::make_unique<Peer>(host.transport.address()));
        EXPECT_EQ(others.back()->ask("watch"), "welcome");
    }
    Peer late(host.transport.address());
    EXPECT_EQ(late.ask("watch"), "taken");

    EXPECT_EQ(early.ask("one"), "seen one");
    EXPECT_EQ(client.ask("two"), "again two"); // nobody else hears that
    EXPECT_EQ(client.ask("news"), "news");
    EXPECT_EQ(early.read(), "news");
    for (const auto& other : others)
        EXPECT_EQ(other->read(), "news");

    // Watchers come and go; one that says too much is closed; none ends the server.
    early.close();
    others.front()->write(std::string(Transport::kMaxHello + 2, 'x'));
    EXPECT_EQ(others.front()->read(), "too long");
    EXPECT_EQ(others.front()->read(), kGone);
    EXPECT_EQ(client.ask("three"), "again three");
    EXPECT_EQ(host.disconnections, 0);
    client.close();
    EXPECT_TRUE(host.hasEnded());
    EXPECT_EQ(others.back()->read(), kGone);
}

// A watcher that does not read is cut off; the others and the client go on.
TEST_P(OnEachSocket, AWatcherThatDoesNotReadHoldsNobodyUp)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    Peer asleep(host.transport.address()), awake(host.transport.address());
    EXPECT_EQ(asleep.ask("watch"), "welcome");
    EXPECT_EQ(awake.ask("watch"), "welcome");
    const std::string news(8 << 20, 'n');
    for (std::size_t sent = 0; sent < Transport::kMaxUnsent + (64u << 20); sent += news.size()) {
        host.transport.tell(news, false);
        EXPECT_EQ(client.read().size(), news.size());
        EXPECT_EQ(awake.read().size(), news.size());
    }
    EXPECT_EQ(client.ask("one"), "again one");
    EXPECT_EQ(awake.ask("two"), "seen two");
    while (asleep.read() != kGone) {
    }
}

TEST_P(OnEachSocket, WhoComesBackAtOnceIsNotRefused)
{
    TransportSettings kept = settings();
    kept.keep = true;
    Host host(kept);
    for (int i = 0; i < 200; ++i) {
        Peer client(host.transport.address());
        ASSERT_EQ(client.ask("hello"), "welcome") << i;
    }
    EXPECT_FALSE(host.hasEnded(0ms));
}

TEST_P(OnEachSocket, AClientThatClosesItsHalfIsGone)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    client.halfClose();
    EXPECT_EQ(client.read(), kGone);
    EXPECT_TRUE(host.hasEnded());
}

TEST_P(OnEachSocket, AllThreadsMaySend)
{
    constexpr int kThreads = 4, kLines = 500;
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&host, t] {
            for (int i = 0; i < kLines; ++i) // more than the socket takes at once
                host.transport.send(std::to_string(t) + " " + std::to_string(i) +
                                    std::string(1000, ' '));
        });
    std::vector<int> next(kThreads, 0);
    for (int i = 0; i < kThreads * kLines; ++i) {
        std::istringstream line(client.read());
        int thread = -1, number = -1;
        line >> thread >> number;
        ASSERT_TRUE(thread >= 0 && thread < kThreads) << line.str();
        ASSERT_EQ(number, next[static_cast<std::size_t>(thread)]++);
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(client.ask("one"), "again one");
}

TEST_P(OnEachSocket, AClientThatDoesNotReadIsCutOff)
{
    Host host(settings());
    Peer client(host.transport.address());
    EXPECT_EQ(client.ask("hello"), "welcome");
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 16; ++i)
        host.transport.send(megabyte);
    EXPECT_TRUE(host.transport.congested());
    for (std::size_t i = 0; i < Transport::kMaxUnsent >> 20; ++i)
        host.transport.send(megabyte);
    EXPECT_TRUE(host.hasEnded());
    EXPECT_FALSE(host.transport.congested());
    EXPECT_EQ(host.disconnections, 1);
}

TEST_P(OnEachSocket, WhatIsSentWithoutAClientIsForgotten)
{
    Host host(settings());
    host.transport.send("nobody hears");
    Peer client(host.transport.address());
    host.transport.send("nor a stranger");
    EXPECT_EQ(client.ask("hello"), "welcome");
    EXPECT_EQ(client.ask("one"), "again one");
}

TEST(Transport, AnswersOnIpV6InBrackets)
{
    std::string interface;
    if (!(std::ifstream("/proc/net/if_inet6") >> interface))
        GTEST_SKIP() << "this machine has no IPv6";
    Host host({.listen = "[::1]:0"});
    EXPECT_THAT(host.transport.address(), testing::MatchesRegex("\\[::1\\]:[1-9][0-9]*"));
    EXPECT_EQ(Peer(host.transport.address()).ask("hello"), "welcome");
}

TEST(Transport, RefusesWhatIsNoAddress)
{
    for (const char* text : {"", ":", "7000", "localhost", ":7000", "localhost:", "localhost:22x",
                             "localhost:x22", "localhost: 22", "localhost:+22", "localhost:-1",
                             "localhost:65536", "localhost:99999999999999999999", "::1:7000",
                             "[::1]", "[::1]7000", "[::1:7000", "[]:7000"})
        try {
            const Transport transport({.listen = text});
            ADD_FAILURE() << "'" << text << "' was taken for " << transport.address();
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("'" + std::string(text) + "'"));
            EXPECT_THAT(error.what(), HasSubstr("HOST:PORT"));
        }
    EXPECT_THROW(Transport({.listen = "no-such-host.invalid:7000"}), IoError);
}

TEST(Transport, ReplacesADeadSocketAndNothingElse)
{
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "socket";
    asio::io_context io;
    asio::local::stream_protocol::acceptor dead(io, path.string());
    EXPECT_THROW(Transport({.socket = path}), IoError) << "it is alive";
    dead.close();
    ASSERT_TRUE(fs::exists(path));
    {
        const Transport transport({.socket = path});
        EXPECT_EQ(transport.address(), path);
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        EXPECT_THROW(Transport({.socket = path}), IoError) << "it is alive";
        EXPECT_TRUE(fs::exists(path)) << "who could not have it leaves it alone";
    }
    EXPECT_FALSE(fs::exists(path));
    std::ofstream(path) << "a file";
    EXPECT_THROW(Transport({.socket = path}), IoError);
    EXPECT_TRUE(fs::is_regular_file(path));
    EXPECT_THROW(Transport({.socket = folder.path() / "no" / "folder"}), IoError);
    EXPECT_THROW(Transport({.socket = folder.path() / std::string(200, 'x')}), IoError);
}

TEST(Transport, StopEndsItWithoutAClient)
{
    const test::TemporaryFolder folder;
    Host host({.socket = folder.path() / "socket", .keep = true});
    host.transport.stop();
    EXPECT_TRUE(host.hasEnded());
}

} // namespace
} // namespace floe::serve
