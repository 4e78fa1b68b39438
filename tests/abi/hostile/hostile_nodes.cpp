// Nodes that break the rules of the interface in one way each: the parameter `way` says which, the
// parameter `at` from which frame on. Without a way they keep them.
#include "floe/sdk/grid_from_function.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <array>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

namespace sdk = floe::sdk;

volatile int sink = 0;

[[gnu::noinline]] int deeper(int depth)
{
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    const int below = depth < 1 << 30 ? deeper(depth + 1) : 0;
    return below + frame[0];
}

/// Ends the process, or never comes back, in this way; nothing for other words.
void end(const std::string& way)
{
    if (way == "exit")
        std::exit(0);
    if (way == "quick_exit")
        std::quick_exit(0);
    if (way == "_exit")
        ::_exit(0);
    if (way == "abort")
        std::abort();
    if (way == "terminate")
        std::terminate();
    if (way == "null")
        *static_cast<volatile int*>(nullptr) = 1;
    if (way == "bus")
        ::raise(SIGBUS);
    if (way == "divide")
        sink = 7 / sink;
    if (way == "stack")
        sink = deeper(0);
    if (way == "thread")
        std::thread([] { std::abort(); }).join();
    if (way == "kill")
        ::raise(SIGKILL);
    const long descriptors = way == "close"       ? 256
                             : way == "close all" ? ::sysconf(_SC_OPEN_MAX)
                                                  : 0;
    for (int i = 0; i < descriptors; ++i) // not its own
        ::close(i);
    if (way == "linger") { // once the run is done
        static const bool once = std::atexit([] {
                                     for (;;)
                                         std::this_thread::sleep_for(std::chrono::seconds(1));
                                 }) == 0;
        sink = once;
    }
    while (way == "hang")
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

struct Way {
    std::string word;
    double at = 0;

    explicit Way(const sdk::Context& context)
        : word(context.string("way")), at(context.number("at"))
    {}
    bool is(const char* other) const { return word == other; }
};

const float kNan = std::numeric_limits<float>::quiet_NaN();

/// A number that counts frames.
class Number final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.number";
    void cook(sdk::Context& context) override
    {
        const Way way(context);
        if (context.frame() >= way.at) {
            if (way.is("pool"))
                context.parallelFor(1000, 1, [](uint64_t begin, uint64_t) {
                    if (begin == 500)
                        end("null");
                });
            end(way.word);
            if (way.is("unset"))
                return;
            if (way.is("stopped"))
                throw sdk::Failure("", FLOE_CANCELLED);
            if (way.is("descriptors")) { // no more files
                const rlimit none = {0, 0};
                ::setrlimit(RLIMIT_NOFILE, &none);
            }
            if (way.is("upward"))
                std::fesetround(FE_UPWARD);
            if (way.is("locale")) // there in any system
                std::setlocale(LC_NUMERIC, "C.UTF-8");
            for (int i = 0; way.is("statistics") && i < 100'000; ++i)
                context.statistic(std::to_string(i).c_str(), i);
        }
        context.setOutput("number", sdk::makeNumber(context.frame()));
    }
};

/// A solver: the sum of the frames that it has seen.
class Counter final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.counter";
    void cook(sdk::Context& context) override
    {
        const Way way(context);
        if (context.frame() >= way.at)
            end(way.word);
        sum_ = context.isStart() ? context.frame() : sum_ + context.frame();
        context.setOutput("number", sdk::makeNumber(sum_));
        context.statistic("sum", sum_);
    }
    void save(sdk::Context&, sdk::Writer& writer) override { writer.value(sum_); }
    void load(sdk::Context&, sdk::Reader& reader) override { sum_ = reader.value<double>(); }

private:
    double sum_ = 0;
};

/// The same as a sink, which works on a thread of its own.
class Sink final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.sink";
    void cook(sdk::Context& context) override
    {
        const Way way(context);
        if (context.frame() >= way.at)
            end(way.word);
    }
};

struct Emitter {
    Way way;
};

