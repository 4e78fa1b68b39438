#include "studio_fixture.hpp"

#include <QDir>
#include <QProcess>
#include <QScreen>
#include <QStatusBar>

namespace floe::test {
namespace {

/// The editor as it is seen at twice the size, in a process that begins with that size.
class AtTwiceTheSize : public WithTheRuntime {};

TEST_F(AtTwiceTheSize, DISABLED_TheStatusBarIsOnTheScreen)
{
    QSettings().clear();
    const QRect room = window->screen()->availableGeometry();
    ASSERT_EQ(room.size(), QSize(960, 540)) << "half of the screen's pixels";
    ASSERT_TRUE(window->open(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
    settle();
    window->move(room.topLeft());
    window->resize(room.size());
    QTest::qWait(200);
    const QStatusBar* bar = window->statusBar();
    ASSERT_TRUE(bar->isVisible());
    EXPECT_GT(bar->height(), 10);
    // In the window, which fills the screen: offscreen, its frame is the platform's own matter.
    const QPoint low = bar->mapTo(window.get(), bar->rect().bottomRight());
    EXPECT_LT(low.y(), room.height())
        << "the window is at least " << window->minimumSizeHint().height() << " high";
    EXPECT_LT(low.x(), room.width())
        << "the window is at least " << window->minimumSizeHint().width() << " wide";
    const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(pictures);
    EXPECT_TRUE(window->grab().save(pictures + QStringLiteral("/twice_the_size.png")));
}

// A screen of 1920 by 1080 pixels at 200 %.
TEST(Scale, TheStatusBarStaysOnTheScreen)
{
    const TemporaryFolder folder;
    const auto screen = folder.file(
        "screen.json",
        R"({"screens": [{"name": "one", "x": 0, "y": 0, "width": 1920, "height": 1080}]})");
    QProcess twice;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", "2");
    environment.insert("QT_QPA_PLATFORM",
                       "offscreen:configfile=" + QString::fromStdString(screen.string()));
    twice.setProcessEnvironment(environment);
    twice.setProcessChannelMode(QProcess::MergedChannels);
    twice.start(QCoreApplication::applicationFilePath(),
                {"--gtest_filter=AtTwiceTheSize.*", "--gtest_also_run_disabled_tests"});
    ASSERT_TRUE(twice.waitForFinished(300'000));
    const std::string said = twice.readAll().toStdString();
    EXPECT_EQ(twice.exitCode(), 0) << said;
    EXPECT_NE(said.find("[  PASSED  ] 1 test"), std::string::npos) << said;
}

} // namespace
} // namespace floe::test
