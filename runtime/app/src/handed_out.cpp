#include "handed_out.hpp"

#include "fenced_array.hpp"

#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/volume.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/world/records.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

namespace floe::app {

std::string Finding::line() const
{
    return std::string(error ? "error: " : "warning: ") + text + " [" + name + "]";
}

namespace {

using Doing = std::function<void(const std::string&)>;

/// What an output holds before the call: a number of its own, which nothing computes.
const float kUnset = std::bit_cast<float>(std::uint32_t{0x7fc0f10e});

bool isUnset(float value)
{
    return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(kUnset);
}

std::string shortNumber(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// What all trials of one output share.
class Trial {
public:
    Trial(const std::string& socket, const plugin::CookSettings& settings,
          plugin::Environment& environment, const Doing& doing)
        : socket_(socket), settings_(settings), environment_(environment), doing_(doing)
    {}

    std::vector<Finding> findings;

protected:
    compute::Device& device() const { return *settings_.device; }

    void error(const std::string& name, const std::string& text) { say(true, name, text); }
    void warning(const std::string& name, const std::string& text) { say(false, name, text); }

    /// @return whether the function went well
    template <class Call>
    bool call(const std::string& function, const Call& body)
    {
        doing_(function + " of output '" + socket_ + "'");
        plugin::CookContext context(settings_, environment_);
        const floe_status status = body(context);
        const std::string reason = context.takeReason(status != FLOE_OK);
        if (status == FLOE_UNSUPPORTED) {
            error("unsupported-device", function + " does not work on this device, though the "
                                                   "node's backends say so");
        } else if (status != FLOE_OK) {
            error("call-failed", function + " failed with status " + std::to_string(status) +
                                     (reason.empty() ? "" : ": " + reason));
        }
        return status == FLOE_OK;
    }

    /// Reads an array back; writing outside it is an error.
    template <class T>
    std::vector<T> read(const std::string& function, const FencedArray<T>& array)
    {
        return array.get([&](const std::string& where) {
            error("array-overrun", function + " writes " + where + " " + array.name());
        });
    }

    /// Whether all of an output were set, to finite numbers.
    bool checkNumbers(const std::string& function, const std::string& name,
                      const std::vector<float>& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (isUnset(values[i])) {
                error("output-unset", function + " does not set " + name + "[" + std::to_string(i) +
                                          "] of " + std::to_string(values.size()));
                return false;
            }
            if (!std::isfinite(values[i])) {
                error("not-finite", function + " gives " + shortNumber(values[i]) + " in " + name +
                                        "[" + std::to_string(i) + "]");
                return false;
            }
        }
        return true;
    }

    const std::string socket_;
    const plugin::CookSettings& settings_;
    plugin::Environment& environment_;
    const Doing& doing_;

private:
    void say(bool isError, const std::string& name, const std::string& text)
    {
        Finding finding{isError, "output '" + socket_ + "': " + text, name};
        for (const Finding& other : findings)
            if (other.text == finding.text)
                return;
        constexpr std::size_t kMax = 20;
        if (findings.size() < kMax)
            findings.push_back(std::move(finding));
    }
};

const Value* fieldOf(const RecordValue& record, const char* name)
{
    const Value* value = record.fields().find(name);
    return value;
}

/// The table and object of a field; null where it is another interface.
template <class Table>
const Table* tableOf(const RecordValue& record, const char* field, const char* id, void*& self)
{
    const void* table = nullptr;
    return plugin::interfaceOf(fieldOf(record, field), id, &table, &self)
               ? static_cast<const Table*>(table)
               : nullptr;
}

// ------------------------------------------------------------------------------------ materials

using Matrix = std::array<float, 9>;
constexpr Matrix kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr float kStretch = 1e-3f; ///< of the lane that tells the stiffness

/// One deformation for each lane; three rounds with different stiffness.
std::vector<Matrix> deformations()
{
    const float c = std::cos(0.7f), s = std::sin(0.7f);
    std::vector<Matrix> all = {
        kIdentity,
        {1 + kStretch, 0, 0, 0, 1, 0, 0, 0, 1},
        {c, -s, 0, s, c, 0, 0, 0, 1},
        {1, 0, 0, 0, 1 - kStretch, 0, 0, 0, 1},
        {1, 0.2f, 0, 0, 1, 0, 0, 0, 1},
        {1.3f, 0, 0, 0, 0.9f, 0, 0, 0, 1},
        {0.7f, 0, 0, 0, 0.7f, 0, 0, 0, 0.7f},
        {1.4f, 0.1f, -0.2f, 0, 1.2f, 0.3f, 0.1f, 0, 0.8f},
        {2, 0, 0, 0, 2, 0, 0, 0, 2},
        {0.3f, 0, 0, 0, 1, 0, 0, 0, 1},
    };
    while (all.size() % 16 != 0)
        all.push_back(kIdentity);
    const std::size_t once = all.size();
    for (int round = 1; round < 3; ++round)
        for (std::size_t i = 0; i < once; ++i)
            all.push_back(all[i]);
    return all;
}

class MaterialTrial : public Trial {
public:
    using Trial::Trial;

