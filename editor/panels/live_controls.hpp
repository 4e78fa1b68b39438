#pragma once

#include <QObject>

namespace floe::client {
class Runtime;
}
namespace floe::editor {
class Document;
}

namespace floe::panels {

/// Sends changes of parameters whose manifest says `live` to the running simulation, wherever in
/// the editor they are made (panel, viewport handle, undo).
class LiveControls : public QObject {
    Q_OBJECT
public:
    LiveControls(client::Runtime* runtime, editor::Document* document, QObject* parent = nullptr);
};

} // namespace floe::panels
