#include "client/runtime.hpp"

#include "fake_server.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThread>

#include <gtest/gtest.h>

#include <ctime>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace {

using floe::Json;
using floe::client::FrameState;
using floe::client::Picture;
using floe::client::RunState;
using floe::client::Runtime;

/// Time that this thread was at work, whatever else the machine does.
double threadMilliseconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

struct Client : ::testing::Test {
    FakeServer server;
    Runtime runtime;
    QString message, node;
    QStringList lines;
    int losses = 0;

    Client()
    {
        QObject::connect(&runtime, &Runtime::lost, &runtime,
                         [this](const QString& m, const QString& n, const QStringList& l) {
                             message = m;
                             node = n;
                             lines = l;
                             ++losses;
                         });
    }
    void connectAndWait()
    {
        runtime.connectLocal(server.path());
        ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    }
};

TEST_F(Client, GreetsAndAsksForTypes)
{
    QSignalSpy types(&runtime, &Runtime::typesChanged);
    connectAndWait();
    EXPECT_EQ((*server.last("hello"))["protocol"], 1);
    EXPECT_TRUE(waitUntil([&] { return !types.isEmpty(); }));
}

TEST_F(Client, SendsTheDocumentAgainToANewRuntime)
{
    connectAndWait();
    runtime.setDocument({{"floe", 1}}, QStringLiteral("a.floe.json"));
    ASSERT_TRUE(waitUntil([&] { return server.count("document.set") == 1; }));
    server.hangUp();
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_EQ(runtime.state(), Runtime::State::Lost);
    runtime.restart();
    ASSERT_TRUE(waitUntil([&] { return server.count("document.set") == 2; }));
    EXPECT_EQ((*server.last("document.set"))["path"], "a.floe.json");
    EXPECT_EQ((*server.last("document.set"))["document"], (Json{{"floe", 1}}));
}

TEST_F(Client, OfManyDocumentsOnlyTheNewestWaits)
{
    connectAndWait();
    for (int i = 0; i < 100; ++i)
        runtime.setDocument({{"floe", i}}, {});
    ASSERT_TRUE(waitUntil([&] {
        const Json* last = server.last("document.set");
        return last && (*last)["document"]["floe"] == 99;
    }));
    EXPECT_LE(server.count("document.set"), 2); // the first, and the newest after its answer
}

TEST_F(Client, TheNewestViewWins)
{
    connectAndWait();
    floe::client::View view;
    view.size = {640, 360};
    for (int i = 1; i <= 50; ++i) {
        view.frame = i;
        runtime.setView(view);
    }
    ASSERT_TRUE(waitUntil([&] {
        const Json* last = server.last("view.set");
        return last && (*last)["frame"] == 50;
    }));
    EXPECT_LE(server.count("view.set"), 2);
}

// Each view has its own newest; one that is closed waits for nothing.
TEST_F(Client, OfEachViewTheNewestWins)
{
    connectAndWait();
    floe::client::View view;
    view.size = {640, 360};
    for (int i = 1; i <= 50; ++i)
        for (int which = 0; which < floe::client::kMaxViews; ++which) {
            view.frame = 100 * which + i;
            runtime.setView(view, which);
        }
    runtime.closeView(2);
    std::map<int, int> newest;
    const auto sent = [&] {
        int count = 0;
        for (const Json& one : server.received)
            if (one.value("method", "") == "view.set") {
                const Json& params = one["params"];
                newest[params.value("view", 0)] = params["frame"].get<int>();
                ++count;
            }
        return count;
    };
    ASSERT_TRUE(waitUntil([&] {
        sent();
        return newest[0] == 50 && newest[1] == 150 && newest[3] == 350;
    }));
    EXPECT_EQ(newest[2], 201) << "the first, and nothing after it was closed";
    EXPECT_LE(sent(), 7);
    EXPECT_EQ(server.last("view.close")->at("view"), 2);
    for (const Json& one : server.received)
        if (one.value("method", "") == "view.set" && one["params"]["frame"] < 100) {
            EXPECT_FALSE(one["params"].contains("view")) << "as ever where there is one";
        }
    // A new runtime is asked for those that are open.
    const auto before = static_cast<std::ptrdiff_t>(server.received.size());
    runtime.restart();
    const auto again = [&] {
        std::set<int> views;
        for (auto one = server.received.begin() + before; one != server.received.end(); ++one)
            if (one->value("method", "") == "view.set")
                views.insert((*one)["params"].value("view", 0));
        return views;
    };
    EXPECT_TRUE(waitUntil([&] { return again().size() == 3; }));
    EXPECT_FALSE(again().contains(2));
}

