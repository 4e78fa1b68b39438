#pragma once

#include "themes/colours.hpp"

namespace floe::panels {

// What marks a parameter's state, apart for the colour-blind, in the theme in use.
inline QColor keyedColour() ///< has keys
{
    return editor::themeColours().keyed;
}
inline QColor formulaColour() ///< is an expression, acts live
{
    return editor::themeColours().formula;
}
inline QColor faultColour() ///< cannot be as it is
{
    return editor::themeColours().fault;
}

} // namespace floe::panels
