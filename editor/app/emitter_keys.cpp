#include "app/emitter_keys.hpp"

#include "document/document.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"
#include "panels/step_keys.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QKeyEvent>

#include <algorithm>

namespace floe::editor {

namespace {
constexpr const char* kEmit = "emit"; // the switch of an emitter
} // namespace

EmitterKeys::EmitterKeys(views::Viewport* viewport, Document* document,
                         panels::ParameterPanel* panel, QObject* parent)
    : QObject(parent), viewport_(viewport), document_(document), panel_(panel)
{
    for (views::PictureArea* area : viewport_->areas())
        area->installEventFilter(this);
}

std::vector<std::string> EmitterKeys::emitters() const
{
    std::vector<std::string> found;
    for (const graph::Node& node : document_->content().graph.nodes) {
        const graph::NodeType* type = document_->typeOf({}, node.name);
        const graph::ParameterSpec* spec = type ? type->parameter(kEmit) : nullptr;
        if (spec && spec->type == graph::ValueType::Bool && spec->live && found.size() < kMaxKeys)
            found.push_back(node.name);
    }
    return found;
}

void EmitterKeys::follow(const std::string& scope, const std::string& node)
{
    panels::ParameterRow* row = scope.empty() ? panel_->row(kEmit) : nullptr;
    const std::vector<std::string> all = emitters();
    const auto found = std::find(all.begin(), all.end(), node);
    if (row && found != all.end())
        row->setRemark(tr("%1 in the viewport").arg(found - all.begin() + 1));
}

void EmitterKeys::toggle(const std::string& emitter)
{
    const QString name = QString::fromStdString(emitter);
    const Json stored = document_->value({}, emitter, kEmit);
    const auto steps = panels::readSteps(stored);
    const Json now = steps ? panels::stepAt(*steps, frame_) : stored;
    if (!now.is_boolean()) {
        emit switched(tr("%1: an expression starts and stops it").arg(name));
        return;
    }
    const bool on = !now.get<bool>();
    document_->setParameter({}, emitter, kEmit,
                            steps ? panels::withStep(stored, frame_, on) : Json(on));
    emit switched((on ? tr("%1 emits") : tr("%1 emits nothing")).arg(name));
}

bool EmitterKeys::eventFilter(QObject* watched, QEvent* event)
{
    const auto* area = qobject_cast<views::PictureArea*>(watched);
    if (!area || event->type() != QEvent::KeyPress)
        return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const int number = key->key() - Qt::Key_0;
    const std::vector<std::string> all = emitters();
    // The number pad chooses views, and a handle that is held takes digits as its number.
    if (key->modifiers() != Qt::NoModifier || number < 1 || number > std::ssize(all) ||
        area->handles().isHeld())
        return QObject::eventFilter(watched, event);
    if (!key->isAutoRepeat())
        toggle(all[static_cast<std::size_t>(number - 1)]);
    return true;
}

} // namespace floe::editor
