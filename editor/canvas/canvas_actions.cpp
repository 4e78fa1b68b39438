#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "canvas/tidy.hpp"
#include "floe/base/error.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QColorDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolTip>

#include <cmath>

namespace floe::editor {

QAction* Canvas::addCommand(const QString& id, const QString& text, const QString& tip,
                            const QList<QKeySequence>& keys, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, std::move(run));
    addAction(action);
    commands_.push_back(action);
    return action;
}

QAction* Canvas::command(const QString& id) const
{
    for (QAction* action : commands_)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

void Canvas::makeCommands()
{
    addCommand("canvas.add", tr("Add node…"), tr("Search a node and add it at the pointer"),
               {Qt::Key_Tab}, [this] { openSearch(mapFromGlobal(QCursor::pos())); });
    addCommand("canvas.cut", tr("Cut"), tr("Copy the selected nodes and delete them"),
               {QKeySequence::Cut}, [this] {
                   copySelected();
                   removeSelected();
               });
    addCommand("canvas.copy", tr("Copy"), tr("Copy the selected nodes as text"),
               {QKeySequence::Copy}, [this] { copySelected(); });
    addCommand("canvas.paste", tr("Paste"), tr("Add the nodes of the clipboard at the pointer"),
               {QKeySequence::Paste}, [this] {
                   const QPoint pointer = mapFromGlobal(QCursor::pos());
                   paste(rect().contains(pointer) ? std::optional(toScene(pointer)) : std::nullopt);
               });
    addCommand("canvas.duplicate", tr("Duplicate"), tr("Copy the selected nodes beside them"),
               {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] {
                   try {
                       const std::string text = document_.copy(scope(), selection());
                       if (!text.empty())
                           select(document_.paste(scope(), text, std::nullopt));
                   } catch (const Error& error) {
                       emit said(QString::fromUtf8(error.what()));
                   }
               });
    addCommand(
        "canvas.delete", tr("Delete"), tr("Delete what is selected"),
        {QKeySequence(Qt::Key_Delete), QKeySequence(Qt::Key_Backspace), QKeySequence(Qt::Key_X)},
        [this] { removeSelected(); });
    addCommand("canvas.selectAll", tr("Select all"), tr("Select all nodes"),
               {QKeySequence::SelectAll}, [this] {
                   std::vector<std::string> all;
                   for (const Card& card : scene().cards)
                       all.push_back(card.name);
                   select(all);
               });
    addCommand("canvas.bypass", tr("Bypass"), tr("Switch the selected nodes off or on"),
               {Qt::Key_D}, [this] { bypass(); });
    addCommand("canvas.rename", tr("Rename"), tr("Give the selected node another name"),
               {Qt::Key_F2}, [this] {
                   if (selection_.size() == 1)
                       rename(*selection_.begin());
                   else if (selectedDecoration_.starts_with("note:"))
                       editNote(selectedDecoration_.substr(5));
                   else if (selectedDecoration_.starts_with("frame:"))
                       editBackdrop(selectedDecoration_.substr(6));
               });
    addCommand("canvas.link", tr("Link selected"),
               tr("Link the two selected nodes by their first sockets that fit"), {Qt::Key_L},
               [this] { linkSelected(); });
    addCommand("canvas.group", tr("Group into subgraph"),
               tr("Put the selected nodes into a subgraph"), {QKeySequence(Qt::CTRL | Qt::Key_G)},
               [this] { groupSelected(); });
    addCommand("canvas.enter", tr("Enter subgraph"), tr("Show what is inside the selected node"),
               {QKeySequence(Qt::Key_I)}, [this] {
                   if (selection_.size() == 1)
                       enter(std::string(*selection_.begin()));
               });
    addCommand("canvas.leave", tr("Leave subgraph"), tr("Back to the graph around this one"),
               {QKeySequence(Qt::Key_U)}, [this] { leave(); });
    addCommand("canvas.backdrop", tr("Frame around selection"),
               tr("Draw a titled frame around the selected nodes"),
               {QKeySequence(Qt::SHIFT | Qt::Key_B)}, [this] { frameNodes(); });
    addCommand("canvas.note", tr("Add note"), tr("Write a note on the network"),
               {QKeySequence(Qt::SHIFT | Qt::Key_N)}, [this] { addNote(); });
    addCommand("canvas.colour", tr("Node colour…"), tr("Colour the selected nodes"),
               {QKeySequence(Qt::Key_C)}, [this] { colourSelected(); });
    addCommand("canvas.tidy", tr("Tidy up"), tr("Arrange the selected nodes, or all, in columns"),
               {QKeySequence(Qt::SHIFT | Qt::Key_L)}, [this] { tidy(); });
    addCommand("canvas.alignLeft", tr("Align left"), tr("Align left edges"),
               {QKeySequence(Qt::SHIFT | Qt::Key_Left)}, [this] { align(Qt::LeftEdge); });
    addCommand("canvas.alignTop", tr("Align top"), tr("Align top edges"),
               {QKeySequence(Qt::SHIFT | Qt::Key_Up)}, [this] { align(Qt::TopEdge); });
    addCommand("canvas.frameSelection", tr("Zoom to selection"), tr("Show the selected nodes"),
               {Qt::Key_F}, [this] { frameSelection(); });
    addCommand("canvas.frameAll", tr("Zoom to all"), tr("Show the whole network"),
               {Qt::Key_A, Qt::Key_Home}, [this] { frameAll(); });
    addCommand("canvas.help", tr("Help on node"), tr("Open the manual page of the selected node"),
               {QKeySequence(Qt::Key_F1)}, [this] {
                   if (selection_.empty())
                       return emit helpWanted({});
                   if (const graph::Node* node = document_.node(scope(), *selection_.begin()))
                       emit helpWanted(QString::fromStdString(node->type));
               });
}

// ------------------------------------------------------------------------------------ keyboard

void Canvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Y && !event->isAutoRepeat()) {
        cutKey_ = true;
        setCursor(Qt::CrossCursor);
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        if (drag_ != Drag::None)
            return cancelDrag();
        if (!selection_.empty() || !selectedWires_.empty() || !selectedDecoration_.empty())
            return select({});
    }
    if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier)
        return command("canvas.add")->trigger();
    const bool arrow = event->key() >= Qt::Key_Left && event->key() <= Qt::Key_Down;
    if (arrow && event->modifiers().testFlag(Qt::ControlModifier)) {
        const double step = 10;
        return nudge({event->key() == Qt::Key_Left    ? -step
                      : event->key() == Qt::Key_Right ? step
                                                      : 0,
                      event->key() == Qt::Key_Up     ? -step
                      : event->key() == Qt::Key_Down ? step
                                                     : 0});
    }
    if (arrow)
        return stepSelection(event->key());
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        return zoomBy(1.2, rect().center());
    if (event->key() == Qt::Key_Minus)
        return zoomBy(1 / 1.2, rect().center());
    QWidget::keyPressEvent(event);
}

