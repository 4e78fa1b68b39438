#include "meshes.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>

namespace floe::bench {

namespace {

using Point = std::array<double, 3>;

constexpr double kPi = 3.14159265358979323846;

class Mesh {
public:
    /// Rings of points, closed at both ends by fans.
    void addRings(std::size_t rings, std::size_t around,
                  const std::function<Point(double, double)>& at)
    {
        const std::size_t first = points_.size();
        for (std::size_t i = 0; i < rings; ++i)
            for (std::size_t k = 0; k < around; ++k)
                points_.push_back(
                    at(static_cast<double>(i) / static_cast<double>(rings - 1),
                       2 * kPi * static_cast<double>(k) / static_cast<double>(around)));
        for (std::size_t i = 0; i + 1 < rings; ++i)
            for (std::size_t k = 0; k < around; ++k) {
                const std::size_t a = first + i * around + k,
                                  b = first + i * around + (k + 1) % around;
                triangles_.push_back({a, a + around, b});
                triangles_.push_back({b, a + around, b + around});
            }
        for (const std::size_t ring : {std::size_t{0}, rings - 1}) {
            Point middle{};
            for (std::size_t k = 0; k < around; ++k)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    middle[axis] +=
                        points_[first + ring * around + k][axis] / static_cast<double>(around);
            points_.push_back(middle);
            for (std::size_t k = 0; k < around; ++k) {
                const std::size_t a = first + ring * around + k,
                                  b = first + ring * around + (k + 1) % around;
                triangles_.push_back(ring == 0 ? Triangle{a, b, points_.size() - 1}
                                               : Triangle{b, a, points_.size() - 1});
            }
        }
    }

    /// A box as rings of a rounded square around y.
    void addBox(const Point& center, const Point& size)
    {
        const auto square = [&](double height, double share, double angle) {
            const double c = std::cos(angle), s = std::sin(angle);
            const double reach = 0.5 * share / std::max(std::abs(c), std::abs(s));
            return Point{center[0] + size[0] * reach * c, center[1] + size[1] * (height - 0.5),
                         center[2] + size[2] * reach * s};
        };
        // The lids are rings too, so that they bend as smoothly as the sides.
        addRings(61, 48, [&](double t, double angle) {
            if (t < 0.15)
                return square(0, std::max(t / 0.15, 0.02), angle);
            if (t > 0.85)
                return square(1, std::max((1 - t) / 0.15, 0.02), angle);
            return square((t - 0.15) / 0.7, 1, angle);
        });
    }

    /// A tube of a radius along a curve.
    void addTube(const std::function<Point(double)>& along,
                 const std::function<double(double)>& radius)
    {
        addRings(80, 16, [&](double t, double angle) {
            const Point x = along(t), ahead = along(t + 1e-4), behind = along(t - 1e-4);
            Point forward;
            for (std::size_t axis = 0; axis < 3; ++axis)
                forward[axis] = ahead[axis] - behind[axis];
            const double size = std::hypot(forward[0], forward[1], forward[2]);
            // Across: forward x z, and that x forward. No curve here runs along z.
            const double across = std::hypot(forward[0], forward[1]);
            const Point one = {forward[1] / across, -forward[0] / across, 0};
            const Point two = {one[1] * forward[2] / size, -one[0] * forward[2] / size,
                               (one[0] * forward[1] - one[1] * forward[0]) / size};
            Point place;
            for (std::size_t axis = 0; axis < 3; ++axis)
                place[axis] = x[axis] + radius(t) * (std::cos(angle) * one[axis] +
                                                     std::sin(angle) * two[axis]);
            return place;
        });
    }

    void write(const std::filesystem::path& path) const
    {
        std::ofstream file(path);
        for (const Point& p : points_)
            file << "v " << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
        for (const Triangle& t : triangles_)
            file << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
    }

private:
    using Triangle = std::array<std::size_t, 3>;
    std::vector<Point> points_;
    std::vector<Triangle> triangles_;
};

/// A turned profile about y.
std::function<Point(double, double)> turned(const std::function<double(double)>& radius, double low,
                                            double high)
{
    return [=](double t, double angle) {
        return Point{radius(t) * std::cos(angle), low + t * (high - low),
                     radius(t) * std::sin(angle)};
    };
}

Mesh vase()
{
    Mesh mesh;
    mesh.addRings(120, 72,
                  turned(
                      [](double t) {
                          return 0.14 + 0.11 * std::sin(1.7 * kPi * t + 0.4) * (1 - 0.3 * t) +
                                 0.006 * std::cos(40 * t);
                      },
                      0, 1));
    return mesh;
}

Mesh stool()
{
    Mesh mesh;
    mesh.addBox({0, 0.95, 0}, {0.6, 0.1, 0.6});
    for (const double x : {-0.24, 0.24}) {
        for (const double z : {-0.24, 0.24})
            mesh.addBox({x, 0.45, z}, {0.07, 0.9, 0.07});
        mesh.addBox({x, 0.35, 0}, {0.04, 0.05, 0.48});
    }
    return mesh;
}

Mesh plant()
{
    Mesh mesh;
    mesh.addRings(50, 60, turned([](double t) { return 0.12 + 0.05 * t; }, 0, 0.25));
    for (int stem = 0; stem < 9; ++stem) {
        const double turn = 2.4 * stem, reach = 0.14 + 0.03 * (stem % 3), height = 1 - 0.06 * stem;
        const auto along = [=](double t) {
            return Point{reach * t * t * std::cos(turn) + 0.06 * std::cos(turn),
                         0.2 + (height - 0.2) * t,
                         reach * t * t * std::sin(turn) + 0.06 * std::sin(turn)};
        };
        mesh.addTube(along, [](double t) { return 0.012 + 0.03 * std::pow(std::sin(kPi * t), 4); });
    }
    return mesh;
}

} // namespace

std::vector<Model> proceduralModels(const std::filesystem::path& folder)
{
    const std::vector<Model> models = {{"vase", folder / "vase.obj"},
                                       {"stool", folder / "stool.obj"},
                                       {"plant", folder / "plant.obj"}};
    vase().write(models[0].mesh);
    stool().write(models[1].mesh);
    plant().write(models[2].mesh);
    return models;
}

} // namespace floe::bench
