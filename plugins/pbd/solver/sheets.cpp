#include "sheets.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using physics::dot;
using physics::length;
using sdk::parallel::Executor;

constexpr std::size_t kGrain = 256;
constexpr double kTolerance = 1e-4; ///< of conjugate gradients
constexpr double kFarOff = 100 * kTolerance;

/// a b^T, added `scale` times.
void addOuter(Mat3d& sum, double scale, const Vec3d& a, const Vec3d& b)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            sum[row][column] += scale * a[row] * b[column];
}

void addDiagonal(Mat3d& sum, double value)
{
    for (int axis = 0; axis < 3; ++axis)
        sum[axis][axis] += value;
}

/// How a triangle's threads change with each of its corners.
std::array<std::array<double, 2>, 3> weightsOf(const SheetTriangle& triangle)
{
    const auto& D = triangle.inverse;
    return {{{-D[0] - D[2], -D[1] - D[3]}, {D[0], D[1]}, {D[2], D[3]}}};
}

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

} // namespace

void Sheets::build(System& system, const std::shared_ptr<const RestSheet>& rest,
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
    system.place.resize(particles);
    system.ahead.resize(particles);
    system.right.resize(particles);
    system.held.resize(particles);
    system.pulls.resize(sheet.parts());
}

/// Bending's energy is quadratic: its matrix changes only where something tears.
void Sheets::keepBends(System& system, const std::vector<std::uint8_t>& torn)
{
    system.torn = torn;
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

void Sheets::begin(const Scene& scene)
{
    systems_.resize(scene.bodies.size());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        System& system = systems_[b];
        if (!body.sheet) {
            system = {};
            continue;
        }
        if (system.rest != body.sheet)
            build(system, body.sheet, body.rest->particles.size());
        if (system.torn != body.torn)
            keepBends(system, body.torn);
        system.exerted.assign(body.rest->particles.size(), {0, 0, 0});
        system.gradients.begin();
        system.begun = false;
    }
}

void Sheets::stretch(System& system, Executor& executor)
{
    const RestSheet& sheet = *system.rest;
    executor.parallelFor(sheet.parts(), kGrain, [&](std::size_t from, std::size_t to) {
        for (std::size_t part = from; part < to; ++part) {
            Pull& pull = system.pulls[part];
            pull = {};
            if (system.torn[part])
                continue;
            if (sheet.rope) {
                const SheetEdge& edge = sheet.edges[part];
                const Vec3d way = system.place[edge.at[1]] - system.place[edge.at[0]];
                const double size = length(way);
                if (!(size > 0))
                    continue;
                pull.along[0] = (1 / size) * way;
                pull.force[0] = edge.stiffness * (size - edge.length);
                pull.tension[0] = std::max(pull.force[0], 0.0) / size;
                continue;
            }
            const SheetTriangle& triangle = sheet.triangles[part];
            const auto weight = weightsOf(triangle);
            const Vec3d a = system.place[triangle.at[1]] - system.place[triangle.at[0]],
                        b = system.place[triangle.at[2]] - system.place[triangle.at[0]];
            for (std::size_t s = 0; s < 2; ++s)
                pull.along[s] = weight[1][s] * a + weight[2][s] * b;
            const double xx = triangle.stiffness[0] * 0.5 * (dot(pull.along[0], pull.along[0]) - 1),
                         yy = triangle.stiffness[1] * 0.5 * (dot(pull.along[1], pull.along[1]) - 1),
                         xy = triangle.stiffness[2] * dot(pull.along[0], pull.along[1]);
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
            for (std::size_t s = 0; s < 3; ++s) {
                pull.force[s] = force[s];
                pull.tension[s] = share * force[s] - (s < 2 ? rest : 0);
            }
        }
    });
}

