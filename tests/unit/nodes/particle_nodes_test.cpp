#include "cooked_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace {

using namespace floe::test;
using floe::expect;
using floe::make;
using floe::ParticlesValue;
using floe::RecordValue;
using floe::Ref;
using floe::ValueRef;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Particles on the y axis at 0, 1, 2, ... with speed, id (from `firstId`) and material.
Ref<ParticlesValue> column(std::size_t count, std::uint64_t firstId = 100)
{
    auto particles = make<ParticlesValue>(count);
    const auto x = particles->add<float>("x", 3), v = particles->add<float>("v", 3);
    const auto id = particles->add<std::uint64_t>("id", 1);
    const auto material = particles->add<std::uint32_t>("material", 1);
    for (std::size_t i = 0; i < count; ++i) {
        x[3 * i] = x[3 * i + 2] = 0.25f;
        x[3 * i + 1] = static_cast<float>(i);
        v[3 * i] = 3;
        v[3 * i + 1] = 4;
        v[3 * i + 2] = static_cast<float>(i);
        id[i] = firstId + i;
        material[i] = 0;
    }
    return particles;
}

ValueRef sealed(const Ref<ParticlesValue>& particles)
{
    particles->seal();
    return particles;
}

const ParticlesValue& particlesOf(const CookedNode& node, const char* output = "particles")
{
    return expect<ParticlesValue>(node.outputs.at(output));
}

template <class Element = float>
std::vector<Element> all(const ParticlesValue& particles, const char* name, std::uint32_t n = 1)
{
    const auto values = particles.get<Element>(name, n);
    return {values.begin(), values.end()};
}

CookedNode filtered(const std::string& expression, const ValueRef& particles, Links links = {})
{
    links["particles"] = {particles};
    return cook("floe.particles.filter", {{"expression", expression}}, links, 25);
}

std::vector<std::uint64_t> keptIds(const std::string& expression, const ValueRef& particles)
{
    return all<std::uint64_t>(particlesOf(filtered(expression, particles), "kept"), "id");
}

TEST(FilterParticles, DividesByPositionAttributesAndTime)
{
    const ValueRef particles = sealed(column(6));
    EXPECT_THAT(keptIds("y > 3.5", particles), ElementsAre(104, 105));
    EXPECT_THAT(keptIds("v.z <= 1 && x == 0.25", particles), ElementsAre(100, 101));
    EXPECT_THAT(keptIds("id == 102 || index == 5", particles), ElementsAre(102, 105));
    EXPECT_THAT(keptIds("mod(id, 2)", particles), ElementsAre(101, 103, 105));
    EXPECT_THAT(keptIds("y < frame / 10", particles), ElementsAre(100, 101, 102));
    EXPECT_THAT(keptIds("y == floor(time) + 2", particles), ElementsAre(103)); // frame 25 of 24 fps
    EXPECT_THAT(keptIds("y * count / 6 == x.1", particles),
                ElementsAre(100, 101, 102, 103, 104, 105));
    EXPECT_THAT(keptIds("y == 0 / 0", particles), ElementsAre());
    EXPECT_THAT(keptIds("0 / 0", particles), ElementsAre());
    EXPECT_THAT(keptIds("length(v.x, v.y) == 5 && y < pi / 3", particles), ElementsAre(100, 101));

    const CookedNode node = filtered("y < 2", particles);
    EXPECT_THAT(all(particlesOf(node, "kept"), "x", 3),
                ElementsAre(0.25f, 0, 0.25f, 0.25f, 1, 0.25f));
    EXPECT_EQ(particlesOf(node, "rest").count(), 4u);
    EXPECT_THAT(all<std::uint64_t>(particlesOf(node, "rest"), "id"),
                ElementsAre(102, 103, 104, 105));
}

TEST(FilterParticles, UsesLinkedNumbersAndVectors)
{
    auto number = make<floe::NumberValue>(2.5);
    auto vector = make<floe::VectorValue>(Vec{0, 4.5, 0});
    number->seal();
    vector->seal();
    const CookedNode node = filtered("y > a && y < b.y", sealed(column(6)),
                                     {{"a", {ValueRef(number)}}, {"b", {ValueRef(vector)}}});
    EXPECT_THAT(all<std::uint64_t>(particlesOf(node, "kept"), "id"), ElementsAre(103, 104));
}

