#include "canvas/canvas.hpp"
#include "canvas/look.hpp"
#include "canvas/tidy.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QColorDialog>
#include <QMenu>

#include <cmath>
#include <numeric>

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
    addCommand("canvas.find", tr("Find node…"),
               tr("Find a node of this scene by its name or its kind, and go there"),
               {QKeySequence::Find}, [this] { openFind(); });
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
                       emit said(translated(error));
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
    addCommand("canvas.ghost", tr("Ghost in the viewport"),
               tr("See the shapes of the selected nodes through everything, or not"),
               {QKeySequence(Qt::SHIFT | Qt::Key_G)}, [this] { switchGhost(); });
    addCommand("canvas.rename", tr("Rename"), tr("Give the selected node another name"),
               {Qt::Key_F2}, [this] {
                   if (selection_.size() == 1)
                       rename(*selection_.begin());
                   else if (selectedDecoration_.starts_with("note:"))
                       editNote(selectedDecoration_.substr(5));
                   else if (selectedDecoration_.starts_with("frame:"))
                       editBackdrop(selectedDecoration_.substr(6));
                   else if (selectedWires_.size() == 1)
                       editWireNote(scene_.wires[std::size_t(*selectedWires_.begin())].link);
               });
    addCommand("canvas.link", tr("Link selected"),
               tr("Link the two selected nodes by their first sockets that fit"), {Qt::Key_L},
               [this] { linkSelected(); });
    addCommand("canvas.group", tr("Group into subgraph"),
               tr("Put the selected nodes into a subgraph"), {QKeySequence(Qt::CTRL | Qt::Key_G)},
               [this] { groupSelected(); });
    addCommand("canvas.asset", tr("Save as asset…"),
               tr("Keep the selected nodes as a subgraph that the node search finds"), {},
               [this] { askToSaveAsset(); });
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
    addCommand("canvas.note", tr("Add note"),
               tr("Write a note on the network, or on the selected wire"),
               {QKeySequence(Qt::SHIFT | Qt::Key_N)}, [this] {
                   if (selectedWires_.size() == 1)
                       editWireNote(scene_.wires[std::size_t(*selectedWires_.begin())].link);
                   else
                       addNote();
               });
    addCommand("canvas.colour", tr("Node colour…"), tr("Colour the selected nodes"),
               {QKeySequence(Qt::Key_C)}, [this] { chooseColour(); });
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
    addCommand("canvas.minimap", tr("Map of the network"),
               tr("Show or hide the small map, which appears when part is out of sight"),
               {QKeySequence(Qt::Key_M)}, [this] { switchMap(); });
    addCommand("canvas.help", tr("Help on node"), tr("Open the manual page of the selected node"),
               {QKeySequence(Qt::Key_F1)}, [this] {
                   if (selection_.empty())
                       return emit helpWanted({});
                   if (const graph::Node* node = document_.node(scope(), *selection_.begin()))
                       emit helpWanted(QString::fromStdString(node->type));
               });
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
        emit said(tr("Nothing was pasted: %1").arg(translated(error)));
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

