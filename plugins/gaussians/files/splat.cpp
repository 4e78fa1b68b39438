// .splat (antimatter15): 32 bytes a Gaussian. Three floats of position, three of scale, four bytes
// of colour and opacity, four of the rotation w, x, y, z. Colours do not depend on the direction.
#include "files/formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace floe::gaussians {

namespace {

constexpr std::size_t kRow = 32;

std::uint8_t byteOf(double value)
{
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

} // namespace

FileContent readSplat(InputFile& file, const Checkpoint& checkpoint)
{
    if (file.remaining() % kRow != 0)
        file.fail("is cut off or not a .splat file: its length is no multiple of 32 bytes");
    FileContent content;
    GaussianSet& set = content.set;
    const std::uint64_t count = file.remaining() / kRow;
    set.resize(count);
    std::vector<unsigned char> rows(kRow * std::min(count, kRowsAtOnce));
    for (std::uint64_t first = 0; first < count; first += kRowsAtOnce) {
        checkpoint();
        const std::uint64_t taken = std::min(kRowsAtOnce, count - first);
        file.read(rows.data(), kRow * taken);
        for (std::uint64_t row = 0; row < taken; ++row) {
            const unsigned char* from = &rows[kRow * row];
            const std::uint64_t i = first + row;
            std::memcpy(&set.x[3 * i], from, 12);
            std::memcpy(&set.scale[3 * i], from + 12, 12);
            for (std::size_t channel = 0; channel < 3; ++channel)
                set.sh[3 * i + channel] =
                    static_cast<float>((from[24 + channel] / 255.0 - 0.5) / kConstantHarmonic);
            set.opacity[i] = static_cast<float>(from[27] / 255.0);
            for (std::size_t part = 0; part < 4; ++part) // w, x, y, z
                set.rotation[4 * i + (part + 3) % 4] =
                    static_cast<float>((from[28 + part] - 128) / 128.0);
        }
    }
    return content;
}

void writeSplat(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint)
{
    std::vector<unsigned char> rows;
    const std::size_t components = set.shComponents();
    for (std::size_t first = 0; first < set.count(); first += kRowsAtOnce) {
        checkpoint();
        const std::size_t taken = std::min<std::size_t>(kRowsAtOnce, set.count() - first);
        rows.assign(kRow * taken, 0);
        for (std::size_t row = 0; row < taken; ++row) {
            unsigned char* to = &rows[kRow * row];
            const std::size_t i = first + row;
            std::memcpy(to, &set.x[3 * i], 12);
            std::memcpy(to + 12, &set.scale[3 * i], 12);
            for (std::size_t channel = 0; channel < 3; ++channel)
                to[24 + channel] =
                    byteOf(255 * (0.5 + kConstantHarmonic * set.sh[components * i + channel]));
            to[27] = byteOf(255.0 * set.opacity[i]);
            for (std::size_t part = 0; part < 4; ++part)
                to[28 + part] = byteOf(128.0 * set.rotation[4 * i + (part + 3) % 4] + 128);
        }
        file.write(rows.data(), rows.size());
    }
}

} // namespace floe::gaussians
