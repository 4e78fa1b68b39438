/// Walls of kind slip and stick that lie along the grid's axes, as solvers on nodes need them:
/// nodes behind a wall have the mirror image of the velocity before it.
///
/// A particle within a cell and a half of a wall feels nodes behind it. If those are only stopped,
/// the velocity does not vanish at the wall but somewhere behind it, and its gradient is too small:
/// matter sinks into the wall, solids lock, and fluids are slowed anew in every step. Instead the
/// field before the wall is continued behind it (ghost nodes; Roache 1998, "Fundamentals of
/// computational fluid dynamics", section III-C):
///
///     slip   the component along the normal is odd, the others are even
///     stick  all components follow the parabola that is 0 at the wall: to second order, so that a
///            viscous film is not slowed a little in every step; bent as little as it is there or
///            one node further from the wall, and not at all where these bend to different sides
///
/// Unlimited, the parabola answers a node before the wall with up to three times its velocity. What
/// particles close to the wall make of that is more than the node had, so that a flow beside the
/// wall gains speed from nothing (found by water that streams past stones on such a floor).
///
/// First, what was scattered behind a wall is folded back: a node before it also gets the mirrored
/// mass and momentum of its image, as if the mirror image of all matter were there too. Its stress
/// is what the wall answers with. Where a slip wall is on a node or midway between two, half of a
/// symmetric body then moves as the whole to rounding; elsewhere images lie between nodes, and
/// values are interpolated.
///
/// Matter that lies behind a wall of kind stick, as where a body is clamped by letting it reach
/// into one, has no image: where there is any, nodes behind the wall stand still and nothing is
/// folded.
///
/// The order for a step's nodes: sum mass and momentum; fold() nodes before walls, from nodes
/// behind; forces and contact with everything else on nodes before walls; held() nodes on walls;
/// extend() nodes behind walls, from those before and on them.
#pragma once

#include "floe/sdk/world/domain.hpp"

#include <cmath>

namespace floe::sdk::world {

/// A weighted sum over nodes along one axis. The weight of `component` for a velocity along the
/// axis is `along`, else `across`.
struct AxisStencil {
    static constexpr int kMax = 5; ///< a node and two images behind each of two walls
    int count = 0;
    int step[kMax];    ///< from the node that it is for [cells]
    float share[kMax]; ///< of mass
    float along[kMax], across[kMax];
    /// How a value is bent, as a multiple of the second divided difference of those at the wall and
    /// at the nodes `step[0]`, one and two nodes `further` from it; 0: it is not.
    float bend = 0;
    float near = 1; ///< of the first of them from the wall [cells]
    int further = 0;
    /// The step to a node that has mass only if matter lies behind a stick wall, or 0; and the
    /// node's weight, alone, if there is such matter.
    int deep = 0;
    float own = 1;

    FLOE_HD void add(int at, float mass, float alongAxis, float acrossAxis)
    {
        step[count] = at;
        share[count] = mass;
        along[count] = alongAxis;
        across[count] = acrossAxis;
        ++count;
    }
    FLOE_HD void dropImages()
    {
        count = 0;
        bend = 0;
        add(0, 1, own, own);
    }
};

/// The walls at both ends of one axis of the grid.
class MirrorAxis {
public:
    /// Nodes farther than this from a wall are not mirrored [cells]: no particle that is before the
    /// wall feels both.
    static constexpr double kReach = 2;

    /// @param at  where it cuts the axis [cells]   @param side  1: matter is above it; -1: below
    void addWall(double at, int side, Contact contact)
    {
        wall_[count_++] = {at, side, contact == Contact::stick};
    }
    FLOE_HD bool any() const { return count_ > 0; }

    /// Whether a wall concerns any of the nodes from `first` to `last`.
    FLOE_HD bool concerns(double first, double last) const
    {
        bool near = false;
        for (int w = 0; w < count_; ++w)
            near = near || (wall_[w].side > 0 ? first <= wall_[w].at + kReach
                                              : last >= wall_[w].at - kReach);
        return near;
    }
    FLOE_HD bool isBehind(double node) const
    {
        const Wall* wall = nearest(node);
        return wall && wall->distance(node) < -kOn;
    }

