#include "themes/colours.hpp"

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {
Theme used = Theme::Dark; // of the GUI thread

double luminance(const QColor& colour)
{
    const auto linear = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}
} // namespace

const ThemeColours& coloursOf(Theme theme)
{
#define FLOE_COLOUR(name, dark, light) QColor::fromRgb(dark),
    static const ThemeColours darkOnes{
#include "themes/colours.inl"
    };
#undef FLOE_COLOUR
#define FLOE_COLOUR(name, dark, light) QColor::fromRgb(light),
    static const ThemeColours lightOnes{
#include "themes/colours.inl"
    };
#undef FLOE_COLOUR
    return theme == Theme::Dark ? darkOnes : lightOnes;
}

const ThemeColours& themeColours()
{
    return coloursOf(used);
}

Theme themeInUse()
{
    return used;
}

void setThemeInUse(Theme theme)
{
    used = theme;
}

QColor colourNamed(Theme theme, const QString& wanted)
{
#define FLOE_COLOUR(name, dark, light)                                                             \
    if (wanted == QLatin1String(#name))                                                            \
        return coloursOf(theme).name;
#include "themes/colours.inl"
#undef FLOE_COLOUR
    return {};
}

double contrast(const QColor& a, const QColor& b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

QColor standingOut(const QColor& colour, const QColor& ground, double least)
{
    const bool darker = luminance(ground) > 0.18; // where black and white contrast alike
    QColor result = colour;
    while (contrast(result, ground) < least) {
        float h, s, l;
        result.getHslF(&h, &s, &l);
        if (darker ? l <= 0 : l >= 1)
            break;
        result.setHslF(h, s, std::clamp(l + (darker ? -0.02f : 0.02f), 0.0f, 1.0f));
    }
    return result;
}

QColor onTheme(const QColor& colour)
{
    return standingOut(colour, themeColours().ground);
}

} // namespace floe::editor
