#include "collider_record.hpp"

#include "backend.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace floe::mpm {

namespace {

using Point = std::array<double, 3>;

/// A level set that moves rigidly between the keys of its track, and may change shape.
///
/// While the shape changes, distance is read along the surface's path
/// (phi = (1 - s) phi0(x - s T u) + s phi1(x + (1 - s) T u), s the share of the frame gone by, T
/// the frame's length, u the surface's velocity), so that a moving surface neither fades nor
/// doubles.
class LevelSetCollider final : public Collider, public LevelSetSource {
public:
    LevelSetCollider(const sdk::Value& record, const FrameClock& clock)
        : clock_(clock), shape_(record.require("shape")), track_(record.require("transform")),
          levelSet_(shape_.volume())
    {
        if (!levelSet_.valid())
            throw sdk::Failure("a collider's shape is not a grid of distances", FLOE_WRONG_KIND);
        keys_ = track_.transform();
        if (keys_.empty())
            throw sdk::Failure("a collider has no transform", FLOE_BAD_ARGUMENT);
        if ((next_ = record.field("nextShape"))) {
            nextSet_.emplace(next_.volume());
            if (!nextSet_->valid())
                throw sdk::Failure("a collider's next shape is not a grid of distances",
                                   FLOE_WRONG_KIND);
        }
        if ((velocity_ = record.field("velocity"))) {
            field_.emplace(velocity_.volume());
            if (!field_->valid())
                throw sdk::Failure("a collider's velocity is not a grid of vectors",
                                   FLOE_WRONG_KIND);
        }
        rests_ = !next_ && !velocity_;
        for (const floe_transform_key& key : keys_)
            rests_ = rests_ && samePose(key, keys_.front());
        moveTo(clock.begin, 1e-3 / clock.fps);
    }

    bool rests() const override { return rests_; }
    /// Whether the two rest in the same place with the same shape.
    bool restsLike(const LevelSetCollider& other) const
    {
        return rests_ && other.rests_ && shape_.get() == other.shape_.get() &&
               samePose(keys_.front(), other.keys_.front());
    }

    void moveTo(double time, double dt) override
    {
        now_ = sdk::interpolate(keys_, clock_.frameAt(time));
        later_ = sdk::interpolate(keys_, clock_.frameAt(time + dt));
        dt_ = dt;
        share_ = std::clamp((time - clock_.begin) * clock_.fps, 0.0, 1.0);
        moves_ = !samePose(now_, later_);
    }

    bool mayTouch(const Vec3d& center, double radius) const override
    {
        const Point own = sdk::toOwn(now_, {center.x, center.y, center.z});
        const double reach = radius / now_.scale;
        const double distance = storedDistance(levelSet_, own, reach);
        if (nextSet_)
            return distance <= reach || storedDistance(*nextSet_, own, reach) <= reach;
        return distance <= reach && !isFar(distance, own, reach);
    }

    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        Reader reader(*this);
        for (int i = 0; i < points.count; ++i) {
            if (points.mass[i] <= 0) { // whatever an empty node is told does not matter
                out.distance[i] = 1;
                continue;
            }
            reader.read({points.corner.x + points.x[0][i], points.corner.y + points.x[1][i],
                         points.corner.z + points.x[2][i]});
            out.distance[i] = static_cast<float>(now_.scale * reader.distance);
            Point v{0, 0, 0}, normal{0, 0, 0};
            if (reader.distance <= 0) {
                normal = reader.normal();
                v = reader.velocity();
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                out.normal[axis][i] = static_cast<float>(normal[axis]);
                out.v[axis][i] = static_cast<float>(v[axis]);
            }
        }
    }

    double topSpeed() const override
    {
        if (field_)
            return std::numeric_limits<double>::infinity();
        if (!moves_ || levelSet_.empty())
            return 0;
        // Velocity varies linearly over a rigid body, so a corner of its box is fastest.
        const auto box = levelSet_.bounds();
        double most = 0;
        for (unsigned n = 0; n < 8; ++n) {
            const Point corner{box[n >> 2][0], box[n >> 1 & 1][1], box[n & 1][2]};
            const Point a = sdk::toWorld(now_, corner), b = sdk::toWorld(later_, corner);
            most = std::max(most, std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) / dt_);
        }
        return most;
    }

    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        std::fill_n(speed, points.count, 0.0f);
        if (!moves_ && !field_)
            return;
        Reader reader(*this);
        for (int i = 0; i < points.count; ++i) {
            reader.read({points.corner.x + points.x[0][i], points.corner.y + points.x[1][i],
                         points.corner.z + points.x[2][i]});
            if (now_.scale * reader.distance > reach ||
                isFar(reader.distance, reader.own(), reach / now_.scale))
                continue;
            const Point v = reader.velocity();
            speed[i] = static_cast<float>(std::hypot(v[0], v[1], v[2]));
        }
    }

    LevelSetShape shape() const override
    {
        const auto view = [](const sdk::Value& value) {
            if (!value)
                return GridView{};
            const floe_volume volume = value.volume();
            return GridView{volume.grid, volume.bytes, std::make_shared<const sdk::Value>(value)};
        };
        return {view(shape_), view(next_), view(velocity_)};
    }

    LevelSetMotion motion() const override
    {
        LevelSetMotion d;
        d.now = now_;
        d.later = later_;
        d.timeStep = dt_;
        d.share = share_;
        d.frame = 1 / clock_.fps;
        return d;
    }

