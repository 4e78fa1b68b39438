#pragma once

#include "canvas/canvas.hpp"

class QHBoxLayout;

namespace floe::editor {

/// The canvas with a bar above it that says which subgraph is shown and leads back out.
class NetworkView : public QWidget {
    Q_OBJECT
public:
    explicit NetworkView(Document& document, QWidget* parent = nullptr);
    Canvas* canvas() const { return canvas_; }

private:
    void showTrail();

    Document& document_;
    Canvas* canvas_;
    QWidget* bar_;
    QHBoxLayout* row_;
};

} // namespace floe::editor