floe_status emit(void* self, const floe_context*, const floe_emission* request,
                 floe_value** particles)
{
    const Way& way = static_cast<const Emitter*>(self)->way;
    const bool now = request->frame >= way.at;
    if (now)
        end(way.word);
    if (now && way.is("stopped"))
        return FLOE_CANCELLED;
    if (now && way.is("throw"))
        throw std::runtime_error("thrown across the interface");
    if (!request->start && !now)
        return FLOE_OK;
    constexpr uint64_t kCount = 8;
    sdk::Value made = sdk::makeParticles(kCount);
    const auto x = made.addAttribute<float>("x", 3);
    const auto v = made.addAttribute<float>("v", 3);
    for (uint64_t i = 0; i < kCount; ++i)
        for (uint64_t axis = 0; axis < 3; ++axis) {
            x[3 * i + axis] =
                float(request->cell_size) * (0.25f + 0.5f * float(i >> axis & 1)) + 0.5f;
            v[3 * i + axis] = 0;
        }
    if (now && way.is("nan"))
        x[5] = kNan;
    if (!(now && way.is("volume"))) {
        const auto volume = made.addAttribute<float>("volume", 1);
        for (float& each : volume)
            each = now && way.is("flat") ? 0 : float(std::pow(request->cell_size, 3) / 8);
    }
    if (now && way.is("region") && FLOE_HAS(request, region) && request->region) {
        const auto place = made.addAttribute<uint64_t>("place", 1); // of all, wherever they are
        for (uint64_t i = 0; i < kCount; ++i)
            place[i] = i;
    }
    *particles = made.writable();
    sdk::host().values->retain(*particles);
    return FLOE_OK;
}

class EmitterNode final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.emitter";
    void cook(sdk::Context& context) override
    {
        static constexpr floe_emitter_interface kTable = {sizeof(floe_emitter_interface), emit};
        sdk::Value emitter = sdk::makeRecord("emitter");
        emitter.set("material", context.input("material"))
            .set("source", sdk::makeInterface(FLOE_EMITTER_INTERFACE, kTable,
                                              std::make_unique<Emitter>(Emitter{Way(context)})))
            .set("avoidOverlap", sdk::makeBoolean(false));
        context.setOutput("emitter", emitter);
    }
};

struct Material {
    Way way;
};

double soundSpeed(void* self)
{
    const Way& way = static_cast<const Material*>(self)->way;
    return way.is("silent") ? 0 : way.is("nanSound") ? double(kNan) : 10.0;
}

floe_status update(void* self, const floe_device*, const floe_material_batch* batch)
{
    const Way& way = static_cast<const Material*>(self)->way;
    end(way.word);
    const uint32_t count = batch->count;
    for (auto* stress : batch->stress)
        for (uint32_t i = 0; i < count; ++i)
            if (!way.is("unset"))
                stress[i] = way.is("nan") ? kNan : 0;
    if (way.is("stiff"))
        for (int k = 0; k < 3; ++k)
            for (uint32_t i = 0; i < count; ++i)
                batch->stress[k][i] = 1e9f * (batch->F[4 * k][i] - 1);
    if (way.is("over"))
        batch->stress[5][count] = 1;
    if (way.is("under"))
        batch->F[0][-1] = 1;
    if (way.is("gradient"))
        const_cast<float*>(batch->gradient[0])[0] = 1;
    if (way.is("turn")) // stresses without any strain
        for (uint32_t i = 0; i < count; ++i)
            batch->stress[0][i] = 1e4f;
    return way.is("fail") ? FLOE_FAILED : FLOE_OK;
}

class MaterialNode final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.material";
    void cook(sdk::Context& context) override
    {
        static constexpr floe_material_interface kTable = {
            sizeof(floe_material_interface), 0, {}, soundSpeed, update};
        sdk::Value material = sdk::makeRecord("material");
        material.set("name", sdk::makeString("hostile"))
            .set("color", sdk::makeVector({1, 0, 0}))
            .set("density", sdk::makeNumber(1000))
            .set("law", sdk::makeString("custom"))
            .set("parameters", sdk::makeRecord("material.custom"))
            .set("model", sdk::makeInterface(FLOE_MATERIAL_INTERFACE, kTable,
                                             std::make_unique<Material>(Material{Way(context)})));
        context.setOutput("material", material);
    }
};

