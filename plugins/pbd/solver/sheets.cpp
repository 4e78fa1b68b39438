#include "sheets.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr std::size_t kGrain = 256;

/// Calls visit(edge's number) for each group's members at once, group after group.
template <class Visit>
void overGroups(const std::vector<std::vector<std::uint32_t>>& groups, Executor& executor,
                const Visit& visit)
{
    for (const std::vector<std::uint32_t>& group : groups)
        executor.parallelFor(group.size(), 512, [&](std::size_t from, std::size_t to) {
            for (std::size_t k = from; k < to; ++k)
                visit(group[k]);
        });
}

void build(Sheets::System& system, const std::shared_ptr<const RestSheet>& rest,
           std::size_t particles)
{
    system = {};
    system.rest = rest;
    const RestSheet& sheet = *rest;
    const std::uint32_t corners = sheet.rope ? 2 : 3;
    const auto corner = [&](std::size_t part, std::uint32_t k) {
        return sheet.rope ? sheet.edges[part].at[k] : sheet.triangles[part].at[k];
    };
    std::vector<std::array<std::uint32_t, 2>> dense, light;
    for (std::uint32_t i = 0; i < particles; ++i)
        dense.push_back({i, i});
    std::vector<std::array<std::uint32_t, 3>> shares; // particle, part, corner
    for (std::uint32_t part = 0; part < sheet.parts(); ++part)
        for (std::uint32_t k = 0; k < corners; ++k) {
            shares.push_back({corner(part, k), part, k});
            for (std::uint32_t l = 0; l < corners; ++l)
                dense.push_back({corner(part, k), corner(part, l)});
        }
    for (const SheetBend& bend : sheet.bends)
        for (std::size_t k = 0; k < bend.count; ++k)
            for (std::size_t l = 0; l < bend.count; ++l)
                light.push_back({bend.at[k], bend.at[l]});
    BlockMatrix& matrix = system.matrix;
    matrix.dense = BlockMatrix::Pattern::of(particles, dense);
    matrix.light = BlockMatrix::Pattern::of(particles, light);
    matrix.block.resize(matrix.dense.column.size());
    matrix.number.resize(matrix.light.column.size());
    for (std::size_t part = 0; part < sheet.parts(); ++part)
        for (std::uint32_t k = 0; k < corners; ++k)
            for (std::uint32_t l = 0; l < corners; ++l)
                system.entry.push_back(matrix.dense.at(corner(part, k), corner(part, l)));
    std::sort(shares.begin(), shares.end());
    system.begin.assign(particles + 1, 0);
    for (const auto& [particle, part, k] : shares) {
        ++system.begin[particle + 1];
        system.shares.push_back({part, k});
    }
    for (std::size_t i = 0; i < particles; ++i)
        system.begin[i + 1] += system.begin[i];
}

/// Bending's energy is quadratic: its matrix changes only where something tears.
void keepBends(Sheets::System& system, const std::vector<std::uint8_t>& torn)
{
    system.torn.assign(torn.begin(), torn.end());
    system.bend.assign(system.matrix.light.column.size(), 0);
    for (const SheetBend& bend : system.rest->bends) {
        if (std::any_of(bend.of.begin(), bend.of.begin() + bend.parts,
                        [&](std::uint32_t part) { return torn[part] != 0; }))
            continue;
        for (std::size_t k = 0; k < bend.count; ++k)
            for (std::size_t l = 0; l < bend.count; ++l)
                system.bend[system.matrix.light.at(bend.at[k], bend.at[l])] += bend.stiffness[k][l];
    }
}

} // namespace

void Sheets::System::make(const Body& body)
{
    if (rest != body.sheet)
        build(*this, body.sheet, body.rest->particles.size());
    if (!std::equal(torn.begin(), torn.end(), body.torn.begin(), body.torn.end()))
        keepBends(*this, body.torn);
}

