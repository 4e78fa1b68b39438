#include "coupling.hpp"

namespace floe::pbd {

namespace {

SteppedByOthers& nodeOf(void* self)
{
    SteppedByOthers* node = **static_cast<CouplingLink*>(self);
    if (!node)
        throw sdk::Failure("the solver that these bodies belong to is gone", FLOE_FAILED);
    return *node;
}

constexpr floe_coupling_interface kTable = {
    sizeof(floe_coupling_interface),
    0,
    [](void* self, const floe_context* context, const void* owner, double frameSeconds) {
        return sdk::detail::guarded(context, [&] { nodeOf(self).attach(owner, frameSeconds); });
    },
    [](void* self, const floe_context* context, double dt, const floe_coupling_body** bodies,
       std::uint32_t* count) {
        return sdk::detail::guarded(context, [&] {
            const auto found = nodeOf(self).beginStep(sdk::Context(context), dt);
            *bodies = found.data();
            *count = static_cast<std::uint32_t>(found.size());
        });
    },
    [](void* self, std::uint32_t body, std::uint32_t count, const float* x, float* distance,
       float* normal) { nodeOf(self).distances(body, count, x, distance, normal); },
    [](void* self, const floe_context* context, const floe_coupling_push* pushes) {
        return sdk::detail::guarded(context,
                                    [&] { nodeOf(self).endStep(sdk::Context(context), pushes); });
    }};

} // namespace

sdk::Value makeCoupling(const CouplingLink& link)
{
    sdk::Value record = sdk::makeRecord(FLOE_COUPLING_RECORD);
    record.set("bodies", sdk::makeInterface(FLOE_COUPLING_INTERFACE, kTable,
                                            std::make_unique<CouplingLink>(link)));
    return record;
}

} // namespace floe::pbd
