#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/data/scalars.hpp"
#include "floe/io/particles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace floe::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Random particles with one attribute of each type and of odd sizes; `id` counts from `firstId`.
Ref<const ParticlesValue> randomParticles(std::uint64_t count, std::uint64_t firstId = 0)
{
    std::mt19937 random(11);
    std::normal_distribution<float> number;
    const auto particles = make<ParticlesValue>(count);
    const auto fill = [&](const char* name, std::uint32_t components, float scale) {
        for (float& value : particles->add<float>(name, components))
            value = scale * number(random);
    };
    fill("x", 3, 2.0f);
    fill("v", 3, 5.0f);
    fill("F", 9, 1.0f);
    fill("pair", 2, 1e20f);
    for (float& value : particles->add<float>("volume", 1))
        value = 1e-3f * std::abs(number(random)) + 1e-6f;
    const auto ids = particles->add<std::uint64_t>("id", 1);
    std::iota(ids.begin(), ids.end(), firstId);
    for (std::uint8_t& value : particles->add<std::uint8_t>("state", 1))
        value = static_cast<std::uint8_t>(random() % 256);
    for (std::int32_t& value : particles->add<std::int32_t>("cell", 3))
        value = static_cast<std::int32_t>(random());
    for (std::uint32_t& value : particles->add<std::uint32_t>("material", 1))
        value = static_cast<std::uint32_t>(random());
    particles->setField("cellSize", make<NumberValue>(0.25));
    particles->seal();
    return particles;
}

/// Where each id is.
std::vector<std::size_t> orderOf(const Ref<const ParticlesValue>& particles, std::uint64_t firstId)
{
    const auto ids = particles->get<std::uint64_t>("id", 1);
    std::vector<std::size_t> order(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        order.at(ids[i] - firstId) = i;
    return order;
}

/// All attributes but x, byte for byte; x within `tolerance`.
void expectSame(const Ref<const ParticlesValue>& a, const Ref<const ParticlesValue>& b,
                std::uint64_t firstId, float tolerance)
{
    ASSERT_EQ(a->count(), b->count());
    ASSERT_EQ(b->get<std::uint64_t>("id", 1).size(), a->count());
    const auto from = orderOf(a, firstId), to = orderOf(b, firstId);
    for (const Attribute& attribute : a->attributes()) {
        const Attribute* other = b->find(attribute.name);
        ASSERT_NE(other, nullptr) << attribute.name;
        ASSERT_EQ(other->element, attribute.element) << attribute.name;
        ASSERT_EQ(other->components, attribute.components) << attribute.name;
        const std::size_t size = elementBytes(attribute.element) * attribute.components;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const char* p = static_cast<const char*>(attribute.data.data()) + from[i] * size;
            const char* q = static_cast<const char*>(other->data.data()) + to[i] * size;
            if (attribute.name != "x" || tolerance == 0)
                ASSERT_EQ(std::memcmp(p, q, size), 0) << attribute.name << " of " << i;
            else
                for (int k = 0; k < 3; ++k) {
                    float u = 0, w = 0;
                    std::memcpy(&u, p + 4 * k, 4);
                    std::memcpy(&w, q + 4 * k, 4);
                    ASSERT_NEAR(u, w, tolerance);
                }
        }
    }
}

std::string failure(const std::filesystem::path& path)
{
    try {
        readParticles(path);
    } catch (const IoError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Particles, CacheKeepsEverything)
{
    const test::TemporaryFolder folder;
    const auto particles = randomParticles(1000);
    writeParticles(folder / "a.floe", particles);
    const auto back = readParticles(folder / "a.floe");
    expectSame(particles, back, 0, 0);
    EXPECT_EQ(expect<NumberValue>(back->fields().find("cellSize")).number(), 0.25);
}

// Ids beyond 32 bits must survive formats that have no such numbers.
TEST(Particles, PlyKeepsEveryBit)
{
    const test::TemporaryFolder folder;
    for (const std::uint64_t firstId : {std::uint64_t(0), std::uint64_t(1) << 40}) {
        const auto particles = randomParticles(500, firstId);
        writeParticles(folder / "a.ply", particles);
        expectSame(particles, readParticles(folder / "a.ply"), firstId, 0);
    }
}

TEST(Particles, VdbKeepsAttributesByIdAndPositionsToRounding)
{
    const test::TemporaryFolder folder;
    for (const std::uint64_t count : {1, 2, 20000}) {
        const auto particles = randomParticles(count, 7);
        writeParticles(folder / "a.vdb", particles);
        // A position is stored as a float within its voxel: an error of some units in the last
        // place of the coordinate, which is below 16.
        expectSame(particles, readParticles(folder / "a.vdb"), 7, 4e-6f);
    }
}

TEST(Particles, NoneAreWrittenAndReadToo)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "a.ply", "a.bgeo", "a.floe"}) {
        writeParticles(folder / name, randomParticles(0));
        EXPECT_EQ(readParticles(folder / name)->count(), 0u) << name;
    }
}

