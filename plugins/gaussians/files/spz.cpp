// SPZ (Niantic): a gzip stream of a header and, one array after the other, positions as 24-bit
// fixed point (version 1: half floats), opacities, colours and logarithms of scales as bytes,
// rotations as the three smallest parts of 10 bits (before version 3: x, y, z as bytes), harmonics
// as bytes. Axes: x right, y up, z back, as in Floe.
#include "files/formats.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <zlib.h>

namespace floe::gaussians {

namespace {

constexpr std::uint32_t kMagic = 0x5053474e; // "NGSP"
constexpr std::size_t kHeader = 16;
constexpr std::uint64_t kMaxInflation = 1032; // what one byte of a deflate stream can become
constexpr double kColourScale = 0.15;
constexpr unsigned kFractionBits = 12;
constexpr int kWithGzip = 16 + MAX_WBITS;

/// Inflates a file, piece by piece.
class GzipInput {
public:
    explicit GzipInput(InputFile& file) : file_(file), packed_(1 << 16)
    {
        if (inflateInit2(&stream_, kWithGzip) != Z_OK)
            throw std::bad_alloc();
    }
    ~GzipInput() { inflateEnd(&stream_); }
    GzipInput(const GzipInput&) = delete;
    GzipInput& operator=(const GzipInput&) = delete;

    void read(unsigned char* to, std::size_t bytes)
    {
        while (bytes > 0) {
            const auto wanted = static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
            stream_.next_out = to;
            stream_.avail_out = wanted;
            refill();
            const int result = inflate(&stream_, Z_NO_FLUSH);
            const std::size_t given = wanted - stream_.avail_out;
            if (result != Z_OK && result != Z_STREAM_END)
                file_.fail("is not a .spz file, or damaged: it cannot be decompressed");
            if (given == 0 && (result == Z_STREAM_END || file_.remaining() == 0))
                file_.fail("is cut off: " + std::to_string(bytes) + " bytes are missing");
            to += given;
            bytes -= given;
        }
    }

private:
    void refill()
    {
        if (stream_.avail_in > 0 || file_.remaining() == 0)
            return;
        const std::size_t next = std::min<std::uint64_t>(packed_.size(), file_.remaining());
        file_.read(packed_.data(), next);
        stream_.next_in = packed_.data();
        stream_.avail_in = static_cast<uInt>(next);
    }

