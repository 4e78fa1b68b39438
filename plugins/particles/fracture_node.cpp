#include "fracture_node.hpp"

#include "attributes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace floe::particles {

namespace {

/// Output 'piece' of particles that belong to none.
constexpr uint64_t kNoPieceId = std::numeric_limits<uint64_t>::max();

std::span<const float> pointsOf(const floe_mesh& mesh)
{
    return {mesh.points, 3 * std::size_t{mesh.point_count}};
}

std::span<const uint32_t> trianglesOf(const floe_mesh& mesh)
{
    return {mesh.triangles, 3 * std::size_t{mesh.triangle_count}};
}

std::string boxOf(const Vec3d& low, const Vec3d& high)
{
    std::string text;
    for (int axis = 0; axis < 3; ++axis)
        text += (axis > 0 ? ", " : "") + std::to_string(low[axis]) + " to " +
                std::to_string(high[axis]);
    return text;
}

PieceMotion motionFrom(const sdk::Context& context)
{
    const std::string deformation = context.string("deformation");
    PieceMotion motion;
    motion.rigid = deformation == "rigid";
    motion.binding.particles = static_cast<std::size_t>(context.integer("boundParticles"));
    motion.binding.deformation = deformation == "gradient" ? sdk::world::Deformation::Gradient
                                                           : sdk::world::Deformation::Neighbours;
    return motion;
}

/// Returns one number a particle, of any type. @throws Failure  there is none of that name
std::vector<float> damageOf(const sdk::Value& particles, const std::string& name,
                            const char* socket)
{
    for (const floe_attribute& attribute : attributesOf(particles))
        if (name == attribute.name && attribute.components == 1) {
            std::vector<float> damage(particles.particleCount());
            for (std::size_t i = 0; i < damage.size(); ++i)
                damage[i] = static_cast<float>(numberAt(attribute.data, attribute.element, i));
            return damage;
        }
    throw sdk::Failure("input '" + std::string(socket) + "' has no attribute '" + name +
                           "' with one number per particle; name another one in 'damage', make it "
                           "with Attribute expression, switch 'Output plastic state' on in the "
                           "solver for 'plastic', or let bonds break by stretch",
                       FLOE_WRONG_KIND);
}

std::span<const uint64_t> idsOf(const sdk::Value& particles, const char* socket)
{
    const auto ids = particles.attribute<uint64_t>("id", 1);
    if (ids.empty() && particles.particleCount() > 0)
        throw sdk::Failure("input '" + std::string(socket) +
                               "' has no 'id', so that no particle is known again at another "
                               "frame; write particles with their ids",
                           FLOE_WRONG_KIND);
    return ids;
}

} // namespace

void FractureNode::cook(sdk::Context& context)
{
    if (context.isStart()) {
        rest_ = {};
        pieces_.reset();
        label_.clear();
        found_ = false;
    }
    const sdk::Value mesh = context.input("mesh"), particles = context.input("particles");
    const sdk::Value restInput = context.input("rest"), brokenInput = context.input("broken");
    const char* restSocket = restInput ? "rest" : "particles";
    const sdk::Value& atRest = restInput ? restInput : particles;
    const bool restIsHere = restInput || context.frame() >= context.number("restFrame");
    const bool piecesAreHere = brokenInput || context.frame() >= context.number("pieceFrame");
    if (!found_ && (pieces_ || (restIsHere && atRest.particleCount() > 0)) &&
        (!pieces_ || piecesAreHere)) {
        const SolidMesh solid(pointsOf(mesh.mesh()), trianglesOf(mesh.mesh()));
        if (rest_.id.empty())
            takeRest(context, solid, atRest, restSocket);
        if (piecesAreHere)
            findAt(context, solid, mesh, brokenInput ? brokenInput : particles,
                   brokenInput ? "broken" : "particles");
        else
            makeWhole(context, mesh);
    }
    if (!pieces_) {
        context.setOutput("mesh", mesh);
        context.setOutput("skin", mesh);
        context.setOutput("seams", sdk::makeMesh({}, {}));
        context.setOutput("pieces", sdk::makeParticles(0));
        context.setOutput("particles", labelled(particles));
        return;
    }
    idsOf(particles, "particles");
    pieces_->move(context, rest_, particles);
    context.setOutput("mesh", pieces_->mesh());
    context.setOutput("skin", pieces_->part(0));
    context.setOutput("seams", pieces_->part(1));
    context.setOutput("pieces", pieces_->table());
    context.setOutput("particles", labelled(particles));
    context.statistic("pieces", static_cast<double>(pieces_->ids().size()));
    context.statistic("lost points", static_cast<double>(pieces_->lostPoints()));
}