void Canvas::switchGhost()
{
    const bool any = std::any_of(selection_.begin(), selection_.end(), [&](const auto& name) {
        return !document_.isGhost(scope(), name);
    });
    document_.setGhost(scope(), selection(), any);
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

Canvas::Tidied Canvas::tidied(const std::vector<int>& chosen)
{
    const Scene& s = scene();
    std::map<int, int> position;
    std::vector<QSizeF> sizes;
    QPointF corner(1e30, 1e30);
    for (const int card : chosen) {
        position[card] = int(sizes.size());
        const QRectF& rect = s.cards[std::size_t(card)].rect;
        sizes.push_back(rect.size());
        corner = {std::min(corner.x(), rect.left()), std::min(corner.y(), rect.top())};
    }
    std::vector<TidyWire> wires;
    std::vector<graph::Link> links;
    for (const Wire& wire : s.wires) {
        if (wire.from == wire.to || !position.contains(wire.from) || !position.contains(wire.to))
            continue;
        wires.push_back({position[wire.from], position[wire.to],
                         s.start(wire).y() - s.cards[std::size_t(wire.from)].rect.top(),
                         s.end(wire).y() - s.cards[std::size_t(wire.to)].rect.top()});
        links.push_back(wire.link);
    }
    const TidyLayout layout = tidyLayout(
        sizes, wires, width() > 200 && height() > 100 ? QSizeF(size()) : QSizeF(1100, 340));
    Tidied tidied;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        tidied.places[s.cards[std::size_t(chosen[i])].name] = corner + layout.places[i];
    for (std::size_t i = 0; i < links.size(); ++i)
        for (const QPointF& bend : layout.bends[i])
            tidied.bends[links[i]].push_back(corner + bend);
    return tidied;
}

/// A graph without places, as a person or a script writes it, is laid out when it is first seen.
void Canvas::placeFirst()
{
    const Scene& s = scene();
    if (s.cards.size() < 2 || document_.hasPlaces(scope()))
        return;
    std::vector<int> all(s.cards.size());
    std::iota(all.begin(), all.end(), 0);
    const Tidied first = tidied(all);
    document_.placeNodes(scope(), first.places, first.bends);
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
    const Tidied tidy = tidied(chosen);
    document_.begin(tr("Tidy up"));
    for (const Wire& wire : std::vector<Wire>(s.wires))
        if (!wire.bends.empty() && tidy.places.contains(wire.link.to.node))
            document_.setBends(scope(), wire.link, {});
    std::vector<QRectF> before, after, notes;
    std::vector<std::string> names;
    for (const Card& card : s.cards) {
        before.push_back(card.rect);
        const auto place = tidy.places.find(card.name);
        after.push_back(place == tidy.places.end() ? card.rect
                                                   : QRectF(place->second, card.rect.size()));
    }
    for (const NoteItem& note : s.notes) {
        notes.push_back(note.rect);
        names.push_back(note.name);
    }
    document_.moveNodes(scope(), tidy.places);
    for (const auto& [link, bends] : tidy.bends)
        document_.setBends(scope(), link, bends);
    const std::vector<QPointF> corners = tidyNotes(notes, before, after);
    for (std::size_t i = 0; i < corners.size(); ++i)
        if (corners[i] != notes[i].topLeft())
            document_.moveNote(scope(), names[i], corners[i]);
    document_.end();
    if (selection_.size() < 2)
        frameFirst();
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
    document_.begin(tr("Group into subgraph"));
    const std::string made = document_.group(scope(), selection(), "group");
    if (const int card = scene().find(made); card >= 0) {
        const QPointF place = scene().cards[std::size_t(card)].rect.topLeft();
        document_.moveNodes(scope(), {{made, scene().freePlace(made, place)}});
    }
    document_.end();
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

void Canvas::chooseColour()
{
    if (selection_.empty())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Of its category"), this,
                    [this] { document_.setColour(scope(), selection(), std::nullopt); });
    menu->addSeparator();
    const std::pair<QString, QColor> choices[] = {
        {tr("Red"), 0xa04a46},    {tr("Orange"), 0xa8682f}, {tr("Yellow"), 0x8f8232},
        {tr("Green"), 0x4a8a4a},  {tr("Teal"), 0x2f8583},   {tr("Blue"), 0x4470a8},
        {tr("Violet"), 0x7a58a8}, {tr("Grey"), 0x6c7076}};
    for (const auto& [name, colour] : choices) {
        QPixmap patch(QSize(14, 14) * devicePixelRatioF());
        patch.setDevicePixelRatio(devicePixelRatioF());
        patch.fill(colour);
        menu->addAction(QIcon(patch), name, this,
                        [this, chosen = colour] { colourSelected(chosen); });
    }
    menu->addSeparator();
    menu->addAction(tr("Another…"), this, &Canvas::askForColour);
    const QPoint pointer = mapFromGlobal(QCursor::pos());
    menu->popup(rect().contains(pointer) ? QCursor::pos()
                                         : mapToGlobal(nodePoint(*selection_.begin())));
}

void Canvas::askForColour()
{
    auto* dialog = new QColorDialog(themeColours().accent, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Node colour"));
    dialog->setOption(QColorDialog::DontUseNativeDialog);
    connect(dialog, &QColorDialog::colorSelected, this,
            [this](const QColor& colour) { colourSelected(colour); });
    dialog->open();
}

void Canvas::colourSelected(const QColor& colour)
{
    const auto linear = [](float v) {
        return std::round(std::pow(v, 2.2f) * 1000) / 1000.0;
    };
    document_.setColour(scope(), selection(),
                        std::array<double, 3>{linear(colour.redF()), linear(colour.greenF()),
                                              linear(colour.blueF())});
}

} // namespace floe::editor
