#pragma once

#include "floe/graph/node_type.hpp"
#include "panels/animated_value.hpp"
#include "panels/key_button.hpp"

#include <QStringList>
#include <QVector>
#include <QWidget>

#include <functional>

class QLabel;
class QMenu;

namespace floe::editor {
class Document;
}

namespace floe::panels {

class ColourPatch;
class Field;
class NumberField;

/// One parameter of a node: label, fields, key button; below them, if there is one, its fault or
/// its expression. What is edited goes through the document at once.
class ParameterRow : public QWidget {
    Q_OBJECT
public:
    static constexpr int kLabelWidth = 128; ///< logical pixels, the same for all rows

    ParameterRow(editor::Document* document, std::string scope, std::string node,
                 const graph::ParameterSpec& spec, QWidget* parent = nullptr);

    const graph::ParameterSpec& spec() const { return spec_; }
    void refresh(); ///< from the document
    void setFrame(int frame);
    void setFaults(const QStringList& faults);
    /// Why the value has no effect as the node stands; empty: it has. A row without effect is
    /// hidden unless it holds something of the user's: a changed value, keys, an expression.
    void setIdle(const QString& why);
    /// What else there is to know of its value, such as what it would cost; below it. Empty:
    /// nothing.
    void setRemark(const QString& text);
    /// What the channels are called: "x", "r"; one empty name for a number.
    QStringList channelNames() const;
    std::optional<Channels> channels() const;
    void setChannels(const Channels& channels, int drag);
    QVector<int> keyFrames() const; ///< of all its keys
    bool isChanged() const;         ///< stored, not the default
    /// Nodes that are edited with this one; they have this parameter too.
    void setPeers(std::vector<std::string> peers);
    bool differs() const; ///< a peer has another value

    const std::vector<NumberField*>& numbers() const { return numbers_; }
    KeyButton* keyButton() const { return key_; }
    Field* field() const { return field_; }
    QString note() const; ///< the line below

    /// Sets a key at the current frame, or removes it when there is one.
    void toggleKey();
    void reset();

    /// A number that no other drag has.
    static int newDrag();

signals:
    void curveWanted();
    void compareWanted(); ///< of several values
    /// A promoted parameter of an instance is dragged by its label. @param y  on the screen
    void dragged(int y, bool finished);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent*) override;

private:
    void addPromotion(QMenu* menu);
    void buildNumbers();
    void fieldEdited(const Json& value);
    void toggleStep();
    void refreshField();
    void numberEdited(std::size_t channel, double value, bool finished);
    void setExpression(std::size_t channel, const QString& text);
    void edit(const std::function<void(Channels&)>& change, int drag);
    void store(const Json& value);
    void storeEach(const std::function<Json(const Json& stored)>& changed, int drag = 0);
    Evaluated evaluateChannel(const Channel& channel) const;
    void showNote(const QStringList& errors, const QString& hint);

    editor::Document* document_;
    std::string scope_, node_;
    std::vector<std::string> peers_;
    graph::ParameterSpec spec_;
    QLabel *label_, *note_;
    std::vector<NumberField*> numbers_;
    ColourPatch* patch_ = nullptr;
    Field* field_ = nullptr;
    KeyButton* key_ = nullptr;
    QStringList faults_;
    QString idle_; // why it has no effect
    QString remark_;
    int frame_ = 1;
    int drag_ = 0;               // of the drag that goes on
    std::optional<int> pressed_; // height on the screen at which its label was pressed
    bool moves_ = false;         // among the others
};

} // namespace floe::panels
