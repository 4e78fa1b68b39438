#include "files/file.hpp"
#include "random_set.hpp"

#include "floe/sdk/node.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#ifdef FLOE_GAUSSIANS_SPZ
#include <zlib.h>
#endif

namespace floe::gaussians {
namespace {

using test::randomSet;
using ::testing::HasSubstr;

constexpr auto kNothing = [] {
};

/// Bytes of values, one after the other.
template <class... T>
std::string bytesOf(const T&... values)
{
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return bytes;
}

std::string plyHeader(const std::string& format, const std::string& body)
{
    return "ply\nformat " + format + " 1.0\ncomment by hand\n" + body + "end_header\n";
}

const char* const kProperties =
    "property float x\nproperty float y\nproperty float z\nproperty float f_dc_0\n"
    "property float f_dc_1\nproperty float f_dc_2\nproperty float opacity\n"
    "property float scale_0\nproperty float scale_1\nproperty float scale_2\n"
    "property float rot_0\nproperty float rot_1\nproperty float rot_2\nproperty float rot_3\n";

class Files : public ::testing::Test {
protected:
    GaussianSet read(const std::string& name, const std::string& bytes)
    {
        return readGaussians(folder_.file(name, bytes), kNothing).set;
    }
    std::string failure(const std::string& name, const std::string& bytes)
    {
        try {
            read(name, bytes);
        } catch (const sdk::Failure& fault) {
            EXPECT_EQ(fault.status(), FLOE_IO_FAILED);
            EXPECT_THAT(fault.what(), HasSubstr(name));
            return fault.what();
        }
        return "no failure";
    }
    GaussianSet roundTrip(const std::string& name, const GaussianSet& set)
    {
        const std::string path = (folder_.path() / name).string();
        writeGaussians(path, set, kNothing);
        return readGaussians(path, kNothing).set;
    }

    floe::test::TemporaryFolder folder_;
};

void expectNear(const std::vector<float>& found, const std::vector<float>& expected, double share,
                double absolute, const char* what)
{
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], share * std::abs(expected[i]) + absolute)
            << what << ' ' << i;
}

/// Rotations agree up to their sign.
void expectSameRotations(const GaussianSet& found, const GaussianSet& expected, double tolerance)
{
    for (std::size_t i = 0; i < expected.count(); ++i) {
        double cosine = 0;
        for (std::size_t k = 0; k < 4; ++k)
            cosine += found.rotation[4 * i + k] * expected.rotation[4 * i + k];
        ASSERT_NEAR(std::abs(cosine), 1, tolerance) << i;
    }
}

TEST_F(Files, PlyKeepsAllOfASet)
{
    for (int degree = 0; degree <= 3; ++degree) {
        const GaussianSet set = randomSet(1000, degree);
        const GaussianSet back = roundTrip("a.ply", set);
        EXPECT_EQ(back.degree, degree);
        EXPECT_EQ(back.x, set.x);
        EXPECT_EQ(back.sh, set.sh);
        EXPECT_EQ(back.rotation, set.rotation);
        // Through a logarithm and back, in single precision: the file's numbers are below 8 and
        // exact to 2^-22, and an opacity near 1 changes by less than its logit.
        expectNear(back.scale, set.scale, 1e-6, 0, "scale");
        expectNear(back.opacity, set.opacity, 0, 1e-6, "opacity");
    }
}

// By hand, as the reference implementation's save_ply lays it out.
TEST_F(Files, PlyHoldsLogarithmsLogitsAndChannelsOneAfterTheOther)
{
    std::string rest;
    for (int i = 0; i < 9; ++i)
        rest += "property float f_rest_" + std::to_string(i) + "\n";
    std::string row = bytesOf(1.f, 2.f, 3.f, 0.1f, 0.2f, 0.3f, 0.f, std::log(0.5f), std::log(0.25f),
                              std::log(2.f), 0.5f, 0.5f, -0.5f, 0.5f);
    for (int i = 0; i < 9; ++i)
        row += bytesOf(static_cast<float>(i));
    const GaussianSet set =
        read("a.ply", plyHeader("binary_little_endian",
                                "element vertex 1\n" + std::string(kProperties) + rest) +
                          row);
    ASSERT_EQ(set.count(), 1u);
    EXPECT_EQ(set.degree, 1);
    EXPECT_THAT(set.x, ::testing::ElementsAre(1, 2, 3));
    EXPECT_THAT(set.scale,
                ::testing::ElementsAre(::testing::FloatEq(0.5f), ::testing::FloatEq(0.25f),
                                       ::testing::FloatEq(2)));
    EXPECT_FLOAT_EQ(set.opacity[0], 0.5f);
    EXPECT_THAT(set.rotation, ::testing::ElementsAre(0.5f, -0.5f, 0.5f, 0.5f)); // x, y, z, w
    // f_rest: red 0 1 2, green 3 4 5, blue 6 7 8; here coefficient by coefficient.
    EXPECT_THAT(set.sh, ::testing::ElementsAre(0.1f, 0.2f, 0.3f, 0, 3, 6, 1, 4, 7, 2, 5, 8));
    EXPECT_TRUE(readGaussians((folder_.path() / "a.ply").string(), kNothing).yDown);
}

