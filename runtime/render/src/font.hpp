#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace floe::render {

/// DejaVu Sans in one size, from bytes within this library. For one thread at a time.
class Font {
public:
    /// @param capitalHeight  of its letters [pixels], at most 4000
    /// @throws MemoryError
    explicit Font(float capitalHeight);
    ~Font();

    /// Width of a line [pixels].
    /// @param text  UTF-8, of which at most 1000 characters are used; what the font does not have
    /// is a box
    float width(std::string_view text) const;

    /// What to do with a pixel of which the letters cover a share, 0 to 1.
    using Ink = std::function<void(int x, int y, float share)>;
    /// Draws a line that starts at x and stands on y [pixels from the top left]. Letters that
    /// overlap give a pixel twice.
    void draw(float x, float y, std::string_view text, const Ink& ink) const;

private:
    struct Face;
    std::unique_ptr<Face> face_;
};

} // namespace floe::render
