#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/compute/memory.hpp"
#include "floe/io/mesh.hpp"
#include "floe/io/srgb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

namespace floe::io {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// The message of the IoError that reading `content` gives.
std::string failure(const std::string& name, const std::string& content)
{
    const test::TemporaryFolder folder;
    try {
        readMesh(folder.file(name, content));
    } catch (const IoError& error) {
        return error.what();
    }
    return "no error";
}

Ref<const MeshValue> read(const std::string& name, const std::string& content)
{
    const test::TemporaryFolder folder;
    return readMesh(folder.file(name, content));
}

Ref<MeshValue> randomMesh(std::uint32_t points, std::uint32_t triangles)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-30, 30);
    std::vector<float> positions, velocities;
    for (std::uint32_t i = 0; i < 3 * points; ++i) {
        positions.push_back(std::ldexp(mantissa(random), exponent(random)));
        velocities.push_back(mantissa(random));
    }
    std::vector<std::uint32_t> corners;
    std::uniform_int_distribution<std::uint32_t> index(0, points - 1);
    for (std::uint32_t i = 0; i < 3 * triangles; ++i)
        corners.push_back(index(random));
    return make<MeshValue>(positions, corners, velocities);
}

double area(const MeshValue& mesh)
{
    double sum = 0;
    for (std::size_t i = 0; i < mesh.triangles().size(); i += 3) {
        std::array<const float*, 3> p;
        for (int k = 0; k < 3; ++k)
            p[k] = &mesh.points()[3 * mesh.triangles()[i + k]];
        std::array<double, 3> a, b;
        for (int k = 0; k < 3; ++k) {
            a[k] = p[1][k] - p[0][k];
            b[k] = p[2][k] - p[0][k];
        }
        sum += 0.5 * std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}

TEST(Mesh, ObjAndPlyKeepEveryBit)
{
    const test::TemporaryFolder folder;
    const auto mesh = randomMesh(500, 900);
    for (const char* name : {"deep/er/mesh.obj", "mesh.PLY"}) {
        writeMesh(folder / name, *mesh);
        const auto back = readMesh(folder / name);
        EXPECT_THAT(back->points(), ElementsAreArray(mesh->points())) << name;
        EXPECT_THAT(back->triangles(), ElementsAreArray(mesh->triangles())) << name;
    }
    EXPECT_THAT(readMesh(folder / "mesh.PLY")->velocities(), ElementsAreArray(mesh->velocities()));
}

// As the field's tools write them: a byte a colour, as screens show it.
TEST(Mesh, PlyKeepsColoursToAByte)
{
    const test::TemporaryFolder folder;
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t triangle[] = {0, 1, 2};
    const float colours[] = {0, 0.2140411f, 1, 0.03f, 0.5f, 0.7f, 1, 0, 0.001f};
    writeMesh(folder / "mesh.ply", *make<MeshValue>(points, triangle, points, colours));
    const auto back = readMesh(folder / "mesh.ply");
    EXPECT_THAT(back->velocities(), ElementsAreArray(points));
    ASSERT_EQ(back->colours().size(), 9u);
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(linearToSrgb(back->colours()[i]), linearToSrgb(colours[i]), 0.51 / 255) << i;
}

TEST(Mesh, PlyTakesColoursOfOtherTypes)
{
    const test::TemporaryFolder folder;
    const auto read = [&](const std::string& type, const std::string& colour) {
        std::ofstream(folder / "mesh.ply")
            << "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
               "property float z\nproperty " +
                   type + " red\nproperty " + type + " green\nproperty " + type +
                   " blue\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
            << "0 0 0 " + colour + "\n1 0 0 " + colour + "\n0 1 0 " + colour + "\n3 0 1 2\n";
        const auto mesh = readMesh(folder / "mesh.ply");
        const auto colours = mesh->colours();
        return std::vector<float>(colours.begin(), colours.begin() + 3);
    };
    for (const auto& [type, colour] : {std::pair{"ushort", "0 65535 65535"},
                                       std::pair{"float", "0 1 1"}, std::pair{"float", "-3 7 1"}}) {
        EXPECT_THAT(read(type, colour), ElementsAre(0, 1, 1)) << type << colour;
    }
    EXPECT_NEAR(read("double", "0.5 0.5 0.5")[1], 0.2140411, 1e-6);
    EXPECT_THAT(read("float", "nan 1 1"), ElementsAre(0, 1, 1));
}

// STL has no shared points: what must survive is each triangle's corners, in order.
TEST(Mesh, StlKeepsTheCornersOfEachTriangleAndWeldsEqualOnes)
{
    const test::TemporaryFolder folder;
    const auto mesh = randomMesh(100, 400);
    writeMesh(folder / "mesh.stl", *mesh);
    const auto back = readMesh(folder / "mesh.stl");
    ASSERT_EQ(back->triangles().size(), mesh->triangles().size());
    EXPECT_LE(back->points().size(), mesh->points().size());
    for (std::size_t i = 0; i < mesh->triangles().size(); ++i)
        for (int k = 0; k < 3; ++k)
            ASSERT_EQ(back->points()[3 * back->triangles()[i] + k],
                      mesh->points()[3 * mesh->triangles()[i] + k]);
}

TEST(Mesh, ObjUnderstandsWhatProgramsWrite)
{
    const auto mesh = read("a.obj", "# comment\r\nmtllib a.mtl\r\no thing\r\n"
                                    "v 0 0 0 1 0 0\r\nv +1 0 0\r\nv 1. 1e0 0\r\nvn 0 0 1\r\n"
                                    "vt 0 0\r\nv 0 1 0\r\n\r\ns off\r\nusemtl red\r\n"
                                    "f 1/1/1 2/1/1 3/1/1\r\nf -4//1 -2 -1\r\nl 1 2\r\n"
                                    "f 1 2 \\\r\n3\r\n");
    EXPECT_EQ(mesh->points().size(), 12u);
    EXPECT_THAT(mesh->triangles(), ElementsAre(0, 1, 2, 0, 2, 3, 0, 1, 2));
}

// An L of area 3 whose reflex corner a fan from the first corner would cut across.
TEST(Mesh, ConcavePolygonsKeepTheirOutline)
{
    const char* corners[] = {"v 1 0 0\n", "v 1 0 1\n", "v 0 0 1\n",
                             "v 0 0 2\n", "v 2 0 2\n", "v 2 0 0\n"};
    for (int first = 0; first < 6; ++first) {
        std::string text;
        for (int i = 0; i < 6; ++i)
            text += corners[(first + i) % 6];
        const auto mesh = read("l.obj", text + "f 1 2 3 4 5 6\n");
        EXPECT_EQ(mesh->triangles().size(), 12u);
        EXPECT_NEAR(area(*mesh), 3, 1e-9) << "starting at corner " << first;
    }
}

TEST(Mesh, FacesMayComeBeforeTheirVertices)
{
    EXPECT_EQ(read("a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n")->triangles().size(), 3u);
}

TEST(Mesh, BrokenObjNamesTheLine)
{
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nv 1 x 0\n"),
                testing::AllOf(HasSubstr("a.obj"), HasSubstr("line 2"), HasSubstr("'x'")));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nv 1 0\n"), HasSubstr("line 2"));
    EXPECT_THAT(failure("a.obj", "v 0 0 nan\n"), HasSubstr("finite"));
    EXPECT_THAT(failure("a.obj", "v 0 0 1e60\n"), HasSubstr("finite"));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\n\nf 1 1 9\n"), HasSubstr("line 3"));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nf 1 1 -2\n"), HasSubstr("line 2"));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nf 0 0 0\n"), HasSubstr("index 0"));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n"), HasSubstr("line 2"));
    EXPECT_THAT(failure("a.obj", "v 0 0 0\nf 1 1\n"), HasSubstr("three corners"));
    EXPECT_THAT(failure("a.obj", ""), HasSubstr("no vertices"));
    EXPECT_THAT(failure("a.obj", std::string("\0\1\2", 3)), HasSubstr("not a text file"));
    EXPECT_THAT(failure("a.fbx", "v 0 0 0\n"), HasSubstr("use .obj"));
}

