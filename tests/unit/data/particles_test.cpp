// Particles: attributes by name, checked on the way in.
#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace floe {

TEST(Particles, HoldAttributesByName)
{
    const auto particles = make<ParticlesValue>(3u);
    const std::span<float> x = particles->add<float>("x", 3);
    ASSERT_EQ(x.size(), 9u);
    x[8] = 2.5f;
    const std::uint64_t ids[] = {5, 6, 7};
    particles->copyIn<std::uint64_t>("id", 1, ids);
    particles->setField("cellSize", make<NumberValue>(0.1));
    EXPECT_EQ(particles->get<float>("x", 3)[8], 2.5f);
    EXPECT_EQ(particles->get<std::uint64_t>("id", 1)[2], 7u);
    EXPECT_TRUE(particles->get<float>("x", 1).empty()) << "another size";
    EXPECT_TRUE(particles->get<std::int32_t>("x", 3).empty()) << "another type";
    EXPECT_TRUE(particles->get<float>("v", 3).empty()) << "not there";
    EXPECT_GE(particles->bytes(), 9 * 4 + 3 * 8u);
    EXPECT_NE(particles->fields().find("cellSize"), nullptr);
}

TEST(Particles, MayBeNone)
{
    const auto none = make<ParticlesValue>(0u);
    EXPECT_NE(none->add("x", Element::float32, 3), nullptr);
    EXPECT_EQ(none->attributes().size(), 1u);
}

TEST(Particles, RefuseWhatDoesNotFit)
{
    const auto particles = make<ParticlesValue>(3u);
    const float two[] = {1, 2};
    EXPECT_THROW(particles->copyIn<float>("J", 1, two), InputError);
    EXPECT_THROW(particles->add("x", static_cast<Element>(0), 3), InputError);
    EXPECT_THROW(particles->add("x", Element::float32, 65), InputError);
    particles->add("x", Element::float32, 3);
    EXPECT_THROW(particles->add("x", Element::float32, 3), InputError);
    particles->seal();
    EXPECT_THROW(particles->add("v", Element::float32, 3), InputError);
    EXPECT_THROW(particles->setField("a", make<NumberValue>(1.0)), InputError);
    EXPECT_THROW(make<ParticlesValue>(1ull << 60)->add("x", Element::float32, 16), MemoryError);
}

// One array, which lives as long as one of those that hold it.
TEST(Particles, ShareAnArrayWithoutACopy)
{
    Ref<ParticlesValue> first = make<ParticlesValue>(3u);
    const std::span<float> colours = first->add<float>("sh", 3);
    std::ranges::fill(colours, 0.25f);
    const auto second = make<ParticlesValue>(3u);
    second->share("sh", *first);
    EXPECT_THROW(first->add<float>("v", 3), InputError) << "it was handed on";
    EXPECT_EQ(second->get<float>("sh", 3).data(), colours.data());
    EXPECT_EQ(second->find("sh")->data.serial(), first->find("sh")->data.serial());
    EXPECT_EQ(second->bytes(), first->bytes());
    const std::uint64_t serial = first->find("sh")->data.serial();
    first = nullptr;
    EXPECT_EQ(second->get<float>("sh", 3)[8], 0.25f);

    const auto third = make<ParticlesValue>(3u);
    third->add<float>("v", 3);
    EXPECT_NE(third->find("v")->data.serial(), serial);
    EXPECT_THROW(third->share("x", *second), InputError) << "not there";
    EXPECT_THROW(third->share("v", *third), InputError) << "there already";
    EXPECT_THROW(make<ParticlesValue>(4u)->share("sh", *second), InputError) << "more";
    third->seal();
    EXPECT_THROW(third->share("sh", *second), InputError);
}

TEST(Particles, InHostMemoryAlreadyAreNotCopied)
{
    const Ref<const ParticlesValue> particles = make<ParticlesValue>(3u);
    EXPECT_EQ(inHostMemory(particles), particles);
}

} // namespace floe
