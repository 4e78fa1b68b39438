#include "canvas/network_view.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace floe::editor {

NetworkView::NetworkView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), canvas_(new Canvas(document, this)),
      bar_(new QWidget(this)), row_(new QHBoxLayout(bar_))
{
    bar_->setObjectName("trail");
    row_->setContentsMargins(8, 2, 8, 2);
    row_->setSpacing(2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar_);
    layout->addWidget(canvas_, 1);
    setFocusProxy(canvas_);
    connect(canvas_, &Canvas::scopeChanged, this, &NetworkView::showTrail);
    connect(&document_, &Document::pathChanged, this, &NetworkView::showTrail);
    showTrail();
}

void NetworkView::showTrail()
{
    while (QLayoutItem* item = row_->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    QStringList names = canvas_->trail();
    names.prepend(document_.title());
    for (int i = 0; i < names.size(); ++i) {
        if (i > 0) {
            auto* arrow = new QLabel(QStringLiteral("›"), bar_);
            arrow->setObjectName("trailArrow");
            row_->addWidget(arrow);
        }
        auto* button = new QToolButton(bar_);
        button->setText(names[i]);
        button->setAutoRaise(true);
        button->setToolTip(i + 1 == names.size() ? tr("Shown here") : tr("Back to here (U)"));
        const int levels = int(names.size()) - 1 - i;
        button->setEnabled(levels > 0 || i == 0);
        connect(button, &QToolButton::clicked, this, [this, levels] {
            canvas_->leave(levels);
            canvas_->setFocus();
        });
        row_->addWidget(button);
    }
    row_->addStretch();
    bar_->setVisible(names.size() > 1); // the window's title says the rest
}

} // namespace floe::editor
