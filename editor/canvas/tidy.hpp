#pragma once

#include <QPointF>
#include <QSizeF>

#include <utility>
#include <vector>

namespace floe::editor {

/// Places nodes in columns from left to right, so that wires go right and cross little (Sugiyama et
/// al. 1981: longest path layers, order by barycentres, then straightening).
/// @param sizes  of the nodes
/// @param links  from, to; links in cycles are ignored
/// @return top left corners; the layout's own corner is (0, 0)
std::vector<QPointF> tidyLayout(const std::vector<QSizeF>& sizes,
                                const std::vector<std::pair<int, int>>& links);

} // namespace floe::editor