// The same Gaussian in all three encodings. An element before it is passed over; a double and a
// byte are numbers as others.
TEST_F(Files, PlyOfTextAndOfEitherByteOrderIsTheSame)
{
    const std::string body = "element camera 1\nproperty uchar lens\nproperty double focus\n"
                             "element vertex 1\n" +
                             std::string(kProperties) + "property double label\n";
    const std::vector<float> row = {1, 2, -3, 0.1f, 0.2f, 0.3f, 0, -1, -2, -3, 1, 0, 0, 0};
    std::string little = bytesOf(std::uint8_t{3}, 50.0), big = little.substr(0, 1), text = "3 50\n";
    const auto reversed = [](const auto& value) {
        const std::string bytes = bytesOf(value);
        return std::string(bytes.rbegin(), bytes.rend());
    };
    big += reversed(50.0);
    for (const float value : row) {
        little += bytesOf(value);
        big += reversed(value);
        text += std::to_string(value) + "\t";
    }
    little += bytesOf(7.0);
    big += reversed(7.0);
    text += "+7e0"; // and no newline
    const GaussianSet expected = read("a.ply", plyHeader("binary_little_endian", body) + little);
    ASSERT_EQ(expected.count(), 1u);
    EXPECT_EQ(expected.x, (std::vector<float>{1, 2, -3}));
    for (const auto& [format, rows] :
         {std::pair("binary_big_endian", big), std::pair("ascii", text)}) {
        SCOPED_TRACE(format);
        const GaussianSet set = read("a.ply", plyHeader(format, body) + rows);
        ASSERT_EQ(set.count(), 1u);
        EXPECT_EQ(set.x, expected.x);
        EXPECT_EQ(set.scale, expected.scale);
        EXPECT_EQ(set.rotation, expected.rotation);
        EXPECT_EQ(set.sh, expected.sh);
        ASSERT_NE(set.property("label"), nullptr);
        EXPECT_EQ(set.property("label")->values[0], 7);
    }
}