/// Keeps the particles that are inside the solid.
void FractureNode::takeRest(const sdk::Context& context, const SolidMesh& solid,
                            const sdk::Value& particles, const char* socket)
{
    const auto ids = idsOf(particles, socket);
    const auto x = particles.attribute<float>("x", 3), F = particles.attribute<float>("F", 9);
    const std::size_t count = particles.particleCount();
    if (x.empty() || count >= kNoPiece)
        throw sdk::Failure("input '" + std::string(socket) + "' has " +
                               (x.empty() ? "no positions x" : "more than 4294967294 particles"),
                           FLOE_WRONG_KIND);
    const auto at = [&](std::size_t i) {
        return Vec3d{x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    };
    std::vector<uint8_t> inside(count, 0);
    context.parallelFor(count, 1024, [&](uint64_t begin, uint64_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3d p = at(i);
            inside[i] = std::isfinite(p.x + p.y + p.z) && solid.contains(p) ? 1 : 0;
        }
    });
    context.throwIfCancelled();
    std::vector<uint32_t> order;
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3d p = at(i);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
        if (inside[i])
            order.push_back(static_cast<uint32_t>(i));
    }
    if (order.empty())
        throw sdk::Failure(
            "none of the " + std::to_string(count) + " particles of input '" + socket +
                "' is inside the mesh at rest: they fill " + boxOf(low, high) + " m, the mesh " +
                boxOf(solid.surface().low(), solid.surface().high()) +
                " m; put the mesh where the particles are at rest, or take another frame for rest",
            FLOE_BAD_ARGUMENT);
    std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(ids[i], i); });
    for (const uint32_t i : order) {
        if (!rest_.id.empty() && rest_.id.back() == ids[i])
            throw sdk::Failure("two particles of input '" + std::string(socket) + "' have the id " +
                                   std::to_string(ids[i]) +
                                   "; where sets were merged, switch 'Unique ids' on",
                               FLOE_BAD_ARGUMENT);
        rest_.id.push_back(ids[i]);
        rest_.x.insert(rest_.x.end(), &x[std::size_t{3} * i], &x[std::size_t{3} * i] + 3);
        if (!F.empty())
            rest_.F.insert(rest_.F.end(), &F[std::size_t{9} * i], &F[std::size_t{9} * i] + 9);
    }
}

/// The mesh as it is, as one piece that all of its particles move.
void FractureNode::makeWhole(const sdk::Context& context, const sdk::Value& mesh)
{
    const floe_mesh given = mesh.mesh();
    CutSolid whole;
    whole.points.assign(pointsOf(given).begin(), pointsOf(given).end());
    whole.triangles.assign(trianglesOf(given).begin(), trianglesOf(given).end());
    whole.seam.assign(given.triangle_count, 0);
    whole.pieceOfPoint.assign(given.point_count, 0);
    whole.firstTriangle = {0, given.triangle_count};
    label_.assign(rest_.id.size(), 0);
    pieces_ = std::make_unique<MovingPieces>(context, motionFrom(context), std::move(whole), rest_,
                                             label_, std::vector{rest_.id.front()});
}

