#include "trial.hpp"

#include "floe/data/scalars.hpp"
#include "floe/data/volume.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/world/records.hpp"

#include <array>
#include <cmath>
#include <memory>

namespace floe::app {

namespace {

/// Nodes of a block at `corner`, moving a little.
sdk::world::PointBatch pointsAt(const std::array<double, 3>& corner)
{
    sdk::world::PointBatch points{};
    points.count = sdk::world::PointBatch::kMax;
    points.corner = {corner[0], corner[1], corner[2]};
    for (int i = 0; i < points.count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            points.x[axis][i] = 0.1f * static_cast<float>(i >> (2 * axis) & 3);
            points.v[axis][i] = 0.01f * static_cast<float>(i - 32);
            points.mass[i] = 1;
        }
    return points;
}

constexpr std::array<double, 3> kCorners[] = {{0, 0, 0}, {-0.4, -0.4, -0.4}, {3, -2, 1000}};

class WorldTrial : public Trial {
public:
    using Trial::Trial;

    void run(const RecordValue& record)
    {
        sdk::detail::host() = plugin::hostInterface(); // what follows is written for plugins
        const sdk::Value value = sdk::Value::share(plugin::toInterface(&record));
        try {
            if (record.schema() == "force")
                force(value, record);
            else if (record.schema() == "collider")
                collider(value);
            else
                sdk::world::domainOf(value);
        } catch (const sdk::Failure& failure) {
            error("record-unusable", failure.what());
        }
    }

private:
    void force(const sdk::Value& record, const RecordValue& typed)
    {
        void* self = nullptr;
        if (const auto* table =
                tableOf<floe_force_interface>(typed, "model", FLOE_FORCE_INTERFACE, self))
            if (!accelerate(*table, self, device()))
                return;
        sdk::world::Vec3d gravity{0, 0, 0};
        doing_("force of output '" + socket_ + "'");
        const auto force = sdk::world::forceOf(record, gravity);
        if (!std::isfinite(gravity.x + gravity.y + gravity.z))
            return error("not-finite", "the force's vector is not finite");
        for (const auto& corner : kCorners) {
            if (!force)
                return;
            sdk::world::PointBatch points = pointsAt(corner);
            force->apply(points, 0.5, 0.01f);
            const std::string fault = force->fault();
            if (!fault.empty())
                return error(fault.find("not finite") != std::string::npos ? "not-finite"
                                                                           : "call-failed",
                             fault);
            for (int i = 0; i < points.count; ++i)
                if (!std::isfinite(points.v[0][i] + points.v[1][i] + points.v[2][i]))
                    return error("not-finite", "the force makes a velocity that is not finite");
        }
        if (const VolumeValue* field = as<VolumeValue>(fieldOf(typed, "field")))
            grid(*force, *field);
    }

    /// A field everywhere that it holds something.
    void grid(const sdk::world::Force& force, const VolumeValue& field)
    {
        constexpr int kSteps = 24;
        const auto& bounds = field.info().worldBounds;
        for (int n = 0; n < kSteps * kSteps * kSteps; ++n) {
            std::array<double, 3> at;
            const std::array<int, 3> step = {n % kSteps, n / kSteps % kSteps, n / kSteps / kSteps};
            for (std::size_t axis = 0; axis < 3; ++axis)
                at[axis] = bounds[axis] +
                           (bounds[axis + 3] - bounds[axis]) * double(step[axis]) / (kSteps - 1);
            sdk::world::PointBatch point{};
            point.count = 1;
            point.corner = {at[0], at[1], at[2]};
            point.mass[0] = 1;
            force.apply(point, 0.5, 0.01f);
            if (const std::string fault = force.fault(); !fault.empty())
                return error("not-finite", fault);
        }
    }

    bool accelerate(const floe_force_interface& table, void* self, compute::Device& on)
    {
        const std::size_t before = findings.size();
        std::vector<std::vector<float>> results;
        for (int round = 0; round < 2; ++round) {
            const sdk::world::PointBatch points = pointsAt(kCorners[1]);
            const auto count = static_cast<std::size_t>(points.count);
            std::vector<std::unique_ptr<FencedArray<float>>> x, v, a;
            floe_force_batch batch{};
            batch.struct_size = sizeof batch;
            batch.count = static_cast<std::uint32_t>(count);
            batch.time = 0.5;
            for (int axis = 0; axis < 3; ++axis) {
                const std::string index = "[" + std::to_string(axis) + "]";
                x.push_back(std::make_unique<FencedArray<float>>(on, "x" + index,
                                                                 std::span(points.x[axis], count)));
                v.push_back(std::make_unique<FencedArray<float>>(on, "v" + index,
                                                                 std::span(points.v[axis], count)));
                a.push_back(std::make_unique<FencedArray<float>>(
                    on, "acceleration" + index, std::vector<float>(count, kUnset)));
                batch.corner[axis] = points.corner[axis];
                batch.x[axis] = x.back()->data();
                batch.v[axis] = v.back()->data();
                batch.acceleration[axis] = a.back()->data();
            }
            const bool good = call("accelerate", [&](plugin::CookContext& context) {
                const floe_status status = table.accelerate(self, context.raw()->device, &batch);
                on.synchronise();
                return status;
            });
            if (!good)
                return false;
            for (int axis = 0; axis < 3; ++axis) {
                const auto n = static_cast<std::size_t>(axis);
                const auto same = [&](const FencedArray<float>& array, const float* earlier) {
                    const auto now = read("accelerate", array);
                    if (!std::equal(now.begin(), now.end(), earlier))
                        error("input-changed",
                              "accelerate writes to " + array.name() + ", which is an input");
                };
                same(*x[n], points.x[axis]);
                same(*v[n], points.v[axis]);
                results.push_back(read("accelerate", *a[n]));
                checkNumbers("accelerate", a[n]->name(), results.back());
            }
        }
        if (findings.size() != before)
            return false;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (results[axis] != results[axis + 3]) {
                error("not-repeatable", "accelerate gives other numbers for the same batch");
                return false;
            }
        return true;
    }

    void collider(const sdk::Value& record)
    {
        doing_("collider of output '" + socket_ + "'");
        sdk::world::FrameClock clock;
        clock.begin = 0;
        clock.first = settings_.frame;
        clock.fps = settings_.fps;
        const auto collider = sdk::world::colliderOf(record, clock);
        collider->moveTo(0, 1 / settings_.fps);
        for (const auto& corner : kCorners) {
            const sdk::world::PointBatch points = pointsAt(corner);
            auto sample = std::make_unique<sdk::world::ColliderSample>();
            collider->sample(points, *sample);
            for (int i = 0; i < points.count; ++i) {
                double sum = sample->distance[i];
                if (!(sample->distance[i] > 0))
                    for (int axis = 0; axis < 3; ++axis)
                        sum += double(sample->normal[axis][i]) + double(sample->v[axis][i]);
                if (!std::isfinite(sum))
                    return error("not-finite",
                                 "the collider's distance, normal or velocity is not finite at " +
                                     sdk::world::placeOf({corner[0] + points.x[0][i],
                                                          corner[1] + points.x[1][i],
                                                          corner[2] + points.x[2][i]}));
            }
        }
    }
};

} // namespace

std::vector<Finding> tryWorld(const RecordValue& record, const Subject& subject)
{
    WorldTrial trial(subject);
    trial.run(record);
    return trial.findings;
}

} // namespace floe::app