// More particles than one batch, to see that batches join.
TEST(FilterParticles, KeepsOrderOverManyBatches)
{
    const auto kept = keptIds("index >= 19998 || index == 9000", sealed(column(20000, 0)));
    EXPECT_THAT(kept, ElementsAre(9000, 19998, 19999));
}

TEST(FilterParticles, RefusesExpressionsThatAreNone)
{
    const ValueRef particles = sealed(column(3));
    const auto says = [&](const std::string& expression, const std::string& words) {
        EXPECT_THAT([&] { filtered(expression, particles); },
                    ThrowsMessage<std::exception>(HasSubstr(words)))
            << expression;
    };
    says("w > 1", "uses the unknown name 'w'; known are x, y, z, index");
    says("v > 1", "uses the unknown name 'v'"); // three numbers: which one?
    says("v.w > 1", "v.x .y .z");
    says("y = 1", "compare with '=='");
    says("y >", "cannot be read");
    says("", "is empty");
    says("foo(y)", "unknown function 'foo'");
    says("2 * (y + cosh2 (y))", "unknown function 'cosh2'");
    says("y, 1", "gives 2 numbers");
    says("noise(1, 2, 3, 4)", "noise takes one to three numbers");
    says("y; 1", "unexpected character ';'");
    says("\"y\"", "unexpected character");
    says(std::string(5000, '1'), "longer than 4096");
    says(std::string(65, '(') + "y" + std::string(65, ')'), "nested deeper than 64");
    says(std::string(64, '(') + "y" + std::string(63, ')'), "cannot be read");
    std::string many = "y";
    while (many.size() < 3900)
        many += ",y";
    says(many, "at most 64");
    // Long, but within the limits: as deep as muParser's own stack has to go.
    std::string tower = "y";
    while (tower.size() < 3900)
        tower += "^y";
    EXPECT_NO_THROW(filtered(tower, particles));
    std::string conditions = "1";
    while (conditions.size() < 3900)
        conditions = "y?y:" + conditions;
    EXPECT_NO_THROW(filtered(conditions, particles));
}

CookedNode withAttribute(const char* name, const char* expression, const ValueRef& particles)
{
    return cook("floe.particles.attribute", {{"attribute", name}, {"expression", expression}},
                {{"particles", {particles}}});
}

TEST(AttributeExpression, MakesNumbersAndVectors)
{
    const ValueRef particles = sealed(column(3));
    const CookedNode speed = withAttribute("speed", "length(v.x, v.y, v.z)", particles);
    EXPECT_THAT(
        all(particlesOf(speed), "speed"),
        ElementsAre(5, static_cast<float>(std::sqrt(26.0)), static_cast<float>(std::sqrt(29.0))));
    EXPECT_EQ(all(particlesOf(speed), "x", 3), all(*column(3), "x", 3)); // others stay
    EXPECT_EQ(all<std::uint64_t>(particlesOf(speed), "id"), all<std::uint64_t>(*column(3), "id"));
    const CookedNode turned = withAttribute("v", "-v.y, v.x, 2 * v.z", particles);
    EXPECT_THAT(all(particlesOf(turned), "v", 3), ElementsAre(-4, 3, 0, -4, 3, 2, -4, 3, 4));
}

TEST(AttributeExpression, KeepsTheTypeOfWhatItReplaces)
{
    const ValueRef particles = sealed(column(3));
    const CookedNode chosen = withAttribute("material", "y * 1.4 - 1", particles);
    EXPECT_THAT(all<std::uint32_t>(particlesOf(chosen), "material"),
                ElementsAre(0, 0, 2)); // -1, 0.4 and 1.8: clamped and rounded
    const CookedNode counted =
        withAttribute("id", "index < 1 ? -5 : index < 2 ? 7 : 1e300", particles);
    EXPECT_THAT(all<std::uint64_t>(particlesOf(counted), "id"),
                ElementsAre(0, 7, std::numeric_limits<std::uint64_t>::max()));
    EXPECT_THAT([&] { withAttribute("v", "1", particles); },
                ThrowsMessage<std::exception>(HasSubstr("'v' has 3 components")));
    EXPECT_THAT([&] { withAttribute("heat", "1 / y", particles); },
                ThrowsMessage<std::exception>(HasSubstr("for particle 0")));
    EXPECT_THAT([&] { withAttribute("", "1", particles); },
                ThrowsMessage<std::exception>(HasSubstr("")));
    EXPECT_EQ(particlesOf(withAttribute("heat", "7", sealed(column(0)))).count(), 0u);
}

