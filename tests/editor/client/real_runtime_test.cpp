#include "client/runtime.hpp"

#include "fake_server.hpp"

#include <QDir>
#include <QFile>

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

// The client against the runtime itself: `floe serve` of this build, its plugins, real scenes.

namespace {

using floe::Json;
using floe::client::RunState;
using floe::client::Runtime;

struct RealRuntime : ::testing::Test {
    Runtime runtime;
    int losses = 0;
    QString message;

    RealRuntime()
    {
        QObject::connect(&runtime, &Runtime::lost, &runtime, [this](const QString& text) {
            message = text;
            ++losses;
        });
        runtime.start(QStringLiteral(FLOE_BINARY_DIR "/bin/floe"));
        EXPECT_TRUE(waitUntil([&] { return runtime.types().is_object() || losses > 0; }));
        EXPECT_EQ(runtime.state(), Runtime::State::Ready) << message.toStdString();
    }
    static Json scene()
    {
        std::ifstream file(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json");
        Json json = Json::parse(file);
        json["nodes"]["solver"]["parameters"]["cellSize"] = 0.08; // a second's work
        return json;
    }
    int processId()
    {
        int id = 0;
        runtime.request(&runtime, QStringLiteral("hello"), {{"protocol", 1}},
                        [&](const Json& result) { id = result.value("pid", 0); });
        waitUntil([&] { return id != 0; });
        return id;
    }
};

TEST_F(RealRuntime, ListsNodeTypesAndFindsFaults)
{
    const Json* types = floe::client::member(runtime.types(), "types");
    ASSERT_TRUE(types && types->is_array());
    EXPECT_GT(types->size(), 30u);
    Json wrong = scene();
    wrong["nodes"]["solver"]["parameters"]["cellSize"] = -1;
    runtime.setDocument(wrong, QStringLiteral(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json"));
    ASSERT_TRUE(waitUntil([&] { return !runtime.faults().empty(); }));
    EXPECT_EQ(runtime.faults()[0].node, "solver");
    EXPECT_EQ(runtime.faults()[0].field, "cellSize");
    EXPECT_EQ(runtime.faults()[0].cause,
              floe::graph::TranslatableText::of("parameter '{name}' is {value}",
                                                std::string("cellSize"), -1))
        << "as the editor's own checks say it";
}

TEST_F(RealRuntime, SimulatesFramesThatCanBeSeen)
{
    int frames = 0;
    QImage picture;
    QObject::connect(&runtime, &Runtime::frameFinished, &runtime, [&](int) { ++frames; });
    QObject::connect(&runtime, &Runtime::pictureArrived, &runtime,
                     [&](const floe::client::Picture& p) { picture = p.image; });
    runtime.setDocument(scene(), QStringLiteral(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json"));
    floe::client::View view;
    view.size = {160, 90};
    runtime.setView(view);
    runtime.play(std::nullopt, 2);
    ASSERT_TRUE(waitUntil([&] { return runtime.runState() == RunState::Finished; }));
    EXPECT_EQ(frames, 2);
    ASSERT_FALSE(runtime.frames().isEmpty());
    EXPECT_EQ(runtime.frames()[0].state, floe::client::FrameState::Cached);
    ASSERT_TRUE(waitUntil([&] { return !picture.isNull(); }));
    EXPECT_EQ(picture.size(), QSize(160, 90));
}

TEST_F(RealRuntime, KilledInMidFrameItSaysSoAndStartsAgain)
{
    Json endless = scene();
    endless["nodes"]["solver"]["parameters"]["cellSize"] = 0.02;
    runtime.setDocument(endless, QStringLiteral(FLOE_SOURCE_DIR "/graphs/sand_column.floe.json"));
    QStringList cooking; // by what was heard, the newest last; between two frames nothing is
    const auto heardOf = [&](const QString& name, bool cooks) {
        cooking.removeAll(name);
        if (cooks)
            cooking.append(name);
    };
    QObject::connect(&runtime, &Runtime::progressed, &runtime,
                     [&](const floe::client::Progress& p) { heardOf(p.node, true); });
    QObject::connect(&runtime, &Runtime::nodeChanged, &runtime,
                     [&](const floe::client::NodeStatus& status) {
                         heardOf(status.node, status.mark == floe::client::NodeMark::Cooking);
                     });
    QString node;
    QObject::connect(&runtime, &Runtime::lost, &runtime,
                     [&](const QString&, const QString& n, const QStringList&) { node = n; });
    const int id = processId();
    ASSERT_GT(id, 1);
    runtime.play();
    ASSERT_TRUE(waitUntil([&] { return cooking.contains(QStringLiteral("solver")); }));
    ASSERT_EQ(::kill(id, SIGSEGV), 0); // as a crash in a plugin would
    ASSERT_TRUE(waitUntil([&] { return losses == 1; }));
    EXPECT_TRUE(message.contains(QStringLiteral("crashed"))) << message.toStdString();
    EXPECT_EQ(node, cooking.value(cooking.size() - 1));
    runtime.restart();
    ASSERT_TRUE(waitUntil([&] { return runtime.state() == Runtime::State::Ready; }));
    EXPECT_NE(processId(), id);
}

} // namespace
