#include "implicit.hpp"

#include "exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace floe::mpm {

namespace {

constexpr int kMaxNewton = 40;
/// How often contacts may change in a step.
constexpr int kContactRounds = 4;

/// sum of a . b / m over a block's nodes, m the fourth number of `masses`
double massProduct(const float* a, const float* b, const float* masses)
{
    double sum = 0;
    for (int n = 0; n < 4 * kBlockNodes; n += 4)
        if (masses[n + 3] > 0)
            sum +=
                (double(a[n]) * b[n] + double(a[n + 1]) * b[n + 1] + double(a[n + 2]) * b[n + 2]) /
                masses[n + 3];
    return sum;
}
double product(const float* a, const float* b)
{
    double sum = 0;
    for (int n = 0; n < 4 * kBlockNodes; n += 4)
        sum += double(a[n]) * b[n] + double(a[n + 1]) * b[n + 1] + double(a[n + 2]) * b[n + 2];
    return sum;
}

} // namespace

template <class Body>
void ImplicitSolve::overBlocks(Body&& body)
{
    state_->executor->parallelFor(grid_->gridList.size(), 16,
                                  [&](std::size_t begin, std::size_t end) {
                                      for (std::size_t i = begin; i < end; ++i)
                                          body(i, i * kBlockFloats);
                                  });
}

template <class Body>
double ImplicitSolve::sumOver(Body&& body)
{
    std::vector<double> parts(grid_->gridList.size());
    overBlocks([&](std::size_t i, std::size_t at) { parts[i] = body(i, at); });
    ExactSum sum;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (isOwn(i))
            sum.add(parts[i]);
    if (halo_)
        state_->ownership.ranks->reduce(FLOE_RANKS_SUM, sum.entries());
    return sum.value();
}

std::size_t ImplicitSolve::bytes() const
{
    return (8 * velocity_.capacity() + tangents_.capacity()) * sizeof(float);
}

/// Returns whether the sum over all ranks' blocks takes a grid block from this one.
bool ImplicitSolve::isOwn(std::size_t i) const
{
    return grid_->blocks[grid_->gridList[i]].owner == state_->ownership.rank();
}

void ImplicitSolve::prepare()
{
    const std::size_t floats = grid_->gridList.size() * kBlockFloats;
    transfers_->takeArenas();
    transfers_->makeNodes(0);
    for (Field* field : {&begin_, &predicted_, &velocity_, &force_, &residual_, &direction_,
                         &search_, &product_, &rest_})
        field->resize(floats);
    overBlocks([&](std::size_t i, std::size_t at) {
        GridTask task = transfers_->gridTask(grid_->blocks[grid_->gridList[i]]);
        task.nodes = begin_.data() + at;
        task.before = state_->blendsFlip() ? transfers_->before() + at : nullptr;
        state_->kernels().grid(task);
    });
    mass_ = sumOver([&](std::size_t, std::size_t at) {
        double sum = 0;
        for (std::size_t n = 0; n < kBlockFloats; n += 4)
            sum += begin_[at + n + 3];
        return sum;
    });

    firstBin_.assign(grid_->scatterList.size() + 1, 0);
    for (std::size_t i = 0; i < grid_->scatterList.size(); ++i)
        firstBin_[i + 1] = firstBin_[i] + grid_->blocks[grid_->scatterList[i]].bins.size();
    tangents_.resize(firstBin_.back() * kTangentRows * kLanes);
}

/// Computes v*: gravity and the forces of other nodes.
void ImplicitSolve::predict()
{
    predicted_ = begin_;
    overBlocks([&](std::size_t i, std::size_t at) {
        float* v = predicted_.data() + at;
        for (std::size_t n = 0; n < kBlockFloats; n += 4)
            for (int axis = 0; axis < 3 && v[n + 3] > 0; ++axis)
                v[n + static_cast<std::size_t>(axis)] +=
                    static_cast<float>(state_->settings.gravity[axis] * dt_);
        if (state_->surroundings.forces.empty())
            return;
        PointBatch batch = contact_->nodesOf(grid_->blocks[grid_->gridList[i]], v);
        for (const auto& force : state_->surroundings.forces)
            force->apply(batch, time_, static_cast<float>(dt_));
        for (int n = 0; n < kBlockNodes; ++n)
            for (int axis = 0; axis < 3 && batch.mass[n] > 0; ++axis)
                v[4 * n + axis] = batch.v[axis][n];
    });
}

