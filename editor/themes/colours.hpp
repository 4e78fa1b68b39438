#pragma once

#include <QColor>
#include <QString>

namespace floe::editor {

enum class Theme { Dark, Light };

/// The colours of a theme; colours.inl says what each is for.
struct ThemeColours {
#define FLOE_COLOUR(name, dark, light) QColor name;
#include "themes/colours.inl"
#undef FLOE_COLOUR
};

const ThemeColours& coloursOf(Theme theme);

/// Of the theme in use. GUI thread; what was painted with them before is painted anew when a widget
/// gets QEvent::StyleChange.
const ThemeColours& themeColours();
Theme themeInUse();
void setThemeInUse(Theme theme); ///< applyTheme() does, and all that belongs to it

/// By its name in the style sheet, such as "window"; invalid: there is none of that name.
QColor colourNamed(Theme theme, const QString& name);

/// Contrast of two opaque colours, 1 to 21, as WCAG 2.1 defines it: 4.5 for text, 3 for what is as
/// thick as an icon's lines.
double contrast(const QColor& a, const QColor& b);

/// A colour as it is where it stands out from the ground, else darker or lighter until it does.
/// @param least  contrast, at most 4.5
QColor standingOut(const QColor& colour, const QColor& ground, double least = 3);

/// The same on the ground of the network, of lists and of plots in the theme in use: colours that
/// carry a meaning are chosen for dark grounds.
QColor onTheme(const QColor& colour);

} // namespace floe::editor