// Line ends of other systems, properties in any order and of any type, elements of no use, lists of
// faces among them.
TEST_F(Files, PlyOfUnusualToolsIsRead)
{
    std::vector<std::string> names = {"rot_3",  "opacity", "scale_2", "f_dc_1", "z",
                                      "rot_0",  "f_dc_2",  "x",       "rot_1",  "scale_0",
                                      "f_dc_0", "y",       "rot_2",   "scale_1"};
    for (int k = 44; k >= 0; --k)
        names.push_back("f_rest_" + std::to_string(k));
    std::string header = "ply\r\nformat binary_little_endian 1.0\r\nobj_info by hand\r\n"
                         "element face 0\r\nproperty list uchar int vertex_indices\r\n"
                         "element vertex 2\r\ncomment the last coefficient first\r\n",
                rows;
    for (std::size_t i = 0; i < names.size(); ++i)
        header += std::string("property ") + (i % 2 ? "double " : "float ") + names[i] + "\r\n";
    header += "element line 7\r\nproperty list int float32 ends\r\nproperty uchar red\r\n"
              "end_header\r\n";
    for (int row = 0; row < 2; ++row)
        for (std::size_t i = 0; i < names.size(); ++i) {
            const double value = row + 0.01 * static_cast<double>(i);
            rows += i % 2 ? bytesOf(value) : bytesOf(static_cast<float>(value));
        }
    const GaussianSet set = read("odd.ply", header + rows + "anything");
    ASSERT_EQ(set.count(), 2u);
    ASSERT_EQ(set.degree, 3);
    EXPECT_TRUE(set.properties.empty());
    const auto valueOf = [&](const std::string& name, int row) {
        const auto at = std::find(names.begin(), names.end(), name) - names.begin();
        return row + 0.01f * static_cast<float>(at);
    };
    for (int row = 0; row < 2; ++row) {
        const auto i = static_cast<std::size_t>(row);
        EXPECT_NEAR(set.x[3 * i + 1], valueOf("y", row), 1e-6);
        EXPECT_NEAR(set.scale[3 * i + 2], std::exp(valueOf("scale_2", row)), 1e-5);
        EXPECT_NEAR(set.rotation[4 * i + 3], valueOf("rot_0", row), 1e-6); // w comes first there
        EXPECT_NEAR(set.rotation[4 * i], valueOf("rot_1", row), 1e-6);
        for (std::size_t k = 1; k < 16; ++k)
            for (std::size_t channel = 0; channel < 3; ++channel)
                EXPECT_NEAR(set.sh[48 * i + 3 * k + channel],
                            valueOf("f_rest_" + std::to_string(15 * channel + k - 1), row), 1e-6);
    }
    const std::string body = header.substr(header.find("element vertex"));
    EXPECT_THAT(failure("a.ply", "ply\nformat binary_little_endian 1.0\nelement face 3\n"
                                 "property list uchar int vertex_indices\n" +
                                     body + rows),
                HasSubstr("'face' has lists"));
    EXPECT_EQ(read("none.ply", plyHeader("ascii", "element vertex 0\n" + std::string(kProperties)))
                  .count(),
              0u);
}

// Captures that were trained with a filter of their own (Yu et al. 2024) are drawn with it: they
// get wider, and the sum of their opacities stays.
TEST_F(Files, PlyWithAFilterIsSmoothed)
{
    const std::string body =
        "element vertex 1\n" + std::string(kProperties) + "property float filter_3D\n";
    const GaussianSet set =
        read("mip.ply", plyHeader("ascii", body) + "0 0 0 0 0 0 0 -1e9 0 0.6931472 0 0 0 1 2\n");
    ASSERT_EQ(set.count(), 1u);
    EXPECT_TRUE(set.properties.empty());
    EXPECT_NEAR(set.scale[0], 2, 1e-6); // sqrt(0 + 2^2)
    EXPECT_NEAR(set.scale[1], std::sqrt(5), 1e-6);
    EXPECT_NEAR(set.scale[2], std::sqrt(8), 1e-6);
    EXPECT_EQ(set.opacity[0], 0); // of nothing
    const GaussianSet round =
        read("b.ply", plyHeader("ascii", body) + "0 0 0 0 0 0 0 0 0 0 1 0 0 0 1.7320508\n");
    EXPECT_NEAR(round.scale[2], 2, 1e-6);
    EXPECT_NEAR(round.opacity[0], 0.5 / 8, 1e-7);
}

// What other tools keep beside Gaussians comes through; names of Floe's own attributes do not.
TEST_F(Files, FurtherPropertiesAreKept)
{
    GaussianSet set = randomSet(100, 1);
    set.properties = {{"label", {}}, {"weight_2", {}}};
    set.resize(100);
    for (std::size_t i = 0; i < 100; ++i) {
        set.properties[0].values[i] = static_cast<float>(i % 3);
        set.properties[1].values[i] = 0.01f * static_cast<float>(i);
    }
    const GaussianSet back = roundTrip("a.ply", set);
    ASSERT_EQ(back.properties.size(), 2u);
    EXPECT_EQ(back.properties[0].name, "label");
    EXPECT_EQ(back.properties[0].values, set.properties[0].values);
    EXPECT_EQ(back.properties[1].values, set.properties[1].values);
    GaussianSet kept = back;
    keepOnly(kept, [](std::size_t i) { return i % 3 == 1; });
    EXPECT_EQ(kept.property("label")->values, std::vector<float>(33, 1.0f));

    std::string body = "element vertex 1\n" + std::string(kProperties) +
                       "property float id\nproperty float nx\nproperty float a-b\n";
    for (int i = 0; i < 20; ++i)
        body += "property float extra" + std::to_string(i) + "\n";
    const std::string path =
        folder_.file("b.ply", plyHeader("binary_little_endian", body) + std::string(4 * 37, 0));
    const FileContent many = readGaussians(path, kNothing);
    EXPECT_EQ(many.set.properties.size(), kMaxProperties);
    EXPECT_EQ(many.set.property("id"), nullptr);
    EXPECT_EQ(many.propertiesLeftOut, 4u);
}