void Canvas::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Y && !event->isAutoRepeat()) {
        cutKey_ = false;
        unsetCursor();
    }
    QWidget::keyReleaseEvent(event);
}

void Canvas::focusOutEvent(QFocusEvent* event)
{
    cutKey_ = false;
    QWidget::focusOutEvent(event);
    update();
}

/// Left and right follow wires, up and down go to the nearest card.
void Canvas::stepSelection(int key)
{
    const Scene& s = scene();
    if (s.cards.empty())
        return;
    const int from = selection_.empty() ? -1 : s.find(*selection_.begin());
    if (from < 0)
        return select({s.cards.front().name});
    const Card& card = s.cards[std::size_t(from)];
    int best = -1;
    double least = 1e30;
    const QPointF centre = card.rect.center();
    const auto consider = [&](int index, double penalty) {
        const QPointF d = s.cards[std::size_t(index)].rect.center() - centre;
        const double along = key == Qt::Key_Left    ? -d.x()
                             : key == Qt::Key_Right ? d.x()
                             : key == Qt::Key_Up    ? -d.y()
                                                    : d.y();
        const double across =
            key == Qt::Key_Left || key == Qt::Key_Right ? std::abs(d.y()) : std::abs(d.x());
        if (index == from || (along <= 1 && penalty > 0))
            return;
        if (const double cost = std::abs(along) + 2 * across + penalty; cost < least) {
            least = cost;
            best = index;
        }
    };
    if (key == Qt::Key_Left || key == Qt::Key_Right)
        for (const int index : card.wires) {
            const Wire& wire = s.wires[std::size_t(index)];
            if (key == Qt::Key_Left && wire.to == from)
                consider(wire.from, 0);
            if (key == Qt::Key_Right && wire.from == from)
                consider(wire.to, 0);
        }
    if (best < 0)
        for (std::size_t i = 0; i < s.cards.size(); ++i)
            consider(int(i), 1);
    if (best < 0)
        return;
    select({s.cards[std::size_t(best)].name});
    if (!visible().contains(s.cards[std::size_t(best)].rect))
        setView(zoom_,
                QPointF(width(), height()) / 2 - s.cards[std::size_t(best)].rect.center() * zoom_);
}