std::vector<ContactSet::Touch> ImplicitSolve::touchesOf(const Block& block, const float* masses,
                                                        std::vector<ContactSet::Node>& nodes) const
{
    const double h = state_->settings.cellSize;
    const Vec3d center = state_->cornerOf(block) + (1.5 * h) * Vec3d{1, 1, 1};
    const double radius = 1.5 * std::sqrt(3.0) * h * 1.001;
    const bool walls = state_->surroundings.domain.nearWall(center, radius);
    std::vector<const Collider*> near;
    for (const auto& collider : state_->surroundings.colliders)
        if (collider->mayTouch(center, radius))
            near.push_back(collider.get());
    std::vector<ContactSet::Touch> touches;
    if (!walls && near.empty())
        return touches;
    const PointBatch batch = contact_->nodesOf(block, masses);
    std::vector<ContactSet::Touch> at[kBlockNodes];
    for (const Collider* collider : near) {
        ColliderSample sample;
        contact_->sample(*collider, batch, walls, sample);
        for (int n = 0; n < kBlockNodes; ++n)
            if (batch.mass[n] > 0 && sample.distance[n] <= 0)
                at[n].push_back({{sample.normal[0][n], sample.normal[1][n], sample.normal[2][n]},
                                 {sample.v[0][n], sample.v[1][n], sample.v[2][n]},
                                 collider->contact,
                                 collider->friction});
    }
    for (int face = 0; walls && face < 6; ++face) {
        if (!state_->surroundings.domain.isWall(face))
            continue;
        const Contact contact = state_->surroundings.domain.faces[face];
        const Vec3d normal =
            (face % 2 ? -1.0 : 1.0) * state_->surroundings.domain.axes.column(face / 2);
        for (int n = 0; n < kBlockNodes; ++n) {
            const Vec3d offset{batch.x[0][n], batch.x[1][n], batch.x[2][n]};
            const double distance =
                state_->surroundings.domain.halfSize[face / 2] +
                physics::dot(normal, batch.corner + offset - state_->surroundings.domain.center);
            if (batch.mass[n] > 0 && distance <= 0)
                at[n].push_back({normal, {0, 0, 0}, contact, state_->surroundings.domain.friction});
        }
    }
    for (int n = 0; n < kBlockNodes; ++n) {
        if (at[n].empty())
            continue;
        ContactSet::Node node{};
        node.index = static_cast<std::uint32_t>(n);
        node.first = static_cast<std::uint32_t>(touches.size());
        node.count = static_cast<std::uint32_t>(at[n].size());
        nodes.push_back(node);
        touches.insert(touches.end(), at[n].begin(), at[n].end());
    }
    return touches;
}

void ImplicitSolve::findContacts()
{
    contacts_.reset(grid_->gridList.size());
    overBlocks([&](std::size_t i, std::size_t at) {
        std::vector<ContactSet::Node> nodes;
        std::vector<ContactSet::Touch> touches =
            touchesOf(grid_->blocks[grid_->gridList[i]], begin_.data() + at, nodes);
        if (!nodes.empty())
            contacts_.add(i, std::move(touches), std::move(nodes), predicted_.data() + at);
    });
}

/// Runs one of the two kernels over all scattered blocks; sums arenas into force_ or product_.
void ImplicitSolve::spread(const Field& from, bool ofProduct)
{
    const ImplicitKernels& kernels = *state_->kernels().implicit;
    std::vector<unsigned char> refused(grid_->scatterList.size());
    const auto spreadBlock = [&](std::size_t i) {
        const Block& block = grid_->blocks[grid_->scatterList[i]];
        ImplicitTask task{};
        task.bins = block.bins.data();
        task.binCount = static_cast<std::uint32_t>(block.bins.size());
        task.cellSize = static_cast<float>(state_->settings.cellSize);
        task.timeStep = static_cast<float>(dt_);
        task.materials = state_->materials.kernels();
        for (int o = 0; o < 27; ++o) {
            const std::int32_t n = block.neighbour[o];
            const std::int32_t slot = n < 0 ? -1 : grid_->blocks[n].nodes;
            task.nodes[o] =
                slot < 0 ? nullptr : from.data() + static_cast<std::size_t>(slot) * kBlockFloats;
        }
        task.arena = transfers_->arena(0) + i * kArenaFloats;
        task.tangent = tangents_.data() + firstBin_[i] * kTangentRows * kLanes;
        if (ofProduct)
            kernels.product(task);
        else
            refused[i] = !kernels.force(task);
    };
    const auto run = [&](std::size_t first, std::size_t last) {
        state_->executor->parallelFor(last - first, 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = first + begin; i < first + end; ++i)
                spreadBlock(halo_ ? static_cast<std::size_t>(halo_->order()[i]) : i);
        });
    };
    if (halo_) { // those that others need travel while the rest is in work
        run(0, halo_->firstBlocks());
        halo_->beginArenas(transfers_->arena(0), 1);
        run(halo_->firstBlocks(), refused.size());
        halo_->takeArenas(transfers_->arena(0), 1);
    } else {
        run(0, refused.size());
    }
    const bool refuses = std::find(refused.begin(), refused.end(), 1) != refused.end();
    if (!ofProduct && anywhere(state_->ownership.ranks, refuses))
        throw std::invalid_argument(
            "the semi-implicit integrator knows the stress of built-in materials alone; use "
            "the explicit one for materials of other plugins");
    Field& to = ofProduct ? product_ : force_;
    overBlocks([&](std::size_t i, std::size_t at) {
        const float* arenas[27];
        const Block& block = grid_->blocks[grid_->gridList[i]];
        for (int o = 0; o < 27; ++o) {
            const std::int32_t n = block.neighbour[o];
            const std::int32_t slot = n < 0 ? -1 : grid_->blocks[n].arena;
            arenas[o] = slot < 0
                            ? nullptr
                            : transfers_->arena(0) + static_cast<std::size_t>(slot) * kArenaFloats;
        }
        kernels.sum(arenas, to.data() + at);
    });
}