TEST_F(Client, NamesTheNodeThatWasCookingWhenItDied)
{
    connectAndWait();
    server.notify("run.state", {{"state", "running"}});
    server.notify("node.state", {{"node", "solver"}, {"state", "cooking"}});
    server.notify("run.progress", {{"frame", 3}, {"node", "solver"}, {"fraction", 0.5}});
    ASSERT_TRUE(waitUntil([&] { return runtime.runState() == RunState::Running; }));
    server.hangUp();
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_EQ(node, QStringLiteral("solver"));
    EXPECT_TRUE(message.contains(QStringLiteral("'solver'"))) << message.toStdString();
    EXPECT_EQ(runtime.runState(), RunState::Idle);
}

// What was said before the end is heard, however much it is and however slow the window.
TEST_F(Client, TheEndComesAfterEverythingThatWasSaid)
{
    connectAndWait();
    int heard = 0, atTheEnd = -1;
    QObject::connect(&runtime, &Runtime::logged, &runtime, [&](const floe::client::LogLine& line) {
        if (line.message == QStringLiteral("m") && ++heard % 100 == 0)
            QThread::msleep(10);
    });
    QObject::connect(&runtime, &Runtime::lost, &runtime, [&] { atTheEnd = heard; });
    QByteArray words;
    for (int i = 0; i < 2000; ++i)
        words += "{\"method\":\"log\",\"params\":{\"message\":\"m\"}}\n";
    words += R"({"method":"node.state","params":{"node":"solver","state":"cooking"}})"
             "\n";
    server.raw(words);
    server.hangUp();
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_EQ(atTheEnd, 2000);
    EXPECT_EQ(node, QStringLiteral("solver"));
}

TEST_F(Client, EveryRequestIsAnsweredOnce)
{
    connectAndWait();
    int answers = 0, failures = 0;
    const auto ask = [&](const char* method) {
        runtime.request(
            &runtime, QString::fromLatin1(method), Json::object(), [&](const Json&) { ++answers; },
            [&](const QString&) { ++failures; });
    };
    ask("run.step");
    ask("no.such.method");
    ASSERT_TRUE(waitUntil([&] { return answers == 1 && failures == 1; }));
    server.answers = false;
    ask("run.step");
    ASSERT_TRUE(waitUntil([&] { return server.count("run.step") == 2; }));
    server.hangUp(); // what waits fails
    ASSERT_TRUE(waitUntil([&] { return failures == 2; }));
    ask("run.step"); // there is no runtime
    ASSERT_TRUE(waitUntil([&] { return failures == 3; }));
    EXPECT_EQ(answers, 1);
}

TEST_F(Client, ASilentRuntimeTimesOut)
{
    connectAndWait();
    server.answers = false;
    QString failure;
    runtime.request(
        &runtime, QStringLiteral("run.step"), Json::object(), {},
        [&](const QString& text) { failure = text; }, 300);
    ASSERT_TRUE(waitUntil([&] { return !failure.isEmpty(); }));
    EXPECT_TRUE(failure.contains(QStringLiteral("run.step")));
}

TEST_F(Client, AnOwnerThatIsGoneIsNotCalled)
{
    connectAndWait();
    auto* owner = new QObject;
    bool called = false;
    runtime.request(
        owner, QStringLiteral("run.step"), Json::object(), [&](const Json&) { called = true; },
        [&](const QString&) { called = true; });
    delete owner;
    bool later = false; // answered after what the other asked
    runtime.request(&runtime, QStringLiteral("run.step"), Json::object(),
                    [&](const Json&) { later = true; });
    ASSERT_TRUE(waitUntil([&] { return later; }));
    EXPECT_EQ(server.count("run.step"), 2);
    EXPECT_FALSE(called);
}

TEST_F(Client, BrokenMessagesEndTheConnectionAndNothingElse)
{
    for (const QByteArray& bytes :
         {QByteArray("hello there\n"), QByteArray("[1,2,3]\n"), QByteArray("{\"a\":\n"),
          QByteArray("\xff\xfe\n"), QByteArray(100, '[') + "\n",
          "{\"x\":" + QByteArray(5000, '[') + QByteArray(5000, ']') + "}\n"}) {
        connectAndWait();
        const int before = losses;
        server.raw(bytes);
        ASSERT_TRUE(waitUntil([&] { return losses == before + 1; }))
            << bytes.left(20).toStdString();
        EXPECT_EQ(runtime.state(), Runtime::State::Lost);
    }
}