void Canvas::nudge(QPointF by)
{
    std::map<std::string, QPointF> places;
    for (const std::string& name : selection_)
        places[name] = document_.position(scope(), name) + by;
    document_.moveNodes(scope(), places);
}

// -------------------------------------------------------------------------------------- search

std::vector<Entry> Canvas::entries(const Pull* pull) const
{
    std::vector<Entry> found;
    std::uint64_t bits = 0;
    if (pull)
        if (const graph::NodeType* type = document_.typeOf(scope(), pull->fixed.node))
            if (const graph::Socket* socket = pull->fromOutput ? type->output(pull->fixed.socket)
                                                               : type->input(pull->fixed.socket))
                bits = kindBits(socket->kinds);
    const auto fits = [&](const std::vector<graph::Socket>& sockets) {
        return std::any_of(sockets.begin(), sockets.end(),
                           [&](const auto& socket) { return kindBits(socket.kinds) & bits; });
    };
    for (const graph::NodeType* type : document_.types().all()) {
        if (pull && !fits(pull->fromOutput ? type->inputs : type->outputs))
            continue;
        Entry entry;
        entry.id = QString::fromStdString(type->type);
        entry.label = QString::fromStdString(type->label.empty() ? type->type : type->label);
        entry.group = QString::fromStdString(type->category);
        entry.help = QString::fromStdString(type->help);
        for (const std::string& alias : type->aliases)
            entry.aliases += QString::fromStdString(alias);
        entry.aliases += QString::fromStdString(type->type).section('.', -1);
        found.push_back(std::move(entry));
    }
    std::stable_sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.group, a.label) < std::tie(b.group, b.label);
    });
    if (!pull) {
        for (const auto& [name, content] : document_.content().subgraphs)
            if (name != scope())
                found.push_back({"subgraph:" + QString::fromStdString(name),
                                 QString::fromStdString(name),
                                 "Subgraph",
                                 {"subgraph", "group"},
                                 tr("Another instance of this document's subgraph."),
                                 tr("Subgraph")});
        found.insert(found.end(), scenes_.begin(), scenes_.end());
    }
    return found;
}

void Canvas::openSearch(QPointF point)
{
    if (!rect().contains(point.toPoint()))
        point = rect().center();
    pendingPull_.reset();
    searchAt_ = toScene(point);
    search_->open(entries(nullptr), mapToGlobal(point.toPoint()));
}

void Canvas::addChosen(const QString& id)
{
    const std::optional<Pull> pull = std::exchange(pendingPull_, std::nullopt);
    setFocus();
    if (id.startsWith("scene:"))
        return emit sceneChosen(id.mid(6));
    QPointF place(std::round(searchAt_.x() / 10) * 10, std::round(searchAt_.y() / 10) * 10);
    if (pull) // the socket comes to lie where the wire was dropped
        place -= QPointF(pull->fromOutput ? 0 : kCardWidth, kHeaderHeight + kRowHeight / 2);
    document_.begin(tr("Add node"));
    std::string name;
    if (id.startsWith("subgraph:")) {
        const std::string subgraph = id.mid(9).toStdString();
        const Json node{
            {"floe", graph::kDocumentFormat},
            {"nodes", {{subgraph, {{"type", graph::kSubgraphType}, {"graph", subgraph}}}}}};
        try {
            const auto names = document_.paste(scope(), node.dump(), place);
            name = names.empty() ? std::string() : names.front();
        } catch (const Error& error) {
            emit said(QString::fromUtf8(error.what()));
        }
    } else {
        name = document_.addNode(scope(), id.toStdString(), place);
    }
    const graph::NodeType* type = document_.typeOf(scope(), name);
    if (pull && type)
        for (const graph::Socket& socket : pull->fromOutput ? type->inputs : type->outputs) {
            const graph::Endpoint end{name, socket.name};
            if (document_.link(scope(), pull->fromOutput ? graph::Link{pull->fixed, end}
                                                         : graph::Link{end, pull->fixed}))
                break;
        }
    document_.end();
    select({name});
}

