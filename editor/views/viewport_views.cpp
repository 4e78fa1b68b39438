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
        connect(action, &QAction::triggered, this, [this, view] { area_->lookFrom(view); });
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
    connect(perspective_, &QAction::triggered, this,
            [this](bool on) { area_->setOrthographic(!on); });
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

    connect(cutAxes_, &QActionGroup::triggered, this, [this](QAction* action) {
        active().cutAxis = static_cast<int>(cutAxes_->actions().indexOf(action));
        beginCut();
    });
    connect(cutOther_, &QAction::toggled, this, [this](bool on) {
        active().cutOther = on;
        ask(active_, false);
    });
    connect(cutSlider_, &QSlider::valueChanged, this, [this](int value) {
        Pane& pane = active();
        const QSignalBlocker blocker(cutPlace_);
        cutPlace_->setValue(pane.cutLow + (pane.cutHigh - pane.cutLow) * value / kSliderSteps);
        pane.cutPlace = cutPlace_->value();
        ask(active_, true);
        settle_.start(kSettleMilliseconds);
    });
    connect(cutPlace_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        active().cutPlace = value;
        showCut();
        ask(active_, false);
    });
}

/// Of the active view, in the bar.
void Viewport::showCut()
{
    const Pane& pane = active();
    const QSignalBlocker one(cutSlider_), other(cutPlace_), third(cutOther_);
    cutAxes_->actions()[pane.cutAxis]->setChecked(true);
    cutOther_->setChecked(pane.cutOther);
    cutPlace_->setValue(pane.cutPlace);
    cutSlider_->setValue(int(
        std::lround((pane.cutPlace - pane.cutLow) / (pane.cutHigh - pane.cutLow) * kSliderSteps)));
    cutSlider_->setVisible(pane.cutAxis != 0);
    cutPlace_->setVisible(pane.cutAxis != 0);
}

/// Across the middle of what is there.
void Viewport::beginCut()
{
    showCut();
    if (active().cutAxis == 0)
        return ask(active_, false);
    askBounds([this, which = active_](const Vec3& low, const Vec3& high) {
        Pane& pane = this->pane(which);
        const Vec3 normal = cutNormal(pane);
        pane.cutTarget = (low + high) * 0.5;
        const Vec3 half = (high - low) * 0.5;
        const double reach = 1.02 * (std::abs(normal[0]) * half[0] + std::abs(normal[1]) * half[1] +
                                     std::abs(normal[2]) * half[2]);
        pane.cutPlace = cutsByView(pane) ? 0 : dot(normal, pane.cutTarget);
        pane.cutLow = pane.cutPlace - std::max(reach, 1e-3);
        pane.cutHigh = pane.cutPlace + std::max(reach, 1e-3);
        showCut();
        ask(which, false);
    });
}

bool Viewport::cutsByView(const Pane& pane)
{
    return pane.cutAxis == 4;
}

Vec3 Viewport::cutNormal(const Pane& pane)
{
    if (cutsByView(pane))
        return pane.area->camera().forward() * -1;
    Vec3 normal{};
    normal[static_cast<std::size_t>(std::max(pane.cutAxis - 1, 0))] = 1;
    return normal;
}

/// Along an axis the plane's coordinate counts; before the view, the distance from the middle of
/// what was there, so that the plane turns about it.
std::optional<client::Cut> Viewport::cutOf(const Pane& pane)
{
    if (pane.cutAxis == 0)
        return std::nullopt;
    client::Cut cut{cutNormal(pane), pane.cutPlace};
    if (cutsByView(pane))
        cut.offset += dot(cut.normal, pane.cutTarget);
    if (pane.cutOther)
        cut = {{-cut.normal[0], -cut.normal[1], -cut.normal[2]}, -cut.offset};
    return cut;
}

} // namespace floe::views
