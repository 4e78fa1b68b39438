#include "coupled_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace floe::mpm {

namespace {

constexpr int kIterations = 4; ///< of which nodes approach and which stick
using physics::Mat3;
using sdk::world::CoupledBodies;

using Vector6 = std::array<double, 6>;

/// A x = b with the solution in b, by elimination with pivots. @return whether there is one
bool solve6(std::array<Vector6, 6>& A, Vector6& b)
{
    for (std::size_t k = 0; k < 6; ++k) {
        std::size_t pivot = k;
        for (std::size_t row = k + 1; row < 6; ++row)
            if (std::abs(A[row][k]) > std::abs(A[pivot][k]))
                pivot = row;
        if (!(std::abs(A[pivot][k]) > 0))
            return false;
        std::swap(A[k], A[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t row = k + 1; row < 6; ++row) {
            const double share = A[row][k] / A[k][k];
            for (std::size_t column = k; column < 6; ++column)
                A[row][column] -= share * A[k][column];
            b[row] -= share * b[k];
        }
    }
    for (std::size_t k = 6; k-- > 0;) {
        for (std::size_t column = k + 1; column < 6; ++column)
            b[k] -= A[k][column] * b[column];
        b[k] /= A[k][k];
    }
    return std::all_of(b.begin(), b.end(), [](double a) { return std::isfinite(a); });
}

/// r x .
Mat3<double> crossWith(const Vec3d& r)
{
    Mat3<double> a{};
    a[0][1] = -r.z;
    a[0][2] = r.y;
    a[1][0] = r.z;
    a[1][2] = -r.x;
    a[2][0] = -r.y;
    a[2][1] = r.x;
    return a;
}

/// Share of its approach along the normal and of its sliding that a node loses.
struct Loss {
    double normal, sliding;
};

Loss lossOf(const Vec3d& relative, const Vec3d& normal, double friction)
{
    if (normal.x == 0 && normal.y == 0 && normal.z == 0)
        return {1, 1};
    const double vn = physics::dot(relative, normal);
    if (vn >= 0)
        return {0, 0};
    const double slide = physics::length(relative - vn * normal);
    return {1, slide > 0 ? std::min(1.0, -friction * vn / slide) : 0};
}

/// One iteration: U = U0 + W sum J^T P (v - J U), with U the body's velocity and spin, W its
/// inverse inertia, J U the velocity at a node, v the node's before contact, and P the mass times
/// the share of relative velocity that is lost, as `last` has it.
CoupledBodies::Motion moveWith(const floe_coupling_body& body, const CoupledBodies::Motion& free,
                               const CoupledBodies::Motion& last,
                               const std::vector<const CoupledContact::Node*>& nodes)
{
    Mat3<double> linear{}, mixed{}, angular{}; // of sum J^T P J
    Vec3d impulse{0, 0, 0}, moment{0, 0, 0};   // sum J^T P v
    for (const CoupledContact::Node* node : nodes) {
        const Vec3d relative = node->v - last.velocity - physics::cross(last.spin, node->arm);
        const Loss loss = lossOf(relative, node->normal, body.friction);
        if (loss.normal == 0)
            continue;
        const double m = node->mass;
        Mat3<double> P{};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                P[i][j] = m * ((i == j ? loss.sliding : 0) +
                               (loss.normal - loss.sliding) * node->normal[i] * node->normal[j]);
        if (node->normal.x == 0 && node->normal.y == 0 && node->normal.z == 0)
            P = m * Mat3<double>::identity();
        const Mat3<double> arm = crossWith(node->arm), turned = arm * P;
        linear = linear + P;
        mixed = mixed + turned;
        angular = angular - turned * arm;
        impulse = impulse + P * node->v;
        moment = moment + turned * node->v;
    }
    Mat3<double> turns;
    for (int i = 0; i < 9; ++i)
        turns[i / 3][i % 3] = body.inverse_inertia[i];
    const Mat3<double> block[2][2] = {
        {body.inverse_mass * linear, body.inverse_mass * physics::transpose(mixed)},
        {turns * mixed, turns * angular}};
    const Vec3d given[2] = {free.velocity + body.inverse_mass * impulse,
                            free.spin + turns * moment};
    std::array<Vector6, 6> A;
    Vector6 U;
    for (std::size_t i = 0; i < 6; ++i) {
        U[i] = given[i / 3][static_cast<int>(i % 3)];
        for (std::size_t j = 0; j < 6; ++j)
            A[i][j] = (i == j ? 1 : 0) +
                      block[i / 3][j / 3][static_cast<int>(i % 3)][static_cast<int>(j % 3)];
    }
    if (!solve6(A, U))
        return last;
    return {{U[0], U[1], U[2]}, {U[3], U[4], U[5]}};
}

} // namespace

void CoupledContact::setColliders(std::span<const std::shared_ptr<Collider>> colliders)
{
    coupled_.clear();
    for (const auto& collider : colliders)
        if (auto bodies = std::dynamic_pointer_cast<CoupledBodies>(collider))
            coupled_.push_back(std::move(bodies));
    taken_.clear();
}

int CoupledContact::find(const Collider& collider) const
{
    for (std::size_t c = 0; c < coupled_.size(); ++c)
        if (coupled_[c].get() == &collider)
            return static_cast<int>(c);
    return -1;
}

void CoupledContact::numberBodies()
{
    first_.assign(1, 0);
    for (const auto& bodies : coupled_)
        first_.push_back(first_.back() + static_cast<std::uint32_t>(bodies->bodies().size()));
}

void CoupledContact::begin(std::size_t slots)
{
    taken_.resize(slots);
    for (std::vector<Taken>& taken : taken_)
        taken.clear();
    numberBodies();
}

bool CoupledContact::mayTouch(const Vec3d& center, double radius) const
{
    return std::any_of(coupled_.begin(), coupled_.end(), [&](const auto& bodies) {
        return bodies->mayTouch(center, radius + skin());
    });
}

void CoupledContact::findNodes(const PointBatch& batch, std::vector<Node>& nodes) const
{
    for (std::size_t c = 0; c < coupled_.size(); ++c) {
        ColliderSample sample;
        std::uint32_t numbers[PointBatch::kMax];
        coupled_[c]->sample(batch, skin(), sample, numbers);
        for (int i = 0; i < batch.count; ++i) {
            if (!(batch.mass[i] > 0) || sample.distance[i] > skin())
                continue;
            const auto& body = coupled_[c]->bodies()[numbers[i]];
            const Vec3d at = batch.corner + Vec3d{batch.x[0][i], batch.x[1][i], batch.x[2][i]};
            nodes.push_back({first_[c] + numbers[i],
                             batch.mass[i],
                             at - CoupledBodies::vectorOf(body.center),
                             {sample.normal[0][i], sample.normal[1][i], sample.normal[2][i]},
                             {batch.v[0][i], batch.v[1][i], batch.v[2][i]}});
        }
    }
}

void CoupledContact::solve(std::span<const std::vector<Node>> nodes)
{
    // Nodes of each body, always in the same order.
    std::vector<std::vector<const Node*>> touching(first_.back());
    for (const std::vector<Node>& some : nodes)
        for (const Node& node : some)
            touching[node.body].push_back(&node);
    state_->executor->parallelFor(touching.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            if (touching[b].empty())
                continue;
            const auto c = static_cast<std::size_t>(
                std::upper_bound(first_.begin(), first_.end(), b) - first_.begin() - 1);
            CoupledBodies& bodies = *coupled_[c];
            const std::size_t number = b - first_[c];
            const floe_coupling_body& body = bodies.bodies()[number];
            if (!(body.inverse_mass > 0))
                continue;
            const CoupledBodies::Motion free = bodies.motion(number);
            CoupledBodies::Motion found = free;
            for (int k = 0; k < kIterations; ++k)
                found = moveWith(body, free, found, touching[b]);
            bodies.setMotion(number, found);
        }
    });
}