// One chunk, one Gaussian: numbers are fractions of the chunk's ranges.
TEST_F(Files, PackedPlyIsUnpacked)
{
    std::string header = "element chunk 1\n";
    std::string ranges;
    for (const char* name : {"x", "y", "z", "scale_x", "scale_y", "scale_z"}) {
        header += "property float min_" + std::string(name) + "\nproperty float max_" + name + "\n";
        ranges += bytesOf(-1.f, 3.f);
    }
    header += "element vertex 1\nproperty uint packed_position\nproperty uint packed_rotation\n"
              "property uint packed_scale\nproperty uint packed_color\n"
              "element sh 1\n";
    std::string harmonics;
    for (int i = 0; i < 9; ++i) {
        header += "property uchar f_rest_" + std::to_string(i) + "\n";
        harmonics += static_cast<char>(i == 0 ? 255 : 127);
    }
    // Position: highest x, middle y (512 of 1023), lowest z. Rotation: w largest, the others in the
    // middle, 511.5 of 1023, of which 512 is nearest. Scale: lowest. Colour: 255, 0, 128,
    // opacity 51.
    const std::string row =
        bytesOf(2047u << 21 | 512u << 11, 0u << 30 | 512u << 20 | 512u << 10 | 512u, 0u,
                255u << 24 | 0u << 16 | 128u << 8 | 51u);
    const GaussianSet set = read("a.compressed.ply", plyHeader("binary_little_endian", header) +
                                                         ranges + row + harmonics);
    ASSERT_EQ(set.count(), 1u);
    EXPECT_EQ(set.degree, 1);
    EXPECT_FLOAT_EQ(set.x[0], 3);
    EXPECT_NEAR(set.x[1], 1, 0.002); // half a step of 4 / 1023
    EXPECT_FLOAT_EQ(set.x[2], -1);
    EXPECT_FLOAT_EQ(set.scale[1], std::exp(-1.f));
    EXPECT_NEAR(set.rotation[3], 1, 1e-5);
    EXPECT_FLOAT_EQ(set.opacity[0], 0.2f);
    EXPECT_NEAR(0.5 + kConstantHarmonic * set.sh[0], 1, 1e-6);
    EXPECT_NEAR(0.5 + kConstantHarmonic * set.sh[1], 0, 1e-6);
    EXPECT_FLOAT_EQ(set.sh[3], 4);   // the highest byte
    EXPECT_NEAR(set.sh[4], 0, 0.02); // the middle, half a step of 8 / 256 off
}

TEST_F(Files, SplatKeepsWhatBytesHold)
{
    const GaussianSet set = randomSet(500, 0);
    const GaussianSet back = roundTrip("a.splat", set);
    EXPECT_EQ(back.x, set.x);
    EXPECT_EQ(back.scale, set.scale);
    expectNear(back.opacity, set.opacity, 0, 0.5 / 255 + 1e-6, "opacity");
    // A step is 1/255 of a colour. Ours stay within 0.5 +- 0.9 C0 and are not clamped.
    expectNear(back.sh, set.sh, 0, 0.5 / 255 / kConstantHarmonic + 1e-5, "sh");
    GaussianSet unit = back;
    removeUnusable(unit);
    expectSameRotations(unit, set, 1e-3); // four parts off by up to 1/256: sin^2 of 1.8 degrees
}

#ifdef FLOE_GAUSSIANS_SPZ
TEST_F(Files, SpzKeepsWhatItsBitsHold)
{
    for (int degree = 0; degree <= 3; ++degree) {
        const GaussianSet set = randomSet(500, degree);
        const GaussianSet back = roundTrip("a.spz", set);
        EXPECT_EQ(back.degree, degree);
        expectNear(back.x, set.x, 0, 0.5 / 4096 + 1e-7, "x");    // 12 bits of fractions
        expectNear(back.scale, set.scale, 1.0 / 31, 0, "scale"); // steps of e^(1/16)
        expectNear(back.opacity, set.opacity, 0, 0.5 / 255 + 1e-6, "opacity");
        // Colours in steps of 1 / (0.15 * 255) = 1/38, the rest in steps of 1/128.
        expectNear(back.sh, set.sh, 0, 0.5 / 38.25 + 1e-5, "sh");
        expectSameRotations(back, set, 1e-5); // nine bits and a sign: 0.1 degrees
    }
}

