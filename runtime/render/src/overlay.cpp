#include "overlay.hpp"

#include "font.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace floe::render {
namespace {

struct Ink {
    float r, g, b; ///< sRGB, 0..1
};
constexpr Ink kText = {0.97f, 0.97f, 0.98f};
constexpr Ink kPanel = {0.05f, 0.06f, 0.08f};
constexpr float kPanelOpacity = 0.55f;
constexpr std::size_t kMaxEntries = 12;

/// Draws on the 8-bit picture; positions in pixels from the top left, clipped to it.
class Canvas {
public:
    /// @param size  height of capitals [pixels]
    Canvas(Image& image, float size) : image_(image), font_(size) {}

    void blend(int x, int y, const Ink& ink, float share)
    {
        if (x < 0 || y < 0 || x >= image_.width || y >= image_.height || share <= 0)
            return;
        std::uint8_t* pixel =
            image_.display.data() + 4 * (static_cast<std::size_t>(y) * image_.width + x);
        const float colour[] = {ink.r, ink.g, ink.b};
        for (int c = 0; c < 3; ++c)
            pixel[c] = static_cast<std::uint8_t>(
                std::lround(pixel[c] * (1 - share) + 255 * colour[c] * share));
        pixel[3] = static_cast<std::uint8_t>(std::lround(pixel[3] * (1 - share) + 255 * share));
    }

    /// With round corners and smooth edges.
    void rectangle(float x, float y, float width, float height, float radius, const Ink& ink,
                   float opacity)
    {
        const float cx = x + width / 2, cy = y + height / 2;
        for (int py = row(y - 1); py < row(y + height + 2); ++py)
            for (int px = column(x - 1); px < column(x + width + 2); ++px) {
                const float dx = std::abs(px + 0.5f - cx) - width / 2 + radius;
                const float dy = std::abs(py + 0.5f - cy) - height / 2 + radius;
                const float outside = std::hypot(std::max(dx, 0.0f), std::max(dy, 0.0f)) +
                                      std::min(std::max(dx, dy), 0.0f) - radius;
                blend(px, py, ink, opacity * std::clamp(0.5f - outside, 0.0f, 1.0f));
            }
    }

    /// The baseline is at y.
    void text(float x, float y, std::string_view line)
    {
        font_.draw(x, y, line, [&](int px, int py, float share) { blend(px, py, kText, share); });
    }
    float textWidth(std::string_view line) const { return font_.width(line); }

private:
    int column(float x) const
    {
        return static_cast<int>(std::clamp(std::floor(x), 0.0f, static_cast<float>(image_.width)));
    }
    int row(float y) const
    {
        return static_cast<int>(std::clamp(std::floor(y), 0.0f, static_cast<float>(image_.height)));
    }
    Image& image_;
    Font font_;
};

Ink inkOf(const Float3& colour)
{
    return {linearToSrgb(std::clamp(colour[0], 0.0f, 1.0f)),
            linearToSrgb(std::clamp(colour[1], 0.0f, 1.0f)),
            linearToSrgb(std::clamp(colour[2], 0.0f, 1.0f))};
}

std::string number(double value, double step)
{
    char text[32];
    if (std::abs(value) < 1e-9 * step)
        value = 0;
    if (std::abs(value) >= 1e5 || step < 1e-3)
        std::snprintf(text, sizeof text, "%.3g", value);
    else
        std::snprintf(text, sizeof text, "%.*f",
                      std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))), value);
    return text;
}

/// Round numbers in the range, about four to six.
std::vector<double> ticks(double low, double high, double& step)
{
    step = 1;
    const double width = high - low;
    if (!(width > 0) || !std::isfinite(width))
        return {low};
    step = std::pow(10, std::floor(std::log10(width)));
    for (const double part : {0.2, 0.25, 0.5, 1.0})
        if (width / (step * part) <= 6) {
            step *= part;
            break;
        }
    std::vector<double> values;
    for (double k = std::ceil(low / step - 1e-6); k * step <= high + 1e-6 * width; ++k) {
        values.push_back(k * step);
        if (values.size() > 20)
            break; // steps below the precision of the limits
    }
    return values;
}