TEST(Mesh, PlyTextAndBigEndianAreTheSameMesh)
{
    const std::string body = "element vertex 4\nproperty double x\nproperty float y\n"
                             "property float z\nproperty uchar red\nelement face 1\n"
                             "property list uchar int vertex_index\nend_header\n";
    const auto text = read("t.ply", "ply\nformat ascii 1.0\ncomment hand made\n" + body +
                                        "0 0 0 9\n1 0 0 9\n1 1.5 0 9 0\n1 -2 9\n4 0 1 2 3\n");
    std::string binary = "ply\nformat binary_big_endian 1.0\n" + body;
    const auto append = [&](auto value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        binary.append(std::make_reverse_iterator(bytes + sizeof value),
                      std::make_reverse_iterator(bytes + 0));
    };
    const float points[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1.5f, 0}, {0, 1, -2}};
    for (const auto& p : points) {
        append(double(p[0]));
        append(p[1]);
        append(p[2]);
        binary += '\11';
    }
    binary += '\4';
    for (int i = 0; i < 4; ++i)
        append(i);
    const auto big = read("b.ply", binary);
    EXPECT_THAT(text->points(), ElementsAre(0, 0, 0, 1, 0, 0, 1, 1.5f, 0, 0, 1, -2));
    EXPECT_EQ(text->triangles().size(), 6u);
    EXPECT_THAT(big->points(), ElementsAreArray(text->points()));
    EXPECT_THAT(big->triangles(), ElementsAreArray(text->triangles()));
}