void CoupledContact::apply(int number, std::size_t slot, PointBatch& batch)
{
    const auto c = static_cast<std::size_t>(number);
    const CoupledBodies& bodies = *coupled_[c];
    ColliderSample sample;
    std::uint32_t numbers[PointBatch::kMax];
    bodies.sample(batch, skin(), sample, numbers);
    std::vector<Taken>& taken = taken_[slot];
    for (int i = 0; i < batch.count; ++i) {
        if (!(batch.mass[i] > 0) || sample.distance[i] > skin())
            continue;
        const floe_coupling_body& body = bodies.bodies()[numbers[i]];
        const auto before = batch.velocity(i);
        const auto after = sdk::world::contactVelocity(before, sample.at(i), bodies.contact,
                                                       static_cast<float>(body.friction));
        batch.setVelocity(i, after);
        const double m = batch.mass[i];
        Vec3d lost{0, 0, 0};
        for (int axis = 0; axis < 3; ++axis)
            lost[axis] = m * (double{before[axis]} - double{after[axis]});
        const Vec3d at = batch.corner + Vec3d{batch.x[0][i], batch.x[1][i], batch.x[2][i]};
        const Vec3d moment = physics::cross(at - CoupledBodies::vectorOf(body.center), lost);
        const std::uint32_t all = first_[c] + numbers[i];
        if (taken.empty() || taken.back().body != all)
            taken.push_back({all, {0, 0, 0}, {0, 0, 0}});
        taken.back().impulse = taken.back().impulse + lost;
        taken.back().moment = taken.back().moment + moment;
    }
}

void CoupledContact::endStep()
{
    numberBodies(); // without matter nothing else has
    std::vector<floe_coupling_push> pushes(first_.back());
    for (const std::vector<Taken>& some : taken_)
        for (const Taken& taken : some)
            for (int axis = 0; axis < 3; ++axis) {
                pushes[taken.body].impulse[axis] += taken.impulse[axis];
                pushes[taken.body].moment[axis] += taken.moment[axis];
            }
    for (std::size_t c = 0; c < coupled_.size(); ++c)
        coupled_[c]->endStep(std::span(pushes).subspan(first_[c], first_[c + 1] - first_[c]));
    for (std::vector<Taken>& taken : taken_)
        taken.clear();
}

} // namespace floe::mpm
