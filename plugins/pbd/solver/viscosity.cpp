#include "viscosity.hpp"

#include "liquid_rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::pbd {

namespace {

using namespace liquid_rules;
using sdk::parallel::Executor;

constexpr int kMaxIterations = 200;
constexpr double kTolerance = 1e-3; ///< of the first residual
constexpr float kNegligible = 1e-5f;

/// Velocities, or momenta: one of each place, of which those of rigid bodies follow, and two of
/// each rigid body.
struct Motions {
    std::vector<Vec3f> particle;   ///< [m/s] or [kg m/s]
    std::vector<Vec3d> body, spin; ///< [m/s], [rad/s]; or momentum and angular momentum

    void add(double factor, const Motions& other)
    {
        for (std::size_t i = 0; i < particle.size(); ++i)
            particle[i] = particle[i] + static_cast<float>(factor) * other.particle[i];
        for (std::size_t b = 0; b < body.size(); ++b) {
            body[b] = body[b] + factor * other.body[b];
            spin[b] = spin[b] + factor * other.spin[b];
        }
    }
    double dot(const Motions& other) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < particle.size(); ++i)
            sum += double{physics::dot(particle[i], other.particle[i])};
        for (std::size_t b = 0; b < body.size(); ++b)
            sum += physics::dot(body[b], other.body[b]) + physics::dot(spin[b], other.spin[b]);
        return sum;
    }
};

/// Mass and the friction of a step: what takes velocities to momenta. Symmetric, positive definite.
class ViscousSystem {
public:
    ViscousSystem(const Liquid& liquid, const Scene& scene, const std::vector<LiquidSpot>& at,
                  double dt, Executor& executor)
        : liquid_(liquid), scene_(scene), executor_(executor), count_(liquid.size())
    {
        begin_.assign(count_ + 1, 0);
        for (std::size_t i = 0; i < count_; ++i)
            begin_[i + 1] = begin_[i] + liquid.row(i).size();
        end_.assign(begin_.begin(), begin_.end() - 1);
        pairs_.resize(begin_[count_]);
        free_.resize(count_);
        own_.assign(count_, 0);
        const auto step = static_cast<float>(dt);
        executor.parallelFor(count_, 256, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                const std::uint32_t own = liquid.particle(i);
                free_[i] = !scene.isRigid(own) && !scene.isHeld(own);
                for (const std::uint32_t j : liquid.row(i)) {
                    if (j >= count_)
                        break;
                    const Vec3f d{at[i].x - at[j].x, at[i].y - at[j].y, at[i].z - at[j].z};
                    const float distance = physics::length(d), h = liquid.kernelRadius(i, j);
                    if (distance >= h || distance <= 0)
                        continue;
                    const float friction =
                        frictionOf(step, viscosityOf(liquid, i, j), liquid.volume(i),
                                   liquid.volume(j), liquid.factor(), distance, h);
                    if (!(friction > 0))
                        continue;
                    pairs_[end_[i]++] = {j, (std::sqrt(friction) / distance) * d};
                    own_[i] += friction;
                }
            }
        });
        bodyOwn_.assign(scene.bodies.size(), 0);
        for (const Liquid::RigidPlace& rigid : liquid.rigids())
            bodyOwn_[rigid.body] += own_[rigid.place];
        for (std::size_t i = 0; i < count_; ++i)
            strongest_ = std::max(strongest_, own_[i] / massOf(i));
        for (const Body& body : scene.bodies) {
            inverseInertia_.push_back(body.rigid ? Scene::inverseInertia(body) : Mat3d{});
            inertia_.push_back(body.rigid ? body.R * body.rest->inertia * physics::transpose(body.R)
                                          : Mat3d{});
        }
    }

    /// Largest share of a difference of velocity that the step takes, roughly.
    float strength() const { return strongest_; }

    Motions zero() const
    {
        const std::size_t bodies = scene_.bodies.size();
        return {std::vector<Vec3f>(count_, Vec3f{0, 0, 0}),
                std::vector<Vec3d>(bodies, Vec3d{0, 0, 0}),
                std::vector<Vec3d>(bodies, Vec3d{0, 0, 0})};
    }
    Motions velocities() const
    {
        Motions all = zero();
        for (std::size_t i = 0; i < count_; ++i)
            all.particle[i] = scene_.particles.v[liquid_.particle(i)];
        for (std::size_t b = 0; b < scene_.bodies.size(); ++b)
            if (const Body& body = scene_.bodies[b]; body.rigid) {
                all.body[b] = body.v;
                all.spin[b] = inverseInertia_[b] * body.angularMomentum;
            }
        return all;
    }
    void setVelocities(Scene& scene, const Motions& all) const
    {
        for (std::size_t i = 0; i < count_; ++i)
            if (free_[i])
                scene.particles.v[liquid_.particle(i)] = all.particle[i];
        for (std::size_t b = 0; b < scene.bodies.size(); ++b)
            if (Body& body = scene.bodies[b]; body.rigid && bodyOwn_[b] > 0) {
                body.v = all.body[b];
                body.angularMomentum = inertia_[b] * all.spin[b];
            }
    }
    /// @param mass  1: mass and friction; 0: friction alone
    /// @param v     in, out: velocities; those of bodies' particles are set
    void momenta(Motions& v, double mass, Motions& out) const
    {
        for (const Liquid::RigidPlace& rigid : liquid_.rigids())
            v.particle[rigid.place] = toFloat(
                v.body[rigid.body] + physics::cross(v.spin[rigid.body], toDouble(rigid.arm)));
        executor_.parallelFor(count_, 256, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                Vec3f sum{0, 0, 0};
                for (std::size_t p = begin_[i]; p < end_[i]; ++p) {
                    const Vec3f root = pairs_[p].root;
                    sum = sum +
                          physics::dot(root, v.particle[i] - v.particle[pairs_[p].other]) * root;
                }
                if (free_[i])
                    sum = sum + (static_cast<float>(mass) * massOf(i)) * v.particle[i];
                out.particle[i] = sum;
            }
        });
        for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
            const Body& body = scene_.bodies[b];
            out.body[b] = out.spin[b] = {0, 0, 0};
            if (!body.rigid)
                continue;
            out.body[b] = (mass * body.rest->mass) * v.body[b];
            out.spin[b] = mass * (inertia_[b] * v.spin[b]);
        }
        for (const Liquid::RigidPlace& rigid : liquid_.rigids()) {
            const Vec3d push = toDouble(out.particle[rigid.place]);
            out.body[rigid.body] = out.body[rigid.body] + push;
            out.spin[rigid.body] = out.spin[rigid.body] + physics::cross(toDouble(rigid.arm), push);
        }
        for (std::size_t i = 0; i < count_; ++i)
            if (!free_[i])
                out.particle[i] = {0, 0, 0};
    }
    /// Roughly the velocities of momenta: by each diagonal alone.
    void precondition(const Motions& momenta, Motions& out) const
    {
        for (std::size_t i = 0; i < count_; ++i)
            out.particle[i] =
                free_[i] ? (1 / (massOf(i) + own_[i] / 3)) * momenta.particle[i] : Vec3f{0, 0, 0};
        for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
            const Body& body = scene_.bodies[b];
            if (!body.rigid)
                continue;
            const double share = 1 / (1 + double{bodyOwn_[b]} / (3 * body.rest->mass));
            out.body[b] = (share / body.rest->mass) * momenta.body[b];
            out.spin[b] = share * (inverseInertia_[b] * momenta.spin[b]);
        }
    }

