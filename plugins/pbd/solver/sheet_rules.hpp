/// Cloth and ropes: how parts pull, the rows of a solve, and what follows from it. One text for the
/// CPU and CUDA threads.
#pragma once

#include "block_rules.hpp"
#include "contact_rules.hpp"
#include "joints.hpp"

#include <array>
#include <cmath>

namespace floe::pbd {

inline constexpr std::uint32_t kNoTie = 0xffffffffu;
inline constexpr double kSheetTolerance = 1e-4;               ///< of conjugate gradients
inline constexpr double kSheetFarOff = 100 * kSheetTolerance; ///< what was not solved

/// How a triangle or segment pulls in its present shape.
struct SheetPull {
    Vec3d along[2];    ///< triangle: threads, stretched; segment: its direction
    double force[3];   ///< triangle: stress along both, and shear [J]; segment: tension [N]
    double tension[3]; ///< the same, without what is not positive
};
/// A part that holds a particle.
struct SheetShare {
    std::uint32_t part, corner;
};

/// A cloth or rope and its present solve, wherever its memory is. Particles and parts are numbered
/// from its first.
struct SheetRows {
    BlockRows A; ///< [kg]
    std::uint32_t parts;
    bool rope;
    const SheetEdge* edges;         ///< of a rope: its parts
    const SheetTriangle* triangles; ///< of a cloth: its parts
    const std::uint32_t* torn;      ///< of parts: 1 or 0
    const double* bend;             ///< of every light entry [N/m]
    const std::uint32_t* begin;     ///< of each particle's shares, and the end
    const SheetShare* shares;
    const std::uint32_t* entry; ///< of each part's pairs of corners, row by row
    SheetPull* pulls;           ///< of parts
    // Of particles:
    Vec3d *place, *ahead, *right, *move;
    Vec3d* exerted;           ///< by the sheet in this substep: impulse times dt [kg m]
    const std::uint32_t* tie; ///< number in ties, or kNoTie
    const JointTie* ties;
    std::uint32_t* held; ///< 1 or 0
    const float* weight; ///< [1/kg]

    FLOE_HD const JointTie* tieOf(std::uint32_t i) const
    {
        return tie[i] == kNoTie ? nullptr : ties + tie[i];
    }
    /// Of a particle and what it is tied to [kg].
    FLOE_HD Mat3d massOf(std::uint32_t i) const
    {
        const JointTie* tied = tieOf(i);
        return tied ? inverseOf(tied->yields) : (1 / double{weight[i]}) * Mat3d::identity();
    }
};

/// For device code, which cannot call functions of std::array.
template <class T, std::size_t Count>
FLOE_HD const T* elementsOf(const std::array<T, Count>& array)
{
    return reinterpret_cast<const T*>(&array);
}

/// a b^T, added `scale` times.
FLOE_HD void addOuter(Mat3d& sum, double scale, const Vec3d& a, const Vec3d& b)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            sum[row][column] += scale * a[row] * b[column];
}
FLOE_HD void addDiagonal(Mat3d& sum, double value)
{
    for (int axis = 0; axis < 3; ++axis)
        sum[axis][axis] += value;
}

/// How a triangle's threads change with its corners: thread `s` with corner k.
FLOE_HD double threadWeight(const SheetTriangle& triangle, std::uint32_t k, std::uint32_t s)
{
    const double* D = elementsOf(triangle.inverse);
    return k == 0 ? -D[s] - D[2 + s] : D[2 * (k - 1) + s];
}

/// Before a solve. The first one of a substep is taken from where the particles were: that is exact
/// at rest.
/// @param x  where the substep began, from the sheet's centre [m]  @param way  from there so far
FLOE_HD void beginRow(const SheetRows& sheet, std::uint32_t i, const Vec3d& x, const Vec3d& way,
                      bool first)
{
    sheet.place[i] = first ? x : x + way;
    sheet.ahead[i] = first ? way : Vec3d{0, 0, 0};
    const JointTie* tie = sheet.tieOf(i);
    sheet.held[i] =
        !(sheet.weight[i] > 0) || (tie && !(physics::determinant(tie->yields) > 0)) ? 1 : 0;
}