TEST_F(Client, OddMessagesAreIgnored)
{
    connectAndWait();
    for (const char* line :
         {"{}", "{\"method\":5}", "{\"method\":\"no.such\",\"params\":[1]}", "{\"id\":\"x\"}",
          "{\"id\":1e99,\"result\":1}", "{\"id\":-4,\"error\":{}}", "{\"method\":\"run.frame\"}",
          "{\"method\":\"cache.changed\",\"params\":{\"frames\":{\"a\":1}}}",
          "{\"method\":\"view.picture\"}", "{\"method\":\"view.picture\",\"params\":7}",
          "{\"method\":\"run.state\",\"params\":{\"state\":[]}}", ""})
        server.raw(QByteArray(line) + "\n");
    server.notify("run.state", {{"state", "running"}});
    EXPECT_TRUE(waitUntil([&] { return runtime.runState() == RunState::Running; }));
    EXPECT_EQ(losses, 0);
}

TEST_F(Client, AnEndlessLineIsCutOff)
{
    connectAndWait();
    const QByteArray chunk(8 << 20, 'x');
    for (int i = 0; i < 9; ++i)
        server.raw(chunk);
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_TRUE(message.contains(QStringLiteral("64 MiB"))) << message.toStdString();
}

TEST_F(Client, AFloodOfMessagesLeavesTheWindowResponsive)
{
    connectAndWait();
    int seen = 0;
    QObject::connect(&runtime, &Runtime::logged, &runtime,
                     [&](const floe::client::LogLine&) { ++seen; });
    QByteArray flood;
    for (int i = 0; i < 50'000; ++i)
        flood += "{\"method\":\"log\",\"params\":{\"message\":\"m\"}}\n";
    server.raw(flood);
    double longest = 0, before = threadMilliseconds();
    ASSERT_TRUE(waitUntil([&] {
        const double now = threadMilliseconds();
        longest = std::max(longest, now - std::exchange(before, now));
        return seen == 50'000;
    }));
    EXPECT_LT(longest, 250) << "a turn is bounded to 8 ms, and a few are taken between two looks";
}

TEST_F(Client, PicturesArriveAndAreAcknowledged)
{
    connectAndWait();
    const std::string name = "/floe-test-runtime-" + std::to_string(::getpid());
    const int descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(::ftruncate(descriptor, 64 * 64 * 4), 0);
    int pictures = 0, lastFrame = 0;
    std::map<int, int> frames; // by view
    QObject::connect(&runtime, &Runtime::pictureArrived, &runtime, [&](const Picture& picture) {
        ++pictures;
        lastFrame = std::max(lastFrame, picture.frame);
        frames[picture.view] = picture.frame;
        EXPECT_EQ(picture.image.size(), QSize(64, 64));
    });
    for (int i = 1; i <= 20; ++i)
        server.notify("view.picture", {{"sequence", i},
                                       {"segment", name},
                                       {"offset", 0},
                                       {"stride", 256},
                                       {"width", 64},
                                       {"height", 64},
                                       {"view", i % 4},
                                       {"frame", i}});
    ASSERT_TRUE(waitUntil([&] { return lastFrame == 20 && frames.size() == 4; }));
    const std::map<int, int> newest = {{0, 20}, {1, 17}, {2, 18}, {3, 19}};
    EXPECT_TRUE(waitUntil([&] { return frames == newest; }));
    ASSERT_TRUE(waitUntil([&] { return server.count("view.shown") == 20; }));
    EXPECT_LE(pictures, 20);
    // A picture that lies outside its memory costs a warning.
    int warnings = 0;
    QObject::connect(&runtime, &Runtime::logged, &runtime,
                     [&](const floe::client::LogLine&) { ++warnings; });
    server.notify("view.picture", {{"sequence", 21},
                                   {"segment", name},
                                   {"offset", 1},
                                   {"stride", 256},
                                   {"width", 64},
                                   {"height", 64}});
    EXPECT_TRUE(waitUntil([&] { return warnings == 1; }));
    EXPECT_EQ(losses, 0);
    ::close(descriptor);
    ::shm_unlink(name.c_str());
}

TEST_F(Client, ARunIsAskedForWithItsDevice)
{
    connectAndWait();
    runtime.play();
    ASSERT_TRUE(waitUntil([&] { return server.count("run.start") == 1; }));
    EXPECT_FALSE(server.last("run.start")->contains("device"));
    runtime.setDevice(QStringLiteral("cuda"));
    QString refusal;
    QObject::connect(&runtime, &Runtime::refused, &runtime, [&](const QString& m) { refusal = m; });
    server.replies.erase("run.start"); // an error is answered
    runtime.play();
    ASSERT_TRUE(waitUntil([&] { return !refusal.isEmpty(); }));
    EXPECT_EQ((*server.last("run.start"))["device"], "cuda");
}

TEST_F(Client, ControlsGoOutDuringARunOnly)
{
    connectAndWait();
    runtime.control(QStringLiteral("gravity"), QStringLiteral("strength"), 3);
    server.notify("run.state", {{"state", "running"}});
    ASSERT_TRUE(waitUntil([&] { return runtime.runState() == RunState::Running; }));
    for (int i = 0; i < 30; ++i)
        runtime.control(QStringLiteral("gravity"), QStringLiteral("strength"), i);
    ASSERT_TRUE(waitUntil([&] {
        const Json* last = server.last("control.set");
        return last && (*last)["value"] == 29;
    }));
    EXPECT_LE(server.count("control.set"), 2);
}

TEST(Process, ThatCannotStartIsLostWithAReason)
{
    Runtime runtime;
    QString message;
    QObject::connect(&runtime, &Runtime::lost, &runtime, [&](const QString& m) { message = m; });
    runtime.start(QStringLiteral("/no/such/program"));
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Lost; }));
    EXPECT_TRUE(message.contains(QStringLiteral("/no/such/program"))) << message.toStdString();
}

