// A plugin through the C++ wrapper.
#include "floe/sdk/node.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>

namespace {

/// out = sum of all "in" + offset, a vector parameter's first component, and the length of a text.
class Sum final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "test.sum";
    void cook(floe::sdk::Context& context) override
    {
        double sum = context.number("offset") + static_cast<double>(context.integer("whole"));
        sum += context.vector("vector")[0];
        sum += context.boolean("flag") ? 1 : 0;
        sum += static_cast<double>(context.string("text").size());
        for (const floe::sdk::Value& value : context.inputs("in"))
            sum += value.number();
        // 0 + 1 + ... + 999, on several threads.
        std::atomic<std::uint64_t> total{0};
        context.parallelFor(1000, 10, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i)
                total += i;
        });
        sum += static_cast<double>(total);
        context.statistic("inputs", context.inputCount("in"));
        context.progress(0.5);
        context.warn("a warning");
        context.setOutput("out", floe::sdk::makeNumber(sum));
    }
};

/// Fails in the way that the parameter `how` names.
class Fails final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "test.fails";
    void cook(floe::sdk::Context& context) override
    {
        const std::string how = context.string("how");
        using floe::sdk::Failure;
        if (how == "exception")
            throw std::runtime_error("the rope broke");
        if (how == "not an exception")
            throw 42;
        if (how == "memory")
            throw std::bad_alloc();
        if (how == "library's memory")
            throw std::runtime_error("Pool::Pool malloc failed"); // as NanoVDB does
        if (how == "device")
            throw Failure("the kernel failed", FLOE_DEVICE_FAILED);
        if (how == "io")
            throw Failure("the file is gone", FLOE_IO_FAILED);
        if (how == "diverged")
            throw Failure("speeds above 1e9 m/s", FLOE_DIVERGED);
        if (how == "cancelled")
            context.throwIfCancelled();
        if (how == "undeclared")
            context.number("nothing");
        if (how == "wrong type")
            context.number("how");
        if (how == "expression")
            context.number("broken");
        if (how == "output")
            context.setOutput("nowhere", floe::sdk::makeNumber(1));
        if (how == "nan")
            floe::sdk::makeNumber(std::numeric_limits<double>::quiet_NaN());
        if (how == "huge")
            floe::sdk::makeParticles(1ull << 62).addAttribute<float>("x", 3);
        if (how == "parallel")
            context.parallelFor(100, 1, [](std::uint64_t begin, std::uint64_t) {
                if (begin == 50)
                    throw std::runtime_error("from a thread");
            });
        if (how == "two messages") {
            context.raw()->message(context.raw(), FLOE_LEVEL_ERROR, "first");
            throw std::runtime_error("second");
        }
        if (how == "bad text")
            throw std::runtime_error("not \xff UTF-8 \x01 and " + std::string(100000, 'a'));
    }
};

class Solver final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "test.solver";
    void cook(floe::sdk::Context& context) override
    {
        if (context.isStart())
            history_.clear();
        history_.push_back(context.frame());
        context.setOutput(
            "out", floe::sdk::makeNumber(std::accumulate(history_.begin(), history_.end(), 0.0)));
    }
    void save(floe::sdk::Context&, floe::sdk::Writer& writer) override { writer.array(history_); }
    void load(floe::sdk::Context&, floe::sdk::Reader& reader) override
    {
        history_ = reader.array<double>();
    }

private:
    std::vector<double> history_;
};

/// Gives an interface whose end is counted by the value that it was made with.
struct Counted {
    static inline std::atomic<int> alive{0};
    Counted() { ++alive; }
    ~Counted() { --alive; }
};
struct Table {
    std::uint32_t struct_size;
    int (*alive)();
};
constexpr Table kTable = {sizeof(Table), [] {
                              return Counted::alive.load();
                          }};

class Interface final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "test.interface";
    void cook(floe::sdk::Context& context) override
    {
        context.setOutput(
            "out", floe::sdk::makeInterface("test.counted/1", kTable, std::make_unique<Counted>()));
    }
};

} // namespace

FLOE_PLUGIN(PLUGIN_ID, "1.2.3", Sum, Fails, Solver, Interface)