void ImplicitSolve::findForces(const Field& velocity)
{
    spread(velocity, false);
}

/// (M + H) direction, projected to the degrees of freedom.
void ImplicitSolve::multiply(const Field& direction)
{
    spread(direction, true);
    overBlocks([&](std::size_t i, std::size_t at) {
        float* q = product_.data() + at;
        for (std::size_t n = 0; n < kBlockFloats; n += 4) {
            const float m = begin_[at + n + 3];
            for (std::size_t axis = 0; axis < 3; ++axis)
                q[n + axis] = m > 0 ? q[n + axis] + m * direction[at + n + axis] : 0;
            q[n + 3] = 0;
        }
        contacts_.project(i, q);
    });
}

void ImplicitSolve::findResidual()
{
    overBlocks([&](std::size_t i, std::size_t at) {
        float* r = residual_.data() + at;
        for (std::size_t n = 0; n < kBlockFloats; n += 4) {
            const float m = begin_[at + n + 3];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t k = at + n + axis;
                r[n + axis] = m > 0 ? m * (velocity_[k] - predicted_[k]) + force_[k] : 0;
            }
            r[n + 3] = 0;
        }
        contacts_.addFriction(i, -1, r);
    });
}

double ImplicitSolve::freeNorm()
{
    const double sum = sumOver([&](std::size_t i, std::size_t at) {
        const float* r = residual_.data() + at;
        alignas(64) float kept[kBlockFloats];
        if (contacts_.touches(i)) {
            std::memcpy(kept, r, sizeof kept);
            contacts_.project(i, kept);
            r = kept;
        }
        return massProduct(r, r, begin_.data() + at);
    });
    return std::sqrt(sum / mass_);
}

double ImplicitSolve::changeNorm()
{
    const double sum = sumOver([&](std::size_t, std::size_t at) {
        double part = 0;
        for (std::size_t n = 0; n < kBlockFloats; n += 4)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double d = velocity_[at + n + axis] - predicted_[at + n + axis];
                part += begin_[at + n + 3] * d * d;
            }
        return part;
    });
    return std::sqrt(sum / mass_);
}

/// @return whether anything relevant changed
bool ImplicitSolve::updateContacts(double tolerance)
{
    std::vector<unsigned char> freedom(grid_->gridList.size());
    const double friction = sumOver([&](std::size_t i, std::size_t at) {
        if (!contacts_.touches(i))
            return 0.0;
        const auto change =
            contacts_.update(i, tolerance, velocity_.data() + at, residual_.data() + at);
        freedom[i] = change.freedom && isOwn(i);
        return change.friction;
    });
    const bool freed = anywhere(state_->ownership.ranks,
                                std::find(freedom.begin(), freedom.end(), 1) != freedom.end());
    if (freed)
        findForces(velocity_);
    if (freed || friction > 0)
        findResidual();
    return freed || std::sqrt(friction / mass_) > tolerance;
}

