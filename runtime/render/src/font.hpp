#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace floe::render {

/// DejaVu Sans in one size, embedded in this library. For one thread at a time.
class Font {
public:
    /// @param capitalHeight  of its letters [pixels], at most 4000
    /// @throws MemoryError
    explicit Font(float capitalHeight);
    ~Font();

    /// Returns the width of a line [pixels].
    /// @param text  UTF-8, of which at most 1000 characters are used; missing glyphs become boxes
    float width(std::string_view text) const;

    /// Handles a pixel of which letters cover a share, 0 to 1.
    using Ink = std::function<void(int x, int y, float share)>;
    /// Draws a line that starts at x with its baseline at y [pixels from the top left]. Where
    /// letters overlap, a pixel is passed twice.
    void draw(float x, float y, std::string_view text, const Ink& ink) const;

private:
    struct Face;
    std::unique_ptr<Face> face_;
};

} // namespace floe::render
