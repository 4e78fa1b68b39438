#pragma once

#include "themes/colours.hpp"

#include <QIcon>
#include <QString>

#include <functional>

class QApplication;
class QWidget;

namespace floe::editor {

/// Fusion in the colours of a theme, one style sheet, and a font that is legible when small. May be
/// called again: all windows then change at once.
void applyTheme(QApplication& application, Theme theme = Theme::Dark);

/// The theme that a preference names: "dark", "light", or "system", which is what the desktop has.
Theme themeFor(const QApplication& application, const QString& preference);

/// Calls back when the desktop changes its theme, where Qt can tell (from 6.5 on).
void followSystemTheme(QApplication& application, std::function<void()> changed);

/// The tone of a label in the style sheet: "muted", "fault", "formula"; empty: that of all text.
void setTone(QWidget& label, const QString& tone);

/// An icon of the set in editor/icons, drawn anew at every scale and in every theme.
/// @param name  "save"
QIcon icon(const QString& name);

} // namespace floe::editor