    /// What a node before the walls gets: itself, and its images behind. Empty for nodes behind.
    FLOE_HD AxisStencil fold(double node) const
    {
        AxisStencil s;
        if (isBehind(node))
            return s;
        s.add(0, 1, 1, 1);
        for (int w = 0; w < count_; ++w) {
            const double d = wall_[w].distance(node);
            if (d > kOn && d <= kReach) {
                addOwn(wall_[w], d, s);
                addImages(wall_[w], d, s);
                if (wall_[w].stick)
                    s.deep = deepFrom(wall_[w], d);
            }
        }
        return s;
    }

    /// What is left of a velocity component at a node that is on a wall: 0 of what the wall takes.
    /// @param alongAxis  whether it is the component along this axis
    FLOE_HD float held(double node, bool alongAxis) const
    {
        const Wall* wall = nearest(node);
        const bool on = wall && fabs(wall->distance(node)) <= kOn;
        return on && (alongAxis || wall->stick) ? 0.0f : 1.0f;
    }

    /// What a node behind a wall has once nodes before the walls are known; other nodes have what
    /// they have. `share` adds up to 1.
    FLOE_HD AxisStencil extend(double node) const
    {
        AxisStencil s;
        const Wall* wall = nearest(node);
        const double d = wall ? wall->distance(node) : 1;
        if (d >= -kOn) {
            s.add(0, 1, 1, 1);
            return s;
        }
        if (d < -(wall->stick ? kDeep : kReach) - kOn) {
            s.add(0, 1, 0, wall->stick ? 0.0f : 1.0f);
            return s;
        }
        if (wall->stick) {
            s.deep = deepFrom(*wall, d);
            s.own = 0;
            // From 0 at the wall and nodes before it, the first of them at least half a cell away.
            const double step = ceil(0.5 - d - kOn), near = d + step;
            const auto line = static_cast<float>(d / near);
            s.add(static_cast<int>(step) * wall->side, 1, line, line);
            if (d > -1.5 - kOn) // no particle before the wall feels deeper ones
                s.bend = static_cast<float>(d * (d - near));
            s.near = static_cast<float>(near);
            s.further = wall->side;
            return s;
        }
        const double lowest = floor(-2 * d + kOn);
        const auto upper = static_cast<float>(fmax(-2 * d - lowest, 0.0));
        const int step = static_cast<int>(lowest) * wall->side;
        if (d + lowest > kOn) {
            s.add(step, 1 - upper, -(1 - upper), 1 - upper);
            if (upper > static_cast<float>(kOn))
                s.add(step + wall->side, upper, -upper, upper);
        } else { // its image is between the wall and the first node before it
            const auto ratio = static_cast<float>(-d / (d + lowest + 1));
            s.add(step + wall->side, 1, -ratio, 1);
        }
        return s;
    }

    /// Where the mass of a node before walls lies once mirror images of all matter count, too: at
    /// itself and its images, twice on a wall. For walls on nodes or midway between two, where
    /// images are nodes; others do not count.
    FLOE_HD AxisStencil whole(double node) const
    {
        AxisStencil s;
        s.add(0, 1, 1, 1);
        for (int w = 0; w < count_; ++w) {
            const double d = wall_[w].distance(node);
            if (!isWhole(wall_[w]) || fabs(d) > kReach)
                continue;
            if (fabs(d) <= kOn)
                s.share[0] = 2;
            else
                s.add(imageFrom(wall_[w], d), 1, 1, 1);
            if (wall_[w].stick)
                s.deep = deepFrom(wall_[w], d);
        }
        return s;
    }
    /// The same of a node behind a wall, once whole() is known of those before: its image.
    FLOE_HD AxisStencil wholeBehind(double node) const
    {
        AxisStencil s;
        const Wall* wall = isBehind(node) ? nearest(node) : nullptr;
        if (!wall || !isWhole(*wall) || isDeep(*wall, node)) {
            s.add(0, 1, 1, 1);
            return s;
        }
        s.add(imageFrom(*wall, wall->distance(node)), 1, 1, 1);
        if (wall->stick)
            s.deep = deepFrom(*wall, wall->distance(node));
        return s;
    }
    /// Whether wholeBehind() leaves a node as it is, so that others may read it.
    FLOE_HD bool isDeep(double node) const
    {
        const Wall* wall = nearest(node);
        return wall && isDeep(*wall, node);
    }
    /// Whether whole() counts the images behind all walls of a side. @param side  as in addWall()
    FLOE_HD bool isWhole(int side) const
    {
        bool whole = false;
        for (int w = 0; w < count_; ++w)
            whole = whole || (wall_[w].side == side && isWhole(wall_[w]));
        return whole;
    }

private:
    static constexpr double kOn = 1e-6; ///< a node so near a wall is on it [cells]
    /// No particle before a wall feels a node so far behind it, nor one that sank in a little
    /// [cells].
    static constexpr double kDeep = 1.75;