private:
    /// The collider at one point after another.
    class Reader {
    public:
        explicit Reader(const LevelSetCollider& collider)
            : c_(collider), a_(collider.levelSet_.sampler())
        {
            if (c_.nextSet_)
                b_.emplace(c_.nextSet_->sampler());
            if (c_.field_)
                u_.emplace(c_.field_->sampler());
        }

        double distance = 0; ///< in own space
        const Point& own() const { return own_; }

        void read(const Point& world)
        {
            world_ = world;
            own_ = sdk::toOwn(c_.now_, world);
            flow_ = u_ ? u_->vector(own_) : Point{0, 0, 0};
            from_ = to_ = own_;
            const double frame = 1 / c_.clock_.fps;
            for (std::size_t axis = 0; b_ && axis < 3; ++axis) {
                from_[axis] -= c_.share_ * frame * flow_[axis];
                to_[axis] += (1 - c_.share_) * frame * flow_[axis];
            }
            distance = a_.distance(from_);
            if (b_)
                distance = (1 - c_.share_) * distance + c_.share_ * b_->distance(to_);
        }
        Point normal()
        {
            Point n = a_.gradient(from_);
            if (b_) {
                const Point other = b_->gradient(to_);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    n[axis] = (1 - c_.share_) * n[axis] + c_.share_ * other[axis];
            }
            n = sdk::rotate(rotation(c_.now_), n);
            const double length = std::hypot(n[0], n[1], n[2]);
            for (double& part : n)
                part = length > 0.05 ? part / length : 0;
            return n;
        }
        Point velocity() const
        {
            Point flow = flow_;
            for (double& part : flow)
                part *= c_.now_.scale;
            Point v = sdk::rotate(rotation(c_.now_), flow);
            if (c_.moves_) {
                const Point moved = sdk::toWorld(c_.later_, own_);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    v[axis] += (moved[axis] - world_[axis]) / c_.dt_;
            }
            return v;
        }

    private:
        const LevelSetCollider& c_;
        sdk::LevelSet::Sampler a_;
        std::optional<sdk::LevelSet::Sampler> b_;
        std::optional<sdk::VectorField::Sampler> u_;
        Point world_{}, own_{}, from_{}, to_{}, flow_{};
    };

    static bool samePose(const floe_transform_key& a, const floe_transform_key& b)
    {
        return std::equal(a.position, a.position + 3, b.position) &&
               std::equal(a.rotation, a.rotation + 4, b.rotation) && a.scale == b.scale;
    }
    static sdk::Quaternion rotation(const floe_transform_key& key)
    {
        return {key.rotation[0], key.rotation[1], key.rotation[2], key.rotation[3]};
    }
    /// Whether a ball in own space, with this stored distance at its center, keeps clear of the
    /// inside although that is no larger: beyond the band all distances are the same.
    bool isFar(double distance, const Point& center, double radius) const
    {
        return !nextSet_ && distance >= levelSet_.background() &&
               !levelSet_.mayMeetSurface(center, radius);
    }
    /// No larger than the distance of a point in own space; infinite where the box alone shows that
    /// a ball does not reach the inside.
    static double storedDistance(const sdk::LevelSet& set, const Point& center, double radius)
    {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        if (set.empty())
            return kFar;
        const auto box = set.bounds();
        double outside2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double gap =
                std::max({box[0][axis] - center[axis], center[axis] - box[1][axis], 0.0});
            outside2 += gap * gap;
        }
        return outside2 > radius * radius ? kFar : set.sampler().distance(center);
    }

    FrameClock clock_;
    sdk::Value shape_, track_, next_, velocity_;
    sdk::LevelSet levelSet_;
    std::optional<sdk::LevelSet> nextSet_;
    std::optional<sdk::VectorField> field_;
    std::span<const floe_transform_key> keys_;
    floe_transform_key now_{}, later_{};
    double dt_ = 1, share_ = 0;
    bool moves_ = false, rests_ = false;
};

