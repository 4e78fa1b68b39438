// Counting, sealing and fields of values.
#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace floe {

TEST(Values, LiveAsLongAsTheirLastReference)
{
    const std::uint64_t count = Value::liveCount();
    const std::uint64_t bytes = Value::liveBytes();
    {
        const Ref<StringValue> text = make<StringValue>(std::string(1000, 'a'));
        EXPECT_EQ(Value::liveCount(), count + 1);
        EXPECT_GE(Value::liveBytes(), bytes + 1000);
        ValueRef other = text;
        ValueRef moved = std::move(other);
        EXPECT_FALSE(other);
        EXPECT_TRUE(moved == ValueRef(text));
    }
    EXPECT_EQ(Value::liveCount(), count);
    EXPECT_EQ(Value::liveBytes(), bytes);
}

TEST(Values, AreCountedFromManyThreads)
{
    const std::uint64_t count = Value::liveCount();
    {
        const ValueRef shared = make<NumberValue>(1.0);
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < 10000; ++k)
                    const ValueRef copy = shared;
            });
    }
    EXPECT_EQ(Value::liveCount(), count);
}

TEST(Values, ThatCouldNotBeMadeLeaveNothingBehind)
{
    const std::uint64_t count = Value::liveCount();
    EXPECT_THROW(make<NumberValue>(std::nan("")), InputError);
    EXPECT_THROW(make<VectorValue>(std::array{0.0, HUGE_VAL, 0.0}), InputError);
    EXPECT_THROW(make<StringValue>(std::string("a\0b", 3)), InputError);
    EXPECT_EQ(Value::liveCount(), count);
}

TEST(Values, AreTakenAsTheirKindOnly)
{
    const ValueRef number = make<NumberValue>(2.0);
    EXPECT_NE(as<NumberValue>(number), nullptr);
    EXPECT_EQ(as<StringValue>(number), nullptr);
    EXPECT_EQ(as<StringValue>(ValueRef()), nullptr);
    try {
        expect<StringValue>(number);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "expected a value of kind string, got number");
    }
}

TEST(Records, KeepFieldsInOrderAndReplaceThem)
{
    const auto record = make<RecordValue>("material");
    record->setField("density", make<NumberValue>(400.0));
    record->setField("name", make<StringValue>("snow"));
    record->setField("density", make<NumberValue>(500.0));
    ASSERT_EQ(record->fields().list().size(), 2u);
    EXPECT_EQ(record->fields().list()[0].name, "density");
    EXPECT_EQ(record->number("density", 0), 500);
    EXPECT_EQ(record->string("name"), "snow");
    EXPECT_EQ(record->number("name", -1), -1) << "of another kind";
    EXPECT_TRUE(record->boolean("avoidOverlap", true));
}

TEST(Records, SealWhatTheyHoldAndRefuseOnceSealed)
{
    const auto inner = make<RecordValue>("material");
    const auto outer = make<RecordValue>("emitter");
    outer->setField("material", inner);
    EXPECT_TRUE(inner->sealed());
    EXPECT_THROW(inner->setField("emitter", outer), InputError) << "a circle";
    outer->seal();
    EXPECT_THROW(outer->setField("more", make<BooleanValue>(true)), InputError);
    EXPECT_THROW(make<RecordValue>("a\nb"), InputError);
    EXPECT_THROW(make<RecordValue>("a")->setField("", make<BooleanValue>(true)), InputError);
    EXPECT_THROW(make<RecordValue>("a")->setField("b", nullptr), InputError);
}

// 2^40 paths lead to the innermost value, which must be counted, and visited, once.
TEST(Records, SharedFieldsAreCountedOnce)
{
    ValueRef value = make<StringValue>(std::string(100000, 'a'));
    for (int i = 0; i < 40; ++i) {
        const auto outer = make<RecordValue>("pair");
        outer->setField("a", value);
        outer->setField("b", value);
        value = outer;
    }
    EXPECT_GE(value->totalBytes(), 100000u);
    EXPECT_LT(value->totalBytes(), 200000u);
}

TEST(Interfaces, EndWithTheirLastReference)
{
    static int ended;
    ended = 0;
    static const int table = 0;
    int object = 0;
    const auto destroy = [](void* self) {
        ended += *static_cast<int*>(self) + 1;
    };
    EXPECT_THROW(make<InterfaceValue>("", &table, &object, destroy), InputError);
    EXPECT_THROW(make<InterfaceValue>("a/1", nullptr, &object, destroy), InputError);
    EXPECT_EQ(ended, 0) << "what was refused stays its maker's";
    {
        const auto interface = make<InterfaceValue>("a/1", &table, &object, destroy);
        EXPECT_EQ(interface->self(), &object);
    }
    EXPECT_EQ(ended, 1);
}

} // namespace floe