struct Activation {
    Way way;
};

floe_status evaluate(void* self, const floe_context*, const floe_activation_request* request,
                     uint8_t* state)
{
    const Way& way = static_cast<const Activation*>(self)->way;
    end(way.word);
    if (way.is("throw"))
        throw 55;
    if (way.is("status"))
        return 55;
    for (uint32_t i = 0; i < request->block_count; ++i)
        state[i] = way.is("third") ? 7 : FLOE_ACTIVE;
    if (way.is("over"))
        state[request->block_count] = FLOE_ACTIVE;
    return FLOE_OK;
}

class ActivationNode final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.activation";
    void cook(sdk::Context& context) override
    {
        static constexpr floe_activation_interface kTable = {sizeof(floe_activation_interface), 0,
                                                             evaluate, nullptr};
        sdk::Value activation = sdk::makeRecord("activation");
        activation.set("strategy",
                       sdk::makeInterface(FLOE_ACTIVATION_INTERFACE, kTable,
                                          std::make_unique<Activation>(Activation{Way(context)})));
        context.setOutput("activation", activation);
    }
};

struct Force {
    Way way;
};

floe_status accelerate(void* self, const floe_device*, const floe_force_batch* batch)
{
    const Way& way = static_cast<const Force*>(self)->way;
    end(way.word);
    for (uint32_t i = 0; i < batch->count; ++i) {
        batch->acceleration[0][i] = way.is("nan") ? kNan : 1;
        batch->acceleration[1][i] = 0;
        if (!way.is("unset"))
            batch->acceleration[2][i] = 0;
    }
    if (way.is("over"))
        batch->acceleration[0][batch->count] = 1;
    if (way.is("input"))
        const_cast<float*>(batch->x[0])[0] += 1;
    return FLOE_OK;
}

class ForceNode final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.force";
    void cook(sdk::Context& context) override
    {
        static constexpr floe_force_interface kTable = {sizeof(floe_force_interface), 0,
                                                        accelerate};
        const Way way(context);
        sdk::Value force = sdk::makeRecord("force");
        if (way.is("field")) {
            force.set("type", sdk::makeString("field"))
                .set("field", sdk::makeVectorField(
                                  [](const sdk::Vector& at) {
                                      return sdk::Vector{at[1] > 0.4 ? double(kNan) : 0, 0, 0};
                                  },
                                  {0, 0, 0}, {1, 1, 1}, 0.1));
        } else {
            force.set("type", sdk::makeString("custom"))
                .set("model", sdk::makeInterface(FLOE_FORCE_INTERFACE, kTable,
                                                 std::make_unique<Force>(Force{way})));
        }
        context.setOutput("force", force);
    }
};

class ColliderNode final : public sdk::Node {
public:
    static constexpr const char* kType = "test.hostile.collider";
    void cook(sdk::Context& context) override
    {
        const Way way(context);
        end(way.word);
        const floe_transform_key key = {0, {0, 0, 0}, {0, 0, 0, 1}, 1};
        const bool broken = way.is("nan");
        sdk::Value collider = sdk::makeRecord("collider");
        collider
            .set("shape", sdk::makeLevelSet(
                              [broken](const sdk::Vector& at) {
                                  return broken && at[0] > 0
                                             ? double(kNan)
                                             : std::hypot(at[0], at[1], at[2]) - 0.3;
                              },
                              {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0.05))
            .set("transform", sdk::makeTransform({&key, 1}))
            .set("contact", sdk::makeString(way.is("word") ? "glue" : "slip"))
            .set("friction", sdk::makeNumber(0.3));
        context.setOutput("collider", collider);
    }
};

} // namespace

FLOE_PLUGIN("test.hostile", "1.0.0", Number, Counter, Sink, EmitterNode, MaterialNode,
            ActivationNode, ForceNode, ColliderNode)
