#include "studio_fixture.hpp"

#include "canvas/scene.hpp"

#include <QPushButton>

namespace floe::test {
namespace {

using client::RunState;
using client::Runtime;

// A plugin that crashes takes the runtime with it, never the work.
TEST_F(WithTheRuntime, APluginThatCrashesCostsTheRunOnly)
{
    open({{"floe", 1},
          {"range", {{"start", 1}, {"end", 9}, {"fps", 24}}},
          {"nodes", {{"boom", {{"type", "test.crash"}, {"parameters", {{"frame", 4}}}}}}}});
    document().addNode("", "floe.force.gravity", {});
    settle();
    const std::string before = document().text();
    QString message;
    QObject::connect(&runtime(), &Runtime::lost, window.get(),
                     [&](const QString& text) { message = text; });
    runtime().play();
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Lost; }));
    EXPECT_TRUE(message.contains("boom")) << message.toStdString();
    EXPECT_TRUE(window->notice()->text().contains("boom"))
        << window->notice()->text().toStdString();
    const editor::Scene& scene = window->canvas()->scene();
    const int card = scene.find("boom");
    ASSERT_GE(card, 0);
    EXPECT_EQ(scene.cards[std::size_t(card)].status.state, editor::NodeState::Error);
    EXPECT_EQ(document().text(), before);
    EXPECT_TRUE(document().isModified());

    // One click, and it goes on with the document as it is.
    QPushButton* restart = nullptr;
    for (QPushButton* button : window->findChildren<QPushButton*>())
        if (button->isVisible() && button->text().contains("Restart"))
            restart = button;
    ASSERT_NE(restart, nullptr);
    QTest::mouseClick(restart, Qt::LeftButton);
    ASSERT_TRUE(until([&] { return runtime().state() == Runtime::State::Ready; }));
    document().setParameter("", "boom", "frame", 100);
    settle();
    runtime().play();
    ASSERT_TRUE(until([&] { return runtime().runState() == RunState::Finished; }));
    EXPECT_FALSE(restart->isVisible());
}

} // namespace
} // namespace floe::test