    void run(const RecordValue& record)
    {
        const NumberValue* density = as<NumberValue>(fieldOf(record, "density"));
        if (!density || !(density->number() > 0 && density->number() < 1e9))
            return error("material-density",
                         "the material's density must be above 0 and below 1e9 kg/m^3");
        const StringValue* law = as<StringValue>(fieldOf(record, "law"));
        if (!law || law->string() != "custom")
            return; // the law is Floe's own
        void* self = nullptr;
        const auto* table =
            tableOf<floe_material_interface>(record, "model", FLOE_MATERIAL_INTERFACE, self);
        if (!table)
            return error("material-model", "a material with law 'custom' needs a 'model' of " +
                                               std::string(FLOE_MATERIAL_INTERFACE));
        if (table->state_count > 4)
            return error("material-state", "the model asks for " +
                                               std::to_string(table->state_count) +
                                               " state variables, there are at most 4");
        double speed = 0;
        call("sound_speed", [&](plugin::CookContext&) {
            speed = table->sound_speed(self);
            return FLOE_OK;
        });
        if (!(speed > 0 && speed < 1e7))
            return error("sound-speed", "sound_speed gives " + shortNumber(speed) +
                                            " m/s, must be above 0 and below 1e7");
        const Result first = update(*table, self), second = update(*table, self);
        if (!first.good || !second.good)
            return;
        if (first.stress != second.stress || first.F != second.F)
            return error("not-repeatable", "update gives other numbers for the same batch");
        judge(first, density->number(), speed);
    }

private:
    struct Result {
        bool good = false;
        std::vector<std::vector<float>> stress, F;
    };

