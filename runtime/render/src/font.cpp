#include "font.hpp"

#include "floe/base/error.hpp"

#include <cmath>
#include <cstdint>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

namespace floe::render {
namespace {

constexpr unsigned char kFile[] = {
#include "embedded/font.inc"
};
constexpr std::size_t kLongest = 1000; // characters
constexpr float kUnit = 64;            // FreeType's, a pixel

void check(FT_Error error)
{
    if (error != 0)
        throw MemoryError({},
                          "text cannot be drawn: FreeType reports error " + std::to_string(error));
}

/// Calls `use` with each character; broken UTF-8 gives ones that no font has.
void eachCharacter(std::string_view text, const std::function<void(FT_ULong)>& use)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size() && count < kLongest; ++count) {
        const auto first = static_cast<unsigned char>(text[i++]);
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
        FT_ULong character = more == 0 ? first : first & (0x3Fu >> more);
        for (; more > 0 && i < text.size() && (text[i] & 0xC0) == 0x80; --more)
            character = character << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
        use(first >= 0x80 && first < 0xC0 ? 0 : character);
    }
}

} // namespace

struct Font::Face {
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    ~Face() { FT_Done_FreeType(library); } // and the face with it

    /// Loads each letter of a line and calls `use` with its place.
    /// @return width of the line
    float set(std::string_view text, const std::function<void(float x)>& use) const
    {
        float x = 0;
        FT_UInt before = 0;
        eachCharacter(text, [&](FT_ULong character) {
            const FT_UInt letter = FT_Get_Char_Index(face, character);
            FT_Vector closer{};
            FT_Get_Kerning(face, before, letter, FT_KERNING_UNFITTED, &closer);
            x += static_cast<float>(closer.x) / kUnit;
            // Hints move outlines up and down only, onto rows of pixels.
            check(FT_Load_Glyph(face, letter, FT_LOAD_TARGET_LIGHT));
            use(x);
            x += static_cast<float>(face->glyph->linearHoriAdvance) / 65536;
            before = letter;
        });
        return x;
    }
};

Font::Font(float capitalHeight) : face_(std::make_unique<Face>())
{
    check(FT_Init_FreeType(&face_->library));
    check(FT_New_Memory_Face(face_->library, kFile, sizeof kFile, 0, &face_->face));
    FT_Face face = face_->face;
    check(FT_Load_Char(face, 'H', FT_LOAD_NO_SCALE));
    const float capitals = static_cast<float>(face->glyph->metrics.horiBearingY) /
                           static_cast<float>(face->units_per_EM);
    check(FT_Set_Char_Size(face, 0, std::lround(kUnit * capitalHeight / capitals), 0, 0));
}

Font::~Font() = default;

float Font::width(std::string_view text) const
{
    return face_->set(text, [](float) {});
}

void Font::draw(float x, float y, std::string_view text, const Ink& ink) const
{
    const float baseline = std::round(y);
    face_->set(text, [&](float along) {
        FT_GlyphSlot letter = face_->face->glyph;
        const float start = std::floor(x + along);
        FT_Outline_Translate(&letter->outline, std::lround(kUnit * (x + along - start)), 0);
        check(FT_Render_Glyph(letter, FT_RENDER_MODE_NORMAL));
        const FT_Bitmap& bitmap = letter->bitmap;
        const int left = static_cast<int>(start) + letter->bitmap_left;
        const int top = static_cast<int>(baseline) - letter->bitmap_top;
        for (int row = 0; row < static_cast<int>(bitmap.rows); ++row)
            for (int column = 0; column < static_cast<int>(bitmap.width); ++column)
                ink(left + column, top + row,
                    static_cast<float>(bitmap.buffer[row * bitmap.pitch + column]) / 255);
    });
}

} // namespace floe::render