/// Pulls towards the velocity of the air: v' = v + (w - v) k dt / (1 + k dt), stable for any k dt.
class Wind final : public Force {
public:
    Wind(Vec3d velocity, double strength, double turbulence, double frequency, double seed)
        : velocity_(velocity), strength_(strength), turbulence_(turbulence), frequency_(frequency),
          seed_(static_cast<std::uint32_t>(static_cast<std::int64_t>(seed)))
    {}

    void apply(PointBatch& batch, double time, float dt) const override
    {
        const double share = strength_ * dt / (1 + strength_ * dt);
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            Vec3d air = velocity_;
            if (turbulence_ > 0) {
                Vec3d p;
                for (int axis = 0; axis < 3; ++axis) // gusts travel with the wind
                    p[axis] = (batch.corner[axis] + batch.x[axis][i] - velocity_[axis] * time) *
                              frequency_;
                for (int axis = 0; axis < 3; ++axis)
                    air[axis] += turbulence_ * noise(p, seed_ + static_cast<std::uint32_t>(axis));
            }
            for (int axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(share * (air[axis] - batch.v[axis][i]));
        }
    }

private:
    static double corner(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed)
    {
        std::uint64_t k = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15ull ^
                          static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4full ^
                          static_cast<std::uint64_t>(z) * 0x165667b19e3779f9ull ^
                          std::uint64_t{seed} * 0xff51afd7ed558ccdull;
        k ^= k >> 33;
        k *= 0xff51afd7ed558ccdull;
        k ^= k >> 33;
        k *= 0xc4ceb9fe1a85ec53ull;
        k ^= k >> 33;
        return static_cast<double>(k >> 11) * 0x1p-52 - 1; // -1 to 1
    }
    /// Value noise with Perlin's fade curve, -1 to 1.
    static double noise(const Vec3d& p, std::uint32_t seed)
    {
        std::int64_t base[3];
        double t[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double low = std::floor(std::clamp(p[axis], -1e15, 1e15));
            base[axis] = static_cast<std::int64_t>(low);
            const double u = p[axis] - low;
            t[axis] = u * u * u * (u * (u * 6 - 15) + 10);
        }
        double sum = 0;
        for (int n = 0; n < 8; ++n) {
            const int dx = n >> 2, dy = n >> 1 & 1, dz = n & 1;
            sum += (dx ? t[0] : 1 - t[0]) * (dy ? t[1] : 1 - t[1]) * (dz ? t[2] : 1 - t[2]) *
                   corner(base[0] + dx, base[1] + dy, base[2] + dz, seed);
        }
        return sum;
    }

    Vec3d velocity_;
    double strength_, turbulence_, frequency_;
    std::uint32_t seed_;
};

/// a = strength (radius / r)^falloff towards the centre; nearer than a tenth of the radius it grows
/// no more.
class Attractor final : public Force {
public:
    Attractor(Vec3d center, double strength, double radius, double falloff)
        : center_(center), strength_(strength), radius_(radius), falloff_(falloff)
    {}

    void apply(PointBatch& batch, double, float dt) const override
    {
        for (int i = 0; i < batch.count; ++i) {
            const Vec3d at{batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                           batch.corner.z + batch.x[2][i]};
            const Vec3d to = center_ - at;
            const double r = std::max(physics::length(to), 0.1 * radius_);
            const double pull = strength_ * std::pow(radius_ / r, falloff_) / r * dt;
            for (int axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(pull * to[axis]);
        }
    }

private:
    Vec3d center_;
    double strength_, radius_, falloff_;
};

class FieldForce final : public Force {
public:
    FieldForce(const sdk::Value& field, double strength)
        : value_(field), field_(field.volume()), strength_(strength)
    {
        if (!field_.valid())
            throw sdk::Failure("a force's field is not a grid of vectors", FLOE_WRONG_KIND);
    }

