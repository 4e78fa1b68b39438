// A collider known only by its level sets, frame by frame, carries what lies on it.
#include "run_graph.hpp"

#include <gtest/gtest.h>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;

TEST(DeformingCollider, LiftsABlockAsFastAsItRises)
{
    const GraphRun plate("validation/rising_plate.floe.json", "");
    ASSERT_EQ(plate.finished().code, 0) << plate.finished().output;
    const GraphRun run("validation/lifted_block.floe.json",
                       "--set plate.path=" + (plate.output() / "plate.%04d.vdb").string());
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 13);
    const double t = 12.0 / 24.0;
    EXPECT_NEAR(last.meanPosition()[1] - first.meanPosition()[1], t * t, 0.01);
    EXPECT_NEAR(last.meanVelocity()[1], 2 * t, 0.1);
    EXPECT_NEAR(last.extent(1)[0], t * t, 0.02); // half a cell
}

} // namespace
} // namespace floe