    struct Wall {
        double at;
        int side;
        bool stick;
        FLOE_HD double distance(double node) const { return side * (node - at); }
    };
    /// Whether images of nodes are nodes.
    static FLOE_HD bool isWhole(const Wall& wall)
    {
        const double twice = 2 * wall.at;
        return fabs(twice - floor(twice + 0.5)) <= kOn;
    }
    /// The step from a node at distance `d` to its image.
    static FLOE_HD int imageFrom(const Wall& wall, double d)
    {
        return static_cast<int>(floor(-2 * d + 0.5)) * wall.side;
    }
    static FLOE_HD bool isDeep(const Wall& wall, double node)
    {
        return wall.distance(node) < -(wall.stick ? kDeep - 2 * kOn : kReach + kOn);
    }
    /// From a node at distance `d` to the first one that is so deep; 0: it is so deep itself.
    static FLOE_HD int deepFrom(const Wall& wall, double d)
    {
        const double step = ceil(d + kDeep);
        return step > 0 ? -static_cast<int>(step) * wall.side : 0;
    }
    /// What a node so close before a wall that its image is between it and the first one behind has
    /// of itself. Without it nothing keeps such a node from moving into the wall.
    static FLOE_HD void addOwn(const Wall& wall, double d, AxisStencil& s)
    {
        const auto w = static_cast<float>(1 - 2 * d);
        if (!(w > 0))
            return;
        s.share[0] += w;
        s.along[0] -= w;
        s.across[0] += wall.stick ? -w : w;
    }
    /// The nodes behind a wall whose mass belongs, mirrored, to a node at distance `d` before it.
    static FLOE_HD void addImages(const Wall& wall, double d, AxisStencil& s)
    {
        const double lowest = floor(-2 * d + kOn);
        for (int i = 0; i < 2; ++i) {
            const double step = lowest + i, behind = d + step;
            if (behind >= -kOn)
                continue;
            // A node whose image lies between two goes to both by their nearness; to the upper one
            // alone where the lower one is itself behind the wall.
            const double above = d + behind; // from the image to this node
            double weight = 1 - fabs(above);
            if (above > kOn && d - 1 < kOn)
                weight = 1;
            if (weight > kOn) {
                const auto w = static_cast<float>(weight);
                s.add(static_cast<int>(step) * wall.side, w, -w, wall.stick ? -w : w);
            }
        }
    }
    /// The one to which a node is nearest, or behind which it is.
    FLOE_HD const Wall* nearest(double node) const
    {
        const Wall* found = nullptr;
        for (int w = 0; w < count_; ++w)
            if (!found || wall_[w].distance(node) < found->distance(node))
                found = &wall_[w];
        return found;
    }

    Wall wall_[2] = {};
    int count_ = 0;
};

/// Mass and velocity of a node.
struct NodeValue {
    Vec3f v{0, 0, 0};
    float mass = 0;
};

/// The stencils of one node along the three axes.
struct MirrorStencil {
    AxisStencil axis[3];

