#pragma once

#include <QColor>

namespace floe::panels {

// What marks a parameter's state, legible on the dark theme and apart for the colour-blind.
inline const QColor kKeyed(0xe6, 0x9f, 0x00);   ///< has keys
inline const QColor kFormula(0x2f, 0xb3, 0x8a); ///< is an expression, acts live
inline const QColor kFault(0xf0, 0x70, 0x58);   ///< cannot be as it is
inline const QColor kQuiet(0x9a, 0xa1, 0xa9);   ///< has no effect at the moment

} // namespace floe::panels