FLOE_HD SheetPull pullOf(const SheetEdge& edge, const Vec3d& way)
{
    SheetPull pull{};
    const double size = physics::length(way);
    if (!(size > 0))
        return pull;
    pull.along[0] = (1 / size) * way;
    pull.force[0] = edge.stiffness * (size - edge.length);
    pull.tension[0] = (pull.force[0] > 0 ? pull.force[0] : 0) / size;
    return pull;
}
/// @param a, b  from the first corner to the others [m]
FLOE_HD SheetPull pullOf(const SheetTriangle& triangle, const Vec3d& a, const Vec3d& b)
{
    using physics::dot;
    SheetPull pull{};
    for (std::uint32_t s = 0; s < 2; ++s)
        pull.along[s] = threadWeight(triangle, 1, s) * a + threadWeight(triangle, 2, s) * b;
    const double* stiffness = elementsOf(triangle.stiffness);
    const double xx = stiffness[0] * 0.5 * (dot(pull.along[0], pull.along[0]) - 1),
                 yy = stiffness[1] * 0.5 * (dot(pull.along[1], pull.along[1]) - 1),
                 xy = stiffness[2] * dot(pull.along[0], pull.along[1]);
    const double middle = 0.5 * (xx + yy), radius = std::hypot(0.5 * (xx - yy), xy);
    // What of it does not push: the part of its positive principal stresses.
    double share = 0, rest = 0;
    if (middle >= radius) {
        share = 1;
    } else if (middle + radius > 0) {
        share = (middle + radius) / (2 * radius);
        rest = share * (middle - radius);
    }
    const double force[3] = {xx, yy, xy};
    for (int s = 0; s < 3; ++s) {
        pull.force[s] = force[s];
        pull.tension[s] = share * force[s] - (s < 2 ? rest : 0);
    }
    return pull;
}
FLOE_HD void findPull(const SheetRows& sheet, std::uint32_t part)
{
    if (sheet.torn[part]) {
        sheet.pulls[part] = {};
    } else if (sheet.rope) {
        const std::uint32_t* at = elementsOf(sheet.edges[part].at);
        sheet.pulls[part] = pullOf(sheet.edges[part], sheet.place[at[1]] - sheet.place[at[0]]);
    } else {
        const std::uint32_t* at = elementsOf(sheet.triangles[part].at);
        sheet.pulls[part] = pullOf(sheet.triangles[part], sheet.place[at[1]] - sheet.place[at[0]],
                                   sheet.place[at[2]] - sheet.place[at[0]]);
    }
}

/// Adds how a segment pulls its particle k. @param right  force [N]
FLOE_HD void addSegment(const SheetRows& sheet, std::uint32_t part, std::uint32_t k, double square,
                        Vec3d& right)
{
    const SheetPull& pull = sheet.pulls[part];
    const SheetEdge& edge = sheet.edges[part];
    if (sheet.torn[part] || !(physics::dot(pull.along[0], pull.along[0]) > 0))
        return;
    const std::uint32_t *entry = sheet.entry + 2 * (2 * part + k), *at = elementsOf(edge.at);
    right = right + ((k == 0 ? 1 : -1) * pull.force[0]) * pull.along[0];
    for (std::uint32_t l = 0; l < 2; ++l) {
        if (sheet.held[at[l]])
            continue;
        const double sign = k == l ? square : -square;
        Mat3d& block = sheet.A.block[entry[l]];
        addOuter(block, sign * (edge.stiffness - pull.tension[0]), pull.along[0], pull.along[0]);
        addDiagonal(block, sign * pull.tension[0]);
    }
}
/// The same of a triangle.
FLOE_HD void addTriangle(const SheetRows& sheet, std::uint32_t part, std::uint32_t k, double square,
                         Vec3d& right)
{
    if (sheet.torn[part])
        return;
    const SheetPull& pull = sheet.pulls[part];
    const SheetTriangle& triangle = sheet.triangles[part];
    const double* stiffness = elementsOf(triangle.stiffness);
    const std::uint32_t *entry = sheet.entry + 3 * (3 * part + k), *at = elementsOf(triangle.at);
    const double g0 = threadWeight(triangle, k, 0), g1 = threadWeight(triangle, k, 1);
    const Vec3d &f0 = pull.along[0], &f1 = pull.along[1];
    const Vec3d sheared = g0 * f1 + g1 * f0;
    right = right - (pull.force[0] * g0) * f0 - (pull.force[1] * g1) * f1 - pull.force[2] * sheared;
    for (std::uint32_t l = 0; l < 3; ++l) {
        if (sheet.held[at[l]])
            continue;
        Mat3d& block = sheet.A.block[entry[l]];
        const double h0 = threadWeight(triangle, l, 0), h1 = threadWeight(triangle, l, 1);
        const double gg[3] = {g0 * h0, g1 * h1, g0 * h1 + g1 * h0};
        addOuter(block, square * stiffness[0] * gg[0], f0, f0);
        addOuter(block, square * stiffness[1] * gg[1], f1, f1);
        addOuter(block, square * stiffness[2], sheared, h0 * f1 + h1 * f0);
        double across = 0;
        for (int c = 0; c < 3; ++c)
            across += pull.tension[c] * gg[c];
        addDiagonal(block, square * across);
    }
}