private:
    struct Pair {
        std::uint32_t other;
        Vec3f root; ///< direction, times the root of dt times friction [kg^(1/2)]
    };

    float massOf(std::size_t i) const { return scene_.particles.mass[liquid_.particle(i)]; }
    float viscosityOf(const Liquid& liquid, std::size_t i, std::uint32_t j) const
    {
        const auto of = [&](std::size_t k) {
            return scene_.materials[scene_.particles.material[liquid_.particle(k)]].viscosity;
        };
        if (liquid.isLiquid(i) && liquid.isLiquid(j))
            return 0.5f * (of(i) + of(j));
        return of(liquid.isLiquid(i) ? i : j);
    }

    const Liquid& liquid_;
    const Scene& scene_;
    Executor& executor_;
    std::size_t count_;
    std::vector<std::size_t> begin_, end_;
    std::vector<Pair> pairs_;
    std::vector<std::uint8_t> free_;   ///< neither a rigid body's nor held
    std::vector<float> own_, bodyOwn_; ///< friction with all neighbours, times dt [kg]
    std::vector<Mat3d> inertia_, inverseInertia_;
    float strongest_ = 0;
};

} // namespace

int applyViscosity(const Liquid& liquid, Scene& scene, const std::vector<LiquidSpot>& at, double dt,
                   Executor& executor)
{
    const ViscousSystem system(liquid, scene, at, dt, executor);
    if (system.strength() < kNegligible)
        return 0;
    Motions v = system.velocities(), taken = system.zero(), r = taken, z = taken;
    system.momenta(v, 0, taken); // by friction at these velocities
    r.add(-1, taken);
    system.precondition(r, z);
    Motions p = z, q = system.zero();
    double rz = r.dot(z);
    const double enough = kTolerance * kTolerance * rz;
    int iterations = 0;
    while (rz > enough && iterations < kMaxIterations) {
        system.momenta(p, 1, q);
        const double pq = p.dot(q); // q is 0 where particles follow bodies or are held
        if (!(pq > 0))
            break;
        const double length = rz / pq;
        v.add(length, p);
        r.add(-length, q);
        system.precondition(r, z);
        const double next = r.dot(z);
        Motions direction = z;
        direction.add(next / rz, p);
        p = std::move(direction);
        rz = next;
        ++iterations;
    }
    system.setVelocities(scene, v);
    return iterations;
}

} // namespace floe::pbd