TEST(Particles, BgeoKeepsEveryBitOfThirtyTwo)
{
    const test::TemporaryFolder folder;
    for (const std::uint64_t firstId : {std::uint64_t(5), std::uint64_t(1) << 40}) {
        const auto particles = randomParticles(300, firstId);
        writeParticles(folder / "a.bgeo", particles);
        const auto back = readParticles(folder / "a.bgeo");
        ASSERT_EQ(back->count(), 300u);
        for (const char* name : {"x", "v", "F", "pair", "volume", "id", "cell", "material"}) {
            const Attribute *a = particles->find(name), *b = back->find(name);
            ASSERT_NE(b, nullptr) << name;
            ASSERT_EQ(a->data.bytes(), b->data.bytes()) << name;
            EXPECT_EQ(std::memcmp(a->data.data(), b->data.data(), a->data.bytes()), 0) << name;
        }
        const auto states = particles->get<std::uint8_t>("state", 1);
        EXPECT_TRUE(std::ranges::equal(states, back->get<std::int32_t>("state", 1)));
    }
}

// Houdini 11's format as documented and as Partio reads it, byte by byte.
TEST(Particles, BgeoHasTheDocumentedBytes)
{
    const auto particles = make<ParticlesValue>(1);
    const auto x = particles->add<float>("x", 3);
    x[0] = 1, x[1] = 2, x[2] = -0.5f;
    particles->add<std::uint64_t>("id", 1)[0] = 258;
    const test::TemporaryFolder folder;
    writeParticles(folder / "a.bgeo", particles);
    const unsigned char expected[] = {
        'B',  'g',  'e', 'o', 'V',  0,   0, 0, 5, // version
        0,    0,    0,   1,   0,    0,   0, 0, 0,    0, 0, 0, 0,    0,
        0,    0, // points, primitives, groups of each
        0,    0,    0,   1,   0,    0,   0, 0, 0,    0, 0, 0, 0,    0,
        0,    0, // attributes of points and others
        0,    2,    'i', 'd', 0,    1,   0, 0, 0,    1, 0, 0, 0,    0, // name, size, int, default
        0x3f, 0x80, 0,   0,   0x40, 0,   0, 0, 0xbf, 0, 0, 0, 0x3f, 0x80,
        0,    0, // x y z w
        0,    0,    1,   2,   0,    0xff};
    EXPECT_EQ(readFile(folder / "a.bgeo"),
              std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST(Particles, OtherProgramsGetTheRadiusOfTheVolume)
{
    const auto particles = make<ParticlesValue>(1);
    std::ranges::fill(particles->add<float>("x", 3), 0);
    particles->add<float>("volume", 1)[0] = 4.18879020f; // 4/3 pi
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "a.bgeo"}) {
        writeParticles(folder / name, particles);
        EXPECT_NEAR(readParticles(folder / name)->get<float>("pscale", 1)[0], 1, 1e-6) << name;
    }
}

TEST(Particles, AnyPlyOfPointsIsRead)
{
    const test::TemporaryFolder folder;
    const auto path = folder.file(
        "scan.ply", "ply\nformat ascii 1.0\nelement camera 1\nproperty int a\nelement vertex 2\n"
                    "property float x\nproperty double y\nproperty float z\nproperty uchar red\n"
                    "property int id\nend_header\n7\n1 2 3 255 4\n-1 0 1e-3 0 5\n");
    const auto points = readParticles(path);
    EXPECT_THAT(points->get<float>("x", 3), ElementsAre(1, 2, 3, -1, 0, 1e-3f));
    EXPECT_THAT(points->get<std::uint8_t>("red", 1), ElementsAre(255, 0));
    EXPECT_THAT(points->get<std::uint64_t>("id", 1), ElementsAre(4, 5));
}

// A second opinion: OpenVDB's own tool must find a point grid.
TEST(Particles, OpenVdbsToolUnderstandsOurFile)
{
    if (std::system("vdb_print -version > /dev/null 2>&1") != 0)
        GTEST_SKIP() << "vdb_print (package libopenvdb-tools) is not installed";
    const test::TemporaryFolder folder;
    writeParticles(folder / "a.vdb", randomParticles(1234));
    const std::string command =
        "vdb_print -m " + (folder / "a.vdb").string() + " > " + (folder / "out.txt").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string text = readFile(folder / "out.txt");
    EXPECT_THAT(text, AllOf(HasSubstr("name: points"), HasSubstr("ptdataidx32")));
}

