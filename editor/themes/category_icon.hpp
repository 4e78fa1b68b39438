#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include <string>

class QPainter;

namespace floe::editor {

/// The drawing (editor/icons/category_*.svg) of a category of nodes, as manifests name it
/// ("Emitters"); categories of third parties, of which there is none, share a neutral one.
QString categoryDrawing(const std::string& category);

/// Draws it in one colour. GUI thread. @param box  square, in the painter's coordinates
void paintCategory(QPainter& painter, const std::string& category, const QRectF& box,
                   const QColor& colour);

} // namespace floe::editor
