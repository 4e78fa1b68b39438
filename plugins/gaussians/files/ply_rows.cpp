#include "files/ply_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace floe::gaussians {

namespace {

double numberIn(const InputFile& file, std::string_view word)
{
    if (!word.empty() && word.front() == '+')
        word.remove_prefix(1);
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    // Beyond the range of doubles there is no number, but a place for one.
    if (stop != end || (error != std::errc() && error != std::errc::result_out_of_range))
        file.fail("has '" + std::string(word) + "' where a number should be");
    return number;
}

} // namespace

void readRows(InputFile& file, PlyEncoding encoding, const PlyElement& element, std::uint64_t rows,
              unsigned char* to)
{
    if (encoding == PlyEncoding::Text) {
        for (std::uint64_t i = 0; i < rows; ++i)
            for (const PlyProperty& property : element.properties) {
                const double number = numberIn(file, file.word());
                std::memcpy(to + i * element.rowBytes + property.offset, &number, sizeof number);
            }
        return;
    }
    file.read(to, rows * element.rowBytes);
    if (encoding == PlyEncoding::BigEndian)
        for (std::uint64_t i = 0; i < rows; ++i)
            for (const PlyProperty& property : element.properties) {
                unsigned char* const first = to + i * element.rowBytes + property.offset;
                std::reverse(first, first + property.bytes());
            }
}

void skipRows(InputFile& file, PlyEncoding encoding, const PlyElement& element,
              const Checkpoint& checkpoint)
{
    if (encoding == PlyEncoding::Text)
        forEachRow(file, encoding, element, checkpoint, [](std::uint64_t, const unsigned char*) {});
    else
        file.skip(element.count * element.rowBytes);
}

} // namespace floe::gaussians