/// Mass, and dt^2 times how forces change, against dt^2 times forces less what they have exerted.
/// Forces are those at `place`, and how they change from there to `place` + `ahead`.
FLOE_HD void assembleRow(const SheetRows& sheet, std::uint32_t i, double dt)
{
    const BlockRows& A = sheet.A;
    const double square = dt * dt;
    for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                A.block[e][row][column] = 0;
    Mat3d& diagonal = A.block[A.dense.at(i, i)];
    sheet.right[i] = {0, 0, 0};
    if (sheet.held[i]) {
        for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
            A.number[e] = 0;
        addDiagonal(diagonal, 1);
        return;
    }
    Vec3d right{0, 0, 0};
    for (std::uint32_t s = sheet.begin[i]; s < sheet.begin[i + 1]; ++s) {
        const SheetShare share = sheet.shares[s];
        if (sheet.rope)
            addSegment(sheet, share.part, share.corner, square, right);
        else
            addTriangle(sheet, share.part, share.corner, square, right);
    }
    for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e) {
        const std::uint32_t j = A.light.column[e];
        right = right - sheet.bend[e] * (sheet.place[j] - sheet.place[i]);
        A.number[e] = sheet.held[j] ? 0 : square * sheet.bend[e];
    }
    right = square * right - sheet.exerted[i];
    for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
        right = right - A.block[e] * sheet.ahead[A.dense.column[e]];
    for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
        right = right - A.number[e] * sheet.ahead[A.light.column[e]];
    sheet.right[i] = right;
    if (const JointTie* tie = sheet.tieOf(i)) {
        const Mat3d mass = inverseOf(tie->yields);
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                diagonal[row][column] += mass[row][column];
    } else {
        addDiagonal(diagonal, 1 / double{sheet.weight[i]});
    }
}

/// Where a rope touches something in a solve.
struct RopeTouch {
    Contact* contact;
    std::uint32_t particle;
    Vec3d normal;
    double approach;  ///< that is left [m]
    double stiffness; ///< that stops it there [kg]
    bool pushes;
};

/// Solves a rope with what it touches: contacts push, and those that would pull let go.
class RopeSolve {
public:
    /// @param touches  room for all contacts of the rope
    FLOE_HD RopeSolve(const SheetRows& rope, RopeTouch* touches) : rope_(rope), touches_(touches) {}

    /// Notes a contact with the surroundings, in the order of particles.
    /// @param way  of its particle so far [m]
    FLOE_HD void add(std::uint32_t i, Contact& contact, const Vec3f& way)
    {
        constexpr double kStiff = 1e4;    // of the rope's own: so much less does it give way
        constexpr float kRecovery = 0.1f; // of an overlap, in a substep
        const Vec3d normal = toDouble(contact.normal);
        contact.bounce = larger(contact.bounce, -kRecovery * contact.gap);
        const double approach = physics::dot(normal, toDouble(way) - toDouble(contact.surface)) +
                                double{contact.mayApproach()};
        if (rope_.held[i] || (approach > 0 && !(contact.lambda > 0)))
            return;
        RopeTouch& touch = touches_[count_++];
        touch.contact = &contact;
        touch.particle = i;
        touch.normal = normal;
        touch.approach = approach;
        touch.stiffness = kStiff * physics::trace(rope_.A.diagonalOf(i));
        touch.pushes = true;
    }
    /// @param work  as BandedSolve::solve()
    FLOE_HD void solve(double* work)
    {
        constexpr int kMaxSolves = 8;
        for (std::uint32_t k = 0; k < count_; ++k)
            stop(touches_[k], 1);
        for (int k = 0; k < kMaxSolves; ++k) {
            BandedSolve::solve(rope_.A, rope_.right, rope_.move, work);
            if (!letGo())
                break;
        }
        for (std::uint32_t k = 0; k < count_; ++k) {
            const RopeTouch& touch = touches_[k];
            if (!touch.pushes)
                continue;
            ++pushing_;
            const double push = pushOf(touch);
            touch.contact->lambda = larger(touch.contact->lambda + static_cast<float>(push), 0.0f);
            // It stops the particle, not what the rope exerts on it.
            Vec3d& exerted = rope_.exerted[touch.particle];
            exerted = exerted - push * touch.normal;
        }
    }
    FLOE_HD bool isFree() const { return pushing_ == 0; } ///< nothing pushes it

private:
    FLOE_HD void stop(const RopeTouch& touch, double share) const
    {
        const std::uint32_t i = touch.particle;
        addOuter(rope_.A.block[rope_.A.dense.at(i, i)], share * touch.stiffness, touch.normal,
                 touch.normal);
        rope_.right[i] = rope_.right[i] - (share * touch.stiffness * touch.approach) * touch.normal;
    }
    FLOE_HD double pushOf(const RopeTouch& touch) const
    {
        return -touch.stiffness *
               (physics::dot(touch.normal, rope_.move[touch.particle]) + touch.approach);
    }
    /// @return whether any did
    FLOE_HD bool letGo() const
    {
        bool pulls = false;
        for (std::uint32_t k = 0; k < count_; ++k) {
            RopeTouch& touch = touches_[k];
            if (!touch.pushes || !(double{touch.contact->lambda} + pushOf(touch) < 0))
                continue;
            stop(touch, -1);
            touch.pushes = false;
            pulls = true;
        }
        return pulls;
    }

