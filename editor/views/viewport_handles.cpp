#include "document/document.hpp"
#include "views/picture_area.hpp"
#include "views/transport_icon.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QActionGroup>
#include <QUndoStack>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::views {

namespace {

constexpr int kDrags = 1 << 28; // numbers of their own, apart from those of the panels

/// A vector with numbers that follow keys, and no expression.
bool isAnimated(const Json& value)
{
    return value.is_array() && value.size() == 3 &&
           std::any_of(value.begin(), value.end(), [](const Json& v) { return v.is_object(); }) &&
           std::all_of(value.begin(), value.end(), [](const Json& v) {
               return v.is_number() || (v.is_object() && v.contains("keys"));
           });
}

} // namespace

void Viewport::makeTools()
{
    auto* group = new QActionGroup(this);
    const auto make = [&](const char* name, Transport icon, const QString& text, const QString& tip,
                          int key, HandleTools::Tool tool) {
        auto* action = new QAction(transportIcon(icon), text, this);
        action->setObjectName(QLatin1String(name));
        action->setCheckable(true);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(tip);
        group->addAction(action);
        addAction(action);
        connect(action, &QAction::triggered, this, [this, tool] {
            for (const Pane& pane : panes_) {
                pane.area->handles().setTool(tool);
                pane.area->update();
            }
        });
        return action;
    };
    moveTool = make("viewport.move", Transport::Move, tr("Move"),
                    tr("Handles move the selected node  [W]"), Qt::Key_W, HandleTools::Tool::Move);
    turnTool =
        make("viewport.rotate", Transport::Turn, tr("Rotate"),
             tr("Handles rotate the selected node  [E]"), Qt::Key_E, HandleTools::Tool::Turn);
    sizeTool = make("viewport.scale", Transport::Size, tr("Scale"),
                    tr("Handles scale the selected node: its size, radius or height  [R]"),
                    Qt::Key_R, HandleTools::Tool::Size);
    moveTool->setChecked(true);
    snapping = new QAction(transportIcon(Transport::Snap), tr("Snap"), this);
    snapping->setObjectName(QStringLiteral("viewport.snap"));
    snapping->setCheckable(true);
    snapping->setToolTip(tr("Handles go in steps; Ctrl does the same while it is held"));
    addAction(snapping);
    viewCommands_ << moveTool << turnTool << sizeTool << snapping;
    connect(snapping, &QAction::toggled, this, [this](bool on) {
        for (const Pane& pane : panes_)
            pane.area->handles().setSnapping(on);
    });
}

void Viewport::refreshTools()
{
    turnTool->setEnabled(area_->handles().has(HandleTools::Tool::Turn));
    sizeTool->setEnabled(area_->handles().has(HandleTools::Tool::Size));
}

void Viewport::refreshHandle()
{
    if (drive->isChecked()) // it is where the drive puts it
        return;
    parameter_.clear();
    if (const graph::ParameterSpec* place = placeOf(*document_, scope_, node_)) {
        const Json value = document_->value(scope_, node_, place->name);
        if (client::triple(value) || isAnimated(value)) // driven before: it may be driven on
            parameter_ = place->name;
    }
    const NodeHandles handles =
        node_.empty() ? NodeHandles() : handlesOf(*document_, scope_, node_, frame_);
    for (const Pane& pane : panes_)
        pane.area->setHandles(handles);
    refreshTools();
}

void Viewport::setHandle(const std::optional<Vec3>& position)
{
    const auto spaces = spacesOf(*document_, scope_, node_, frame_);
    for (const Pane& pane : panes_)
        pane.area->setHandle(position, spaces);
}

/// Of the places where the selected node appears, handles stand at the nearest.
void Viewport::goToPlace(const Vec3& place)
{
    if (drive->isChecked())
        return;
    for (const Pane& pane : panes_) {
        pane.area->handles().goTo(place);
        pane.area->update();
    }
}

void Viewport::changeByHandle(const HandleTools::Change& change, int drag, bool finished)
{
    if (drive->isChecked()) {
        if ((change.parameter.empty() || change.parameter == parameter_) && !change.frame)
            emit handleDriven(change.value);
        return;
    }
    if (change.parameter.empty())
        return;
    const double digit = digitStep(area_->handles().finest(area_->camera(), area_->height()));
    std::vector<double> numbers;
    for (const double p : change.value)
        numbers.push_back(rounded(p, change.exact ? 1e-9 : digit));
    if (change.single)
        numbers.resize(1);
    Json value = change.single ? Json(numbers[0]) : Json(numbers);
    const Json stored = document_->value(scope_, node_, change.parameter);
    if (isKeyed(stored, numbers.size())) // it moves: what is changed is a key
        value =
            withKeysAt(stored, change.frame.value_or(frame_), numbers, change.exact ? 1e-9 : digit);
    if (std::exchange(lastDrag_, drag) != drag)
        undoBefore_ = document_->undo().index();
    document_->setParameter(scope_, node_, change.parameter, value, kDrags + drag);
    if (finished)
        refreshHandle();
}

void Viewport::takeBackHandle(int drag)
{
    if (std::exchange(lastDrag_, 0) == drag && document_->undo().index() > undoBefore_)
        document_->undo().undo();
    refreshHandle();
}

} // namespace floe::views
