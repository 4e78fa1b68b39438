#pragma once

#include "client/runtime.hpp"
#include "floe/graph/node_type.hpp"

#include <QImage>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <memory>
#include <string>

namespace floe::editor {

class Document;

/// What its parameters make of a node: the small scene that the manifest of its type names as
/// `preview`, simulated with the node's values at the present frame, in a runtime of its own that
/// is started when it is first seen. It begins again when the values change, and waits while the
/// document's scene is simulated. A click shows its frames again.
class NodePreview : public QWidget {
    Q_OBJECT
public:
    /// @param program  gives the path of `floe`  @param busy  whether the scene is simulated
    NodePreview(Document* document, std::function<QString()> program, std::function<bool()> busy,
                QWidget* parent = nullptr);
    ~NodePreview() override;

    /// A node whose type has a preview; another one, or none, shows nothing.
    void setNode(const std::string& scope, const std::string& node);
    void setFrame(int frame); ///< at which animated parameters are taken
    void goOn();              ///< busy() may have changed
    void close();             ///< ends its runtime

    const QImage& picture() const { return picture_; } ///< null: none yet
    /// It is of the last frame, and of the values as they are.
    bool isComplete() const { return complete_; }
    const QString& note() const { return note_; } ///< why there is no picture

    QSize sizeHint() const override { return {240, 160}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    const graph::NodeType* type() const; ///< null: nothing is to be shown
    void change();
    void begin();
    void use(); ///< the runtime knows the scene
    Json scene();
    void look(int frame);
    void say(const QString& note);
    void makeRuntime();

    Document* document_;
    std::function<QString()> program_;
    std::function<bool()> busy_;
    std::unique_ptr<client::Runtime> runtime_;
    std::string scope_, node_;
    int frame_ = 1;
    bool stale_ = false; ///< what is shown, or on its way, is not what is wanted
    bool sent_ = false;  ///< and the runtime has not answered to it yet
    bool complete_ = false;
    int first_ = 1, last_ = 1, shown_ = 1; ///< frames of the preview's scene
    int simulated_ = 0;                    ///< the last one with the values as they are
    QString camera_;                       ///< its node
    QImage picture_;
    QString note_;
    QTimer rest_, replay_;
};

} // namespace floe::editor