void Sheets::begin(const Scene& scene)
{
    systems_.resize(scene.bodies.size());
    work_.resize(scene.bodies.size());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        Work& work = work_[b];
        if (!body.sheet) {
            systems_[b] = {};
            work = {};
            continue;
        }
        systems_[b].make(body);
        const std::size_t count = body.rest->particles.size();
        for (auto* values : {&work.place, &work.ahead, &work.right, &work.move})
            values->resize(count);
        work.exerted.assign(count, {0, 0, 0});
        work.held.resize(count);
        work.pulls.resize(body.sheet->parts());
        work.gradients.begin();
        work.begun = false;
    }
}

SheetRows Sheets::rowsOf(System& system, Work& work, const std::vector<JointTie>& ties,
                         const float* weight)
{
    const RestSheet& rest = *system.rest;
    return {.A = system.matrix.rows(),
            .parts = static_cast<std::uint32_t>(rest.parts()),
            .rope = rest.rope,
            .edges = rest.edges.data(),
            .triangles = rest.triangles.data(),
            .torn = system.torn.data(),
            .bend = system.bend.data(),
            .begin = system.begin.data(),
            .shares = system.shares.data(),
            .entry = system.entry.data(),
            .pulls = work.pulls.data(),
            .place = work.place.data(),
            .ahead = work.ahead.data(),
            .right = work.right.data(),
            .move = work.move.data(),
            .exerted = work.exerted.data(),
            .tie = work.tie.data(),
            .ties = ties.data(),
            .held = work.held.data(),
            .weight = weight};
}

/// @return whether nothing pushes it
bool Sheets::solveRope(const SheetRows& rows, Work& work, std::uint32_t first, const Motion& motion,
                       std::span<Contact> surroundings)
{
    const auto before = [](const Contact& one, std::uint32_t particle) {
        return one.a < particle;
    };
    const auto begin = std::lower_bound(surroundings.begin(), surroundings.end(), first, before),
               end = std::lower_bound(begin, surroundings.end(), first + rows.A.count, before);
    work.touches.resize(static_cast<std::size_t>(end - begin));
    work.banded.resize(std::size_t{BandedSolve::kNumbers} * rows.A.count);
    RopeSolve solve(rows, work.touches.data());
    for (auto contact = begin; contact != end; ++contact)
        solve.add(contact->a - first, *contact, motion.particle[contact->a]);
    solve.solve(work.banded.data());
    return solve.isFree();
}

void Sheets::solveCloth(const SheetRows& rows, Work& work, std::uint32_t body, Executor& executor)
{
    work.gradients.solve(rows.A, work.right, kSheetTolerance, work.move, executor);
    ++solves_.all;
    if (work.gradients.left() > kSheetFarOff) {
        ++solves_.left;
        solves_.body = std::min(solves_.body, body);
    }
}

void Sheets::project(const Scene& scene, const std::vector<Joint>& joints, Joints& joined,
                     std::span<Contact> surroundings, Which which, Motion& motion, double dt,
                     Executor& executor)
{
    const std::vector<JointTie> ties = joined.ties(scene, joints, motion); // by particle
    for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (!body.sheet || (which == Which::Ropes && !body.sheet->rope))
            continue;
        const std::uint32_t first = body.first;
        Work& work = work_[b];
        const auto count = static_cast<std::uint32_t>(work.place.size());
        work.tie.assign(count, kNoTie);
        auto tied = std::lower_bound(
            ties.begin(), ties.end(), first,
            [](const JointTie& tie, std::uint32_t particle) { return tie.particle < particle; });
        for (; tied != ties.end() && tied->particle - first < count; ++tied)
            work.tie[tied->particle - first] = static_cast<std::uint32_t>(tied - ties.begin());
        const SheetRows rows = rowsOf(systems_[b], work, ties, motion.weight.data() + first);
        bool free = true;
        for (std::uint32_t i = 0; i < count; ++i) {
            beginRow(rows, i, scene.particles.x[first + i] - body.x,
                     toDouble(motion.particle[first + i]), !work.begun);
            free = free && !rows.held[i];
        }
        work.begun = true;
        executor.parallelFor(rows.parts, kGrain, [&](std::size_t from, std::size_t to) {
            for (std::size_t part = from; part < to; ++part)
                findPull(rows, static_cast<std::uint32_t>(part));
        });
        executor.parallelFor(count, kGrain, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i)
                assembleRow(rows, static_cast<std::uint32_t>(i), dt);
        });
        if (rows.rope)
            free = solveRope(rows, work, first, motion, surroundings) && free;
        else
            solveCloth(rows, work, b, executor);
        Vec3d shift{0, 0, 0};
        if (free) {
            Mat3d mass{};
            for (std::uint32_t i = 0; i < count; ++i) {
                const Mat3d own = rows.massOf(i);
                mass = mass + own;
                shift = shift + leftOf(rows, i, own);
            }
            shift = inverseOf(mass) * shift;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            if (rows.held[i])
                continue;
            const Vec3d impulse = takeMove(rows, i, shift, motion.particle[first + i]);
            if (const JointTie* tie = rows.tieOf(i))
                joined.passOn(scene, joints, *tie, impulse, motion);
        }
    }
}

