#pragma once

#include "canvas/scene.hpp"
#include "floe/graph/document.hpp"

#include <QRectF>
#include <QString>

#include <map>
#include <set>
#include <string>
#include <vector>

class QPainter;
class QTransform;

namespace floe::editor {

/// How one graph differs from another version of it, which is earlier or about to come.
struct GraphMarks {
    enum class Mark {
        Added,
        Changed,
        Conflict
    }; ///< Conflict: both sides have, and nobody has chosen
    /// A node that only the other version has, at its place there.
    struct Ghost {
        QString name, type; ///< type: its label
        QRectF rect;        ///< in scene units
    };
    std::map<std::string, Mark> nodes;
    std::map<std::string, Ghost> ghosts;
    std::set<graph::Link> added;
    std::vector<graph::Link> removed; ///< by the names of now
    bool empty() const
    {
        return nodes.empty() && ghosts.empty() && added.empty() && removed.empty();
    }
};

/// By the scope of the graph; empty: the document's own.
using Marks = std::map<std::string, GraphMarks>;

/// What has changed from `before` to `after`. Places do not count; an instance is changed when its
/// subgraph is. @param types  have the labels of ghosts
Marks marksBetween(const graph::Document& before, const graph::Document& after,
                   const graph::TypeLibrary& types);

/// A node that both sides of a merge have changed. @param where  "scope/node", or "node"
void markConflict(Marks& marks, const graph::Document& document, const std::string& where);

/// Over the picture of the network: outlines with a sign for each mark, so that they are told apart
/// without colours too, and what is gone in dashes.
/// @param view    scene to widget
/// @param coming  the other version is about to come: what it does not have is to be removed, and
///                what only it has, to be added
void paintMarks(QPainter& painter, const Scene& scene, const QTransform& view,
                const GraphMarks& marks, bool coming);

/// What the marks mean, in the upper left corner. @param conflicts  there are some
void paintMarkLegend(QPainter& painter, const QFont& font, bool coming, bool conflicts);

} // namespace floe::editor
