#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace floe::editor {

/// A wire between two nodes, by their indices.
struct TidyWire {
    int from = 0, to = 0;
    double fromHeight = 0, toHeight = 0; ///< of its ends below the nodes' tops
};

struct TidyLayout {
    std::vector<QPointF> places;             ///< of each node's top left corner
    std::vector<std::vector<QPointF>> bends; ///< of each wire; most have none
};

/// Places nodes in columns from left to right, so that wires go right and cross little (Sugiyama et
/// al. 1981: layers, order by barycentres, then straightening).
///
/// The sources of a node stand in one column, except those that feed another of them. A column is
/// split only when it would be too high for a window. Wires over several columns have lanes between
/// the cards; they get bends where they would otherwise run behind a card.
/// @param sizes  of the nodes
/// @param wires  those in cycles are ignored
/// @param window  its size [pixels]
/// @return the layout's own corner is (0, 0)
TidyLayout tidyLayout(const std::vector<QSizeF>& sizes, const std::vector<TidyWire>& wires,
                      QSizeF window = {1100, 340});

/// Places notes by nodes that were moved: each goes with the node that was nearest to it, and from
/// there to the nearest place where it covers neither a node nor another note.
/// @param before, after  the nodes
/// @return the top left corner of each
std::vector<QPointF> tidyNotes(const std::vector<QRectF>& notes, const std::vector<QRectF>& before,
                               const std::vector<QRectF>& after);

} // namespace floe::editor
