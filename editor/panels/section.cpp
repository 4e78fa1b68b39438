#include "panels/section.hpp"

#include <QVBoxLayout>

namespace floe::panels {

Section::Section(const QString& title, QWidget* parent)
    : QWidget(parent), header_(new QToolButton(this)), body_(new QWidget(this)),
      rows_(new QVBoxLayout(body_))
{
    header_->setText(title);
    header_->setArrowType(Qt::DownArrow);
    header_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    header_->setAutoRaise(true);
    header_->setIconSize({9, 9});
    header_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QFont bold = header_->font();
    bold.setWeight(QFont::DemiBold);
    header_->setFont(bold);
    rows_->setContentsMargins(0, 2, 0, 6);
    rows_->setSpacing(3);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(body_);
    connect(header_, &QToolButton::clicked, this, [this] {
        setFolded(!folded_);
        emit foldedChanged(folded_);
    });
}

void Section::add(QWidget* row)
{
    rows_->addWidget(row);
}

void Section::refresh()
{
    bool any = false;
    for (int i = 0; i < rows_->count() && !any; ++i)
        any = !rows_->itemAt(i)->widget()->isHidden();
    setVisible(any);
}

void Section::setFolded(bool folded)
{
    folded_ = folded;
    body_->setVisible(!folded);
    header_->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
}

} // namespace floe::panels