TEST_F(Files, SpzGivesUpFractionsForDistance)
{
    GaussianSet set = randomSet(2, 0);
    set.x[0] = 30000;
    const GaussianSet back = roundTrip("a.spz", set);
    EXPECT_NEAR(back.x[0], 30000, 0.01);
}

std::string gzip(const std::string& bytes)
{
    std::string packed(bytes.size() + 200, '\0');
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

// By hand, after the format's description: version 2, harmonics of degree 0.
TEST_F(Files, SpzOfVersion2IsRead)
{
    const auto byte = [](int value) {
        return static_cast<std::uint8_t>(value);
    };
    const std::string bytes =
        bytesOf(0x5053474eu, 2u, 1u, byte(0), byte(8), byte(0), byte(0),  // header
                byte(0), byte(1), byte(0), byte(0), byte(255), byte(255), // 256, -256
                byte(128), byte(0), byte(0),                              // 128
                byte(51),                                                 // opacity 0.2
                byte(255), byte(0), byte(0),                              // red
                byte(160), byte(144), byte(176),                          // e^0, e^-1, e^1
                byte(255), byte(128), byte(128));                         // about x
    const GaussianSet set = read("a.spz", gzip(bytes));
    ASSERT_EQ(set.count(), 1u);
    EXPECT_THAT(set.x, ::testing::ElementsAre(1, -1, 0.5f));
    EXPECT_FLOAT_EQ(set.opacity[0], 0.2f);
    EXPECT_NEAR(set.sh[0], 0.5 / 0.15, 1e-5);
    EXPECT_NEAR(set.scale[0], 1, 1e-6);
    EXPECT_NEAR(set.scale[1], std::exp(-1.0), 1e-6);
    EXPECT_NEAR(set.rotation[0], 1, 1e-4);
    EXPECT_NEAR(set.rotation[3], 0, 0.01);
    EXPECT_FALSE(readGaussians((folder_.path() / "a.spz").string(), kNothing).yDown);
}

TEST_F(Files, AnSpzThatClaimsBillionsIsRefusedBeforeMemoryIsTaken)
{
    const auto byte = [](int value) {
        return static_cast<std::uint8_t>(value);
    };
    const std::string bytes =
        bytesOf(0x5053474eu, 3u, 0xfffffff0u, byte(3), byte(12), byte(0), byte(0));
    EXPECT_THAT(failure("a.spz", gzip(bytes)), HasSubstr("too short"));
    EXPECT_THAT(failure("a.spz", "NGSP, but not packed"), HasSubstr("not a .spz file"));
    const std::string newer = bytesOf(0x5053474eu, 9u, 1u, byte(0), byte(12), byte(0), byte(0));
    EXPECT_THAT(failure("a.spz", gzip(newer)), HasSubstr("version 9"));
}
#endif

std::uint32_t wordAt(const std::string& bytes, std::size_t place)
{
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes.at(place), sizeof word);
    return word;
}