/// Mass, and dt^2 times how forces change, against dt^2 times forces less what they have exerted.
/// Forces are those at `place`, and how they change from there to `place` + `ahead`.
void Sheets::assemble(System& system, const float* weight, double dt, Executor& executor)
{
    const RestSheet& sheet = *system.rest;
    BlockMatrix& A = system.matrix;
    const double square = dt * dt;
    const std::uint32_t corners = sheet.rope ? 2 : 3;
    executor.parallelFor(A.rows(), kGrain, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const auto own = static_cast<std::uint32_t>(i);
            for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
                A.block[e] = {};
            Mat3d& diagonal = A.block[A.dense.at(own, own)];
            Vec3d& right = system.right[i];
            right = {0, 0, 0};
            if (system.held[i]) {
                for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
                    A.number[e] = 0;
                diagonal = Mat3d::identity();
                continue;
            }
            for (std::uint32_t s = system.begin[i]; s < system.begin[i + 1]; ++s) {
                const auto [part, k] = system.shares[s];
                const Pull& pull = system.pulls[part];
                const std::uint32_t* entry = &system.entry[corners * (corners * part + k)];
                if (sheet.rope) {
                    const SheetEdge& edge = sheet.edges[part];
                    if (system.torn[part] || !(dot(pull.along[0], pull.along[0]) > 0))
                        continue;
                    right = right + ((k == 0 ? 1 : -1) * pull.force[0]) * pull.along[0];
                    for (std::uint32_t l = 0; l < 2; ++l) {
                        if (system.held[edge.at[l]])
                            continue;
                        const double sign = k == l ? square : -square;
                        addOuter(A.block[entry[l]], sign * (edge.stiffness - pull.tension[0]),
                                 pull.along[0], pull.along[0]);
                        addDiagonal(A.block[entry[l]], sign * pull.tension[0]);
                    }
                    continue;
                }
                if (system.torn[part])
                    continue;
                const SheetTriangle& triangle = sheet.triangles[part];
                const auto g = weightsOf(triangle);
                const Vec3d &f0 = pull.along[0], &f1 = pull.along[1];
                const Vec3d sheared = g[k][0] * f1 + g[k][1] * f0;
                right = right - (pull.force[0] * g[k][0]) * f0 - (pull.force[1] * g[k][1]) * f1 -
                        pull.force[2] * sheared;
                for (std::uint32_t l = 0; l < 3; ++l) {
                    if (system.held[triangle.at[l]])
                        continue;
                    Mat3d& block = A.block[entry[l]];
                    const double gg[3] = {g[k][0] * g[l][0], g[k][1] * g[l][1],
                                          g[k][0] * g[l][1] + g[k][1] * g[l][0]};
                    addOuter(block, square * triangle.stiffness[0] * gg[0], f0, f0);
                    addOuter(block, square * triangle.stiffness[1] * gg[1], f1, f1);
                    addOuter(block, square * triangle.stiffness[2], sheared,
                             g[l][0] * f1 + g[l][1] * f0);
                    double across = 0;
                    for (std::size_t c = 0; c < 3; ++c)
                        across += pull.tension[c] * gg[c];
                    addDiagonal(block, square * across);
                }
            }
            for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e) {
                const std::uint32_t j = A.light.column[e];
                right = right - system.bend[e] * (system.place[j] - system.place[i]);
                A.number[e] = system.held[j] ? 0 : square * system.bend[e];
            }
            right = square * right - system.exerted[i];
            for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
                right = right - A.block[e] * system.ahead[A.dense.column[e]];
            for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
                right = right - A.number[e] * system.ahead[A.light.column[e]];
            if (system.tie[i])
                diagonal = diagonal + inverseOf(system.tie[i]->yields);
            else
                addDiagonal(diagonal, 1 / double{weight[i]});
        }
    });
}