// ------------------------------------------------------------------------------------ commands

void Canvas::copySelected() const
{
    try {
        const std::string text = document_.copy(scope(), selection());
        if (!text.empty())
            QApplication::clipboard()->setText(QString::fromStdString(text));
    } catch (const Error&) { // text that cannot be kept cannot be copied either
    }
}

void Canvas::paste(std::optional<QPointF> position)
{
    const QString text = QApplication::clipboard()->text();
    if (text.trimmed().isEmpty())
        return;
    try {
        select(document_.paste(scope(), text.toStdString(), position));
    } catch (const std::exception& error) {
        emit said(tr("Nothing was pasted: %1").arg(QString::fromUtf8(error.what())));
    }
}

void Canvas::removeSelected()
{
    scene_.ensure();
    if (!selection_.empty()) {
        document_.removeNodes(scope(), selection());
    } else if (!selectedWires_.empty()) {
        std::vector<graph::Link> links;
        for (const int wire : selectedWires_)
            if (wire < int(scene_.wires.size()))
                links.push_back(scene_.wires[std::size_t(wire)].link);
        document_.unlink(scope(), links);
    } else if (selectedDecoration_.starts_with("note:")) {
        document_.setNote(scope(), selectedDecoration_.substr(5), Json());
    } else if (selectedDecoration_.starts_with("frame:")) {
        document_.setBackdrop(scope(), selectedDecoration_.substr(6), Json());
    }
}

void Canvas::bypass()
{
    const bool any = std::any_of(selection_.begin(), selection_.end(), [&](const auto& name) {
        const graph::Node* node = document_.node(scope(), name);
        return node && !node->bypass;
    });
    document_.setBypass(scope(), selection(), any);
}

void Canvas::linkSelected()
{
    const std::vector<std::string> names = selection();
    if (names.size() != 2)
        return emit said(tr("Select two nodes to link them."));
    const bool leftFirst =
        document_.position(scope(), names[0]).x() <= document_.position(scope(), names[1]).x();
    for (const bool straight : {leftFirst, !leftFirst}) {
        const std::string& a = names[straight ? 0 : 1];
        const std::string& b = names[straight ? 1 : 0];
        const graph::NodeType* from = document_.typeOf(scope(), a);
        const graph::NodeType* to = document_.typeOf(scope(), b);
        if (!from || !to)
            continue;
        for (const graph::Socket& output : from->outputs)
            for (const graph::Socket& input : to->inputs)
                if (document_.link(scope(), {{a, output.name}, {b, input.name}}))
                    return;
    }
    emit said(tr("No output of one fits an input of the other."));
}

void Canvas::tidy()
{
    const Scene& s = scene();
    std::vector<int> chosen;
    for (std::size_t i = 0; i < s.cards.size(); ++i)
        if (selection_.size() < 2 || selection_.contains(s.cards[i].name))
            chosen.push_back(int(i));
    if (chosen.empty())
        return;
    std::map<int, int> position;
    std::vector<QSizeF> sizes;
    QPointF corner(1e30, 1e30);
    for (const int card : chosen) {
        position[card] = int(sizes.size());
        const QRectF& rect = s.cards[std::size_t(card)].rect;
        sizes.push_back(rect.size());
        corner = {std::min(corner.x(), rect.left()), std::min(corner.y(), rect.top())};
    }
    std::vector<std::pair<int, int>> links;
    for (const Wire& wire : s.wires)
        if (position.contains(wire.from) && position.contains(wire.to))
            links.emplace_back(position[wire.from], position[wire.to]);
    const std::vector<QPointF> places = tidyLayout(sizes, links);
    std::map<std::string, QPointF> moved;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        moved[s.cards[std::size_t(chosen[i])].name] = corner + places[i];
    document_.begin(tr("Tidy up"));
    for (const Wire& wire : std::vector<Wire>(s.wires))
        if (!wire.bends.empty() && position.contains(wire.to))
            document_.setBends(scope(), wire.link, {});
    document_.moveNodes(scope(), moved);
    document_.end();
    if (selection_.size() < 2)
        frameAll();
}