    InputFile& file_;
    std::vector<unsigned char> packed_;
    z_stream stream_{};
};

class GzipOutput {
public:
    explicit GzipOutput(OutputFile& file) : file_(file), packed_(1 << 16)
    {
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithGzip, 9,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~GzipOutput() { deflateEnd(&stream_); }
    GzipOutput(const GzipOutput&) = delete;
    GzipOutput& operator=(const GzipOutput&) = delete;

    void write(const unsigned char* data, std::size_t bytes, bool last = false)
    {
        stream_.next_in = const_cast<unsigned char*>(data);
        stream_.avail_in = static_cast<uInt>(bytes); // pieces are small
        int result = Z_OK;
        do {
            stream_.next_out = packed_.data();
            stream_.avail_out = static_cast<uInt>(packed_.size());
            result = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
            file_.write(packed_.data(), packed_.size() - stream_.avail_out);
        } while (last ? result != Z_STREAM_END : stream_.avail_in > 0);
    }

private:
    OutputFile& file_;
    std::vector<unsigned char> packed_;
    z_stream stream_{};
};

std::uint8_t byteOf(double value)
{
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

double halfFloat(std::uint32_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023;
    if (exponent == 31)
        return std::nan("");
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double fixedPoint(const unsigned char* bytes, unsigned fractionBits)
{
    const std::uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
    const auto number = static_cast<std::int32_t>(word << 8) / 256; // with its sign
    return std::ldexp(number, -static_cast<int>(fractionBits));
}

/// x, y, z, w from the three smallest parts, each nine bits and a sign.
Quaternion smallestThree(const unsigned char* bytes)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, 4);
    const std::uint32_t largest = word >> 30;
    Quaternion q{};
    double rest = 1;
    for (int part = 3; part >= 0; --part) {
        if (static_cast<std::uint32_t>(part) == largest)
            continue;
        const double size = std::sqrt(0.5) * (word & 511) / 511;
        q[static_cast<std::size_t>(part)] = word & 512 ? -size : size;
        rest -= size * size;
        word >>= 10;
    }
    q[largest] = std::sqrt(std::max(rest, 0.0));
    return q;
}

std::uint32_t packedRotation(const float* rotation)
{
    Quaternion q;
    std::copy_n(rotation, 4, q.begin());
    if (!normalise(q))
        q = kNoTurn;
    const auto largest = static_cast<std::size_t>(
        std::max_element(q.begin(), q.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        q.begin());
    auto word = static_cast<std::uint32_t>(largest);
    for (std::size_t part = 0; part < 4; ++part) {
        if (part == largest)
            continue;
        const bool negative = (q[part] < 0) != (q[largest] < 0);
        const auto size = static_cast<std::uint32_t>(
            std::min(511.0, 511 * std::abs(q[part]) / std::sqrt(0.5) + 0.5));
        word = word << 10 | (negative ? 512u : 0u) | size;
    }
    return word;
}

/// Reads `size` bytes for each Gaussian and passes them to body(number, bytes).
template <class Body>
void forEach(GzipInput& input, std::size_t count, std::size_t size, const Checkpoint& checkpoint,
             const Body& body)
{
    std::vector<unsigned char> rows(size * std::min<std::size_t>(count, kRowsAtOnce));
    for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
        checkpoint();
        const std::size_t taken = std::min<std::size_t>(kRowsAtOnce, count - first);
        input.read(rows.data(), size * taken);
        for (std::size_t i = 0; i < taken; ++i)
            body(first + i, &rows[size * i]);
    }
}

/// Writes `size` bytes for each Gaussian, made by body(number, bytes).
template <class Body>
void writeEach(GzipOutput& output, std::size_t count, std::size_t size,
               const Checkpoint& checkpoint, const Body& body)
{
    std::vector<unsigned char> rows(size * std::min<std::size_t>(count, kRowsAtOnce));
    for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
        checkpoint();
        const std::size_t taken = std::min<std::size_t>(kRowsAtOnce, count - first);
        for (std::size_t i = 0; i < taken; ++i)
            body(first + i, &rows[size * i]);
        output.write(rows.data(), size * taken);
    }
}

} // namespace

FileContent readSpz(InputFile& file, const Checkpoint& checkpoint)
{
    const std::uint64_t bytes = file.remaining();
    GzipInput input(file);
    std::array<unsigned char, kHeader> header;
    input.read(header.data(), header.size());
    std::uint32_t magic, version, count;
    std::memcpy(&magic, &header[0], 4);
    std::memcpy(&version, &header[4], 4);
    std::memcpy(&count, &header[8], 4);
    const int degree = header[12];
    const unsigned fractionBits = header[13];
    if (magic != kMagic)
        file.fail("is not a .spz file");
    if (version < 1 || version > 3)
        file.fail("is of version " + std::to_string(version) + "; versions 1 to 3 can be read");
    if (degree > kMaxDegree || fractionBits > 23)
        file.fail("is damaged: its header asks for harmonics of degree " + std::to_string(degree) +
                  " and " + std::to_string(fractionBits) + " bits of fractions");
    FileContent content;
    GaussianSet& set = content.set;
    set.degree = degree;
    const std::size_t positionBytes = version == 1 ? 6 : 9, rotationBytes = version == 3 ? 4 : 3;
    const std::size_t higher = set.shComponents() - 3;
    const std::uint64_t rowBytes = positionBytes + 1 + 3 + 3 + rotationBytes + higher;
    if (count > bytes * kMaxInflation / rowBytes)
        file.fail("says that it holds " + std::to_string(count) +
                  " Gaussians, for which it is too short: cut off or damaged");
    set.resize(count);
    const std::size_t components = set.shComponents();
    forEach(input, count, positionBytes, checkpoint, [&](std::size_t i, const unsigned char* row) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            set.x[3 * i + axis] =
                static_cast<float>(version == 1 ? halfFloat(row[2 * axis] | row[2 * axis + 1] << 8)
                                                : fixedPoint(row + 3 * axis, fractionBits));
    });
    forEach(input, count, 1, checkpoint, [&](std::size_t i, const unsigned char* row) {
        set.opacity[i] = static_cast<float>(row[0] / 255.0);
    });
    forEach(input, count, 3, checkpoint, [&](std::size_t i, const unsigned char* row) {
        for (std::size_t channel = 0; channel < 3; ++channel)
            set.sh[components * i + channel] =
                static_cast<float>((row[channel] / 255.0 - 0.5) / kColourScale);
    });
    forEach(input, count, 3, checkpoint, [&](std::size_t i, const unsigned char* row) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            set.scale[3 * i + axis] = static_cast<float>(std::exp(row[axis] / 16.0 - 10));
    });
    forEach(input, count, rotationBytes, checkpoint, [&](std::size_t i, const unsigned char* row) {
        Quaternion q;
        if (version == 3) {
            q = smallestThree(row);
        } else {
            double rest = 1;
            for (std::size_t part = 0; part < 3; ++part) {
                q[part] = row[part] / 127.5 - 1;
                rest -= q[part] * q[part];
            }
            q[3] = std::sqrt(std::max(rest, 0.0));
        }
        for (std::size_t part = 0; part < 4; ++part)
            set.rotation[4 * i + part] = static_cast<float>(q[part]);
    });
    if (higher > 0)
        forEach(input, count, higher, checkpoint, [&](std::size_t i, const unsigned char* row) {
            for (std::size_t k = 0; k < higher; ++k)
                set.sh[components * i + 3 + k] = static_cast<float>((row[k] - 128) / 128.0);
        });
    return content;
}