TEST(Particles, BrokenFilesSayWhatIsWrong)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "a.ply", "a.bgeo", "a.floe"}) {
        writeParticles(folder / name, randomParticles(100));
        const std::string bytes = readFile(folder / name);
        const std::string cut = std::string("cut_") + name;
        EXPECT_THAT(failure(folder.file(cut, bytes.substr(0, bytes.size() / 2))), HasSubstr(cut));
        EXPECT_THAT(failure(folder.file(cut, "hello, no particles are in here")), HasSubstr(cut));
        EXPECT_THAT(failure(folder.file(cut, "")), HasSubstr(cut));
    }
    EXPECT_THAT(failure(folder / "missing.vdb"), HasSubstr("missing.vdb"));
    EXPECT_THAT(failure(folder / "a.abc"), HasSubstr("use .vdb"));
}

TEST(Particles, PositionsThatAreNotFiniteAreNotWrittenAsVdb)
{
    const auto particles = make<ParticlesValue>(2);
    const auto x = particles->add<float>("x", 3);
    std::ranges::fill(x, 0.0f);
    x[4] = std::nanf("");
    const test::TemporaryFolder folder;
    EXPECT_THROW(writeParticles(folder / "a.vdb", particles), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.vdb"));
    EXPECT_THROW(writeParticles(folder / "a.vdb", make<ParticlesValue>(3)), InputError);
}

/// The data of an array of an .npz file, which is not compressed; empty when it is not there.
std::string arrayOf(const std::string& bytes, const std::string& name)
{
    const std::string entry = "PK\x03\x04";
    for (std::size_t at = bytes.find(entry); at != std::string::npos;
         at = bytes.find(entry, at + 1)) {
        const std::string file = name + ".npy";
        if (bytes.compare(at + 30, file.size(), file) != 0)
            continue;
        std::uint32_t size = 0;
        std::memcpy(&size, bytes.data() + at + 18, 4);
        return bytes.substr(at + 30 + file.size(), size);
    }
    return {};
}

TEST(Particles, BecomeArraysOfNumPy)
{
    const auto particles = randomParticles(20, 1ull << 60);
    const test::TemporaryFolder folder;
    writeParticles(folder / "a.npz", particles);
    const std::string bytes = readFile(folder / "a.npz");
    const auto holds = [&](const char* name, const char* header, const void* data,
                           std::size_t size) {
        const std::string array = arrayOf(bytes, name);
        EXPECT_EQ((array.size() - size) % 64, 0u) << name; // aligned
        EXPECT_THAT(array.substr(0, array.size() - size), HasSubstr(header));
        EXPECT_EQ(std::memcmp(array.data() + array.size() - size, data, size), 0) << name;
    };
    holds("x", "'descr': '<f4', 'fortran_order': False, 'shape': (20,3,)",
          particles->get<float>("x", 3).data(), 240);
    holds("id", "'<u8', 'fortran_order': False, 'shape': (20,)",
          particles->get<std::uint64_t>("id", 1).data(), 160);
    holds("state", "'|u1'", particles->get<std::uint8_t>("state", 1).data(), 20);
    const double cell = 0.25;
    holds("cellSize", "'<f8', 'fortran_order': False, 'shape': ()", &cell, 8);
    writeParticles(folder / "b.npz", particles);
    EXPECT_EQ(readFile(folder / "b.npz"), bytes);
}

// Text for other programs: every bit of a float in nine digits, and no word that JSON lacks.
TEST(Particles, BecomeJson)
{
    const auto particles = randomParticles(20, 1ull << 60);
    const test::TemporaryFolder folder;
    writeParticles(folder / "a.json", particles);
    const Json json = loadJson(folder / "a.json");
    EXPECT_EQ(json["count"], 20);
    const auto x = particles->get<float>("x", 3);
    const auto id = particles->get<std::uint64_t>("id", 1);
    for (std::size_t i = 0; i < 20; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_EQ(json["attributes"]["x"][i][axis].get<float>(), x[3 * i + axis]);
        EXPECT_EQ(json["attributes"]["id"][i].get<std::uint64_t>(), id[i]);
        EXPECT_EQ(json["attributes"]["F"][i].size(), 9u);
    }
    const auto broken = make<ParticlesValue>(1);
    broken->add<float>("x", 3)[1] = std::nanf("");
    broken->seal();
    writeParticles(folder / "b.json", broken);
    EXPECT_TRUE(loadJson(folder / "b.json")["attributes"]["x"][0][1].is_null());
}

} // namespace
} // namespace floe::io
