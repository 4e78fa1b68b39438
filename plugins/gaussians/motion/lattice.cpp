#include "motion/lattice.hpp"

#include <algorithm>

namespace floe::gaussians {

namespace {

/// Bernstein polynomials of one degree and their derivatives.
struct Bernstein {
    std::array<double, LatticeSettings::kMaxSections> value{}, slope{};

    Bernstein(std::size_t count, double t)
    {
        // de Casteljau's triangle: the last but one row gives the derivatives.
        value[0] = 1;
        for (std::size_t degree = 1; degree < count; ++degree) {
            if (degree + 1 == count)
                for (std::size_t i = 0; i <= degree; ++i)
                    slope[i] = static_cast<double>(degree) *
                               ((i > 0 ? value[i - 1] : 0) - (i < degree ? value[i] : 0));
            for (std::size_t i = degree; i > 0; --i)
                value[i] = (1 - t) * value[i] + t * value[i - 1];
            value[0] *= 1 - t;
        }
    }
};

Mat3 turnAbout(int axis, double angle)
{
    Quaternion q = {0, 0, 0, std::cos(0.5 * angle)};
    q[static_cast<std::size_t>(axis)] = std::sin(0.5 * angle);
    return matrixOf(q);
}

} // namespace

Lattice::Lattice(const LatticeSettings& settings)
    : axes_{}, length_(settings.size[static_cast<std::size_t>(settings.axis)])
{
    // Cyclic, so that the frame of the axis is right-handed: its second direction is along.
    for (int column = 0; column < 3; ++column)
        axes_[(settings.axis + 2 + column) % 3][column] = 1;
    base_ = {settings.center[0], settings.center[1], settings.center[2]};
    base_ = base_ - (0.5 * length_) * axes_.column(1);

    const int count = std::clamp(settings.sections, 2, LatticeSettings::kMaxSections);
    const Mat3 towards = turnAbout(1, settings.bendDirection);
    for (int i = 0; i < count; ++i) {
        const double t = static_cast<double>(i) / (count - 1);
        const double angle = t * settings.bend;
        // Along an arc: as long as the box, turned by `angle` at this section.
        const bool straight = std::abs(angle) < 1e-4;
        const Vec3 center = {t * length_ * (straight ? 0.5 * angle : (1 - std::cos(angle)) / angle),
                             t * length_ * (straight ? 1 : std::sin(angle) / angle), 0};
        const Mat3 turn =
            towards * turnAbout(2, -angle) * transpose(towards) * turnAbout(1, t * settings.twist);
        sections_.push_back({towards * center, turn.column(0), turn.column(2)});
    }
}

Lattice::Moved Lattice::at(const Vec3& X) const
{
    const Vec3 local = transpose(axes_) * (X - base_);
    const double along = local.y / length_, t = std::clamp(along, 0.0, 1.0);
    const Bernstein basis(sections_.size(), t);
    Vec3 x{0, 0, 0}, first{0, 0, 0}, slope{0, 0, 0}, second{0, 0, 0};
    Vec3 firstSlope{0, 0, 0}, secondSlope{0, 0, 0};
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        const Section& section = sections_[i];
        x = x + basis.value[i] * section.center;
        first = first + basis.value[i] * section.first;
        second = second + basis.value[i] * section.second;
        slope = slope + (basis.slope[i] / length_) * section.center;
        firstSlope = firstSlope + (basis.slope[i] / length_) * section.first;
        secondSlope = secondSlope + (basis.slope[i] / length_) * section.second;
    }
    const double beyond = length_ * (along - t);
    const Vec3 rise = slope + local.x * firstSlope + local.z * secondSlope;
    Moved moved;
    moved.x = base_ + axes_ * (x + local.x * first + local.z * second + beyond * rise);
    Mat3 F{};
    F.setColumn(0, first + beyond * firstSlope);
    F.setColumn(1, rise);
    F.setColumn(2, second + beyond * secondSlope);
    moved.F = axes_ * F * transpose(axes_);
    return moved;
}

} // namespace floe::gaussians