/// What a rope touches now, and what its contacts push already.
std::vector<Sheets::Touch> Sheets::touchesOf(System& system, const Body& body, const Motion& motion,
                                             std::span<Contact> surroundings)
{
    constexpr double kStiff = 1e4;    // of the rope's own: so much less does it give way
    constexpr float kRecovery = 0.1f; // of an overlap, in a substep
    std::vector<Touch> touches;
    const auto count = static_cast<std::uint32_t>(system.place.size());
    auto contact =
        std::lower_bound(surroundings.begin(), surroundings.end(), body.first,
                         [](const Contact& one, std::uint32_t first) { return one.a < first; });
    for (; contact != surroundings.end() && contact->a < body.first + count; ++contact) {
        const std::uint32_t i = contact->a - body.first;
        const Vec3d normal = toDouble(contact->normal);
        contact->bounce = std::max(contact->bounce, -kRecovery * contact->gap);
        const double approach =
            dot(normal, toDouble(motion.particle[contact->a]) - toDouble(contact->surface)) +
            double{contact->mayApproach()};
        if (system.held[i] || (approach > 0 && !(contact->lambda > 0)))
            continue;
        const BlockMatrix& A = system.matrix;
        double own = physics::trace(A.block[A.dense.at(i, i)]);
        for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
            own += A.light.column[e] == i ? 3 * A.number[e] : 0;
        touches.push_back({&*contact, i, normal, approach, kStiff * own, true});
    }
    return touches;
}

/// Solves with what is touched: contacts push, and those that would pull let go.
void Sheets::solveTouching(System& system, std::vector<Touch>& touches)
{
    constexpr int kMaxSolves = 8;
    const auto stop = [&](const Touch& touch, double share) {
        Mat3d& diagonal =
            system.matrix.block[system.matrix.dense.at(touch.particle, touch.particle)];
        addOuter(diagonal, share * touch.stiffness, touch.normal, touch.normal);
        system.right[touch.particle] = system.right[touch.particle] -
                                       (share * touch.stiffness * touch.approach) * touch.normal;
    };
    const auto pushOf = [&](const Touch& touch) {
        return -touch.stiffness * (dot(touch.normal, system.move[touch.particle]) + touch.approach);
    };
    for (const Touch& touch : touches)
        stop(touch, 1);
    for (int k = 0; k < kMaxSolves; ++k) {
        solveBanded(system.matrix, system.right, system.move);
        bool pulls = false;
        for (Touch& touch : touches)
            if (touch.pushes && double{touch.contact->lambda} + pushOf(touch) < 0) {
                stop(touch, -1);
                touch.pushes = false;
                pulls = true;
            }
        if (!pulls)
            break;
    }
    std::erase_if(touches, [](const Touch& touch) { return !touch.pushes; });
    for (const Touch& touch : touches) {
        const double push = pushOf(touch);
        touch.contact->lambda = std::max(touch.contact->lambda + static_cast<float>(push), 0.0f);
        // It stops the particle, not what the rope exerts on it.
        system.exerted[touch.particle] = system.exerted[touch.particle] - push * touch.normal;
    }
}