void Canvas::align(Qt::Edge edge)
{
    if (selection_.size() < 2)
        return;
    double least = 1e30;
    for (const std::string& name : selection_) {
        const QPointF at = document_.position(scope(), name);
        least = std::min(least, edge == Qt::LeftEdge ? at.x() : at.y());
    }
    std::map<std::string, QPointF> places;
    for (const std::string& name : selection_) {
        QPointF at = document_.position(scope(), name);
        (edge == Qt::LeftEdge ? at.rx() : at.ry()) = least;
        places[name] = at;
    }
    document_.moveNodes(scope(), places);
}

void Canvas::groupSelected()
{
    const std::string made = document_.group(scope(), selection(), "group");
    if (!made.empty())
        select({made});
}

void Canvas::frameNodes()
{
    QRectF area;
    for (const Card& card : scene().cards)
        if (selection_.contains(card.name))
            area |= card.rect;
    if (area.isEmpty())
        area = QRectF(toScene(rect().center()) - QPointF(150, 100), QSizeF(300, 200));
    else
        area.adjust(-20, -48, 20, 20);
    const std::string name =
        document_.setBackdrop(scope(), {},
                              {{"title", tr("Frame").toStdString()},
                               {"rect", {area.x(), area.y(), area.width(), area.height()}},
                               {"color", {0.1, 0.16, 0.24}}});
    scene_.ensure();
    editBackdrop(name);
}

void Canvas::addNote()
{
    const QPoint pointer = mapFromGlobal(QCursor::pos());
    const QPointF at = toScene(rect().contains(pointer) ? pointer : rect().center());
    const std::string name = document_.setNote(
        scope(), {},
        {{"text", tr("Note").toStdString()}, {"x", std::round(at.x())}, {"y", std::round(at.y())}});
    scene_.ensure();
    editNote(name);
}

void Canvas::colourSelected()
{
    if (selection_.empty())
        return;
    auto* dialog = new QColorDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Node colour"));
    dialog->setOption(QColorDialog::DontUseNativeDialog);
    connect(dialog, &QColorDialog::colorSelected, this, [this](const QColor& colour) {
        const auto linear = [](float v) {
            return std::round(std::pow(v, 2.2f) * 1000) / 1000.0;
        };
        document_.setColour(scope(), selection(),
                            std::array<double, 3>{linear(colour.redF()), linear(colour.greenF()),
                                                  linear(colour.blueF())});
    });
    dialog->open();
}

// ------------------------------------------------------------------------------ editing in place

void Canvas::closeEditor()
{
    if (!editor_)
        return;
    QWidget* editor = std::exchange(editor_, nullptr);
    editor->hide();
    editor->deleteLater();
}

