#pragma once

#include <QCoreApplication>

namespace floe::editor {

class Document;
class Notice;

/// What to do when time ran slower in a live run.
class LiveAdvice {
    Q_DECLARE_TR_FUNCTIONS(floe::editor::LiveAdvice)
public:
    /// Says that it did, and offers cells with which it need not.
    /// @param speed  mean speed of time, at most 1
    static void offer(Document& document, Notice& notice, double speed);
};

} // namespace floe::editor
