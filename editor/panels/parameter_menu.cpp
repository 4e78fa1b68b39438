#include "document/document.hpp"
#include "panels/parameter_row.hpp"
#include "panels/promoted_dialog.hpp"
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

/// How the parameter is shown on instances: of the subgraph that the node is one of, else of the
/// one that it lies in.
void ParameterRow::addPromotion(QMenu* menu)
{
    const graph::Node* node = document_->node(scope_, node_);
    std::string of = node && node->type == graph::kSubgraphType ? node->graph : std::string();
    const graph::PromotedParameter* promoted =
        of.empty() ? nullptr : document_->promoted(of, spec_.name);
    if (!promoted) {
        of = scope_;
        promoted = of.empty() ? nullptr : document_->promotedFrom(of, node_, spec_.name);
    }
    if (!promoted)
        return;
    const auto& all = document_->graph(of)->promote.parameters;
    const auto place = promoted - all.data();
    const auto move = [document = document_, of, name = promoted->name](int by) {
        return [=] {
            document->movePromoted(of, name, by);
        };
    };
    menu->addSeparator();
    menu->addAction(tr("Edit how instances show it…"), this,
                    [document = document_, of, name = promoted->name, parent = window()] {
                        (new PromotedDialog(document, of, name, parent))->open();
                    });
    menu->addAction(tr("Move up on instances"), document_, move(-1))->setEnabled(place > 0);
    menu->addAction(tr("Move down on instances"), document_, move(1))
        ->setEnabled(place + 1 < std::ssize(all));
}

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
    if (scope_.empty() && (spec_.type == ValueType::Float || spec_.type == ValueType::Int ||
                           spec_.type == ValueType::Choice || spec_.type == ValueType::Bool))
        menu->addAction(tr("Compare values…"), this, &ParameterRow::compareWanted);
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
    addPromotion(menu);
    menu->popup(event->globalPos());
}

} // namespace floe::panels