    /// Whether the node is its own and only source.
    FLOE_HD bool isTrivial() const
    {
        bool trivial = true;
        FLOE_UNROLL
        for (int a = 0; a < 3; ++a)
            trivial = trivial && axis[a].count == 1 && axis[a].step[0] == 0 &&
                      axis[a].along[0] == 1 && axis[a].across[0] == 1;
        return trivial;
    }
    /// Whether it has no sources.
    FLOE_HD bool isEmpty() const
    {
        return axis[0].count == 0 || axis[1].count == 0 || axis[2].count == 0;
    }

    /// Without images where matter lies behind a stick wall.
    /// @param at  as in folded()
    template <class At>
    FLOE_HD MirrorStencil where(At&& at) const
    {
        MirrorStencil s = *this;
        FLOE_UNROLL
        for (int a = 0; a < 3; ++a) {
            const int step = axis[a].deep;
            const auto massAt = [&](int n) {
                return at(a == 0 ? n : 0, a == 1 ? n : 0, a == 2 ? n : 0).mass;
            };
            if (step != 0 && massAt(step) > 0) {
                s.axis[a].dropImages();
            } else if (axis[a].bend != 0) {
                // As much as where matter lies evenly, at most: close to the wall is what feels the
                // bend, and further away what is slower than its neighbours takes from them.
                constexpr float kEven = 0.05f;
                const float close = axis[a].bend / (1 + axis[a].near) * massAt(0),
                            away = kEven * massAt(axis[a].step[0] + axis[a].further);
                s.axis[a].bend *= away < close ? away / close : 1;
            }
        }
        return s;
    }
    /// The mass of all its sources. @param at  as in folded()
    template <class At>
    FLOE_HD float mass(At&& at) const
    {
        float sum = 0;
        forEach([&](int i, int j, int k, float share, const Vec3f&) {
            sum += share * at(axis[0].step[i], axis[1].step[j], axis[2].step[k]).mass;
        });
        return sum;
    }
    /// The velocity of all its mass, the folded mass included.
    /// @param at  NodeValue(int x, int y, int z): the node so many steps away
    template <class At>
    FLOE_HD Vec3f folded(At&& at) const
    {
        Vec3f momentum{0, 0, 0};
        float mass = 0;
        forEach([&](int i, int j, int k, float share, const Vec3f& weight) {
            const NodeValue node = at(axis[0].step[i], axis[1].step[j], axis[2].step[k]);
            mass += share * node.mass;
            for (int c = 0; c < 3; ++c)
                momentum[c] += weight[c] * node.mass * node.v[c];
        });
        return mass > 0 ? (1 / mass) * momentum : Vec3f{0, 0, 0};
    }
    /// Interpolated, or continued. Nodes without mass say nothing.
    template <class At>
    FLOE_HD Vec3f extended(At&& at) const
    {
        Vec3f v{0, 0, 0};
        float known = 0;
        forEach([&](int i, int j, int k, float share, const Vec3f& weight) {
            const NodeValue node = at(axis[0].step[i], axis[1].step[j], axis[2].step[k]);
            if (!(node.mass > 0))
                return;
            known += share;
            for (int c = 0; c < 3; ++c)
                v[c] += weight[c] * node.v[c];
            for (int a = 0; a < 3; ++a) {
                if (axis[a].bend == 0)
                    continue;
                int place[3] = {axis[0].step[i], axis[1].step[j], axis[2].step[k]};
                place[a] += axis[a].further;
                const NodeValue second = at(place[0], place[1], place[2]);
                place[a] += axis[a].further;
                const NodeValue third = at(place[0], place[1], place[2]);
                if (!(second.mass > 0 && third.mass > 0))
                    continue;
                for (int c = 0; c < 3; ++c) {
                    const float here = (second.v[c] - node.v[c] - node.v[c] / axis[a].near) /
                                       (1 + axis[a].near),
                                there = (third.v[c] - 2 * second.v[c] + node.v[c]) / 2;
                    if (here * there > 0)
                        v[c] += weight[c] / axis[a].along[0] * axis[a].bend *
                                (fabsf(here) < fabsf(there) ? here : there);
                }
            }
        });
        return known > 0 ? (1 / known) * v : Vec3f{0, 0, 0};
    }

private:
    template <class Function>
    FLOE_HD void forEach(Function&& f) const
    {
        for (int i = 0; i < axis[0].count; ++i)
            for (int j = 0; j < axis[1].count; ++j)
                for (int k = 0; k < axis[2].count; ++k) {
                    const AxisStencil &x = axis[0], &y = axis[1], &z = axis[2];
                    f(i, j, k, x.share[i] * y.share[j] * z.share[k],
                      Vec3f{x.along[i] * y.across[j] * z.across[k],
                            x.across[i] * y.along[j] * z.across[k],
                            x.across[i] * y.across[j] * z.along[k]});
                }
    }
};

/// The walls of a domain that are mirrors: of kind slip or stick, across the grid's axes. Trivially
/// copyable: kernels take it as it is.
class MirrorWalls {
public:
    MirrorWalls() = default;
    /// @param cellSize  [m]
    MirrorWalls(const Domain& domain, double cellSize)
    {
        for (int face = 0; face < 6; ++face) {
            if (!mirrors(domain, face))
                continue;
            const Vec3d normal = Domain::sideOf(face) * domain.axes.column(face / 2);
            const int axis = axisOf(normal), side = normal[axis] > 0 ? 1 : -1;
            const double at = domain.center[axis] - side * domain.halfSize[face / 2];
            axis_[axis].addWall(at / cellSize, side, domain.faces[face]);
            any_ = true;
        }
    }
    FLOE_HD bool any() const { return any_; }
    /// Whether a face is such a wall.
    FLOE_HD static bool mirrors(const Domain& domain, int face)
    {
        const Contact contact = domain.faces[face];
        return domain.isWall(face) && (contact == Contact::slip || contact == Contact::stick) &&
               axisOf(Domain::sideOf(face) * domain.axes.column(face / 2)) >= 0;
    }

