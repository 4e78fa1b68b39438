// Liquid in the edges of a solid: it takes planes from where distances are those of one side.
#include "solver_scene.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

/// Solid but for a basin with vertical walls and a flat bottom at 0, open above. Distances in the
/// solid are those to the basin, as level sets have them: behind an edge they point to it.
class SolidBasin final : public sdk::world::Collider {
public:
    SolidBasin(double width, const Mat3d& axes) : half_(0.5 * width), axes_(axes) {}
    void moveTo(double, double) override {}
    bool rests() const override { return true; }
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const sdk::world::PointBatch& points,
                sdk::world::ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i) {
            const Vec3d x =
                physics::transpose(axes_) * (points.corner + toDouble(points.offset(i)));
            // To the walls and the floor, and the normals of these.
            const Vec3d room{half_ - std::abs(x.x), x.y, half_ - std::abs(x.z)};
            const Vec3d normal[3] = {
                {x.x > 0 ? -1.0 : 1.0, 0, 0}, {0, 1, 0}, {0, 0, x.z > 0 ? -1.0 : 1.0}};
            Vec3d outwards{0, 0, 0};
            for (int axis = 0; axis < 3; ++axis)
                outwards = outwards - std::min(room[axis], 0.0) * normal[axis];
            const double depth = physics::length(outwards);
            if (depth > 0)
                out.set(i, {static_cast<float>(-depth),
                            toFloat((1 / depth) * (axes_ * outwards)),
                            {0, 0, 0}});
            else
                out.set(i, {static_cast<float>(std::min({room.x, room.y, room.z, kBand})),
                            {NAN, NAN, NAN},
                            {NAN, NAN, NAN}});
        }
    }

private:
    static constexpr double kBand = 0.12; ///< in which distances are known [m]

    double half_;
    Mat3d axes_;
};

} // namespace

// In a basin that is turned and tilted against the axes nothing is thrown out of its edges.
TEST(LiquidEdges, AreAtRestHoweverTheBasinIsTurned)
{
    for (const double tilt : {0.0, 0.15}) {
        Material water;
        water.kind = Material::Kind::liquid;
        water.staticFriction = water.kineticFriction = 0;
        water.smoothing = 5;
        Trial trial(water);
        const Mat3d axes = rotationAbout(Vec3d{0, 0.6, 0}) * rotationAbout(Vec3d{tilt, 0, 0});
        trial.colliders = {std::make_shared<SolidBasin>(0.32, axes)};
        trial.fill({-0.16, 0, -0.16}, {8, 10, 8}, 0.02f);
        for (Vec3d& x : trial.solver.scene.particles.x)
            x = axes * x;
        trial.run(1.5, 1.0 / 480);
        float fastest = 0;
        for (int k = 0; k < 20; ++k) {
            trial.run(0.025, 1.0 / 480);
            for (const Vec3f& v : trial.solver.scene.particles.v)
                fastest = std::max(fastest, physics::length(v));
        }
        EXPECT_LT(fastest, 0.2f) << tilt; // what a wrong plane throws has 0.7 m/s and more
    }
}

} // namespace floe::pbd
