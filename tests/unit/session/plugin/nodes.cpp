#include "floe/sdk/node.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

using namespace floe::sdk;

class Constant final : public Node {
public:
    static constexpr const char* kType = "test.constant";
    void cook(Context& context) override
    {
        context.statistic("cooks", ++cooks_);
        if (context.boolean("fail"))
            throw Failure("asked to fail");
        context.setOutput("out", makeNumber(context.number("value")));
    }

private:
    int cooks_ = 0;
};

class Sum final : public Node {
public:
    static constexpr const char* kType = "test.sum";
    void cook(Context& context) override
    {
        double sum = context.number("bias");
        for (const Value& term : context.inputs("in"))
            sum += term.number();
        context.setOutput("out", makeNumber(sum));
    }

    /// Version 1 kept half of the bias, a digit.
    static std::string migrate(uint32_t from, std::string_view parameters)
    {
        std::string upgraded(parameters);
        const auto digit = upgraded.find_first_of("0123456789");
        if (digit == std::string::npos)
            return upgraded;
        if (from != 1 || upgraded[digit] > '4')
            throw Failure("halves are less than five");
        upgraded[digit] = static_cast<char>('0' + 2 * (upgraded[digit] - '0'));
        return upgraded;
    }
};

class Accumulate final : public Node {
public:
    static constexpr const char* kType = "test.accumulate";
    void cook(Context& context) override
    {
        if (static_cast<int64_t>(context.frame()) == context.integer("failAt"))
            throw Failure("left the range", FLOE_DIVERGED);
        const double ends = context.number("milliseconds");
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin <
               std::chrono::duration<double>(ends / 1000)) {
            if (!context.boolean("deaf"))
                context.throwIfCancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (!context.isStart())
            state_ = 3.9 * state_ * (1 - state_); // logistic map, chaotic
        const Value in = context.input("in");
        state_ += in ? 1e-3 * in.number() / (1 + in.number() * in.number()) : 0;
        if (state_ >= 1)
            state_ -= 0.5;
        context.setOutput("out", makeNumber(state_));
    }
    void save(Context&, Writer& writer) override { writer.value(state_); }
    void load(Context&, Reader& reader) override { state_ = reader.value<double>(); }

private:
    double state_ = 0.3;
};

/// Moved by another solver between its two cooks of a frame, where one is linked.
class Carried final : public Node {
public:
    static constexpr const char* kType = "test.carried";
    struct Interface {
        void (*push)(void* self, double amount);
    };
    static constexpr const char* kInterface = "test.push/1";

    void cook(Context& context) override
    {
        if (context.frame() == frame_)
            context.statistic("concluded", 1);
        frame_ = context.frame();
        static constexpr Interface kTable{[](void* self, double amount) {
            double& state = **static_cast<double**>(self);
            state = state * 0.5 + amount;
        }};
        Value record = makeRecord("floe.coupling");
        record.set("bodies", makeInterface(kInterface, kTable, std::make_unique<double*>(&state_)));
        context.setOutput("coupling", record);
        context.setOutput("out", makeNumber(state_));
    }
    void save(Context&, Writer& writer) override { writer.value(state_); }
    void load(Context&, Reader& reader) override { state_ = reader.value<double>(); }

private:
    double state_ = 1, frame_ = -1e9;
};

class Carrier final : public Node {
public:
    static constexpr const char* kType = "test.carrier";
    void cook(Context& context) override
    {
        state_ += context.isStart() ? 0 : 1;
        for (const Value& record : context.inputs("bodies")) {
            const auto [table, self] =
                record.require("bodies").interface<Carried::Interface>(Carried::kInterface);
            table->push(self, state_ * context.number("strength"));
        }
        const Value in = context.input("in");
        context.setOutput("out", makeNumber(state_ + (in ? in.number() : 0)));
    }
    void save(Context&, Writer& writer) override { writer.value(state_); }
    void load(Context&, Reader& reader) override { state_ = reader.value<double>(); }

private:
    double state_ = 0;
};

/// What it gives is kept, or of another frame: as its manifest says.
class PassOn : public Node {
public:
    void cook(Context& context) override { context.setOutput("out", context.input("in")); }
};
class Keep final : public PassOn {
public:
    static constexpr const char* kType = "test.keep";
};
class Shift final : public PassOn {
public:
    static constexpr const char* kType = "test.shift";
};

class Write final : public Node {
public:
    static constexpr const char* kType = "test.write";
    void cook(Context& context) override
    {
        write(context, std::to_string(static_cast<int>(context.frame())),
              context.input("in").number());
    }
    void finish(Context& context) override { write(context, "finish", 0); }

private:
    static void write(Context& context, const std::string& suffix, double value)
    {
        const std::string path =
            context.outputFolder() + "/" + context.string("name") + "." + suffix;
        std::FILE* file = std::fopen(path.c_str(), "w");
        if (!file)
            throw Failure(path + ": cannot be written", FLOE_IO_FAILED);
        std::fprintf(file, "%a", value);
        std::fclose(file);
    }
};

} // namespace

FLOE_PLUGIN("test.session", "1.0.0", Constant, Sum, Accumulate, Carried, Carrier, Keep, Shift,
            Write)
