#include "moving_pieces.hpp"

#include "floe/sdk/physics/svd.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace floe::particles {

namespace {

using Mat = physics::Mat3<double>;
using physics::cross, physics::dot;
using sdk::world::detail::addOuter, sdk::world::detail::isFinite, sdk::world::detail::vecAt;

/// Best rigid motion of a piece from rest to now.
struct RigidMotion {
    double count = 0;
    Vec3d restCentre{0, 0, 0}, centre{0, 0, 0}, v{0, 0, 0}, spin{0, 0, 0};
    Mat P{};       ///< sum of (x - c) (X - C)^T, and then its rotation
    Mat inertia{}; ///< of unit masses
    Vec3d momentum{0, 0, 0};
};

sdk::Value meshOf(std::span<const float> x, std::span<const float> v,
                  std::span<const float> colours, std::span<const uint32_t> triangles)
{
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<uint32_t>(x.size() / 3);
    mesh.points = x.data();
    mesh.triangle_count = static_cast<uint32_t>(triangles.size() / 3);
    mesh.triangles = triangles.data();
    mesh.velocities = v.data();
    mesh.colours = colours.empty() ? nullptr : colours.data();
    return sdk::made(sdk::host().values->make_mesh(&mesh));
}

} // namespace

std::vector<uint32_t> RestParticles::numbersOf(std::span<const uint64_t> ids) const
{
    std::vector<uint32_t> numbers(ids.size(), kNoPiece);
    std::size_t next = 0; // where the search begins: ids mostly ascend
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (next >= id.size() || id[next] != ids[i])
            next = static_cast<std::size_t>(std::ranges::lower_bound(id, ids[i]) - id.begin());
        if (next < id.size() && id[next] == ids[i])
            numbers[i] = static_cast<uint32_t>(next++);
    }
    return numbers;
}

void RestParticles::save(sdk::Writer& writer) const
{
    writer.array(id);
    writer.array(x);
    writer.array(F);
}

RestParticles RestParticles::load(sdk::Reader& reader)
{
    RestParticles rest;
    rest.id = reader.array<uint64_t>();
    rest.x = reader.array<float>();
    rest.F = reader.array<float>();
    if (rest.x.size() != 3 * rest.id.size() ||
        (!rest.F.empty() && rest.F.size() != 9 * rest.id.size()) ||
        std::ranges::adjacent_find(rest.id, std::greater_equal<>()) != rest.id.end())
        throw sdk::Failure("the saved particles at rest are damaged", FLOE_IO_FAILED);
    return rest;
}

MovingPieces::MovingPieces(const sdk::Context& context, const PieceMotion& motion, CutSolid cut,
                           const RestParticles& rest, std::vector<uint32_t> own,
                           std::vector<uint64_t> ids)
    : rigid_(motion.rigid), cut_(std::move(cut)), own_(std::move(own)), ids_(std::move(ids)),
      x_(cut_.points), v_(cut_.points.size(), 0.0f)
{
    if (rigid_)
        return;
    // Only what hangs on to a piece moves it: what crumbled off its edge flies elsewhere.
    std::vector<uint32_t> groups;
    for (const uint32_t piece : own_)
        if (piece != kNoPiece)
            groups.push_back(piece);
    sdk::Value particles = sdk::makeParticles(groups.size());
    const auto id = particles.addAttribute<uint64_t>("id", 1);
    const auto x = particles.addAttribute<float>("x", 3);
    const auto F = rest.F.empty() ? std::span<float>() : particles.addAttribute<float>("F", 9);
    for (std::size_t i = 0, to = 0; i < own_.size(); ++i) {
        if (own_[i] == kNoPiece)
            continue;
        id[to] = rest.id[i];
        std::copy_n(&rest.x[3 * i], 3, &x[3 * to]);
        if (!F.empty())
            std::copy_n(&rest.F[9 * i], 9, &F[9 * to]);
        ++to;
    }
    binding_ = std::make_unique<sdk::world::ParticleBinding>(
        context, motion.binding, cut_.points, particles,
        sdk::world::BindingGroups{cut_.pieceOfPoint, groups});
}

void MovingPieces::save(sdk::Writer& writer) const
{
    writer.value<uint8_t>(rigid_ ? 1 : 0);
    writer.array(cut_.points);
    writer.array(cut_.triangles);
    writer.array(cut_.seam);
    writer.array(cut_.pieceOfPoint);
    writer.array(cut_.firstTriangle);
    writer.array(own_);
    writer.array(ids_);
    writer.array(x_);
    writer.array(v_);
    if (binding_)
        binding_->save(writer);
}