    /// Whether walls concern nodes of a block.
    FLOE_HD bool concern(const std::int32_t* block) const
    {
        bool near = false;
        for (int a = 0; a < 3; ++a) {
            const double first = grid::kBlockEdge * static_cast<double>(block[a]);
            near = near || axis_[a].concerns(first, first + grid::kBlockEdge - 1);
        }
        return near;
    }
    FLOE_HD const MirrorAxis& axis(int a) const { return axis_[a]; }

    // Of a block's node, by its place in the block.

    FLOE_HD bool isBehind(const std::int32_t* block, int x, int y, int z) const
    {
        return axis_[0].isBehind(nodeAt(block[0], x)) || axis_[1].isBehind(nodeAt(block[1], y)) ||
               axis_[2].isBehind(nodeAt(block[2], z));
    }
    FLOE_HD MirrorStencil fold(const std::int32_t* block, int x, int y, int z) const
    {
        return {{axis_[0].fold(nodeAt(block[0], x)), axis_[1].fold(nodeAt(block[1], y)),
                 axis_[2].fold(nodeAt(block[2], z))}};
    }
    FLOE_HD MirrorStencil extend(const std::int32_t* block, int x, int y, int z) const
    {
        return {{axis_[0].extend(nodeAt(block[0], x)), axis_[1].extend(nodeAt(block[1], y)),
                 axis_[2].extend(nodeAt(block[2], z))}};
    }
    /// Its velocity without the components that a wall takes which it is on.
    FLOE_HD Vec3f hold(const std::int32_t* block, int x, int y, int z, Vec3f v) const
    {
        const int place[3] = {x, y, z};
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c)
                v[c] *= axis_[a].held(nodeAt(block[a], place[a]), a == c);
        return v;
    }
    static FLOE_HD double nodeAt(std::int32_t block, int place)
    {
        return grid::kBlockEdge * static_cast<double>(block) + place;
    }

private:
    /// Returns the axis of the grid along which a unit vector lies, or -1.
    FLOE_HD static int axisOf(const Vec3d& normal)
    {
        for (int axis = 0; axis < 3; ++axis)
            if (fabs(normal[axis]) > 1 - 1e-12)
                return axis;
        return -1;
    }

    MirrorAxis axis_[3];
    bool any_ = false;
};

} // namespace floe::sdk::world
