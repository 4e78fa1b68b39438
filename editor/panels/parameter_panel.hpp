#pragma once

#include "floe/graph/node_type.hpp"

#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace floe::editor {
class Document;
}

namespace floe::panels {

class CurveView;
class ParameterRow;
class Section;

/// The parameters of one node, made from its type's manifest alone: a third party's node looks like
/// one of ours. Everything is edited through the document.
class ParameterPanel : public QWidget {
    Q_OBJECT
public:
    explicit ParameterPanel(editor::Document* document, QWidget* parent = nullptr);
    ~ParameterPanel() override;

    /// Shows a node. Empty: says that nothing is selected.
    void setNode(const std::string& scope, const std::string& node);
    /// Shows what several nodes have in common, with the values of the first; what is edited is set
    /// on all of them.
    void setNodes(const std::string& scope, const std::vector<std::string>& nodes);
    void setFrame(int frame);
    const std::string& node() const { return node_; }

    ParameterRow* row(const std::string& parameter) const; ///< null when there is none
    CurveView* curves() const { return curves_; }
    QToolButton* presetButton() const { return presets_; }
    void openCurves(const std::string& parameter);
    /// Takes the curves out of the panel, for a place of their own. There they show the first
    /// parameter of the node that has any, until curvesOpened() says that others are wanted.
    CurveView* takeCurves();
    /// What shows a node whose type has a preview: above its parameters, where it folds away.
    void setPreview(QWidget* widget);

protected:
    void changeEvent(QEvent* event) override;

signals:
    void manualWanted(const QString& type);
    /// Values of a parameter of the scene itself are to be compared.
    void compareWanted(const std::string& node, const std::string& parameter);
    void frameWanted(int frame);
    void curvesOpened(); ///< by the user
    /// Frames with keys of this node, for the timeline.
    void keysChanged(const QVector<int>& frames);

private:
    void rebuild();
    void refreshParameter(const std::string& parameter);
    bool isShown(const std::string& name) const;
    void refreshFaults();
    void refreshCurves();
    void closeCurves();
    void showCurves(const std::string& parameter);
    void refreshPreset();
    void refreshIdle();
    /// Why a parameter of a node has no effect; empty: it has.
    QString idle(const std::string& node, const std::string& parameter) const;
    void announceKeys();
    void buildRows(const graph::NodeType& type);
    void dragRow(ParameterRow* row, int y, bool finished);

    editor::Document* document_;
    std::string scope_, node_;
    std::vector<std::string> peers_; ///< edited with node_
    QLineEdit* name_;
    QLabel *type_, *help_, *faults_, *empty_;
    QToolButton *presets_, *manual_;
    QWidget* header_;
    Section* preview_ = nullptr; ///< once there is something in it
    QScrollArea* scroll_;
    CurveView* curves_;
    std::vector<ParameterRow*> rows_;
    QWidget* dropLine_; ///< where a row that is dragged would go
    std::vector<Section*> sections_;
    std::string curve_;        // parameter whose curves are open
    bool curvesTaken_ = false; // they lie elsewhere
    int frame_ = 1;
};

} // namespace floe::panels
