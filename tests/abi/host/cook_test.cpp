// What a node of a plugin sees, and what becomes of its failures.
#include "environment.hpp"

#include "floe/compute/parallel.hpp"
#include "floe/data/record.hpp"
#include "floe/plugin/call_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe::plugin {

using test::at;
using test::pluginFolder;
using test::TestEnvironment;
using testing::HasSubstr;

class Cooking : public testing::Test {
protected:
    /// Cooks test.fails; @return its exception's text, "" when there was none
    template <class Expected>
    std::string failure(const std::string& how)
    {
        environment.parameters["how"] = how;
        NodeInstance node(plugin, "test.fails", "debris/ball");
        CookContext context(at(7.5), environment);
        try {
            node.cook(context);
        } catch (const Expected& error) {
            EXPECT_EQ(error.place().node, "debris/ball");
            EXPECT_EQ(error.place().frame, 7);
            return error.what();
        }
        return {};
    }

    std::shared_ptr<const LoadedPlugin> plugin = load(pluginFolder("abi_nodes"));
    TestEnvironment environment;
};

TEST_F(Cooking, ParametersInputsOutputsAndReportsArrive)
{
    environment.parameters = {{"offset", 0.25},
                              {"whole", std::int64_t{100}},
                              {"vector", std::array{1000.0, 0.0, 0.0}},
                              {"flag", true},
                              {"text", std::string("four")}};
    environment.sockets["in"] = {make<NumberValue>(10.0), make<NumberValue>(20.0)};
    NodeInstance node(plugin, "test.sum", "debris/ball");
    CookContext context(at(1), environment);
    node.cook(context);
    EXPECT_EQ(environment.number(), 0.25 + 100 + 1000 + 1 + 4 + 30 + 499500);
    EXPECT_TRUE(environment.outputs["out"]->sealed());
    EXPECT_EQ(environment.statistics["inputs"], 2);
    EXPECT_EQ(environment.fraction, 0.5);
    EXPECT_THAT(environment.messages, testing::ElementsAre("2 a warning"));
}

TEST_F(Cooking, ExceptionsBecomeErrorsOfTheRightFamily)
{
    EXPECT_THAT(failure<PluginError>("exception"), HasSubstr("the rope broke"));
    EXPECT_THAT(failure<PluginError>("not an exception"), HasSubstr("unknown C++ exception"));
    EXPECT_THAT(failure<MemoryError>("memory"), HasSubstr("memory ran out"));
    EXPECT_THAT(failure<MemoryError>("library's memory"), HasSubstr("malloc failed"));
    EXPECT_THAT(failure<DeviceError>("device"), HasSubstr("the kernel failed"));
    EXPECT_THAT(failure<IoError>("io"), HasSubstr("the file is gone"));
    EXPECT_THAT(failure<DivergedError>("diverged"), HasSubstr("speeds above"));
    environment.stop = true;
    EXPECT_NE(failure<CancelledError>("cancelled"), "");
}

TEST_F(Cooking, WrongUseOfTheInterfaceIsNamed)
{
    EXPECT_THAT(failure<PluginError>("undeclared"), HasSubstr("declares no 'nothing'"));
    EXPECT_THAT(failure<PluginError>("wrong type"), HasSubstr("'how' is of another type"));
    EXPECT_THAT(failure<PluginError>("output"), HasSubstr("declares no 'nowhere'"));
    EXPECT_THAT(failure<PluginError>("expression"), HasSubstr("divides by zero"));
}

// make_* can only say NULL: the host remembers why.
TEST_F(Cooking, RefusedValuesAreExplained)
{
    EXPECT_THAT(failure<PluginError>("nan"), HasSubstr("make_number: a number must be finite"));
    EXPECT_THAT(failure<MemoryError>("huge"), HasSubstr("memory ran out"));
}

TEST_F(Cooking, AnExceptionInAParallelLoopFailsTheCookAndNothingElse)
{
    for (const int threads : {1, 4}) {
        compute::setThreadCount(threads);
        EXPECT_THAT(failure<PluginError>("parallel"), HasSubstr("from a thread"));
    }
    compute::setThreadCount(0);
}