void Canvas::rename(const std::string& name)
{
    closeEditor();
    scene_.ensure();
    const int index = scene_.find(name);
    if (index < 0)
        return;
    if (zoom_ < 0.5)
        frame(scene_.cards[std::size_t(index)].rect.adjusted(-200, -100, 200, 100));
    const QRectF rect = scene_.cards[std::size_t(index)].rect;
    auto* field = new QLineEdit(QString::fromStdString(name), this);
    editor_ = field;
    field->setObjectName("renameField");
    field->setAccessibleName(tr("Name of the node"));
    const QPoint corner = toWidget(rect.topLeft() + QPointF(10, 3)).toPoint();
    field->setGeometry(corner.x(), corner.y(), std::max(130, int((kCardWidth - 20) * zoom_)),
                       field->sizeHint().height());
    field->selectAll();
    field->show();
    field->setFocus();
    connect(field, &QLineEdit::returnPressed, this, [this, field, name] {
        const std::string wish = field->text().trimmed().toStdString();
        const QString problem = document_.rename(scope(), name, wish);
        if (!problem.isEmpty()) {
            QToolTip::showText(field->mapToGlobal(QPoint(0, field->height())), problem, field);
            emit said(problem);
            return;
        }
        closeEditor();
        setFocus();
    });
    connect(field, &QLineEdit::editingFinished, this, [this, field] {
        if (editor_ == field && !field->hasFocus())
            closeEditor();
    });
    auto* escape = new QAction(field);
    escape->setShortcut(Qt::Key_Escape);
    escape->setShortcutContext(Qt::WidgetShortcut);
    connect(escape, &QAction::triggered, this, [this] {
        closeEditor();
        setFocus();
    });
    field->addAction(escape);
}

void Canvas::editBackdrop(const std::string& name)
{
    closeEditor();
    const graph::Graph* g = document_.graph(scope());
    const auto at = std::find_if(scene_.backdrops.begin(), scene_.backdrops.end(),
                                 [&](const Backdrop& one) { return one.name == name; });
    if (!g || at == scene_.backdrops.end())
        return;
    auto* field = new QLineEdit(at->title, this);
    editor_ = field;
    field->setObjectName("titleField");
    field->setAccessibleName(tr("Title of the frame"));
    field->setGeometry(QRect(
        toWidget(at->rect.topLeft()).toPoint() + QPoint(6, 2),
        QSize(std::max(160, int(at->rect.width() * zoom_) - 12), field->sizeHint().height())));
    field->selectAll();
    field->show();
    field->setFocus();
    connect(field, &QLineEdit::editingFinished, this, [this, field, name] {
        if (editor_ != field)
            return;
        const graph::Graph* now = document_.graph(scope());
        if (now && now->backdrops.is_object() && now->backdrops.contains(name)) {
            Json json = now->backdrops.at(name);
            json["title"] = field->text().toStdString();
            document_.setBackdrop(scope(), name, json);
        }
        closeEditor();
        setFocus();
    });
}

namespace {
/// Text of a note; done when it loses the focus, Esc too.
class NoteEdit : public QPlainTextEdit {
public:
    NoteEdit(const QString& text, QWidget* parent, std::function<void(QString)> done)
        : QPlainTextEdit(text, parent), done_(std::move(done))
    {
        setObjectName("noteField");
    }

protected:
    void focusOutEvent(QFocusEvent* event) override
    {
        QPlainTextEdit::focusOutEvent(event);
        finish();
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape ||
            (event->key() == Qt::Key_Return && event->modifiers() == Qt::ControlModifier))
            return finish();
        QPlainTextEdit::keyPressEvent(event);
    }

private:
    void finish()
    {
        if (const auto done = std::exchange(done_, nullptr))
            done(toPlainText());
    }
    std::function<void(QString)> done_;
};
} // namespace

void Canvas::editNote(const std::string& name)
{
    closeEditor();
    const auto at = std::find_if(scene_.notes.begin(), scene_.notes.end(),
                                 [&](const NoteItem& one) { return one.name == name; });
    if (at == scene_.notes.end())
        return;
    auto* field = new NoteEdit(at->text, this, [this, name](const QString& text) {
        const graph::Graph* now = document_.graph(scope());
        if (now && now->notes.is_object() && now->notes.contains(name)) {
            Json json = now->notes.at(name);
            json["text"] = text.toStdString();
            document_.setNote(scope(), name, text.trimmed().isEmpty() ? Json() : json);
        }
        closeEditor();
        setFocus();
    });
    editor_ = field;
    field->setAccessibleName(tr("Text of the note"));
    const QRectF rect = at->rect;
    field->setGeometry(QRect(toWidget(rect.topLeft()).toPoint(),
                             QSize(std::max(260, int(rect.width() * zoom_) + 20),
                                   std::max(90, int(rect.height() * zoom_) + 20))));
    field->selectAll();
    field->show();
    field->setFocus();
}

} // namespace floe::editor
