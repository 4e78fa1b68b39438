#include "surface/covering.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace floe::gaussians {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Weights of the degrees of a lobe around one direction, falling off like a narrow heat kernel so
/// that it does not ring.
constexpr double kLobe[] = {1.0, 0.819, 0.549, 0.301};

Vec3 normalised(const Vec3& v, const Vec3& otherwise)
{
    const double size = length(v);
    return size > 1e-30 ? (1 / size) * v : otherwise;
}

class Surface {
public:
    /// @param painted  as Covering has them
    Surface(std::span<const float> points, std::span<const std::uint32_t> triangles,
            std::span<const float> painted)
        : points_(points), painted_(painted.empty() ? points : painted), triangles_(triangles),
          normals_(points.size() / 3, Vec3{0, 0, 0})
    {
        if (painted_.size() != points.size())
            throw sdk::Failure("the mesh has " + std::to_string(points.size() / 3) +
                                   " points and the rest mesh " +
                                   std::to_string(painted_.size() / 3) +
                                   "; link the mesh that this one was before it moved",
                               FLOE_BAD_ARGUMENT);
        double sum = 0;
        for (std::size_t t = 0; 3 * t + 2 < triangles.size(); ++t) {
            for (std::size_t k = 0; k < 3; ++k)
                if (triangles[3 * t + k] >= normals_.size())
                    throw sdk::Failure("triangle " + std::to_string(t) +
                                       " of the mesh names a point that is not there");
            const Vec3 origin = corner(points_, t, 0);
            const Vec3 twice =
                cross(corner(points_, t, 1) - origin, corner(points_, t, 2) - origin);
            const double area = 0.5 * length(twice);
            for (std::size_t k = 0; k < 3; ++k) {
                Vec3& normal = normals_[triangles[3 * t + k]];
                normal = normal + twice;
            }
            sum += std::isfinite(area) ? area : 0;
            areas_.push_back(sum);
        }
        if (!(sum > 0) || !std::isfinite(sum))
            throw sdk::Failure("the mesh has no surface to cover");
    }

    double area() const { return areas_.back(); }

    struct Place {
        Vec3 x, normal, across; ///< across: along the triangle's first edge
        Vec3 shading;           ///< the normal, interpolated between the corners
        Vec3 paint;             ///< where its colour is asked
    };
    /// @param share  of the whole area, 0 to 1: chooses a triangle
    /// @param a, b   0 to 1: choose a place in it, evenly
    Place at(double share, double a, double b) const
    {
        const auto found = std::upper_bound(areas_.begin(), areas_.end(), share * area());
        const auto t = static_cast<std::size_t>(std::min(found, areas_.end() - 1) - areas_.begin());
        const double root = std::sqrt(a);
        const double weights[] = {1 - root, root * (1 - b), root * b};
        Place place{};
        for (std::size_t k = 0; k < 3; ++k) {
            place.x = place.x + weights[k] * corner(points_, t, k);
            place.paint = place.paint + weights[k] * corner(painted_, t, k);
            place.shading =
                place.shading + weights[k] * normalised(normals_[triangles_[3 * t + k]], {0, 0, 0});
        }
        const Vec3 edge = corner(points_, t, 1) - corner(points_, t, 0);
        place.normal =
            normalised(cross(edge, corner(points_, t, 2) - corner(points_, t, 0)), {0, 1, 0});
        place.across = normalised(edge, {1, 0, 0});
        place.shading = normalised(place.shading, place.normal);
        return place;
    }

private:
    Vec3 corner(std::span<const float> points, std::size_t triangle, std::size_t k) const
    {
        const float* p = &points[3 * std::size_t{triangles_[3 * triangle + k]}];
        return {p[0], p[1], p[2]};
    }

    std::span<const float> points_, painted_;
    std::span<const std::uint32_t> triangles_;
    std::vector<Vec3> normals_;
    std::vector<double> areas_; ///< sums up to each triangle
};

/// Adds a lobe of light that is seen along a direction and those near it.
/// @param height  in the middle
void addLobe(const Vec3& seen, double height, int degree, float* sh)
{
    double peak = 0;
    for (int l = 1; l <= degree; ++l)
        peak += kLobe[l] * (2 * l + 1) / (4 * kPi);
    const auto values = harmonicsIn(seen);
    for (int l = 1; l <= degree; ++l)
        for (std::size_t k = coefficientsOf(l - 1); k < coefficientsOf(l); ++k)
            for (std::size_t channel = 0; channel < 3; ++channel)
                sh[3 * k + channel] += static_cast<float>(height / peak * kLobe[l] * values[k]);
}

/// Coefficients of a place's colour: diffuse light, a lobe where the light's mirror image is, and
/// one for an eye in front of the surface.
void setColour(const Covering& covering, const Surface::Place& place, float* sh)
{
    const double facing = std::max(dot(place.shading, covering.toLight), 0.0);
    const double light = covering.ambient + (1 - covering.ambient) * facing;
    const auto colour = covering.colour(place.paint);
    for (std::size_t channel = 0; channel < 3; ++channel)
        sh[channel] = static_cast<float>((light * colour[channel] - 0.5) / kConstantHarmonic);
    if (covering.degree == 0)
        return;
    // Seen along d, the light mirrored on the normal n comes towards the eye where d = l - 2 (l n)
    // n, l pointing at the light.
    if (covering.gloss > 0)
        addLobe(covering.toLight - (2 * dot(covering.toLight, place.shading)) * place.shading,
                covering.gloss * facing, covering.degree, sh);
    if (covering.sheen > 0)
        addLobe(-1.0 * place.shading, covering.sheen, covering.degree, sh);
}

} // namespace

GaussianSet cover(std::span<const float> points, std::span<const std::uint32_t> triangles,
                  const Covering& covering)
{
    const Surface surface(points, triangles, covering.painted);
    GaussianSet set;
    set.degree = covering.degree;
    if (covering.paint)
        set.properties.push_back({"paint", {}});
    set.resize(covering.count);
    const auto number = static_cast<double>(covering.count);
    const double width = covering.overlap * std::sqrt(surface.area() / number);
    const std::size_t components = set.shComponents();
    for (std::size_t i = 0; i < covering.count; ++i) {
        const auto random = [&](std::uint64_t stream) {
            const std::uint64_t bits = sdk::mixBits(sdk::mixBits(covering.seed + stream) + i);
            return static_cast<double>(bits >> 11) * 0x1p-53;
        };
        const Surface::Place place =
            surface.at((static_cast<double>(i) + random(1)) / number, random(2), random(3));
        const Vec3 up = cross(place.normal, place.across);
        Mat3 axes;
        axes.setColumn(0, place.across);
        axes.setColumn(1, up);
        axes.setColumn(2, place.normal);
        const Quaternion q = quaternionOf(axes);
        for (int axis = 0; axis < 3; ++axis)
            set.x[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(place.x[axis]);
        std::transform(q.begin(), q.end(), &set.rotation[4 * i],
                       [](double part) { return static_cast<float>(part); });
        set.scale[3 * i] = set.scale[3 * i + 1] = static_cast<float>(width);
        set.scale[3 * i + 2] = static_cast<float>(covering.flatness * width);
        set.opacity[i] = static_cast<float>(covering.opacity);
        setColour(covering, place, &set.sh[components * i]);
        if (covering.paint)
            set.properties[0].values[i] = static_cast<float>(covering.paint(place.paint));
    }
    return set;
}

} // namespace floe::gaussians