TEST(Mesh, BrokenPlySaysWhy)
{
    const std::string vertex = "property float x\nproperty float y\nproperty float z\n";
    const std::string face = "property list uchar int vertex_indices\nend_header\n";
    const std::string head = "ply\nformat ascii 1.0\nelement vertex ";
    EXPECT_THAT(failure("a.ply", "plywood"), HasSubstr("not a PLY"));
    EXPECT_THAT(failure("a.ply", head + "4000000000\n" + vertex + "element face 1\n" + face + "0"),
                HasSubstr("cut off"));
    EXPECT_THAT(failure("a.ply", head + "-1\n"), HasSubstr("line 3"));
    EXPECT_THAT(failure("a.ply", head + "1\n" + vertex + "end_header\n0 0 0\n"),
                HasSubstr("cloud of points"));
    EXPECT_THAT(
        failure("a.ply", head + "1\n" + vertex + "element face 1\n" + face + "0 0 0\n3 0 0 1\n"),
        HasSubstr("not there"));
    EXPECT_THAT(failure("a.ply", head + "1\n" + vertex + "element face 1\n" + face +
                                     "0 0 0\n2000000 0 0 1\n"),
                HasSubstr("longer than the file"));
    EXPECT_THAT(failure("a.ply", head + "1\n" + vertex), HasSubstr("no end"));
}

TEST(Mesh, StlTextIsRead)
{
    const auto mesh = read("a.stl", "solid a\n facet normal 0 0 1\n  outer loop\n"
                                    "   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 -0\n"
                                    "  endloop\n endfacet\n facet normal 0 0 1\n outer loop\n"
                                    "   vertex 1 0 0\n   vertex 1 1 0\n   vertex 0 1 0\n"
                                    "  endloop\n endfacet\nendsolid a\n");
    EXPECT_EQ(mesh->points().size(), 12u);
    EXPECT_EQ(mesh->triangles().size(), 6u);
    EXPECT_THAT(failure("a.stl", "solid a\nvertex 1 2 3\n"), HasSubstr("cut off"));
    EXPECT_THAT(failure("a.stl", std::string(80, 'x') + std::string("\xff\xff\xff\x7f", 4)),
                HasSubstr("cut off"));
}

/// How often reading a file asks whether to stop before it does, told to at the `last` time.
int asksBeforeStopping(const std::string& name, const std::string& content, int last)
{
    const test::TemporaryFolder folder;
    const auto path = folder.file(name, content);
    int asked = 0;
    EXPECT_THROW(readMesh(path, [&] { return ++asked == last; }), CancelledError) << name;
    return asked;
}

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

// About 1 MiB is taken into memory at once: what asks again is the parser.
TEST(Mesh, ReadingStopsWhenAsked)
{
    constexpr int kRows = 25000;
    std::string binary(80, ' ');
    binary.append("\xa8\x61\0\0", 4); // 25000
    binary.append(50 * kRows, '\0');
    const std::string count = std::to_string(4 * kRows);
    const std::string head = "element vertex " + count +
                             "\nproperty float x\nproperty float y\nproperty float z\n"
                             "element face 1\nproperty list uint uint vertex_indices\nend_header\n";
    for (const auto& [name, content] : std::initializer_list<std::pair<const char*, std::string>>{
             {"a.obj", repeated("v 0.000000001 0.000000001 0.000000001 \n", kRows)},
             {"a.stl", binary},
             {"text.stl", "solid\n" + repeated("vertex 0.00000001 0.00000001 0.0000001\n", kRows)},
             {"a.ply",
              "ply\nformat binary_little_endian 1.0\n" + head + std::string(4 * 12 * kRows, '\0')},
             {"text.ply", "ply\nformat ascii 1.0\n" + head + repeated("0.0 0.0 0.0\n", 4 * kRows)}})
        EXPECT_EQ(asksBeforeStopping(name, content, 5), 5) << name;
}

// A file of some kilobytes may hold polygons whose triangulation takes long.
TEST(Mesh, TriangulationStopsWhenAsked)
{
    std::string star, face = "f";
    for (int i = 0; i < 1000; ++i) {
        const double radius = i % 2 ? 1 : 0.01, angle = i * 6.283185307179586 / 1000;
        star += "v " + std::to_string(radius * std::cos(angle)) + " " +
                std::to_string(radius * std::sin(angle)) + " 0\n";
        face += " " + std::to_string(i + 1);
    }
    EXPECT_EQ(asksBeforeStopping("star.obj", star + face + "\n", 4), 4);
}

TEST(Mesh, AFileWithoutLinesIsNotText)
{
    const test::TemporaryFolder folder;
    folder.file("a.obj", "v 0 0 0\n");
    std::filesystem::resize_file(folder / "a.obj", 80u << 20);
    EXPECT_THAT(([&] {
                    try {
                        readMesh(folder / "a.obj");
                    } catch (const IoError& error) {
                        return std::string(error.what());
                    }
                    return std::string();
                })(),
                HasSubstr("more than 64 MiB"));
}

// Neither may a file take more than the run may: it is refused before it is read.
TEST(Mesh, AFileLargerThanMemoryAllowsIsRefused)
{
    const test::TemporaryFolder folder;
    folder.file("large.obj", "v 0 0 0\n");
    std::filesystem::resize_file(folder / "large.obj", 64u << 20);
    compute::setHostMemoryLimit(compute::hostBytes() + (64u << 20));
    EXPECT_THROW(readMesh(folder / "large.obj"), MemoryError);
    compute::setHostMemoryLimit(0);
    EXPECT_EQ(compute::hostBytes(), 0u);
}

} // namespace
} // namespace floe::io