void Sheets::blow(Scene& scene, const std::vector<Vec3f>& change)
{
    Particles& particles = scene.particles;
    for (const Body& body : scene.bodies) {
        if (!hasFaces(body))
            continue;
        const std::vector<SheetTriangle>& triangles = body.sheet->triangles;
        const double area = areaOf(*body.sheet);
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (body.torn[t])
                continue;
            const auto& at = triangles[t].at;
            const std::uint32_t a = body.first + at[0], b = body.first + at[1],
                                c = body.first + at[2];
            const Vec3f mean = (1.0f / 3) * (change[a] + change[b] + change[c]);
            const auto third =
                static_cast<float>(body.rest->mass * areaOf(triangles[t]) / (3 * area));
            const Vec3f push = facePush(particles.x[b] - particles.x[a],
                                        particles.x[c] - particles.x[a], mean, third);
            for (const std::uint32_t i : {a, b, c})
                if (!scene.isHeld(i))
                    particles.v[i] = particles.v[i] + (1 / particles.mass[i]) * push;
        }
    }
}

void Sheets::finish(Scene& scene, double dt, Executor& executor)
{
    Particles& particles = scene.particles;
    for (Body& body : scene.bodies) {
        if (!body.sheet)
            continue;
        const RestSheet& sheet = *body.sheet;
        const std::uint32_t first = body.first;
        Vec3d center{0, 0, 0};
        for (std::size_t k = 0; k < body.rest->particles.size(); ++k)
            center = center + double{body.rest->particles[k].mass} * particles.x[first + k];
        center = (1 / body.rest->mass) * center;
        body.v = (1 / dt) * (center - body.x);
        body.x = center;
        const auto from = [&](std::uint32_t i, std::uint32_t j) {
            return particles.x[first + j] - particles.x[first + i];
        };
        if (body.damping > 0) {
            const auto share = static_cast<float>(1 - std::exp(-body.damping * dt));
            overGroups(sheet.edgeGroups, executor, [&](std::size_t k) {
                if (sheet.rope && body.torn[k])
                    return;
                const std::uint32_t i = first + sheet.edges[k].at[0],
                                    j = first + sheet.edges[k].at[1];
                dampEdge(toFloat(from(sheet.edges[k].at[0], sheet.edges[k].at[1])), share,
                         1 / particles.mass[i], 1 / particles.mass[j], particles.v[i],
                         particles.v[j]);
            });
        }
        if (!(body.tear > 0))
            continue;
        executor.parallelFor(sheet.parts(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                if (body.torn[k])
                    continue;
                double strain = 0;
                if (sheet.rope) {
                    const auto& at = sheet.edges[k].at;
                    strain = strainOf(sheet.edges[k], from(at[0], at[1]));
                } else {
                    const auto& at = sheet.triangles[k].at;
                    strain = strainOf(sheet.triangles[k], from(at[0], at[1]), from(at[0], at[2]));
                }
                if (strain > double{body.tear})
                    body.torn[k] = 1;
            }
        });
    }
}

} // namespace floe::pbd