void writeSpz(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint)
{
    const std::size_t count = set.count();
    if (count > UINT32_MAX)
        throw sdk::Failure("a .spz file holds at most four billion Gaussians");
    // As many bits of fractions as the farthest position leaves, up to 12: 0.25 mm.
    float farthest = 0;
    for (const float value : set.x)
        farthest = std::max(farthest, std::abs(value));
    unsigned fractionBits = kFractionBits;
    while (fractionBits > 0 && std::ldexp(farthest, static_cast<int>(fractionBits)) > 8388607.0f)
        --fractionBits;
    std::array<unsigned char, kHeader> header{};
    const std::uint32_t version = 3, number = static_cast<std::uint32_t>(count);
    std::memcpy(&header[0], &kMagic, 4);
    std::memcpy(&header[4], &version, 4);
    std::memcpy(&header[8], &number, 4);
    header[12] = static_cast<unsigned char>(set.degree);
    header[13] = static_cast<unsigned char>(fractionBits);
    GzipOutput output(file);
    output.write(header.data(), header.size());
    const std::size_t components = set.shComponents(), higher = components - 3;
    writeEach(output, count, 9, checkpoint, [&](std::size_t i, unsigned char* row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double scaled = std::ldexp(set.x[3 * i + axis], static_cast<int>(fractionBits));
            const auto fixed =
                static_cast<std::int32_t>(std::lround(std::clamp(scaled, -8388608.0, 8388607.0)));
            for (unsigned byte = 0; byte < 3; ++byte)
                row[3 * axis + byte] = static_cast<unsigned char>(fixed >> 8 * byte);
        }
    });
    writeEach(output, count, 1, checkpoint,
              [&](std::size_t i, unsigned char* row) { row[0] = byteOf(255.0 * set.opacity[i]); });
    writeEach(output, count, 3, checkpoint, [&](std::size_t i, unsigned char* row) {
        for (std::size_t channel = 0; channel < 3; ++channel)
            row[channel] = byteOf(255 * (kColourScale * set.sh[components * i + channel] + 0.5));
    });
    writeEach(output, count, 3, checkpoint, [&](std::size_t i, unsigned char* row) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            row[axis] = byteOf(16 * (std::log(std::max(set.scale[3 * i + axis], 1e-30f)) + 10));
    });
    writeEach(output, count, 4, checkpoint, [&](std::size_t i, unsigned char* row) {
        const std::uint32_t word = packedRotation(&set.rotation[4 * i]);
        std::memcpy(row, &word, 4);
    });
    if (higher > 0)
        writeEach(output, count, higher, checkpoint, [&](std::size_t i, unsigned char* row) {
            for (std::size_t k = 0; k < higher; ++k)
                row[k] = byteOf(128.0 * set.sh[components * i + 3 + k] + 128);
        });
    output.write(nullptr, 0, true);
}

} // namespace floe::gaussians