TEST_F(Cooking, TheLastErrorIsTheReasonAndEarlierOnesAreMessages)
{
    EXPECT_THAT(failure<PluginError>("two messages"), HasSubstr("second"));
    EXPECT_THAT(environment.messages, testing::ElementsAre("3 first"));
}

TEST_F(Cooking, TextFromPluginsIsMadeFitToShow)
{
    const std::string text = failure<PluginError>("bad text");
    EXPECT_THAT(text, HasSubstr("not \xef\xbf\xbd UTF-8   and aaa"));
    EXPECT_LT(text.size(), 5000u);
}

TEST_F(Cooking, ASolverGoesOnFromItsSavedState)
{
    const auto run = [&](NodeInstance& node, int first, int last) {
        for (int frame = first; frame <= last; ++frame) {
            CookSettings settings = at(frame);
            settings.start = frame == 1;
            CookContext context(settings, environment);
            node.cook(context);
        }
        return environment.number();
    };
    NodeInstance whole(plugin, "test.solver", "solver");
    run(whole, 1, 3);
    CookContext atThree(at(3), environment);
    const std::string state = whole.save(atThree);
    const double expected = run(whole, 4, 6); // 1 + 2 + ... + 6
    EXPECT_EQ(expected, 21);

    NodeInstance resumed(plugin, "test.solver", "solver");
    CookContext again(at(3), environment);
    resumed.load(again, state);
    EXPECT_EQ(run(resumed, 4, 6), expected);
}

TEST_F(Cooking, DamagedStatesAreIoErrors)
{
    NodeInstance node(plugin, "test.solver", "solver");
    CookContext context(at(1), environment);
    node.cook(context);
    const std::string state = node.save(context);
    for (std::size_t length = 0; length < state.size(); ++length)
        EXPECT_THROW(node.load(context, state.substr(0, length)), IoError) << length;
    EXPECT_THROW(node.load(context, state + "x"), IoError);
    std::string huge = state;
    huge.replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f");
    EXPECT_THROW(node.load(context, huge), IoError);
}

TEST_F(Cooking, InterfacesKeepTheirPluginAndEndOnce)
{
    struct Table {
        std::uint32_t struct_size;
        int (*alive)();
    };
    {
        NodeInstance node(plugin, "test.interface", "model");
        CookContext context(at(1), environment);
        node.cook(context);
    }
    const std::weak_ptr<const LoadedPlugin> watched = plugin;
    plugin.reset();
    EXPECT_FALSE(watched.expired()) << "the value still needs the plugin";

    const void* table = nullptr;
    void* self = nullptr;
    const Value* value = environment.outputs["out"].get();
    EXPECT_FALSE(interfaceOf(value, "test.counted/2", &table, &self));
    ASSERT_TRUE(interfaceOf(value, "test.counted/1", &table, &self));
    const auto* functions = static_cast<const Table*>(table);
    EXPECT_EQ(functions->alive(), 1);
    environment.outputs["out"] = nullptr;
    EXPECT_EQ(functions->alive(), 0);
    EXPECT_TRUE(watched.expired());
}

