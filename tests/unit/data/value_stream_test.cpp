// Stored values come back bit for bit.
#include "floe/data/value_stream.hpp"

#include "floe/base/error.hpp"
#include "floe/base/hash.hpp"
#include "values.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace floe {

namespace {

template <class T>
bool sameBits(std::span<const T> a, std::span<const T> b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

ValueRef throughStream(const Value& value)
{
    std::stringstream stream;
    writeValue(stream, value);
    return readValue(stream);
}

} // namespace

TEST(StoredValues, ComeBackBitForBit)
{
    const auto before = test::oneOfEach();
    const ValueRef read = throughStream(*before);
    const auto& after = expect<RecordValue>(read);
    EXPECT_TRUE(after.sealed());
    EXPECT_EQ(after.schema(), "test");
    ASSERT_EQ(after.fields().list().size(), before->fields().list().size());
    for (std::size_t i = 0; i < before->fields().list().size(); ++i) {
        EXPECT_EQ(after.fields().list()[i].name, before->fields().list()[i].name);
        EXPECT_EQ(after.fields().list()[i].value->kind(), before->fields().list()[i].value->kind());
    }
    const auto pair = [&]<class T>(const char* name, const T*) {
        return std::pair<const T&, const T&>(expect<T>(before->find(name)),
                                             expect<T>(after.find(name)));
    };
    EXPECT_EQ(after.number("number", 0), 0.1);
    const auto [v1, v2] = pair("vector", static_cast<VectorValue*>(nullptr));
    EXPECT_TRUE(
        sameBits(std::span<const double>(v1.vector()), std::span<const double>(v2.vector())));
    EXPECT_EQ(after.string("string"), before->string("string"));
    EXPECT_EQ(after.string("empty", "missing"), "");
    EXPECT_TRUE(after.boolean("boolean", false));
    const auto [t1, t2] = pair("transform", static_cast<TransformValue*>(nullptr));
    EXPECT_TRUE(sameBits(t1.keys(), t2.keys()));
    const auto [c1, c2] = pair("curve", static_cast<CurveValue*>(nullptr));
    EXPECT_TRUE(sameBits(c1.points(), c2.points()));
    const auto [m1, m2] = pair("mesh", static_cast<MeshValue*>(nullptr));
    EXPECT_TRUE(sameBits(m1.points(), m2.points()));
    EXPECT_TRUE(sameBits(m1.triangles(), m2.triangles()));
    EXPECT_TRUE(sameBits(m1.velocities(), m2.velocities()));
    EXPECT_TRUE(sameBits(m1.colours(), m2.colours()));
    EXPECT_EQ(m2.colours().size(), 9u);
    const auto [g1, g2] = pair("volume", static_cast<VolumeValue*>(nullptr));
    ASSERT_EQ(g1.gridBytes(), g2.gridBytes());
    EXPECT_EQ(std::memcmp(g1.grid(), g2.grid(), g1.gridBytes()), 0);
    const auto [i1, i2] = pair("image", static_cast<ImageValue*>(nullptr));
    EXPECT_EQ(i2.width(), 2u);
    EXPECT_TRUE(sameBits(i1.pixels(), i2.pixels()));
    const auto [p1, p2] = pair("particles", static_cast<ParticlesValue*>(nullptr));
    ASSERT_EQ(p2.attributes().size(), p1.attributes().size());
    for (std::size_t i = 0; i < p1.attributes().size(); ++i) {
        const Attribute& a = p1.attributes()[i];
        const Attribute& b = p2.attributes()[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.element, b.element);
        EXPECT_EQ(a.components, b.components);
        EXPECT_EQ(std::memcmp(a.data.data(), b.data.data(), a.data.bytes()), 0);
    }
    EXPECT_EQ(p2.fields().find("cellSize"), after.find("number")) << "shared before, shared after";
}

TEST(StoredValues, FollowEachOtherInOneStream)
{
    std::stringstream stream;
    stream << "before";
    writeValue(stream, *make<NumberValue>(1.0));
    writeValue(stream, *make<StringValue>("two"));
    stream << "after";
    stream.seekg(6);
    EXPECT_EQ(expect<NumberValue>(readValue(stream)).number(), 1);
    EXPECT_EQ(expect<StringValue>(readValue(stream)).string(), "two");
    std::string rest;
    stream >> rest;
    EXPECT_EQ(rest, "after");
}

// 2^50 paths through shared fields: written and read once each.
TEST(StoredValues, SharedFieldsAreStoredOnce)
{
    ValueRef value = make<NumberValue>(1.0);
    for (int i = 0; i < 50; ++i) {
        const auto outer = make<RecordValue>("pair");
        outer->setField("a", value);
        outer->setField("b", value);
        value = outer;
    }
    const std::string bytes = writeValue(*value);
    EXPECT_LT(bytes.size(), 5000u);
    EXPECT_EQ(readValue(std::as_bytes(std::span(bytes)))->totalBytes(), value->totalBytes());
}

TEST(StoredValues, InterfacesCannotBeStored)
{
    static const int table = 0;
    const auto record = make<RecordValue>("emitter");
    record->setField("source", make<InterfaceValue>("a/1", &table, nullptr, nullptr));
    EXPECT_FALSE(isStorable(*record));
    EXPECT_THROW(writeValue(*record), InputError);
    EXPECT_TRUE(isStorable(*test::oneOfEach()));
}

// Files of before meshes had colours are read still.
TEST(StoredValues, MeshesOfTheFirstVersionAreRead)
{
    std::string bytes;
    Hash hash;
    const auto put = [&](const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
        if (size > 0)
            hash = combine(hash, hashBytes(data, size));
    };
    const auto number = [&](auto value) {
        put(&value, sizeof value);
    };
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t triangle[] = {0, 1, 2};
    put("FLOEVALU", 8);
    number(std::uint32_t{1});
    number(std::uint32_t{1});
    number(static_cast<std::int32_t>(Kind::mesh));
    number(std::uint64_t{9});
    put(points, sizeof points);
    number(std::uint64_t{3});
    put(triangle, sizeof triangle);
    number(std::uint64_t{0});
    const Hash whole = hash;
    number(whole.high);
    number(whole.low);
    const ValueRef value = readValue(std::as_bytes(std::span(bytes)));
    const auto& mesh = expect<MeshValue>(value);
    EXPECT_TRUE(sameBits(mesh.points(), std::span<const float>(points)));
    EXPECT_TRUE(mesh.colours().empty());
}

TEST(StoredValues, OtherVersionsAndFilesAreNamed)
{
    std::string bytes = writeValue(*make<NumberValue>(1.0));
    std::string newer = bytes;
    newer[8] = 3;
    const auto reason = [](const std::string& text) {
        try {
            readValue(std::as_bytes(std::span(text)));
        } catch (const IoError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(reason(newer), testing::HasSubstr("of version 3"));
    EXPECT_THAT(reason("a text file of some length"), testing::HasSubstr("not a stored value"));
    EXPECT_THAT(reason(""), testing::HasSubstr("cut off"));
}

TEST(StoredValues, AFullDiskIsAnIoError)
{
    std::ostringstream stream;
    stream.setstate(std::ios::badbit);
    EXPECT_THROW(writeValue(stream, *make<NumberValue>(1.0)), IoError);
}

} // namespace floe
