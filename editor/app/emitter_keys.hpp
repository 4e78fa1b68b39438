#pragma once

#include <QObject>
#include <QString>

#include <string>
#include <vector>

namespace floe::panels {
class ParameterPanel;
}
namespace floe::views {
class Viewport;
}

namespace floe::editor {

class Document;

/// The keys 1 to 9 in the viewport, one for each emitter of the scene in its order: each starts and
/// stops its emitter, also while the scene is simulated. One whose switch has keys gets a key at
/// the frame shown.
class EmitterKeys : public QObject {
    Q_OBJECT
public:
    static constexpr int kMaxKeys = 9;

    EmitterKeys(views::Viewport* viewport, Document* document, panels::ParameterPanel* panel,
                QObject* parent);

    /// Those that have a key: nodes of the scene itself with a switch that may change in a run.
    std::vector<std::string> emitters() const;
    void setFrame(int frame) { frame_ = frame; }
    /// The panel shows this node now: its switch says which key it has.
    void follow(const std::string& scope, const std::string& node);

signals:
    void switched(const QString& text); ///< for a status bar

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void toggle(const std::string& emitter);

    views::Viewport* viewport_;
    Document* document_;
    panels::ParameterPanel* panel_;
    int frame_ = 1;
};

} // namespace floe::editor
