#pragma once

#include "set/rotation.hpp"

#include <cstddef>
#include <vector>

namespace floe::gaussians {

struct LatticeSettings {
    std::array<double, 3> center{};      ///< of the box [m]
    std::array<double, 3> size{1, 1, 1}; ///< of the box [m], > 0
    int axis = 1;                        ///< that is bent and twisted: 0 x, 1 y, 2 z
    int sections = 5;                    ///< of control points along the axis, 2 to kMaxSections
    double bend = 0;                     ///< angle between the box's two ends [radians]
    double bendDirection = 0;            ///< about the axis: to where its far end bends [radians]
    double twist = 0;                    ///< of the far end about the axis [radians]
    static constexpr int kMaxSections = 16;
};

/// Free-form deformation (Sederberg & Parry 1986): space moves with the control points of a box.
/// There are 2 x sections x 2 of them, which is all that bending and twisting needs: both are
/// affine across the axis. The near end of the box stays; the control points of each section lie
/// where a bend along an arc, after a twist, takes them, and what is between them follows by
/// Bernstein polynomials. Beyond the ends the motion goes on as an affine one.
class Lattice {
public:
    explicit Lattice(const LatticeSettings& settings);

    struct Moved {
        Vec3 x; ///< where a point comes to lie [m]
        Mat3 F; ///< the deformation gradient there
    };
    Moved at(const Vec3& X) const;

private:
    struct Section {
        Vec3 center;        ///< in the frame of the axis [m]
        Vec3 first, second; ///< images of the two directions across
    };

    Mat3 axes_; ///< columns: first across, along, second across, in the world
    Vec3 base_; ///< middle of the near end [m]
    double length_;
    std::vector<Section> sections_;
};

} // namespace floe::gaussians
