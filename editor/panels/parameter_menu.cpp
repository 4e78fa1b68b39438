#include "document/document.hpp"
#include "panels/parameter_row.hpp"
#include "panels/step_keys.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>

#include <algorithm>
#include <cmath>

// The menu of a parameter, by the right mouse button.

namespace floe::panels {

using graph::ValueType;

void ParameterRow::contextMenuEvent(QContextMenuEvent* event)
{
    // Not of this row: what is chosen may rebuild the panel.
    auto* menu = new QMenu(window());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString reference = QString::fromStdString(node_ + "." + spec_.name);
    QAction* back = menu->addAction(tr("Reset to default"));
    back->setEnabled(document_->isStored(scope_, node_, spec_.name));
    connect(back, &QAction::triggered, this, &ParameterRow::reset);
    menu->addAction(tr("Copy reference '%1'").arg(reference), this,
                    [reference] { QApplication::clipboard()->setText(reference); });
    const auto all = channels();
    if (key_ && field_) {
        menu->addSeparator();
        menu->addAction(key_->mark() == KeyButton::Mark::Here ? tr("Remove key here")
                                                              : tr("Set key here"),
                        this, &ParameterRow::toggleKey);
        QAction* freeze = menu->addAction(tr("Keep the value of this frame"), this, [this] {
            if (const auto steps = readSteps(document_->value(scope_, node_, spec_.name)))
                store(stepAt(*steps, frame_));
        });
        freeze->setEnabled(key_->mark() == KeyButton::Mark::Here ||
                           key_->mark() == KeyButton::Mark::Elsewhere);
    } else if (key_ && all) {
        menu->addSeparator();
        menu->addAction(key_->mark() == KeyButton::Mark::Here ? tr("Remove key here")
                                                              : tr("Set key here"),
                        this, &ParameterRow::toggleKey);
        const bool keyed = std::any_of(all->begin(), all->end(), [](const Channel& c) {
            return c.kind == Channel::Kind::Keys;
        });
        const bool moving = keyed || key_->mark() == KeyButton::Mark::Expression;
        QAction* curve = menu->addAction(tr("Edit curve"), this, &ParameterRow::curveWanted);
        curve->setEnabled(keyed);
        QAction* freeze = menu->addAction(tr("Keep the value of this frame"), this, [this] {
            auto now = channels();
            if (!now)
                return;
            for (Channel& channel : *now) {
                double value = evaluateChannel(channel).value.value_or(0);
                if (spec_.type == ValueType::Int)
                    value = std::round(value);
                channel = {Channel::Kind::Constant, value, {}, {}};
            }
            setChannels(*now, 0);
        });
        freeze->setEnabled(moving);
    }
    if (!scope_.empty()) {
        menu->addSeparator();
        QAction* promote = menu->addAction(tr("Show on instances of this subgraph"));
        promote->setCheckable(true);
        promote->setChecked(document_->isPromoted(scope_, node_, spec_.name));
        connect(promote, &QAction::triggered, this,
                [document = document_, scope = scope_, node = node_, name = spec_.name](bool on) {
                    document->promoteParameter(scope, node, name, on);
                });
    }
    menu->popup(event->globalPos());
}

} // namespace floe::panels