MovingPieces::MovingPieces(sdk::Reader& reader, const RestParticles& rest)
{
    const auto rigid = reader.value<uint8_t>();
    rigid_ = rigid == 1;
    cut_.points = reader.array<float>();
    cut_.triangles = reader.array<uint32_t>();
    cut_.seam = reader.array<uint8_t>();
    cut_.pieceOfPoint = reader.array<uint32_t>();
    cut_.firstTriangle = reader.array<uint32_t>();
    own_ = reader.array<uint32_t>();
    ids_ = reader.array<uint64_t>();
    x_ = reader.array<float>();
    v_ = reader.array<float>();
    if (rigid == 0)
        binding_ = std::make_unique<sdk::world::ParticleBinding>(reader);
    const std::size_t points = cut_.pieceOfPoint.size(), triangles = cut_.seam.size();
    const auto isPiece = [&](uint32_t piece) {
        return piece < ids_.size();
    };
    const bool fits =
        rigid <= 1 && cut_.points.size() == 3 * points && x_.size() == 3 * points &&
        v_.size() == 3 * points && cut_.triangles.size() == 3 * triangles &&
        cut_.firstTriangle.size() == ids_.size() + 1 && cut_.firstTriangle.back() == triangles &&
        std::ranges::is_sorted(cut_.firstTriangle) && own_.size() == rest.id.size() &&
        (!binding_ || binding_->points() == points) && std::ranges::is_sorted(cut_.pieceOfPoint) &&
        std::ranges::all_of(cut_.pieceOfPoint, isPiece) &&
        std::ranges::all_of(own_, [&](uint32_t p) { return p == kNoPiece || isPiece(p); }) &&
        std::ranges::all_of(cut_.triangles, [&](uint32_t p) { return p < points; });
    if (!fits)
        throw sdk::Failure("the saved pieces are damaged", FLOE_IO_FAILED);
}

void MovingPieces::move(const sdk::Context& context, const RestParticles& rest,
                        const sdk::Value& particles)
{
    paint(rest, particles);
    if (rigid_) {
        moveRigidly(context, rest, particles);
        return;
    }
    sdk::world::ParticleBinding::Moved moved = binding_->move(context, particles);
    x_.assign(moved.x.begin(), moved.x.end());
    v_ = std::move(moved.v);
    lost_ = binding_->lostPoints();
}

void MovingPieces::paint(const RestParticles& rest, const sdk::Value& particles)
{
    const auto given = sdk::world::particleColours(particles);
    if (given.empty())
        return;
    std::vector<physics::Vec3<float>> colours(ids_.size(), given.front());
    std::vector<uint8_t> known(ids_.size(), 0);
    const std::vector<uint32_t> numbers = rest.numbersOf(particles.attribute<uint64_t>("id", 1));
    for (std::size_t i = 0; i < std::min(numbers.size(), given.size()); ++i) {
        const uint32_t piece = numbers[i] == kNoPiece ? kNoPiece : own_[numbers[i]];
        if (piece != kNoPiece && !known[piece]) {
            colours[piece] = given[i];
            known[piece] = 1;
        }
    }
    colours_.clear();
    for (const uint32_t piece : cut_.pieceOfPoint)
        colours_.insert(colours_.end(), {colours[piece].x, colours[piece].y, colours[piece].z});
}

void MovingPieces::moveRigidly(const sdk::Context& context, const RestParticles& rest,
                               const sdk::Value& particles)
{
    const auto x = particles.attribute<float>("x", 3), v = particles.attribute<float>("v", 3);
    const std::vector<uint32_t> numbers = rest.numbersOf(particles.attribute<uint64_t>("id", 1));
    std::vector<RigidMotion> motions(ids_.size());
    const auto each = [&](const auto& work) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const uint32_t number = numbers[i];
            if (number == kNoPiece || own_[number] == kNoPiece || !isFinite(vecAt(x, i)))
                continue;
            work(motions[own_[number]], vecAt(rest.x, number), vecAt(x, i),
                 v.empty() ? Vec3d{0, 0, 0} : vecAt(v, i));
        }
    };
    each([](RigidMotion& m, const Vec3d& X, const Vec3d& xi, const Vec3d& vi) {
        m.count += 1;
        m.restCentre = m.restCentre + X;
        m.centre = m.centre + xi;
        m.v = m.v + vi;
    });
    for (RigidMotion& m : motions) {
        const double share = 1 / std::max(m.count, 1.0);
        m.restCentre = share * m.restCentre;
        m.centre = share * m.centre;
        m.v = share * m.v;
    }
    each([](RigidMotion& m, const Vec3d& X, const Vec3d& xi, const Vec3d& vi) {
        const Vec3d r = xi - m.centre;
        addOuter(m.P, 1, r, X - m.restCentre);
        addOuter(m.inertia, -1, r, r);
        for (int axis = 0; axis < 3; ++axis)
            m.inertia[axis][axis] += dot(r, r);
        m.momentum = m.momentum + cross(r, vi - m.v);
    });
    for (RigidMotion& m : motions) {
        const double size = physics::trace(m.P * physics::transpose(m.P));
        // Of unit size, as the rotation's iteration wants it; of single particles, unturned.
        m.P = size > 0 ? physics::polarRotation((1 / std::sqrt(size)) * m.P) : Mat::identity();
        const double det = physics::determinant(m.inertia), third = physics::trace(m.inertia) / 3;
        if (det > 1e-6 * third * third * third) // else on a line: about which way is not known
            m.spin = (1 / det) * (physics::transpose(physics::cofactor(m.inertia)) * m.momentum);
    }
    lost_ = 0;
    for (const uint32_t piece : cut_.pieceOfPoint)
        lost_ += motions[piece].count == 0 ? 1 : 0;
    context.parallelFor(cut_.pieceOfPoint.size(), 4096, [&](uint64_t begin, uint64_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const RigidMotion& m = motions[cut_.pieceOfPoint[p]];
            if (m.count == 0)
                continue;
            const Vec3d r = m.P * (vecAt(cut_.points, p) - m.restCentre);
            const Vec3d to = m.centre + r, speed = m.v + cross(m.spin, r);
            for (int axis = 0; axis < 3; ++axis) {
                x_[3 * p + static_cast<std::size_t>(axis)] = static_cast<float>(to[axis]);
                v_[3 * p + static_cast<std::size_t>(axis)] = static_cast<float>(speed[axis]);
            }
        }
    });
}

