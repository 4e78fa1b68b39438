#include "panels/section.hpp"

#include "themes/theme.hpp"

#include <QIcon>
#include <QVBoxLayout>

namespace floe::panels {

namespace {

/// One icon for all sections. Fusion's own arrow would stay in Qt's pixmap cache once for every
/// header that was ever shown, and so would the pixmaps of one icon a section.
/// Never destroyed: pixmaps must not outlive the application.
const QIcon& arrow(bool folded)
{
    static const auto* const right = new QIcon(editor::icon("right"));
    static const auto* const down = new QIcon(editor::icon("down"));
    return folded ? *right : *down;
}

} // namespace

Section::Section(const QString& title, QWidget* parent)
    : QWidget(parent), header_(new QToolButton(this)), body_(new QWidget(this)),
      rows_(new QVBoxLayout(body_))
{
    header_->setText(title);
    header_->setIcon(arrow(false));
    header_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    header_->setAutoRaise(true);
    header_->setIconSize({10, 10});
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
    header_->setIcon(arrow(folded));
}

} // namespace floe::panels