ValueRef materialsOf(const std::string& name)
{
    auto record = make<RecordValue>("material");
    auto text = make<floe::StringValue>(name);
    text->seal();
    record->setField("name", text);
    record->seal();
    auto materials = make<RecordValue>("materials");
    materials->setField("0", record);
    materials->seal();
    return materials;
}

TEST(MergeParticles, KeepsAttributesMaterialsAndIdsApart)
{
    const auto snow = column(2), spray = column(2);
    const auto heat = snow->add<float>("heat", 1), F = spray->add<float>("F", 9);
    heat[0] = 1, heat[1] = 2;
    for (std::size_t i = 0; i < 18; ++i)
        F[i] = 2;
    snow->setField("materials", materialsOf("snow"));
    spray->setField("materials", materialsOf("spray"));
    const CookedNode node =
        cook("floe.particles.merge", {}, {{"particles", {sealed(snow), sealed(spray)}}});
    const ParticlesValue& merged = particlesOf(node);
    EXPECT_EQ(merged.count(), 4u);
    EXPECT_THAT(all(merged, "heat"), ElementsAre(1, 2, 0, 0));
    EXPECT_THAT(all<std::uint32_t>(merged, "material"), ElementsAre(0, 0, 1, 1));
    const auto& materials = expect<RecordValue>(merged.fields().find("materials"));
    EXPECT_EQ(expect<RecordValue>(materials.find("1")).string("name"), "spray");
    EXPECT_THAT(all<std::uint64_t>(merged, "id"), ElementsAre(200, 202, 201, 203));
    const auto deformation = all(merged, "F", 9); // none is the identity
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(deformation[i], i % 4 == 0 ? 1 : 0);
        EXPECT_EQ(deformation[18 + i], 2);
    }
    const CookedNode kept = cook("floe.particles.merge", {{"uniqueIds", false}},
                                 {{"particles", {sealed(column(2)), sealed(column(2))}}});
    EXPECT_THAT(all<std::uint64_t>(particlesOf(kept), "id"), ElementsAre(100, 101, 100, 101));
}

TEST(MergeParticles, RefusesWhatDoesNotFitTogether)
{
    const auto numbers = column(1), vectors = column(1);
    numbers->add<float>("heat", 1)[0] = 0;
    std::ranges::fill(vectors->add<float>("heat", 3), 0.0f);
    EXPECT_THAT(
        [&] {
            cook("floe.particles.merge", {}, {{"particles", {sealed(numbers), sealed(vectors)}}});
        },
        ThrowsMessage<std::exception>(HasSubstr("'heat' of different types")));
    const ValueRef last = sealed(column(1, ~std::uint64_t{0}));
    EXPECT_THAT(
        [&] {
            cook("floe.particles.merge", {}, {{"particles", {last, sealed(column(1))}}});
        },
        ThrowsMessage<std::exception>(HasSubstr("switch 'uniqueIds' off")));
}

TEST(ParticleFile, GivesWhatTheFileHoldsAndTheFilesOfASequence)
{
    serveFiles({{"a.ply", sealed(column(3))},
                {"p.0002.bgeo", sealed(column(2))},
                {"p.0003.bgeo", sealed(column(4))}});
    EXPECT_EQ(particlesOf(cook("floe.particles.file", {{"path", "a.ply"}})).count(), 3u);
    EXPECT_THROW(cook("floe.particles.file", {{"path", "b.ply"}}), std::exception);

    const auto count = [](Settings settings, double frame) {
        settings.emplace("path", "p.####.bgeo");
        settings.emplace("first", 2);
        settings.emplace("last", 3);
        return particlesOf(cook("floe.particles.sequence", settings, {}, frame)).count();
    };
    EXPECT_EQ(count({}, 1), 2u); // held
    EXPECT_EQ(count({}, 2), 2u);
    EXPECT_EQ(count({}, 3), 4u);
    EXPECT_EQ(count({}, 9), 4u);
    EXPECT_EQ(count({{"frameOffset", 1.0}}, 2), 4u);
    EXPECT_EQ(count({{"speed", 0.5}}, 5), 4u); // 2.5 is rounded up
    EXPECT_EQ(count({{"outside", "empty"}}, 1), 0u);
    EXPECT_EQ(count({{"outside", "empty"}}, 2), 2u);
    EXPECT_EQ(count({{"outside", "empty"}}, 4), 0u);
    EXPECT_THROW(count({{"speed", 100.0}, {"frameOffset", 1e12}}, 4), std::exception);
}

