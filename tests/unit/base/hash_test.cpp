#include "floe/base/hash.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floe {
namespace {

TEST(Hash, IsXxh3Of128Bits)
{
    // The reference value of XXH3_128bits for no input and seed 0 (xxHash's own sanity tests).
    EXPECT_EQ(hashBytes("").text(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, OneFlippedBitGivesAnotherHash)
{
    std::string text(64, 'x');
    std::set<Hash> seen{hashBytes(text)};
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
        EXPECT_TRUE(seen.insert(hashBytes(text)).second) << "bit " << bit;
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    }
}

TEST(Hash, PiecesGiveTheHashOfTheWhole)
{
    std::string text;
    RunningHash pieces;
    for (std::size_t length = 0; length < 2000; length += 37) {
        const std::string piece(length, static_cast<char>(length));
        pieces.add(piece.data(), piece.size());
        text += piece;
    }
    EXPECT_EQ(pieces.value(), hashBytes(text));
}

TEST(Hash, CombiningKeepsOrder)
{
    const Hash a = hashBytes("a"), b = hashBytes("b");
    EXPECT_NE(combine(a, b), combine(b, a));
    EXPECT_NE(combine(a, a), a);
    EXPECT_NE(combine(combine(a, b), a), combine(a, combine(b, a)));
}

} // namespace
} // namespace floe
