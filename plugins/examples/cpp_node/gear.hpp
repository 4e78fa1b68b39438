#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// A gear in the plane y = 0: straight-sided teeth, a hole for its axle and, when twisted, teeth
/// that wind around the axis like a screw's.
class Gear {
public:
    struct Settings {
        int teeth = 12;          ///< at least 3
        double radius = 0.5;     ///< to the tips [m]
        double toothDepth = 0.2; ///< share of the radius, 0 to 0.9
        double hole = 0.2;       ///< share of the radius below the teeth, 0 to 0.95
        double thickness = 0.2;  ///< along y [m]
        double twist = 0;        ///< from bottom to top [rad]
    };

    explicit Gear(const Settings& settings)
        : settings_(settings), sector_(kPi / settings.teeth),
          hole_(settings.hole * settings.radius * (1 - settings.toothDepth))
    {
        // Half a tooth and half a gap; mirroring them at both ends gives the whole outline. Tips
        // take 40 % of the width of a tooth and its gap, feet 70 %.
        const double tip = settings.radius;
        const double foot = settings.radius * (1 - settings.toothDepth);
        outline_ = {Point{tip, 0}, at(tip, 0.4 * sector_), at(foot, 0.7 * sector_),
                    at(foot, sector_)};
        slope_ = std::sqrt(1 + std::pow(settings.twist / settings.thickness * tip, 2));
    }

    /// Signed distance [m], negative inside; exact for an untwisted gear. With twist the sign is
    /// exact, and near the surface the value never exceeds the true distance.
    double distance(double x, double y, double z) const
    {
        const double turn = settings_.twist * (y / settings_.thickness);
        const double angle = std::atan2(z, x) - turn;
        const double radius = std::hypot(x, z);
        const double flat = std::max(outlineDistance(radius, angle) / slope_, hole_ - radius);
        const double cap = std::abs(y) - settings_.thickness / 2;
        return std::min(std::max(flat, cap), 0.0) +
               std::hypot(std::max(flat, 0.0), std::max(cap, 0.0));
    }

    /// Volume [m^3]; twist does not change it.
    double volume() const
    {
        double area = 0;
        for (std::size_t i = 0; i < 3; ++i)
            area += cross(outline_[i], outline_[i + 1]) / 2;
        return (2 * settings_.teeth * area - kPi * hole_ * hole_) * settings_.thickness;
    }

private:
    struct Point {
        double x, y;
    };
    static constexpr double kPi = 3.14159265358979323846;
    static Point at(double radius, double angle)
    {
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }
    static double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }

    double outlineDistance(double radius, double angle) const
    {
        // Fold into the half tooth: the nearest point of a shape with mirror planes lies on the
        // same side of each of them.
        const double folded = std::abs(std::remainder(angle, 2 * sector_));
        const Point p = at(radius, folded);
        double nearest = 1e300;
        bool inside = false;
        for (std::size_t i = 0; i < 3; ++i) {
            const Point a = outline_[i], b = outline_[i + 1];
            const Point edge{b.x - a.x, b.y - a.y}, toP{p.x - a.x, p.y - a.y};
            const double along =
                (toP.x * edge.x + toP.y * edge.y) / (edge.x * edge.x + edge.y * edge.y);
            const double t = std::clamp(along, 0.0, 1.0);
            nearest = std::min(nearest, std::hypot(toP.x - t * edge.x, toP.y - t * edge.y));
            // Seen from the centre, the outline's angle only grows: one edge is in front of p.
            if (cross(a, p) >= 0 && cross(p, b) >= 0)
                inside = cross(edge, toP) >= 0;
        }
        return inside ? -nearest : nearest;
    }

    Settings settings_;
    double sector_; ///< angle of half a tooth and half a gap [rad]
    double hole_;   ///< [m]
    double slope_;  ///< maximum rate of the twisted outline's distance
    std::array<Point, 4> outline_;
};