/// Conjugate gradients for (M + H) direction = -residual until `share` of the residual is left.
void ImplicitSolve::solveLinear(double share)
{
    double before = sumOver([&](std::size_t i, std::size_t at) {
        float* r = rest_.data() + at;
        for (std::size_t k = 0; k < kBlockFloats; ++k)
            r[k] = -residual_[at + k];
        contacts_.project(i, r);
        float* p = search_.data() + at;
        for (std::size_t n = 0; n < kBlockFloats; n += 4) {
            const float m = begin_[at + n + 3];
            for (std::size_t axis = 0; axis < 3; ++axis)
                p[n + axis] = m > 0 ? r[n + axis] / m : 0;
            p[n + 3] = 0;
        }
        std::memset(direction_.data() + at, 0, kBlockFloats * sizeof(float));
        return massProduct(r, r, begin_.data() + at);
    });
    const double enough = share * share * before;
    for (; left_ > 0 && before > enough; --left_) {
        ++state_->solveIterations;
        multiply(search_);
        const double curvature = sumOver([&](std::size_t, std::size_t at) {
            return product(search_.data() + at, product_.data() + at);
        });
        if (!(curvature > 0)) // rounding or non-finite numbers: keep the present direction
            break;
        const auto a = static_cast<float>(before / curvature);
        const double after = sumOver([&](std::size_t, std::size_t at) {
            for (std::size_t k = at; k < at + kBlockFloats; ++k) {
                direction_[k] += a * search_[k];
                rest_[k] -= a * product_[k];
            }
            return massProduct(rest_.data() + at, rest_.data() + at, begin_.data() + at);
        });
        const auto b = static_cast<float>(after / before);
        overBlocks([&](std::size_t, std::size_t at) {
            for (std::size_t n = at; n < at + kBlockFloats; n += 4) {
                const float m = begin_[n + 3];
                for (std::size_t axis = 0; axis < 3; ++axis)
                    search_[n + axis] = m > 0 ? rest_[n + axis] / m + b * search_[n + axis] : 0;
            }
        });
        before = after;
    }
}

double ImplicitSolve::slope()
{
    return sumOver([&](std::size_t, std::size_t at) {
        return product(residual_.data() + at, direction_.data() + at);
    });
}

/// Moves along direction_ without overshooting.
/// @return change of the velocities [m/s]; negative: the direction is useless
double ImplicitSolve::search()
{
    const double atBegin = slope();
    if (!(atBegin < 0))
        return -1;
    const double whole = std::sqrt(sumOver([&](std::size_t, std::size_t at) {
                                       double part = 0;
                                       for (std::size_t n = at; n < at + kBlockFloats; n += 4)
                                           for (std::size_t axis = 0; axis < 3; ++axis)
                                               part += double(begin_[n + 3]) *
                                                       direction_[n + axis] * direction_[n + axis];
                                       return part;
                                   }) /
                                   mass_);
    double taken = 0, share = 1;
    for (int trial = 0; trial < 10; ++trial) {
        const auto more = static_cast<float>(share - taken);
        overBlocks([&](std::size_t, std::size_t at) {
            for (std::size_t n = at; n < at + kBlockFloats; n += 4)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    velocity_[n + axis] += more * direction_[n + axis];
        });
        taken = share;
        findForces(velocity_);
        findResidual();
        const double now = slope();
        if (std::isfinite(now) && now <= -0.8 * atBegin)
            break;
        share *= std::isfinite(now) ? std::clamp(atBegin / (atBegin - now), 0.1, 0.6) : 0.2;
    }
    return taken * whole;
}

bool ImplicitSolve::step(double time, double dt)
{
    time_ = time;
    dt_ = dt;
    left_ = state_->settings.solveIterations;
    predict();
    findContacts();
    const auto startFrom = [&](const Field& guess) {
        velocity_ = guess;
        overBlocks(
            [&](std::size_t i, std::size_t at) { contacts_.hold(i, velocity_.data() + at); });
        findForces(velocity_);
        findResidual();
        return freeNorm();
    };
    // Rounding errors must not be solved for: 1e-7 of strain, and the momentum that its stress
    // gives in a step.
    const double h = state_->settings.cellSize, c = state_->bounds.signalSpeed;
    const double least = 1e-7 * c, noise = 1.5e-7 * c * (1 + dt * c / h);
    // A body at rest keeps its velocity, a falling one does not: start from the better guess.
    const double ofPrediction = startFrom(predicted_);
    const bool falls = ofPrediction <= least;
    if (!falls) {
        const double ofBegin = startFrom(begin_);
        if (ofPrediction < ofBegin)
            startFrom(predicted_);
    }

    int rounds = 0;
    double stepped = INFINITY; // by the last iteration [m/s]
    for (int iteration = 0; iteration < kMaxNewton; ++iteration) {
        const double enough = state_->settings.solveTolerance * changeNorm();
        double norm = freeNorm();
        const bool solved = norm <= enough || stepped <= enough || (falls && norm <= least) ||
                            (iteration > 0 && norm <= noise);
        // Contact forces are known once the rest is nearly solved, and need no more accuracy: each
        // round of contacts is a solve.
        if ((solved || norm <= 10 * enough) && rounds < kContactRounds &&
            updateContacts(std::max(10 * enough, noise))) {
            ++rounds;
            norm = freeNorm();
        } else if (solved) {
            std::memcpy(transfers_->nodes(), velocity_.data(), velocity_.size() * sizeof(float));
            return true;
        }
        if (!std::isfinite(norm) || left_ <= 0)
            return false;
        solveLinear(std::clamp(0.5 * std::max(enough, noise) / norm, 1e-3, 0.05));
        stepped = search();
        if (!(stepped >= 0))
            return false;
    }
    return false;
}

} // namespace floe::mpm
