#include "canvas/canvas.hpp"
#include "document/presets.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>

#include <algorithm>

namespace floe::editor {

std::vector<Entry> Canvas::libraryEntries() const
{
    std::vector<Entry> found = entries(nullptr);
    std::stable_partition(found.begin(), found.end(),
                          [](const Entry& entry) { return !entry.picture.isEmpty(); });
    return found;
}

/// @return whether the entry is a preset that the node, or one before it, can be given. Where
/// several can, a menu asks which.
bool Canvas::give(const QString& id, const std::string& node)
{
    const auto chosen = findPreset(document_.types(), id);
    if (!chosen)
        return false;
    const std::vector<std::string> takers = takersOf(document_, scope(), node, *chosen);
    const auto giveTo = [this, id](const std::string& taker) {
        const auto preset = findPreset(document_.types(), id);
        const std::string made =
            preset ? givePreset(document_, scope(), taker, *preset) : std::string();
        if (made.empty())
            return;
        select({made});
        emit said(tr("'%1' is %2 now.").arg(QString::fromStdString(made), preset->label()));
    };
    if (takers.size() == 1)
        giveTo(takers.front());
    if (takers.size() < 2)
        return !takers.empty();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("takers");
    menu->addSection(tr("%1 for").arg(chosen->label()));
    for (const std::string& taker : takers)
        menu->addAction(QString::fromStdString(taker), this, [giveTo, taker] { giveTo(taker); });
    menu->popup(QCursor::pos());
    return true;
}

void Canvas::drop(const QString& id, QPointF point)
{
    const QPointF there = toScene(point);
    const int card = scene().cardAt(there);
    if (card >= 0 && give(id, scene().cards[std::size_t(card)].name))
        return;
    pendingPull_.reset();
    select({}); // it belongs to the place, not to what was selected
    searchAt_ = there;
    addChosen(id);
}

void Canvas::dropOn(const QString& id, const QString& path, const Added& added)
{
    if (!path.isEmpty() && findPreset(document_.types(), id)) {
        reveal(path);
        if (give(id, path.section('/', -1).toStdString()))
            return;
    }
    pendingPull_.reset();
    select({});
    searchAt_ = toScene(rect().center());
    addChosen(id, {}, added);
}

void Canvas::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(kLibraryFormat))
        event->acceptProposedAction();
}

void Canvas::dragMoveEvent(QDragMoveEvent* event)
{
    hover(event->position()); // the card that it would go to is seen
    event->acceptProposedAction();
}

void Canvas::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    drop(QString::fromUtf8(event->mimeData()->data(kLibraryFormat)), event->position());
}

} // namespace floe::editor
