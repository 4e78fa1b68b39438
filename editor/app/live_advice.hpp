#pragma once

#include "floe/base/json.hpp"

#include <QCoreApplication>
#include <QString>

#include <map>
#include <string>

namespace floe::editor {

class Document;
class Notice;

/// Sizes of the cells of a scene's solvers [m], by parameter and node.
using CellSizes = std::map<std::string, std::map<std::string, Json>>;

/// So many times as large as those of the scene: two digits, and not below. Sizes that follow keys
/// or expressions are left out.
CellSizes cellSizes(const Document& document, double times);
/// The first of them, for a person; empty: there are none.
QString cellText(const Document& document, double times);

/// What to do when time ran slower in a live run, or its cells were not the scene's.
class LiveAdvice {
    Q_DECLARE_TR_FUNCTIONS(floe::editor::LiveAdvice)
public:
    /// Says so, and offers the scene cells with which it keeps its rate.
    /// @param speed  mean speed of time, at most 1
    /// @param times  how many times as large as the scene's the cells were
    static void offer(Document& document, Notice& notice, double speed, double times);
};

} // namespace floe::editor