    Result update(const floe_material_interface& table, void* self)
    {
        const std::vector<Matrix> shapes = deformations();
        const std::size_t count = shapes.size();
        using Array = FencedArray<float>;
        std::vector<std::unique_ptr<Array>> F, state, gradient, stress;
        const auto add = [&](auto& to, const std::string& name, std::vector<float> values) {
            to.push_back(std::make_unique<Array>(device(), name, values));
        };
        floe_material_batch batch{};
        batch.struct_size = sizeof batch;
        batch.count = static_cast<std::uint32_t>(count);
        batch.time_step = 1e-4;
        std::vector<float> gradients(count, 0), scales(count, 1);
        for (std::size_t i = 0; i < count; ++i) {
            scales[i] = i < count / 3 ? 1 : i < 2 * count / 3 ? 0.5f : 2;
            gradients[i] = i < 2 * count / 3 ? 0 : 3;
        }
        const auto index = [](int n) {
            return "[" + std::to_string(n) + "]";
        };
        for (int n = 0; n < 9; ++n) {
            std::vector<float> values(count);
            for (std::size_t i = 0; i < count; ++i)
                values[i] = shapes[i][static_cast<std::size_t>(n)];
            add(F, "F" + index(n), values);
            batch.F[n] = F.back()->data();
            add(gradient, "gradient" + index(n), gradients);
            batch.gradient[n] = gradient.back()->data();
        }
        for (int n = 0; n < 4; ++n) {
            const bool used = static_cast<std::uint32_t>(n) < table.state_count;
            add(state, "state" + index(n),
                std::vector<float>(count, used ? table.initial_state[n] : 0));
            batch.state[n] = state.back()->data();
        }
        for (int n = 0; n < 6; ++n) {
            add(stress, "stress" + index(n), std::vector<float>(count, kUnset));
            batch.stress[n] = stress.back()->data();
        }
        const FencedArray<float> stiffness(device(), "stiffness", scales);
        batch.stiffness = stiffness.data();

        Result result;
        result.good = call("update", [&](plugin::CookContext& context) {
            const floe_status status = table.update(self, context.raw()->device, &batch);
            device().synchronise();
            return status;
        });
        if (!result.good)
            return result;
        const std::size_t before = findings.size();
        for (const auto& array : stress) {
            result.stress.push_back(read("update", *array));
            checkNumbers("update", array->name(), result.stress.back());
        }
        for (const auto& array : F) {
            result.F.push_back(read("update", *array));
            checkNumbers("update", array->name(), result.F.back());
        }
        for (const auto& array : state)
            checkNumbers("update", array->name(), read("update", *array));
        for (const auto& array : gradient)
            checkUnchanged(*array, gradients);
        checkUnchanged(stiffness, scales);
        result.good = findings.size() == before;
        return result;
    }

    void checkUnchanged(const FencedArray<float>& array, const std::vector<float>& before)
    {
        if (read("update", array) != before)
            error("input-changed", "update writes to " + array.name() + ", which is an input");
    }

    /// Physics that holds for (nearly) every solid or liquid.
    void judge(const Result& result, double density, double speed)
    {
        double modulus = 0; // of stretch and of compression; a liquid resists only one
        const auto slope = [&](std::size_t n, std::size_t lane) {
            return (double(result.stress[n][lane]) - double(result.stress[n][0])) / kStretch;
        };
        modulus = std::max({modulus, slope(0, 1), -slope(1, 3)});
        const double travels = std::sqrt(modulus / density);
        constexpr double kRoom = 1.2; // of rounding, and of laws that stiffen
        if (travels > kRoom * speed)
            error("sound-speed", "sound_speed gives " + shortNumber(speed) +
                                     " m/s, but the stress of a small stretch travels at " +
                                     shortNumber(travels) +
                                     " m/s: time steps would be too long to be stable");
        const double scale = density * speed * speed;
        constexpr double kTolerance = 1e-3;
        for (int n = 0; n < 6; ++n) {
            const auto stress = [&](std::size_t lane) {
                return double(result.stress[static_cast<std::size_t>(n)][lane]);
            };
            const std::string number = "stress[" + std::to_string(n) + "]";
            if (std::abs(stress(0)) > kTolerance * scale)
                warning("stress-at-rest", "an undeformed particle has " + number + " = " +
                                              shortNumber(stress(0)) + " Pa");
            else if (std::abs(stress(2)) > kTolerance * scale)
                warning("stress-of-rotation", "a particle that was only turned has " + number +
                                                  " = " + shortNumber(stress(2)) + " Pa");
        }
    }
};

// -------------------------------------------------------------------------------------- emitters

class EmitterTrial : public Trial {
public:
    using Trial::Trial;