void Sheets::project(const Scene& scene, const std::vector<Joint>& joints, Joints& joined,
                     std::span<Contact> surroundings, Which which, Motion& motion, double dt,
                     Executor& executor)
{
    const std::vector<Joints::Tie> ties = joined.ties(scene, joints, motion); // by particle
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (!body.sheet || (which == Which::Ropes && !body.sheet->rope))
            continue;
        System& system = systems_[b];
        const std::size_t count = body.rest->particles.size();
        system.tie.assign(count, nullptr);
        auto tied = std::lower_bound(
            ties.begin(), ties.end(), body.first,
            [](const Joints::Tie& tie, std::uint32_t particle) { return tie.particle < particle; });
        for (; tied != ties.end() && tied->particle - body.first < count; ++tied)
            system.tie[tied->particle - body.first] = &*tied;
        bool free = true;
        for (std::size_t i = 0; i < count; ++i) {
            // The first step is taken from where the particles were: that is exact at rest.
            const Vec3d way = toDouble(motion.particle[body.first + i]);
            system.place[i] = scene.particles.x[body.first + i] - body.x;
            system.ahead[i] = system.begun ? Vec3d{0, 0, 0} : way;
            if (system.begun)
                system.place[i] = system.place[i] + way;
            const Joints::Tie* tie = system.tie[i];
            system.held[i] = !(motion.weight[body.first + i] > 0) ||
                             (tie && !(physics::determinant(tie->yields) > 0));
            free = free && !system.held[i];
        }
        system.begun = true;
        stretch(system, executor);
        const float* weight = motion.weight.data() + body.first;
        assemble(system, weight, dt, executor);
        std::vector<Touch> touches;
        if (body.sheet->rope) {
            touches = touchesOf(system, body, motion, surroundings);
            solveTouching(system, touches);
        } else {
            system.gradients.solve(system.matrix, system.right, kTolerance, system.move, executor);
            ++solves_.all;
            if (system.gradients.left() > kFarOff) {
                ++solves_.left;
                solves_.body = std::min(solves_.body, static_cast<std::uint32_t>(b));
            }
        }
        const auto massOf = [&](std::size_t i) {
            return system.tie[i] ? inverseOf(system.tie[i]->yields)
                                 : (1 / double{weight[i]}) * Mat3d::identity();
        };
        // What the solve left over is momentum that everything together still has to take.
        Vec3d shift{0, 0, 0};
        if (free && touches.empty()) {
            Mat3d mass{};
            for (std::size_t i = 0; i < count; ++i) {
                const Mat3d own = massOf(i);
                mass = mass + own;
                shift = shift + system.right[i] - own * system.move[i];
            }
            shift = inverseOf(mass) * shift;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (system.held[i])
                continue;
            const Vec3d move = system.move[i] + shift, impulse = massOf(i) * move;
            Vec3f& moved = motion.particle[body.first + i];
            moved = moved + toFloat(move);
            system.exerted[i] = system.exerted[i] + impulse;
            if (system.tie[i])
                joined.passOn(scene, joints, *system.tie[i], impulse, motion);
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
        const auto areaOf = [](const SheetTriangle& triangle) {
            const auto& D = triangle.inverse;
            return 0.5 / std::abs(D[0] * D[3] - D[1] * D[2]);
        };
        double area = 0;
        for (const SheetTriangle& triangle : triangles)
            area += areaOf(triangle);
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (body.torn[t])
                continue;
            const auto& at = triangles[t].at;
            const std::uint32_t a = body.first + at[0], b = body.first + at[1],
                                c = body.first + at[2];
            const Vec3f across = toFloat(
                physics::cross(particles.x[b] - particles.x[a], particles.x[c] - particles.x[a]));
            const float square = physics::dot(across, across);
            if (!(square > 0))
                continue;
            const Vec3f mean = (1.0f / 3) * (change[a] + change[b] + change[c]);
            const auto third =
                static_cast<float>(body.rest->mass * areaOf(triangles[t]) / (3 * area));
            const Vec3f push = (third * physics::dot(mean, across) / square) * across;
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
                const float wi = 1 / particles.mass[i], wj = 1 / particles.mass[j];
                if (!(wi + wj > 0))
                    return;
                const Vec3f d = toFloat(from(sheet.edges[k].at[0], sheet.edges[k].at[1]));
                const float square = physics::dot(d, d);
                if (!(square > 0))
                    return;
                const float rate = physics::dot(d, particles.v[j] - particles.v[i]) / square;
                const Vec3f change = (share * rate / (wi + wj)) * d;
                particles.v[i] = particles.v[i] + wi * change;
                particles.v[j] = particles.v[j] - wj * change;
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
                    const SheetEdge& edge = sheet.edges[k];
                    strain = physics::length(from(edge.at[0], edge.at[1])) / edge.length - 1;
                } else {
                    const SheetTriangle& triangle = sheet.triangles[k];
                    const auto& D = triangle.inverse;
                    const Vec3d a = from(triangle.at[0], triangle.at[1]),
                                c = from(triangle.at[0], triangle.at[2]);
                    const Vec3d f0 = D[0] * a + D[2] * c, f1 = D[1] * a + D[3] * c;
                    const double xx = physics::dot(f0, f0), yy = physics::dot(f1, f1),
                                 xy = physics::dot(f0, f1), half = 0.5 * (xx - yy);
                    strain = std::sqrt(0.5 * (xx + yy) + std::hypot(half, xy)) - 1;
                }
                if (strain > double{body.tear})
                    body.torn[k] = 1;
            }
        });
    }
}

} // namespace floe::pbd
