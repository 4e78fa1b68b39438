#include "pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace floe::serve {
namespace {

constexpr double kFps = 25, kFrame = 1 / kFps;

/// Runs frames by a clock of its own. @param seconds  what a frame takes at a speed
struct Clock {
    Pace pace{kFps};
    double now = 100;
    int late = 0; ///< frames that began after their time

    void frames(int count, const std::function<double(double speed)>& seconds)
    {
        for (int i = 0; i < count; ++i) {
            if (pace.begun())
                pace.done(now);
            const double before = now;
            now += pace.wait(now);
            late += i > 0 && now == before;
            now += seconds(pace.speed());
        }
    }
};

// Quick frames come at the frame rate, with time as it is in the document.
TEST(Pace, QuickFramesWait)
{
    Clock run;
    run.frames(101, [](double) { return 0.3 * kFrame; });
    EXPECT_NEAR(run.now - 100, 100.3 * kFrame, 1e-9);
    EXPECT_EQ(run.pace.speed(), 1);
    EXPECT_EQ(run.pace.meanSpeed(), 1);
}

// Frames that would take ten times as long simulate a tenth of the time, and come at the frame
// rate.
TEST(Pace, TimeSlowsDownUntilFramesAreShortEnough)
{
    Clock run;
    const auto long_ = [](double speed) {
        return 10 * kFrame * speed;
    };
    run.frames(20, long_);
    EXPECT_NEAR(run.pace.speed(), 0.09, 0.01);
    const double start = run.now;
    run.late = 0;
    run.frames(100, long_);
    EXPECT_NEAR(run.now - start, 100 * kFrame, kFrame);
    EXPECT_LT(run.pace.meanSpeed(), 0.3);
    // And speeds up when they become shorter.
    run.frames(100, [](double speed) { return 0.5 * kFrame * speed; });
    EXPECT_EQ(run.pace.speed(), 1);
}

// A single long frame costs little time afterwards, and is not caught up with by a race.
TEST(Pace, ALongFrameIsNotCaughtUpWith)
{
    Clock run;
    run.frames(10, [](double) { return 0.3 * kFrame; });
    run.frames(1, [](double) { return 10 * kFrame; });
    const double start = run.now;
    run.frames(50, [](double) { return 0.3 * kFrame; });
    EXPECT_GT(run.now - start, 48 * kFrame);
    EXPECT_EQ(run.pace.speed(), 1);
}

// Where slower time is of no use, it runs as it should.
TEST(Pace, TimeRunsAsItShouldWhereItDoesNotHelp)
{
    Clock run;
    run.frames(50, [](double) { return 3 * kFrame; });
    EXPECT_EQ(run.pace.speed(), 1);
    EXPECT_GT(run.pace.meanSpeed(), 0.85);
    EXPECT_NEAR(run.now - 100, 50 * 3 * kFrame, kFrame);
}

TEST(Pace, NeverStops)
{
    Clock run;
    run.frames(500, [](double speed) { return 1e3 * kFrame * speed; });
    EXPECT_EQ(run.pace.speed(), Pace::kSlowest);
}

} // namespace
} // namespace floe::serve