    const SheetRows& rope_;
    RopeTouch* touches_;
    std::uint32_t count_ = 0, pushing_ = 0;
};

/// What a solve leaves over is momentum that everything together still has to take: of one row.
FLOE_HD Vec3d leftOf(const SheetRows& sheet, std::uint32_t i, const Mat3d& mass)
{
    return sheet.right[i] - mass * sheet.move[i];
}
/// Moves a particle that is not held as its solve has it.
/// @param shift  of all  @param way  in, out: its displacement
/// @return the impulse, times dt [kg m]
FLOE_HD Vec3d takeMove(const SheetRows& sheet, std::uint32_t i, const Vec3d& shift, Vec3f& way)
{
    const Vec3d move = sheet.move[i] + shift, impulse = sheet.massOf(i) * move;
    way = way + toFloat(move);
    sheet.exerted[i] = sheet.exerted[i] + impulse;
    return impulse;
}

FLOE_HD double areaOf(const SheetTriangle& triangle)
{
    const double* D = elementsOf(triangle.inverse);
    const double inverse = D[0] * D[3] - D[1] * D[2];
    return 0.5 / (inverse < 0 ? -inverse : inverse);
}
inline double areaOf(const RestSheet& sheet)
{
    double area = 0;
    for (const SheetTriangle& triangle : sheet.triangles)
        area += areaOf(triangle);
    return area;
}
/// What wind gives each corner of a face: of the air's change of velocity what is along its normal,
/// so that it does not feel air that streams along it.
/// @param a, b    from the first corner to the others [m]
/// @param change  mean of the corners' velocity, were they carried along [m/s]
/// @param third   of the face's mass [kg]
FLOE_HD Vec3f facePush(const Vec3d& a, const Vec3d& b, const Vec3f& change, float third)
{
    const Vec3f across = toFloat(physics::cross(a, b));
    const float square = physics::dot(across, across);
    if (!(square > 0))
        return {0, 0, 0};
    return (third * physics::dot(change, across) / square) * across;
}

/// Takes a share of the relative velocity along an edge.
/// @param d  from the first to the second [m]  @param wi, wj  inverse masses [1/kg]
FLOE_HD void dampEdge(const Vec3f& d, float share, float wi, float wj, Vec3f& vi, Vec3f& vj)
{
    const float square = physics::dot(d, d);
    if (!(wi + wj > 0) || !(square > 0))
        return;
    const float rate = physics::dot(d, vj - vi) / square;
    const Vec3f change = (share * rate / (wi + wj)) * d;
    vi = vi + wi * change;
    vj = vj - wj * change;
}

/// Largest strain of a part. @param way  from its first particle to the others [m]
FLOE_HD double strainOf(const SheetEdge& edge, const Vec3d& way)
{
    return physics::length(way) / edge.length - 1;
}
FLOE_HD double strainOf(const SheetTriangle& triangle, const Vec3d& a, const Vec3d& c)
{
    const double* D = elementsOf(triangle.inverse);
    const Vec3d f0 = D[0] * a + D[2] * c, f1 = D[1] * a + D[3] * c;
    const double xx = physics::dot(f0, f0), yy = physics::dot(f1, f1), xy = physics::dot(f0, f1),
                 half = 0.5 * (xx - yy);
    return std::sqrt(0.5 * (xx + yy) + std::hypot(half, xy)) - 1;
}

} // namespace floe::pbd
