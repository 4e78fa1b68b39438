#pragma once

#include <QIcon>
#include <QString>

class QApplication;

namespace floe::editor {

/// Fusion in dark colours, one style sheet, and a font that is legible when small.
void applyTheme(QApplication& application);

/// An icon of the set in editor/icons, drawn anew at every scale. @param name  "save"
QIcon icon(const QString& name);

} // namespace floe::editor
