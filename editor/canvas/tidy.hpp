#pragma once

#include <QPointF>
#include <QSizeF>

#include <utility>
#include <vector>

namespace floe::editor {

/// Places nodes in columns from left to right, so that wires go right and cross little (Sugiyama et
/// al. 1981: layers, order by barycentres, then straightening). Columns are as high as makes all of
/// it appear largest in a window with few
/// wires behind cards.
/// @param sizes  of the nodes
/// @param links  from, to; links in cycles are ignored
/// @param window  its size [pixels]
/// @return top left corners; the layout's own corner is (0, 0)
std::vector<QPointF> tidyLayout(const std::vector<QSizeF>& sizes,
                                const std::vector<std::pair<int, int>>& links,
                                QSizeF window = {1100, 340});

} // namespace floe::editor