sdk::Value MovingPieces::mesh() const
{
    return meshOf(x_, v_, colours_, cut_.triangles);
}

sdk::Value MovingPieces::part(uint8_t seam) const
{
    std::vector<uint32_t> number(cut_.pieceOfPoint.size(), kNoPiece), triangles;
    std::vector<float> x, v, colours;
    for (std::size_t t = 0; t < cut_.seam.size(); ++t)
        for (std::size_t k = 0; k < 3 && cut_.seam[t] == seam; ++k) {
            const uint32_t point = cut_.triangles[3 * t + k];
            if (number[point] == kNoPiece) {
                number[point] = static_cast<uint32_t>(x.size() / 3);
                const auto from = static_cast<std::ptrdiff_t>(3 * std::size_t{point});
                x.insert(x.end(), x_.begin() + from, x_.begin() + from + 3);
                v.insert(v.end(), v_.begin() + from, v_.begin() + from + 3);
                if (!colours_.empty())
                    colours.insert(colours.end(), colours_.begin() + from,
                                   colours_.begin() + from + 3);
            }
            triangles.push_back(number[point]);
        }
    return meshOf(x, v, colours, triangles);
}

sdk::Value MovingPieces::table() const
{
    const std::size_t pieces = ids_.size();
    sdk::Value table = sdk::makeParticles(pieces);
    const auto x = table.addAttribute<float>("x", 3), v = table.addAttribute<float>("v", 3);
    const auto id = table.addAttribute<uint64_t>("id", 1);
    const auto volume = table.addAttribute<float>("volume", 1);
    const auto particles = table.addAttribute<uint32_t>("particles", 1);
    const auto firstPoint = table.addAttribute<uint32_t>("firstPoint", 1);
    const auto points = table.addAttribute<uint32_t>("points", 1);
    const auto firstTriangle = table.addAttribute<uint32_t>("firstTriangle", 1);
    const auto triangles = table.addAttribute<uint32_t>("triangles", 1);
    std::ranges::fill(particles, 0u);
    for (const uint32_t piece : own_)
        if (piece != kNoPiece)
            ++particles[piece];
    for (std::size_t p = 0; p < pieces; ++p) {
        id[p] = ids_[p];
        firstTriangle[p] = cut_.firstTriangle[p];
        triangles[p] = cut_.firstTriangle[p + 1] - cut_.firstTriangle[p];
        const auto range = std::ranges::equal_range(cut_.pieceOfPoint, static_cast<uint32_t>(p));
        firstPoint[p] = static_cast<uint32_t>(range.begin() - cut_.pieceOfPoint.begin());
        points[p] = static_cast<uint32_t>(range.size());
        // Centre of the volume: of tetrahedra from a point of the piece to its triangles.
        const Vec3d base = range.empty() ? Vec3d{0, 0, 0} : vecAt(x_, firstPoint[p]);
        Vec3d sum{0, 0, 0}, speed{0, 0, 0};
        double whole = 0;
        for (std::size_t t = firstTriangle[p]; t < cut_.firstTriangle[p + 1]; ++t) {
            const Vec3d a = vecAt(x_, cut_.triangles[3 * t]) - base,
                        b = vecAt(x_, cut_.triangles[3 * t + 1]) - base,
                        c = vecAt(x_, cut_.triangles[3 * t + 2]) - base;
            const double part = dot(a, cross(b, c)) / 6;
            whole += part;
            sum = sum + (part / 4) * (a + b + c);
        }
        for (std::size_t k = 0; k < points[p]; ++k)
            speed = speed + (1.0 / points[p]) * vecAt(v_, firstPoint[p] + k);
        const Vec3d centre = whole != 0 ? base + (1 / whole) * sum : base;
        volume[p] = static_cast<float>(whole);
        for (int axis = 0; axis < 3; ++axis) {
            x[3 * p + static_cast<std::size_t>(axis)] = static_cast<float>(centre[axis]);
            v[3 * p + static_cast<std::size_t>(axis)] = static_cast<float>(speed[axis]);
        }
    }
    return table;
}

} // namespace floe::particles
