#include "floe/sdk/world/domain.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::sdk::world {

namespace {

/// A box of 2 m, turned by 30 degrees about z around (10, 0, 0).
Domain turnedBox()
{
    Domain box;
    box.bounded = true;
    box.center = {10, 0, 0};
    const double c = std::cos(0.5235987755982988), s = std::sin(0.5235987755982988);
    box.axes.setColumn(0, {c, s, 0});
    box.axes.setColumn(1, {-s, c, 0});
    box.faces = {Contact::separate, Contact::open, Contact::slip,
                 Contact::open,     Contact::open, Contact::stick};
    box.friction = 0.5f;
    return box;
}

/// The place whose coordinates along the box's axes are these.
Vec3d inWorld(const Domain& box, double x, double y, double z)
{
    return box.center + x * box.axes.column(0) + y * box.axes.column(1) + z * box.axes.column(2);
}

Vec3f single(const Vec3d& a)
{
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

/// A half space below a height, at rest.
class Ground final : public Collider {
public:
    explicit Ground(double height, const Vec3f& normal = {0, 1, 0})
        : height_(height), normal_(normal)
    {}
    void moveTo(double, double) override {}
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i)
            out.set(i, {static_cast<float>(points.corner.y + points.x[1][i] - height_),
                        normal_,
                        {0, 0, 0}});
    }

private:
    double height_;
    Vec3f normal_;
};

} // namespace

TEST(Domain, KnowsWhatIsNearWallsAndWhatIsBeyondOpenFaces)
{
    const Domain box = turnedBox();
    EXPECT_TRUE(box.nearWall(inWorld(box, -0.9, 0, 0), 0.11));
    EXPECT_FALSE(box.nearWall(inWorld(box, -0.9, 0, 0), 0.09));
    EXPECT_TRUE(box.nearOpenFace(inWorld(box, 0.9, 0, 0), 0.11));
    EXPECT_FALSE(box.nearOpenFace(inWorld(box, -0.9, 0, 0), 0.11));
    EXPECT_TRUE(box.isOutside(inWorld(box, 1.01, 0, 0), {0, 0, 0}));
    EXPECT_TRUE(
        box.isOutside(inWorld(box, 0, 0, 0), single(inWorld(box, 0, 0, -1.01) - box.center)));
    EXPECT_FALSE(box.isOutside(inWorld(box, 0.99, -5, 5), {0, 0, 0})); // those two are walls
    EXPECT_FALSE(Domain{}.nearWall({0, 0, 0}, 100));
    EXPECT_TRUE(box.sameAs(turnedBox()));
    Domain other = turnedBox();
    other.faces[4] = Contact::slip;
    EXPECT_FALSE(box.sameAs(other));
}

// In the corner of a wall with friction and one without, what is left is along the edge.
TEST(Domain, ANodeInACornerKeepsItsVelocityAlongTheEdge)
{
    const Domain box = turnedBox();
    PointBatch nodes;
    nodes.count = 2;
    nodes.corner = inWorld(box, -1.001, -1.001, 0);
    const Vec3d speed = -1.0 * box.axes.column(0) - box.axes.column(1) + Vec3d{0, 0, 2};
    const Vec3d inside = 0.1 * box.axes.column(0) + 0.1 * box.axes.column(1);
    for (int i = 0; i < 2; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            nodes.x[axis][i] = i == 0 ? 0 : static_cast<float>(inside[axis]);
        nodes.mass[i] = 1;
        nodes.setVelocity(i, single(speed));
    }
    box.applyWalls(nodes);
    // Friction takes 0.5 * 1 of the speed along the face, sqrt(5); the other wall takes the rest of
    // what leads into it.
    EXPECT_NEAR(nodes.v[0][0], 0, 1e-6);
    EXPECT_NEAR(nodes.v[1][0], 0, 1e-6);
    EXPECT_NEAR(nodes.v[2][0], 2 * (1 - 0.5 / std::sqrt(5.0)), 1e-6);
    EXPECT_EQ(nodes.v[0][1], static_cast<float>(speed.x));
}

// A ground that ends at a wall leaves no gap there.
TEST(Domain, CollidersGoOnBehindWalls)
{
    Domain box;
    box.bounded = true;
    box.faces[0] = Contact::slip;
    Ground ground(-0.5);
    PointBatch nodes;
    nodes.count = 3;
    nodes.corner = {-1, -0.5, 0};
    const float x[] = {-0.3f, -0.3f, 0.3f}, y[] = {-0.1f, 0.1f, -0.1f};
    for (int i = 0; i < 3; ++i) {
        nodes.x[0][i] = x[i];
        nodes.x[1][i] = y[i];
        nodes.x[2][i] = 0;
        nodes.mass[i] = 1;
    }
    ColliderSample sample;
    box.sampleWithin(ground, nodes, 0.1, sample);
    EXPECT_NEAR(sample.distance[0], -0.1f, 1e-6);
    EXPECT_GT(sample.distance[1], 0);
    EXPECT_NEAR(sample.distance[2], -0.1f, 1e-6);
    EXPECT_EQ(sample.normal[1][0], 1); // up is away from no wall
    // Below a ceiling just above the ground the way up leads through it, so there is none.
    box.faces[0] = Contact::open;
    box.faces[3] = Contact::slip;
    box.center.y = -1.49;
    box.sampleWithin(ground, nodes, 0.1, sample);
    EXPECT_EQ(sample.normal[1][0], 0);
}

// Sampled normals have errors: a node on a wall slides along a ground that meets it at right
// angles.
TEST(Domain, AWayOutAlongAWallDoesNotLeadThroughIt)
{
    Domain box;
    box.bounded = true;
    box.faces[0] = Contact::slip;
    PointBatch nodes;
    nodes.count = 1;
    nodes.corner = {-1, -0.6, 0};
    for (int axis = 0; axis < 3; ++axis)
        nodes.x[axis][0] = 0;
    nodes.mass[0] = 1;
    for (const float error : {0.01f, 0.f, -0.01f}) {
        ColliderSample sample;
        box.sampleWithin(Ground(-0.5, {error, 1, 0}), nodes, 0.1, sample);
        EXPECT_EQ(sample.normal[1][0], 1) << error;
    }
}

} // namespace floe::sdk::world