TEST_F(Cooking, AContextSurvivesSenselessArguments)
{
    CookContext context(at(1), environment);
    const floe_context* raw = context.raw();
    double number = 0;
    std::int64_t integer = 0;
    const char* text = nullptr;
    environment.parameters["offset"] = 1.0;
    EXPECT_EQ(raw->number(nullptr, "offset", 1, &number), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(raw->number(raw, nullptr, 1, &number), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(raw->number(raw, "offset", 1, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(raw->number(raw, "offset", std::numeric_limits<double>::quiet_NaN(), &number),
              FLOE_BAD_ARGUMENT);
    EXPECT_EQ(raw->number(raw, "nothing", 1, &number), FLOE_NOT_FOUND);
    EXPECT_EQ(raw->integer(raw, "offset", 1, &integer), FLOE_WRONG_KIND);
    EXPECT_EQ(raw->string(raw, "offset", 1, &text), FLOE_WRONG_KIND);
    EXPECT_EQ(raw->input_count(raw, nullptr), 0u);
    EXPECT_EQ(raw->input_count(nullptr, "in"), 0u);
    EXPECT_EQ(raw->input(raw, "in", 12), nullptr);
    EXPECT_EQ(raw->set_output(raw, "out", nullptr), FLOE_BAD_ARGUMENT);
    raw->progress(raw, std::numeric_limits<double>::quiet_NaN());
    raw->statistic(raw, nullptr, 1);
    raw->statistic(raw, "bad", std::numeric_limits<double>::infinity());
    EXPECT_TRUE(environment.statistics.empty());
    raw->message(raw, 99, nullptr);
    raw->parallel_for(raw, ~0ull, 0, nullptr, nullptr);
    EXPECT_EQ(raw->cancelled(nullptr), 0);
}

TEST_F(Cooking, AParameterIsAskedForAtAnyFrame)
{
    CookContext context(at(1), environment);
    double number = 0;
    EXPECT_EQ(context.raw()->number(context.raw(), "frame", 3.25, &number), FLOE_OK);
    EXPECT_EQ(number, 3.25);
}

TEST_F(Cooking, WholeNumbersAreNumbers)
{
    environment.parameters["count"] = std::int64_t{5};
    CookContext context(at(1), environment);
    double number = 0;
    EXPECT_EQ(context.raw()->number(context.raw(), "count", 1, &number), FLOE_OK);
    EXPECT_EQ(number, 5);
}

TEST_F(Cooking, AnOutputOfTheWrongKindIsExplained)
{
    CookContext context(at(1), environment);
    const ValueRef text = make<StringValue>("text");
    EXPECT_NE(context.raw()->set_output(context.raw(), "out", toInterface(text.get())), FLOE_OK);
    EXPECT_THAT(context.takeReason(true), HasSubstr("takes no string"));
}

TEST_F(Cooking, TheDeviceGivesMemoryAndCopies)
{
    CookContext context(at(1), environment);
    const floe_device* device = context.raw()->device;
    EXPECT_EQ(device->kind, FLOE_DEVICE_CPU);
    void* memory = nullptr;
    ASSERT_EQ(device->allocate(device, 100, &memory), FLOE_OK);
    const char text[] = "snow";
    EXPECT_EQ(device->copy(device, memory, text, sizeof text, FLOE_COPY_TO_DEVICE), FLOE_OK);
    EXPECT_STREQ(static_cast<const char*>(memory), "snow");
    EXPECT_EQ(device->copy(device, memory, nullptr, 4, FLOE_COPY_TO_DEVICE), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(device->copy(device, memory, text, 4, 9), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(device->synchronise(device), FLOE_OK);
    device->release(device, memory);
    EXPECT_EQ(device->allocate(device, ~0ull, &memory), FLOE_OUT_OF_MEMORY);
    EXPECT_EQ(device->allocate(device, 1, nullptr), FLOE_BAD_ARGUMENT);
}

TEST(CallScopes, RememberWhoseFunctionsWereCalledInside)
{
    EXPECT_TRUE(guestsOf("test.solver").empty());
    {
        const CallScope solver("cook", "solver", "test.solver", 3);
        const CallScope own("update", "stuff", "test.solver", 3);
    }
    EXPECT_TRUE(guestsOf("test.solver").empty());
    {
        const CallScope solver("cook", "solver", "test.solver", 3);
        const CallScope other("accelerate", "wind", "test.force", 3);
    }
    const auto guests = guestsOf("test.solver");
    ASSERT_EQ(guests.size(), 1u);
    EXPECT_STREQ(guests.front().node, "wind");
    EXPECT_STREQ(guests.front().plugin, "test.force");
    EXPECT_TRUE(guestsOf("test.force").empty());
}

// What a thread of the host computes must not depend on which plugin's code it ran before.
TEST(CallScopes, SetTheFloatModeBack)
{
    const FloatMode before = FloatMode::now();
    const volatile float tiny = 1e-40f; // denormal
    {
        const CallScope scope("cook", "bad", "test.plugin", 1);
        std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
        constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x40;
        _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
        EXPECT_EQ(tiny * 0.5f, 0.0f);
#endif
        EXPECT_NE(FloatMode::now(), before);
    }
    EXPECT_EQ(FloatMode::now(), before);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_GT(tiny * 0.5f, 0.0f);
}

} // namespace floe::plugin