/// Eight in each direction, a quarter apart, with what `value` gives of their places.
template <class Value>
Ref<ParticlesValue> lattice(const Value& value)
{
    auto particles = make<ParticlesValue>(8 * 8 * 8);
    const auto x = particles->add<float>("x", 3), a = particles->add<float>("a", 1);
    for (int i = 0; i < 512; ++i) {
        const int at[3] = {i % 8, i / 8 % 8, i / 64};
        for (int axis = 0; axis < 3; ++axis)
            x[3 * static_cast<std::size_t>(i) + static_cast<std::size_t>(axis)] =
                0.25f * static_cast<float>(at[axis]) + 0.1f;
        a[static_cast<std::size_t>(i)] = static_cast<float>(value(at[0], at[1], at[2]));
    }
    return particles;
}

CookedNode blurred(const ValueRef& particles, double radius, int passes = 1,
                   const char* attribute = "a")
{
    return cook("floe.particles.blur",
                {{"attribute", attribute}, {"radius", radius}, {"passes", passes}},
                {{"particles", {particles}}});
}

TEST(BlurAttribute, KeepsWhatIsUniformAndTakesAwayGrain)
{
    const CookedNode same = blurred(sealed(lattice([](int, int, int) { return 3.5; })), 0.7, 3);
    for (const float a : all(particlesOf(same), "a"))
        EXPECT_FLOAT_EQ(a, 3.5f);
    const auto grain = [](int i, int j, int k) {
        return (i + j + k) % 2 ? 1 : -1;
    };
    float left = 0;
    for (const float a : all(particlesOf(blurred(sealed(lattice(grain)), 1)), "a"))
        left = std::max(left, std::fabs(a));
    EXPECT_LT(left, 0.05f);
    const CookedNode near = blurred(sealed(lattice(grain)), 0.01); // nobody else is there
    EXPECT_EQ(all(particlesOf(near), "a"), all(*lattice(grain), "a"));
    EXPECT_EQ(all(particlesOf(near), "x", 3), all(*lattice(grain), "x", 3));
}

TEST(BlurAttribute, KeepsASlopeInside)
{
    const CookedNode slope = blurred(sealed(lattice([](int i, int, int) { return i; })), 0.5);
    const auto a = all(particlesOf(slope), "a");
    for (std::size_t i = 2; i < 6; ++i)
        EXPECT_NEAR(a[i + 8 * 3 + 64 * 3], static_cast<float>(i), 0.3f) << i;
    EXPECT_GT(a[0], 0.1f); // at the end there is nobody on the other side
}

TEST(BlurAttribute, CountsParticlesByTheirMass)
{
    auto particles = make<ParticlesValue>(2);
    const auto x = particles->add<float>("x", 3), a = particles->add<float>("a", 2),
               mass = particles->add<float>("mass", 1);
    std::fill(x.begin(), x.end(), 0.0f);
    std::copy_n(std::array{0.0f, 2.0f, 4.0f, 6.0f}.begin(), 4, a.begin());
    mass[0] = 3;
    mass[1] = 1;
    EXPECT_THAT(all(particlesOf(blurred(sealed(particles), 1)), "a", 2), ElementsAre(1, 3, 1, 3));
}

TEST(BlurAttribute, SaysWhatItCannotDo)
{
    const ValueRef particles = sealed(column(3));
    EXPECT_THAT(
        [&] { blurred(particles, 1, 1, "heat"); },
        ThrowsMessage<std::exception>(HasSubstr("no attribute 'heat', only x, v, id, material")));
    EXPECT_THAT([&] { blurred(particles, 1, 1, "id"); },
                ThrowsMessage<std::exception>(HasSubstr("whole numbers")));
    EXPECT_THAT([&] { blurred(particles, 1e-8, 1, "v"); },
                ThrowsMessage<std::exception>(HasSubstr("enlarge it")));
    auto none = make<ParticlesValue>(0);
    EXPECT_EQ(particlesOf(blurred(sealed(none), 1)).count(), 0u);
}

} // namespace
