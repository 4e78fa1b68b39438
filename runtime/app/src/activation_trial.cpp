#include "trial.hpp"

#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"

#include <array>
#include <cmath>

namespace floe::app {

namespace {

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

} // namespace

std::vector<Finding> tryActivation(const RecordValue& record, const Subject& subject)
{
    ActivationTrial trial(subject);
    trial.run(record);
    return trial.findings;
}

} // namespace floe::app