void FractureNode::findAt(sdk::Context& context, const SolidMesh& solid, const sdk::Value& mesh,
                          const sdk::Value& broken, const char* socket)
{
    const std::size_t count = rest_.id.size();
    BondRule rule;
    rule.spacing = std::cbrt(solid.volume() / static_cast<double>(count));
    const double radius = context.number("neighbourRadius");
    rule.radius = radius > 0 ? radius : 2 * rule.spacing;
    rule.stretch = context.number("stretch");
    const std::string bonds = context.string("bonds");
    rule.byStretch = bonds != "damage";
    rule.byDamage = bonds != "stretch";
    rule.largestDamage = context.number("largestDamage");

    CutSettings settings;
    const double voxelSize = context.number("voxelSize");
    settings.voxelSize = voxelSize > 0 ? voxelSize : 0.5 * rule.spacing;
    settings.smoothing = static_cast<int>(context.integer("smoothing"));

    // Positions and damage by the order at rest; what is gone is nowhere.
    const std::vector<uint32_t> numbers = rest_.numbersOf(idsOf(broken, socket));
    const auto x = broken.attribute<float>("x", 3);
    std::vector<float> now(3 * count, std::numeric_limits<float>::quiet_NaN()), damage;
    std::vector<float> given;
    if (rule.byDamage) {
        given = damageOf(broken, context.string("damage"), socket);
        damage.assign(count, 0);
    }
    std::size_t present = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == kNoPiece)
            continue;
        ++present;
        std::copy_n(&x[3 * i], 3, &now[std::size_t{3} * numbers[i]]);
        if (rule.byDamage)
            damage[numbers[i]] = given[i];
    }
    if (present == 0)
        throw sdk::Failure("none of the " + std::to_string(count) +
                               " particles at rest is in input '" + socket +
                               "' where the pieces are found: their ids are others; take both "
                               "from the same simulation",
                           FLOE_BAD_ARGUMENT);
    const Pieces pieces =
        findPieces({rest_.x, now, damage}, rule,
                   static_cast<std::size_t>(std::max<int64_t>(context.integer("smallest"), 1)));
    context.throwIfCancelled();

    label_ = context.string("small") == "join" ? pieces.near : pieces.own;
    found_ = true;
    std::vector<uint64_t> ids;
    for (const uint32_t first : pieces.first)
        ids.push_back(rest_.id[first]);
    context.statistic("small pieces", static_cast<double>(pieces.small));
    if (ids.size() == 1 && std::ranges::count(label_, kNoPiece) == 0) {
        makeWhole(context, mesh);
        return;
    }
    CutSolid cut =
        cutSolid(context, solid, rest_.x, label_, static_cast<uint32_t>(ids.size()), settings);
    std::size_t empty = 0;
    for (std::size_t p = 0; p < ids.size(); ++p)
        empty += cut.firstTriangle[p] == cut.firstTriangle[p + 1] ? 1 : 0;
    if (empty > 0)
        context.warn(std::to_string(empty) + " of " + std::to_string(ids.size()) +
                     " pieces are thinner than a voxel and have no mesh; make 'voxelSize' smaller, "
                     "or 'smallest' larger");
    pieces_ = std::make_unique<MovingPieces>(context, motionFrom(context), std::move(cut), rest_,
                                             pieces.own, std::move(ids));
}

/// Returns the particles with the id of the piece that each belongs to.
sdk::Value FractureNode::labelled(const sdk::Value& particles) const
{
    sdk::Value result = without(particles, "piece");
    const auto piece = result.addAttribute<uint64_t>("piece", 1);
    std::ranges::fill(piece, kNoPieceId);
    result.set("standFor", sdk::makeString("particles")); // views draw them once
    if (!pieces_)
        return result;
    result.set("shownBy", sdk::makeString("mesh"));
    const std::vector<uint32_t> numbers = rest_.numbersOf(particles.attribute<uint64_t>("id", 1));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != kNoPiece && label_[numbers[i]] != kNoPiece)
            piece[i] = pieces_->ids()[label_[numbers[i]]];
    return result;
}

void FractureNode::save(sdk::Context&, sdk::Writer& writer)
{
    writer.value<uint8_t>(pieces_ ? 1 : 0);
    if (!pieces_)
        return;
    writer.value<uint8_t>(found_ ? 1 : 0);
    rest_.save(writer);
    writer.array(label_);
    pieces_->save(writer);
}

void FractureNode::load(sdk::Context&, sdk::Reader& reader)
{
    pieces_.reset();
    rest_ = {};
    found_ = false;
    if (reader.value<uint8_t>() == 0)
        return;
    found_ = reader.value<uint8_t>() == 1;
    rest_ = RestParticles::load(reader);
    label_ = reader.array<uint32_t>();
    pieces_ = std::make_unique<MovingPieces>(reader, rest_);
    if (label_.size() != rest_.id.size() || std::ranges::any_of(label_, [&](uint32_t p) {
            return p != kNoPiece && p >= pieces_->ids().size();
        }))
        throw sdk::Failure("the saved pieces are damaged", FLOE_IO_FAILED);
}

} // namespace floe::particles