TEST_F(Files, GlbHoldsOneAttributeAfterTheOther)
{
    const GaussianSet set = randomSet(30, 2);
    const std::string path = (folder_.path() / "a.glb").string();
    writeGaussians(path, set, kNothing);
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(wordAt(bytes, 4), 2u);
    EXPECT_EQ(wordAt(bytes, 8), bytes.size());
    const std::size_t length = wordAt(bytes, 12);
    EXPECT_EQ(length % 4, 0u);
    const std::string header = bytes.substr(20, length);
    EXPECT_THAT(header, HasSubstr("\"KHR_gaussian_splatting:SH_DEGREE_2_COEF_4\":12"));
    EXPECT_THAT(header, HasSubstr("\"count\":30,\"type\":\"VEC4\""));
    EXPECT_THAT(header, ::testing::Not(HasSubstr("SH_DEGREE_3")));
    EXPECT_EQ(wordAt(bytes, 20 + length), bytes.size() - length - 28);
    std::vector<float> numbers((bytes.size() - length - 28) / 4);
    std::memcpy(numbers.data(), &bytes[length + 28], 4 * numbers.size());
    ASSERT_EQ(numbers.size(), 30u * (3 + 4 + 3 + 1 + 27));
    EXPECT_TRUE(std::equal(set.x.begin(), set.x.end(), numbers.begin()));
    EXPECT_TRUE(std::equal(set.rotation.begin(), set.rotation.end(), numbers.begin() + 90));
    EXPECT_TRUE(std::equal(set.scale.begin(), set.scale.end(), numbers.begin() + 210));
    EXPECT_TRUE(std::equal(set.opacity.begin(), set.opacity.end(), numbers.begin() + 300));
    for (std::size_t i = 0; i < 30; ++i) // of the last coefficient, green
        EXPECT_EQ(numbers[330 + 8 * 90 + 3 * i + 1], set.sh[27 * i + 25]);
    EXPECT_THROW(readGaussians(path, kNothing), sdk::Failure);

    writeGaussians(path, randomSet(0, 0), kNothing);
    std::ifstream again(path, std::ios::binary);
    const std::string none(std::istreambuf_iterator<char>(again), {});
    EXPECT_EQ(wordAt(none, 8), none.size());
    EXPECT_EQ(wordAt(none, 12), none.size() - 20);
    EXPECT_EQ(none.size() % 4, 0u);
    EXPECT_THAT(none, HasSubstr("\"scenes\":[{}]"));
}

TEST_F(Files, WrongPlyFilesAreNamedWithTheFault)
{
    const std::string one = "element vertex 1\n" + std::string(kProperties);
    const auto refused = [&](const std::string& bytes) {
        return failure("a.ply", bytes);
    };
    EXPECT_THAT(refused(""), HasSubstr("not a PLY"));
    EXPECT_THAT(refused("ply\nformat binary 1.0\n"), HasSubstr("binary_little_endian"));
    EXPECT_THAT(refused(plyHeader("ascii", one) + "1 2 3 4 5 6 7 8 9 10 11 12 13 fourteen"),
                HasSubstr("'fourteen' where a number"));
    EXPECT_THAT(refused(plyHeader("ascii", one) + "1 2 3 4 5 6 7 8 9 10 11 12 13              "),
                HasSubstr("numbers are missing"));
    EXPECT_THAT(
        refused(plyHeader("ascii", "element vertex 99\n" + std::string(kProperties)) + "1 2 3"),
        HasSubstr("too short"));
    EXPECT_THAT(refused(plyHeader("ascii", one) + std::string(200, '1')), HasSubstr("64"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian", one) + "short"),
                HasSubstr("1 of 'vertex', for which it is too short"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian",
                                  "element vertex 99999999999999\n" + std::string(kProperties))),
                HasSubstr("too short"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian",
                                  "element vertex -1\n" + std::string(kProperties))),
                HasSubstr("'-1'"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian", "element vertex 0\nproperty float x\n")),
                HasSubstr("no property 'y'"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian",
                                  one + "property list uchar int vertex_indices\n")),
                HasSubstr("lists"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian", one + "property float f_rest_0\n") +
                        std::string(60, '\0')),
                HasSubstr("f_rest"));
    EXPECT_THAT(refused(plyHeader("binary_little_endian", one + "property quad q\n")),
                HasSubstr("'quad'"));
    EXPECT_THAT(refused("ply\n" + std::string(5000, 'x')), HasSubstr("4096"));
    EXPECT_THAT(failure("a.splat", "33 bytes are not a multiple of 32"), HasSubstr("multiple"));
    EXPECT_THAT(failure("folder.ply/..", ""), ::testing::Not(HasSubstr("no failure")));
}

TEST_F(Files, AnInterruptedWriteLeavesTheOldFile)
{
    const std::string path = (folder_.path() / "a.ply").string();
    writeGaussians(path, randomSet(10, 0), kNothing);
    EXPECT_THROW(
        writeGaussians(path, randomSet(20, 0), [] { throw sdk::Failure("", FLOE_CANCELLED); }),
        sdk::Failure);
    EXPECT_EQ(readGaussians(path, kNothing).set.count(), 10u);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        ++files;
    EXPECT_EQ(files, 1u) << "something is left beside it";
}

} // namespace
} // namespace floe::gaussians