    void run(const RecordValue& record)
    {
        void* self = nullptr;
        const auto* table =
            tableOf<floe_emitter_interface>(record, "source", FLOE_EMITTER_INTERFACE, self);
        if (!table)
            return error("emitter-source",
                         "an emitter needs a 'source' of " + std::string(FLOE_EMITTER_INTERFACE));
        const ValueRef first = emit(*table, self, true), again = emit(*table, self, true);
        if (first && again && bytesOf(*first) != bytesOf(*again))
            error("not-repeatable", "emit gives other particles for the same request");
        emit(*table, self, false);
    }

private:
    ValueRef emit(const floe_emitter_interface& table, void* self, bool start)
    {
        floe_emission request{};
        request.struct_size = sizeof request;
        request.start = start;
        request.cell_size = 0.1;
        request.frame = start ? settings_.frame : settings_.frame + 1;
        request.fps = settings_.fps;
        floe_value* made = nullptr;
        const bool good = call("emit", [&](plugin::CookContext& context) {
            return table.emit(self, context.raw(), &request, &made);
        });
        const ValueRef value = ValueRef::own(plugin::fromInterface(made));
        if (!good || !value)
            return {};
        const ParticlesValue* particles = as<ParticlesValue>(value);
        if (!particles) {
            error("emitter-particles", "emit gives a value that is not particles");
            return {};
        }
        if (particles->count() == 0)
            return value;
        check(*particles, "x", 3, true, false);
        check(*particles, "v", 3, true, false);
        check(*particles, "volume", 1, true, true);
        check(*particles, "stiffnessScale", 1, false, true);
        check(*particles, "densityScale", 1, false, true);
        return value;
    }

    void check(const ParticlesValue& particles, const char* name, std::uint32_t components,
               bool required, bool positive)
    {
        const Attribute* attribute = particles.find(name);
        if (!attribute) {
            if (required)
                error("attribute-missing",
                      std::string("emit gives particles without '") + name + "'");
            return;
        }
        const auto values = particles.get<float>(name, components);
        if (values.empty())
            return error("attribute-type", std::string("'") + name + "' must be " +
                                               std::to_string(components) +
                                               " float32 a particle, in host memory");
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool wrong = positive && !(values[i] > 0);
            if (std::isfinite(values[i]) && !wrong)
                continue;
            return error(wrong && std::isfinite(values[i]) ? "out-of-range" : "not-finite",
                         std::string("emit gives ") + shortNumber(values[i]) + " in '" + name +
                             "' of particle " + std::to_string(i / components) +
                             (wrong ? ", must be above 0" : ""));
        }
    }

    static std::string bytesOf(const Value& value)
    {
        std::string bytes;
        for (const Attribute& attribute : expect<ParticlesValue>(&value).attributes())
            if (attribute.space() == compute::Space::host)
                bytes.append(attribute.name)
                    .append(static_cast<const char*>(attribute.data.data()),
                            attribute.data.bytes());
        return bytes;
    }
};

// ------------------------------------------------------------------------------------ activation

class ActivationTrial : public Trial {
public:
    using Trial::Trial;

