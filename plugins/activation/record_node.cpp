#include "nodes.hpp"

#include "rules.hpp"
#include "safetensors.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace floe::activation {

namespace {

/// An oracle that writes every request and its result to one file.
struct Recorder {
    Oracle oracle;
    std::string folder; ///< relative to the run's output folder
    std::string scene, split, lookAhead;
    double lastFrame = -1;
    int evaluation = 0; ///< number within the frame

    static floe_status evaluate(void* self, const floe_context* context,
                                const floe_activation_request* request, uint8_t* state)
    {
        auto& recorder = *static_cast<Recorder*>(self);
        const std::vector<uint8_t> before(state, state + request->block_count);
        const floe_status status = Oracle::evaluate(&recorder.oracle, context, request, state);
        if (status != FLOE_OK)
            return status;
        return sdk::detail::guarded(
            context, [&] { recorder.write(*context, *request, before.data(), state); });
    }

    void write(const floe_context& context, const floe_activation_request& request,
               const uint8_t* before, const uint8_t* label)
    {
        evaluation = request.frame == lastFrame ? evaluation + 1 : 0;
        lastFrame = request.frame;
        if (request.block_count == 0)
            return;
        std::vector<float> push(request.push_speed, request.push_speed + request.block_count);
        for (uint32_t i = 0; i < request.block_count; ++i)
            if (!request.push_known[i])
                push[i] = -1;
        const uint64_t blocks = request.block_count, field = request.field_count;
        Safetensors file;
        file.note("format", "floe.activation.sample/1");
        file.note("scene", scene);
        file.note("split", split);
        file.note("look_ahead", lookAhead);
        file.note("frame", request.frame);
        file.note("evaluation", evaluation);
        file.note("fps", request.fps);
        file.note("cell_size", request.cell_size);
        file.note("domain_scale", request.domain_scale);
        file.note("horizon", request.horizon);
        file.note("threshold", thresholdOf(oracle.speed, request));
        file.add("block", request.block, {blocks, 3});
        file.add("max_speed", request.max_speed, {blocks});
        file.add("rest_time", request.rest_time, {blocks});
        file.add("push_speed", push.data(), {blocks});
        if (request.sound_speed)
            file.add("sound_speed", request.sound_speed, {blocks});
        if (request.liquid_share)
            file.add("liquid_share", request.liquid_share, {blocks});
        file.add("future_speed", request.future_speed, {blocks});
        file.add("field_block", request.field_block, {field, 3});
        file.add("field_speed", request.field_speed, {field, 4, 4, 4});
        file.add("state", before, {blocks});
        file.add("label", label, {blocks});
        char name[48];
        std::snprintf(name, sizeof name, "sample.%06d.%03d.safetensors",
                      static_cast<int>(request.frame), evaluation);
        file.write(std::filesystem::path(context.output_folder) / folder / name);
    }
};

constexpr floe_activation_interface kStepTable = {sizeof(floe_activation_interface),
                                                  FLOE_SPEED_FIELD | FLOE_NEXT_STEP_SPEED,
                                                  &Recorder::evaluate};
constexpr floe_activation_interface kEvaluationTable = {sizeof(floe_activation_interface),
                                                        FLOE_SPEED_FIELD | FLOE_EVALUATION_SPEED,
                                                        &Recorder::evaluate};

} // namespace

void RecordNode::cook(sdk::Context& context)
{
    Recorder recorder{};
    recorder.oracle.speed = context.number("threshold");
    recorder.folder = context.string("folder");
    recorder.scene = context.string("scene");
    recorder.split = context.string("split");
    recorder.lookAhead = context.string("lookAhead");
    if (recorder.folder.find("..") != std::string::npos || recorder.folder.starts_with('/'))
        throw sdk::Failure("'folder' is a folder inside the run's output folder");
    const bool step = recorder.lookAhead == "step";
    const double speed = recorder.oracle.speed;
    sdk::Value record = makeActivation(context, step ? kStepTable : kEvaluationTable,
                                       std::make_unique<Recorder>(std::move(recorder)));
    record.set("restSpeed", sdk::makeNumber(speed > 0 ? speed : kDomainSpeed));
    record.set("wakeSpeed", sdk::makeNumber(0));
    context.setOutput("activation", record);
}

} // namespace floe::activation
