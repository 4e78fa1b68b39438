#include "client/runtime.hpp"
#include "views/picture_area.hpp"
#include "views/transport_icon.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QActionGroup>
#include <QDoubleSpinBox>
#include <QMenu>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace floe::views {

namespace {

constexpr int kSliderSteps = 1000;

} // namespace

/// From where the free camera looks.
void Viewport::makeViews()
{
    views_ = new QToolButton(this);
    auto* menu = new QMenu(views_);
    const auto make = [&](const char* name, const QString& text, const QString& key,
                          StandardView view) {
        auto* action = new QAction(text, this);
        action->setObjectName(QLatin1String(name));
        action->setToolTip(
            tr("%1 view, without perspective  [%2 on the number pad]").arg(text, key));
        menu->addAction(action);
        viewCommands_ << action;
        connect(action, &QAction::triggered, area_, [this, view] { area_->lookFrom(view); });
    };
    make("viewport.front", tr("Front"), QStringLiteral("1"), StandardView::Front);
    make("viewport.back", tr("Back"), tr("Ctrl+1"), StandardView::Back);
    make("viewport.right", tr("Right"), QStringLiteral("3"), StandardView::Right);
    make("viewport.left", tr("Left"), tr("Ctrl+3"), StandardView::Left);
    make("viewport.top", tr("Top"), QStringLiteral("7"), StandardView::Top);
    make("viewport.bottom", tr("Bottom"), tr("Ctrl+7"), StandardView::Bottom);
    menu->addSeparator();
    perspective_ = new QAction(tr("Perspective"), this);
    perspective_->setObjectName(QStringLiteral("viewport.perspective"));
    perspective_->setCheckable(true);
    perspective_->setChecked(true);
    perspective_->setToolTip(tr("What is farther is smaller  [5 on the number pad]"));
    menu->addAction(perspective_);
    viewCommands_ << perspective_;
    connect(perspective_, &QAction::triggered, area_,
            [this](bool on) { area_->setOrthographic(!on); });
    connect(area_, &PictureArea::lensChanged, this,
            [this] { perspective_->setChecked(!area_->camera().orthographic); });
    views_->setText(tr("View"));
    views_->setMenu(menu);
    views_->setPopupMode(QToolButton::InstantPopup);
    views_->setToolTip(tr("From where the free camera looks"));
}

/// Cuts away what lies before a plane.
void Viewport::makeCut()
{
    cuts_ = new QToolButton(this);
    auto* menu = new QMenu(cuts_);
    cutAxes_ = new QActionGroup(this);
    const std::pair<const char*, QString> axes[] = {{"viewport.cutNone", tr("Whole")},
                                                    {"viewport.cutX", tr("Across x")},
                                                    {"viewport.cutY", tr("Across y")},
                                                    {"viewport.cutZ", tr("Across z")},
                                                    {"viewport.cutView", tr("Facing the view")}};
    for (const auto& [name, text] : axes) {
        QAction* action = cutAxes_->addAction(text);
        action->setObjectName(QLatin1String(name));
        action->setCheckable(true);
        menu->addAction(action);
        viewCommands_ << action;
    }
    cutAxes_->actions().front()->setChecked(true);
    menu->addSeparator();
    cutOther_ = menu->addAction(tr("The other side"));
    cutOther_->setObjectName(QStringLiteral("viewport.cutOther"));
    cutOther_->setCheckable(true);
    cutOther_->setToolTip(tr("Takes away what the cut leaves, and leaves what it takes away"));
    viewCommands_ << cutOther_;
    cuts_->setText(tr("Cut"));
    cuts_->setMenu(menu);
    cuts_->setPopupMode(QToolButton::InstantPopup);
    cuts_->setToolTip(tr("Cuts the picture open, to see what is inside"));

    cutSlider_ = new QSlider(Qt::Horizontal, this);
    cutSlider_->setRange(0, kSliderSteps);
    cutSlider_->setFixedWidth(130);
    cutSlider_->setFocusPolicy(Qt::TabFocus);
    cutSlider_->setToolTip(tr("Where the cut is"));
    cutSlider_->setAccessibleName(cutSlider_->toolTip());
    cutPlace_ = new QDoubleSpinBox(this);
    cutPlace_->setRange(-1e6, 1e6);
    cutPlace_->setDecimals(3);
    cutPlace_->setSingleStep(0.05);
    cutPlace_->setSuffix(QStringLiteral(" m"));
    cutPlace_->setKeyboardTracking(false);
    cutPlace_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    cutPlace_->setFixedWidth(78);
    cutPlace_->setToolTip(cutSlider_->toolTip());
    cutSlider_->hide();
    cutPlace_->hide();

    connect(cutAxes_, &QActionGroup::triggered, this, &Viewport::beginCut);
    connect(cutOther_, &QAction::toggled, this, [this] { ask(false); });
    connect(cutSlider_, &QSlider::valueChanged, this, [this](int value) {
        const QSignalBlocker blocker(cutPlace_);
        cutPlace_->setValue(cutLow_ + (cutHigh_ - cutLow_) * value / kSliderSteps);
        ask(true);
        settle_.start(kSettleMilliseconds);
    });
    connect(cutPlace_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        const QSignalBlocker blocker(cutSlider_);
        cutSlider_->setValue(
            int(std::lround((value - cutLow_) / (cutHigh_ - cutLow_) * kSliderSteps)));
        ask(false);
    });
}

/// Across the middle of what is there.
void Viewport::beginCut()
{
    const bool on = cutAxes_->checkedAction() != cutAxes_->actions().front();
    cutSlider_->setVisible(on);
    cutPlace_->setVisible(on);
    if (!on)
        return ask(false);
    askBounds([this](const Vec3& low, const Vec3& high) {
        const Vec3 normal = cutNormal();
        cutTarget_ = (low + high) * 0.5;
        const Vec3 half = (high - low) * 0.5;
        const double reach = 1.02 * (std::abs(normal[0]) * half[0] + std::abs(normal[1]) * half[1] +
                                     std::abs(normal[2]) * half[2]);
        const double middle = cutsByView() ? 0 : dot(normal, cutTarget_);
        cutLow_ = middle - std::max(reach, 1e-3);
        cutHigh_ = middle + std::max(reach, 1e-3);
        const QSignalBlocker one(cutSlider_), other(cutPlace_);
        cutSlider_->setValue(kSliderSteps / 2);
        cutPlace_->setValue(middle);
        ask(false);
    });
}

bool Viewport::cutsByView() const
{
    return cutAxes_->checkedAction() == cutAxes_->actions().back();
}

Vec3 Viewport::cutNormal() const
{
    if (cutsByView())
        return area_->camera().forward() * -1;
    Vec3 normal{};
    normal[static_cast<std::size_t>(
        std::max<qsizetype>(cutAxes_->actions().indexOf(cutAxes_->checkedAction()) - 1, 0))] = 1;
    return normal;
}

/// Along an axis the plane's coordinate counts; before the view, the distance from the middle of
/// what was there, so that the plane turns about it.
std::optional<client::Cut> Viewport::cut() const
{
    if (cutAxes_->checkedAction() == cutAxes_->actions().front())
        return std::nullopt;
    client::Cut cut{cutNormal(), cutPlace_->value()};
    if (cutsByView())
        cut.offset += dot(cut.normal, cutTarget_);
    if (cutOther_->isChecked())
        cut = {{-cut.normal[0], -cut.normal[1], -cut.normal[2]}, -cut.offset};
    return cut;
}

} // namespace floe::views