    void run(const RecordValue& record)
    {
        void* self = nullptr;
        const auto* table =
            tableOf<floe_activation_interface>(record, "strategy", FLOE_ACTIVATION_INTERFACE, self);
        if (!table)
            return error("activation-strategy", "an activation needs a 'strategy' of " +
                                                    std::string(FLOE_ACTIVATION_INTERFACE));
        const std::vector<std::uint8_t> first = evaluate(*table, self);
        if (first != evaluate(*table, self))
            error("not-repeatable", "evaluate gives other states for the same request");
    }

private:
    std::vector<std::uint8_t> evaluate(const floe_activation_interface& table, void* self)
    {
        constexpr int kSide = 3;
        constexpr std::size_t kBlocks = kSide * kSide * kSide;
        std::vector<std::int32_t> blocks;
        for (int x = -1; x < kSide - 1; ++x)
            for (int y = -1; y < kSide - 1; ++y)
                for (int z = -1; z < kSide - 1; ++z)
                    blocks.insert(blocks.end(), {x, y, z});
        std::vector<float> rising(kBlocks), field(kBlocks * 64);
        for (std::size_t i = 0; i < kBlocks; ++i)
            rising[i] = 0.1f * static_cast<float>(i);
        for (std::size_t i = 0; i < field.size(); ++i)
            field[i] = 0.001f * static_cast<float>(i);
        std::vector<std::uint8_t> states(kBlocks), known(kBlocks, 0);
        for (std::size_t i = 0; i < kBlocks; ++i)
            states[i] = i % 3 == 0 ? FLOE_PASSIVE : i % 3 == 1 ? FLOE_ACTIVE : FLOE_BOUNDARY;
        for (std::size_t i = 2; i < kBlocks; i += 3)
            known[i] = 1;

        compute::Device& host = *compute::cpuDevice();
        const FencedArray<std::int32_t> block(host, "block", blocks);
        const FencedArray<float> speed(host, "max_speed", rising), rest(host, "rest_time", rising),
            push(host, "push_speed", rising),
            sound(host, "sound_speed", std::vector<float>(kBlocks, 100)),
            liquid(host, "liquid_share", std::vector<float>(kBlocks, 0.5f)),
            future(host, "future_speed", rising), cells(host, "field_speed", field);
        const FencedArray<std::uint8_t> pushKnown(host, "push_known", known);
        FencedArray<std::uint8_t> state(host, "state", states);

        floe_activation_request request{};
        request.struct_size = sizeof request;
        request.block_count = kBlocks;
        request.block = block.data();
        request.max_speed = speed.data();
        request.rest_time = rest.data();
        request.push_known = pushKnown.data();
        request.push_speed = push.data();
        request.sound_speed = sound.data();
        request.liquid_share = liquid.data();
        request.cell_size = 0.1;
        request.domain_scale = 4;
        request.fps = settings_.fps;
        request.frame = settings_.frame;
        request.horizon = 1 / settings_.fps;
        request.time_scale = 1;
        std::int32_t depends = 1;
        plugin::CookContext context(settings_, environment_);
        request.device = context.raw()->device;
        if (FLOE_HAS(&table, depends) && table.depends)
            call("depends", [&](plugin::CookContext&) {
                depends = table.depends(self, &request, state.data());
                return FLOE_OK;
            });
        if (depends && (table.wants & (FLOE_NEXT_STEP_SPEED | FLOE_EVALUATION_SPEED)))
            request.future_speed = future.data();
        if (depends && (table.wants & FLOE_SPEED_FIELD)) {
            request.field_count = kBlocks;
            request.field_block = block.data();
            request.field_speed = cells.data();
        }
        const bool good = call("evaluate", [&](plugin::CookContext& called) {
            return table.evaluate(self, called.raw(), &request, state.data());
        });
        if (!good)
            return {};
        const auto unchanged = [&](const auto& array, const auto& before) {
            if (read("evaluate", array) != before)
                error("input-changed",
                      "evaluate writes to " + array.name() + ", which is an input");
        };
        unchanged(block, blocks);
        unchanged(pushKnown, known);
        for (const auto* array : {&speed, &rest, &push, &future})
            unchanged(*array, rising);
        unchanged(cells, field);
        const std::vector<std::uint8_t> given = read("evaluate", state);
        for (std::size_t i = 0; i < given.size(); ++i) {
            // One that was a boundary may stay what it was.
            const bool kept = given[i] == FLOE_BOUNDARY && states[i] == FLOE_BOUNDARY;
            if (given[i] != FLOE_PASSIVE && given[i] != FLOE_ACTIVE && !kept) {
                error("out-of-range", "evaluate gives the state " + std::to_string(given[i]) +
                                          " to block " + std::to_string(i) +
                                          ", must be FLOE_PASSIVE or FLOE_ACTIVE");
                break;
            }
        }
        return given;
    }
};

// ------------------------------------------------------------- forces, colliders, domains: world

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

std::vector<Finding> tryOutput(const std::string& socket, const ValueRef& value,
                               const plugin::CookSettings& settings,
                               plugin::Environment& environment, const Doing& doing)
{
    const RecordValue* record = as<RecordValue>(value);
    if (!record)
        return {};
    const auto run = [&]<class Kind>(Kind trial) {
        trial.run(*record);
        return trial.findings;
    };
    const std::string& schema = record->schema();
    if (schema == "material")
        return run(MaterialTrial(socket, settings, environment, doing));
    if (schema == "emitter")
        return run(EmitterTrial(socket, settings, environment, doing));
    if (schema == "activation")
        return run(ActivationTrial(socket, settings, environment, doing));
    if (schema == "force" || schema == "collider" || schema == "domain")
        return run(WorldTrial(socket, settings, environment, doing));
    return {};
}

} // namespace floe::app
