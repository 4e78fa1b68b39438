#include "client/picture.hpp"
#include "floe/base/error.hpp"

#include <QBuffer>

#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using floe::Json;
using floe::client::readPicture;

/// Shared memory as a runtime makes it.
class Segment {
public:
    explicit Segment(std::size_t bytes)
        : name("/floe-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count_))
    {
        descriptor_ = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        std::vector<unsigned char> content(bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            content[i] = static_cast<unsigned char>(i % 251);
        EXPECT_EQ(::write(descriptor_, content.data(), bytes), static_cast<ssize_t>(bytes));
    }
    ~Segment()
    {
        ::close(descriptor_);
        ::shm_unlink(name.c_str());
    }
    std::string name;

private:
    int descriptor_;
    static inline int count_ = 0;
};

Json message(const Segment& segment, Json changes = Json::object())
{
    Json json = {{"sequence", 7}, {"segment", segment.name},
                 {"offset", 0},   {"stride", 16},
                 {"width", 4},    {"height", 3},
                 {"frame", 12},   {"milliseconds", 5.5}};
    json.update(changes);
    return json;
}

TEST(Picture, IsCopiedOutOfSharedMemory)
{
    const Segment segment(4096);
    const auto picture = readPicture(message(segment, {{"offset", 100}, {"stride", 20}}));
    ASSERT_EQ(picture.image.size(), QSize(4, 3));
    EXPECT_EQ(picture.sequence, 7);
    EXPECT_EQ(picture.frame, 12);
    // Row 2, pixel 1, red is byte 100 + 2 * 20 + 4 of the segment.
    EXPECT_EQ(picture.image.constScanLine(2)[4], (100 + 40 + 4) % 251);
}

TEST(Picture, TheLastRowNeedsNoFullStride)
{
    const Segment segment(20 * 2 + 16);
    EXPECT_NO_THROW(readPicture(message(segment, {{"stride", 20}})));
}

TEST(Picture, HostileSizesAreRefused)
{
    const Segment segment(4096);
    const std::vector<Json> wrong = {
        {{"width", 0}},
        {{"height", -3}},
        {{"width", 1e300}},
        {{"width", 16385}, {"stride", 16385 * 4}},
        {{"width", 16384}, {"height", 16384}, {"stride", 65536}}, // larger than the segment
        {{"stride", 8}},                                          // rows overlap
        {{"stride", -16}},
        {{"offset", -1}},
        {{"offset", 4096}},
        {{"offset", 9.0e15}},
        {{"offset", 4096 - 47}}, // ends one byte outside
        {{"stride", 9.0e15}},
        {{"width", "4"}},
        {{"segment", "/etc/passwd"}},
        {{"segment", "../x"}},
        {{"segment", ""}},
        {{"segment", 5}},
        {{"segment", "/floe-no-such-segment"}},
        {{"segment", std::string(100'000, 'a')}},
        {{"data", "not base64 and not a PNG"}},
    };
    for (const Json& changes : wrong)
        EXPECT_THROW(readPicture(message(segment, changes)), floe::InputError) << changes;
    EXPECT_NO_THROW(readPicture(message(segment, {{"offset", 4096 - 48}})));
    EXPECT_THROW(readPicture(Json()), floe::InputError);
    EXPECT_THROW(readPicture(Json::array({1, 2})), floe::InputError);
}

TEST(Picture, ComesInTheMessageFromAnotherMachine)
{
    QImage image(5, 2, QImage::Format_RGBA8888);
    image.fill(QColor(10, 200, 30));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    const auto picture =
        readPicture({{"sequence", 1}, {"frame", 2}, {"data", bytes.toBase64().toStdString()}});
    EXPECT_EQ(picture.image.size(), QSize(5, 2));
    EXPECT_EQ(picture.image.pixelColor(4, 1), QColor(10, 200, 30));
}

TEST(Messages, OfWrongTypesTakeDefaults)
{
    using namespace floe::client;
    for (const Json& odd : {Json(), Json(5), Json::array(), Json("x"), Json{{"frames", 3}},
                            Json{{"state", Json::array()}, {"frame", "x"}, {"fraction", Json()}}}) {
        EXPECT_TRUE(frameSpans(odd, "frames").isEmpty());
        EXPECT_EQ(runState(odd), RunState::Idle);
        EXPECT_EQ(progress(odd).frame, 0);
        EXPECT_EQ(nodeStatus(odd).mark, NodeMark::Fine);
        EXPECT_EQ(tablePage(odd).total, 0);
        EXPECT_TRUE(faults(odd, "faults").empty());
    }
    const Json said = {
        {"faults",
         {{{"cause", "input 'a' is not linked"},
           {"causeText", {{"pattern", "input '{input}' is not linked"}, {"values", {"a"}}}}},
          {{"cause", "is not what its translatable text says"},
           {"causeText", {{"pattern", "is fine"}, {"values", Json::array()}}}},
          {{"cause", "has places and no values"},
           {"causeText", {{"pattern", 5}, {"values", "{"}}}}}}};
    const auto read = faults(said, "faults");
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[0].cause,
              floe::graph::TranslatableText::of("input '{input}' is not linked", std::string("a")));
    for (int i : {1, 2})
        EXPECT_EQ(read[i].cause,
                  floe::graph::TranslatableText::verbatim(said["faults"][i]["cause"]));
    const Json spans = {{"frames",
                         {{{"first", 1}, {"last", 9}, {"state", "cached"}},
                          {{"first", 20}, {"last", 10}, {"state", "stale"}}, // backwards: dropped
                          5,
                          {{"first", 1e300}, {"last", 1e300}, {"state", "broken"}}}}};
    const auto frames = frameSpans(spans, "frames");
    ASSERT_EQ(frames.size(), 2);
    EXPECT_EQ(frames[0], (FrameSpan{1, 9, FrameState::Cached}));
    EXPECT_EQ(frames[1].last, 1'000'000'000);
}

} // namespace
