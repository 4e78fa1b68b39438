#include "trial.hpp"

#include "floe/data/scalars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::app {

namespace {

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

} // namespace

std::vector<Finding> tryMaterial(const RecordValue& record, const Subject& subject)
{
    MaterialTrial trial(subject);
    trial.run(record);
    return trial.findings;
}

} // namespace floe::app