void drawBar(const Scene& scene, Canvas& canvas, float size)
{
    const Legend& legend = scene.legend;
    double step;
    const std::vector<double> values =
        ticks(std::min(legend.low, legend.high), std::max(legend.low, legend.high), step);
    float labelWidth = 0;
    for (const double value : values)
        labelWidth = std::max(labelWidth, canvas.textWidth(number(value, step)));
    const float pad = 0.9f * size, barWidth = 1.2f * size, barHeight = 13 * size;
    const float titleHeight = legend.title.empty() ? 0 : 2.2f * size;
    const float inner =
        std::max(barWidth + 0.9f * size + labelWidth, canvas.textWidth(legend.title));
    const float width = inner + 2 * pad, height = barHeight + titleHeight + 2.4f * pad;
    const float x = static_cast<float>(scene.width) - width - 1.5f * size, y = 1.5f * size;
    canvas.rectangle(x, y, width, height, 0.6f * size, kPanel, kPanelOpacity);
    canvas.text(x + pad, y + 1.1f * pad + size, legend.title);
    const float top = y + 1.2f * pad + titleHeight;
    for (int row = 0; row < static_cast<int>(barHeight); ++row) {
        const float t = 1 - (static_cast<float>(row) + 0.5f) / std::floor(barHeight);
        canvas.rectangle(x + pad, std::floor(top) + static_cast<float>(row), barWidth, 1, 0,
                         inkOf(colourOf(legend.map, t)), 1);
    }
    for (const double value : values) {
        const float share =
            legend.high == legend.low
                ? 0
                : static_cast<float>((value - legend.low) / (legend.high - legend.low));
        const float at = std::floor(top) + (1 - share) * std::floor(barHeight);
        canvas.rectangle(x + pad + barWidth, at - 0.06f * size, 0.35f * size,
                         std::max(0.12f * size, 1.0f), 0, kText, 0.9f);
        canvas.text(x + pad + barWidth + 0.8f * size, at + 0.5f * size, number(value, step));
    }
}

void drawEntries(const Scene& scene, Canvas& canvas, float size)
{
    const Legend& legend = scene.legend;
    const std::size_t count = std::min(legend.entries.size(), kMaxEntries);
    const float pad = 0.9f * size, line = 1.9f * size;
    float inner = canvas.textWidth(legend.title);
    for (std::size_t i = 0; i < count; ++i)
        inner = std::max(inner, 1.7f * size + canvas.textWidth(legend.entries[i].label));
    const float titleHeight = legend.title.empty() ? 0 : 2.2f * size;
    const float width = inner + 2 * pad;
    const float height = titleHeight + static_cast<float>(count) * line + 2 * pad - 0.9f * size;
    const float x = static_cast<float>(scene.width) - width - 1.5f * size, y = 1.5f * size;
    canvas.rectangle(x, y, width, height, 0.6f * size, kPanel, kPanelOpacity);
    canvas.text(x + pad, y + pad + size, legend.title);
    for (std::size_t i = 0; i < count; ++i) {
        const float at = y + pad + titleHeight + static_cast<float>(i) * line;
        canvas.rectangle(x + pad, at, size, size, 0.25f * size, inkOf(legend.entries[i].colour), 1);
        canvas.text(x + pad + 1.7f * size, at + size, legend.entries[i].label);
    }
}

} // namespace

void drawOverlay(const Scene& scene, Image& image)
{
    if (!scene.legend.visible && scene.caption.empty())
        return;
    const float size =
        std::max(7.0f, 0.0165f * static_cast<float>(std::min(scene.height, scene.width * 3 / 4)));
    Canvas canvas(image, size);
    if (scene.legend.visible) {
        if (scene.legend.entries.empty())
            drawBar(scene, canvas, size);
        else
            drawEntries(scene, canvas, size);
    }
    if (!scene.caption.empty()) {
        const float width = canvas.textWidth(scene.caption);
        const float y = static_cast<float>(scene.height) - 1.5f * size;
        canvas.rectangle(1.5f * size, y - 2.6f * size, width + 1.8f * size, 2.6f * size,
                         0.6f * size, kPanel, kPanelOpacity);
        canvas.text(2.4f * size, y - 0.85f * size, scene.caption);
    }
}

} // namespace floe::render