    void apply(PointBatch& batch, double, float dt) const override
    {
        const auto sampler = field_.sampler();
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            const Point a =
                sampler.vector({batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                                batch.corner.z + batch.x[2][i]});
            for (std::size_t axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(strength_ * a[axis] * dt);
        }
    }

private:
    sdk::Value value_;
    sdk::VectorField field_;
    double strength_;
};

Vec3d vectorOf(const sdk::Value& record, const char* name)
{
    const sdk::Vector v = record.require(name).vector();
    return {v[0], v[1], v[2]};
}

double numberOf(const sdk::Value& record, const char* name, double otherwise)
{
    const sdk::Value field = record.field(name);
    const double value = field ? field.number() : otherwise;
    if (!std::isfinite(value))
        throw sdk::Failure(std::string("field '") + name + "' of a '" + record.schema() +
                               "' is not a usable number",
                           FLOE_BAD_ARGUMENT);
    return value;
}

[[noreturn]] void unknown(const sdk::Value& record, const char* field, const std::string& value)
{
    throw sdk::Failure(std::string("a '") + record.schema() + "' has " + field + " '" + value +
                           "', which this solver does not know",
                       FLOE_BAD_ARGUMENT);
}

} // namespace

std::shared_ptr<Collider> colliderOf(const sdk::Value& record, const FrameClock& clock,
                                     std::span<const std::shared_ptr<Collider>> before)
{
    auto collider = std::make_shared<LevelSetCollider>(record, clock);
    for (const auto& other : before) {
        const auto known = std::dynamic_pointer_cast<LevelSetCollider>(other);
        if (known && collider->restsLike(*known)) {
            collider = known;
            break;
        }
    }
    const std::string contact = record.require("contact").string();
    if (contact == "stick")
        collider->contact = Contact::stick;
    else if (contact == "slip")
        collider->contact = Contact::slip;
    else if (contact == "separate")
        collider->contact = Contact::separate;
    else
        unknown(record, "contact", contact);
    const sdk::Value particles = record.field("particles");
    const std::string mode = particles ? particles.string() : "none";
    if (mode == "bounce")
        collider->particles = ParticleContact::bounce;
    else if (mode == "delete")
        collider->particles = ParticleContact::remove;
    else if (mode == "none")
        collider->particles = ParticleContact::none;
    else
        unknown(record, "particles", mode);
    collider->friction = static_cast<float>(std::max(0.0, numberOf(record, "friction", 0)));
    return collider;
}

Domain domainOf(const sdk::Value& record)
{
    Domain domain;
    domain.bounded = record.require("bounded").boolean();
    if (!domain.bounded)
        return domain;
    domain.center = vectorOf(record, "center");
    domain.halfSize = 0.5 * vectorOf(record, "size");
    if (!(domain.halfSize.x > 0 && domain.halfSize.y > 0 && domain.halfSize.z > 0))
        throw sdk::Failure("the domain's size must be above zero along every axis",
                           FLOE_BAD_ARGUMENT);
    const Vec3d degrees = vectorOf(record, "rotation");
    const sdk::Quaternion q = sdk::fromEuler({degrees.x, degrees.y, degrees.z});
    for (int axis = 0; axis < 3; ++axis) {
        const Point a =
            sdk::rotate(q, {axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0});
        domain.axes.setColumn(axis, {a[0], a[1], a[2]});
    }
    const char* const faces[] = {"xMin", "xMax", "yMin", "yMax", "zMin", "zMax"};
    for (std::size_t i = 0; i < 6; ++i) {
        const std::string face = record.require(faces[i]).string();
        if (face == "open")
            domain.faces[i] = Face::open;
        else if (face == "slip")
            domain.faces[i] = Face::slip;
        else if (face == "stick")
            domain.faces[i] = Face::stick;
        else if (face == "separate")
            domain.faces[i] = Face::separate;
        else
            unknown(record, faces[i], face);
    }
    domain.friction = static_cast<float>(std::max(0.0, numberOf(record, "friction", 0)));
    return domain;
}

std::shared_ptr<const Force> forceOf(const sdk::Value& record, Vec3d& gravity)
{
    const std::string type = record.require("type").string();
    const double strength = numberOf(record, "strength", 1);
    if (type == "gravity") {
        gravity = gravity + vectorOf(record, "vector");
        return nullptr;
    }
    if (type == "drag")
        return std::make_shared<Wind>(Vec3d{0, 0, 0}, std::max(0.0, strength), 0, 0, 0);
    if (type == "wind")
        return std::make_shared<Wind>(
            vectorOf(record, "vector"), std::max(0.0, strength), numberOf(record, "turbulence", 0),
            numberOf(record, "frequency", 1), numberOf(record, "seed", 0));
    if (type == "attractor")
        return std::make_shared<Attractor>(vectorOf(record, "center"), strength,
                                           std::max(1e-6, numberOf(record, "radius", 1)),
                                           numberOf(record, "falloff", 2));
    if (type == "field")
        return std::make_shared<FieldForce>(record.require("field"), strength);
    unknown(record, "type", type);
}

} // namespace floe::mpm