/// A program that a test writes in shell.
struct Script {
    QTemporaryDir folder;
    QString path = folder.filePath(QStringLiteral("serve.sh"));

    explicit Script(const QByteArray& text)
    {
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\ncd " + folder.path().toUtf8() + "\n" + text);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    }
    QByteArray read(const QString& name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void touch(const QString& name) const
    {
        QFile file(folder.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    }
};

// A machine under load: the process lives, so it is waited for, and one hears of it.
TEST(Process, ThatStartsSlowlyIsNotGivenUp)
{
    FakeServer server;
    const Script script("while [ ! -e go ]; do sleep 0.05; done\necho " + server.path().toUtf8() +
                        "\nwhile true; do sleep 0.05; done\n");
    Runtime runtime;
    runtime.setPatience(100);
    int losses = 0;
    QObject::connect(&runtime, &Runtime::lost, &runtime, [&] { ++losses; });
    runtime.start(script.path);
    ASSERT_TRUE(waitUntil([&] { return runtime.isSlow(); }));
    EXPECT_EQ(runtime.state(), Runtime::State::Starting);
    script.touch(QStringLiteral("go"));
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    EXPECT_FALSE(runtime.isSlow());
    EXPECT_EQ(losses, 0);
}

// The one after a crash is told whose frames to take over; one that is started anew is not.
TEST(Process, AfterACrashTheNextIsToldOfIt)
{
    const Script script("echo \"$@\" >> said\necho $$ >> processes\nkill -SEGV $$\n");
    Runtime runtime;
    runtime.setOptions({QStringLiteral("--cache-memory"), QStringLiteral("2")});
    int losses = 0;
    QObject::connect(&runtime, &Runtime::lost, &runtime, [&] { ++losses; });
    runtime.start(script.path);
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_EQ(script.read(QStringLiteral("said")), "serve --cache-memory 2\n");
    const QByteArray process = script.read(QStringLiteral("processes")).trimmed();
    runtime.restart();
    ASSERT_TRUE(waitUntil([&] { return losses == 2; }));
    EXPECT_EQ(script.read(QStringLiteral("said")).split('\n')[1],
              "serve --cache-memory 2 --take-over " + process);
}

// A runtime removes its frames when its client goes, which takes a moment.
TEST(Process, MayFinishWhatItDoesAtTheEnd)
{
    const Script script("trap 'sleep 0.3; touch tidy; exit' TERM\ntouch up\n"
                        "while true; do sleep 0.05; done\n");
    {
        Runtime runtime;
        runtime.start(script.path);
        ASSERT_TRUE(
            waitUntil([&] { return QFile::exists(script.folder.filePath(QStringLiteral("up"))); }));
        runtime.stop();
    }
    EXPECT_TRUE(QFile::exists(script.folder.filePath(QStringLiteral("tidy"))));
}

TEST(Process, ThatCrashesIsLostWithItsLastWords)
{
    const Script script("echo 'the plugin is on fire' >&2\nkill -SEGV $$\n");
    Runtime runtime;
    QString message;
    QStringList lines;
    QObject::connect(&runtime, &Runtime::lost, &runtime,
                     [&](const QString& m, const QString&, const QStringList& l) {
                         message = m;
                         lines = l;
                     });
    runtime.start(script.path);
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Lost; }));
    EXPECT_TRUE(message.contains(QStringLiteral("crashed"))) << message.toStdString();
    EXPECT_EQ(lines, QStringList(QStringLiteral("the plugin is on fire")));
}

} // namespace
