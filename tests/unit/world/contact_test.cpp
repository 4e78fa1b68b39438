#include "floe/sdk/world/collider.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::sdk::world {

namespace {

constexpr Vec3f kUp{0, 1, 0};

void expect(const Vec3f& v, float x, float y)
{
    EXPECT_NEAR(v.x, x, 1e-6f);
    EXPECT_NEAR(v.y, y, 1e-6f);
    EXPECT_EQ(v.z, 0);
}

} // namespace

TEST(ContactLaw, EachKindDoesWhatItSays)
{
    expect(contactVelocity({1, -2, 0}, kUp, Contact::open, 1), 1, -2);
    expect(contactVelocity({1, 2, 0}, kUp, Contact::stick, 0), 0, 0);
    expect(contactVelocity({1, 2, 0}, kUp, Contact::slip, 0), 1, 0);
    expect(contactVelocity({1, 2, 0}, kUp, Contact::separate, 0.5f), 1, 2);     // leaves
    expect(contactVelocity({2, -1, 0}, kUp, Contact::separate, 0.5f), 1.5f, 0); // 2 - 0.5 * 1
    expect(contactVelocity({0.2f, -1, 0}, kUp, Contact::separate, 0.5f), 0, 0); // not reversed
    expect(contactVelocity({2, -1, 0}, kUp, Contact::separate, 0), 2, 0);
}

TEST(ContactLaw, WhereThereIsNoWayOutOnlyTheSurfacesVelocityIsRight)
{
    const SurfacePoint deep{-1, {0, 0, 0}, {3, 4, 0}};
    for (const Contact contact : {Contact::slip, Contact::stick, Contact::separate})
        expect(contactVelocity({-7, 1, 0}, deep, contact, 0.3f), 3, 4);
}

TEST(ContactLaw, IsThatOfTheMovingSurfacesOwnFrame)
{
    const SurfacePoint rising{-0.01f, kUp, {5, 2, 0}};
    expect(contactVelocity({6, 1, 0}, rising, Contact::slip, 0), 6, 2);
    expect(contactVelocity({6, 1, 0}, rising, Contact::separate, 0.25f), 5.75f, 2); // 1 - 0.25 * 1
    expect(bouncedVelocity({6, 1, 0}, rising), 6, 3);
    expect(bouncedVelocity({6, 2.5f, 0}, rising), 6, 2.5f); // leaves
}

TEST(ApplyContact, LeavesNodesOutsideAlone)
{
    PointBatch nodes;
    ColliderSample sample;
    nodes.count = 3;
    const float distance[] = {-0.1f, 0, 0.1f};
    for (int i = 0; i < 3; ++i) {
        nodes.setVelocity(i, {1, -1, 0});
        sample.set(i, {distance[i], kUp, {0, 0, 0}});
    }
    applyContact(sample, Contact::stick, 0, nodes);
    expect(nodes.velocity(0), 0, 0);
    expect(nodes.velocity(1), 0, 0);
    expect(nodes.velocity(2), 1, -1);
}

} // namespace floe::sdk::world
