#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include "document/document.hpp"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <exception>
#include <utility>

namespace floe::views {

namespace {

constexpr int kGap = 2; // pixels between views

constexpr const char* kLayoutNames[] = {"one", "beside", "above", "four"};

Json cameraJson(const OrbitCamera& camera)
{
    return {{"target", camera.target},
            {"distance", camera.distance},
            {"yaw", camera.yaw},
            {"pitch", camera.pitch},
            {"roll", camera.roll},
            {"fov", camera.fieldOfView},
            {"orthographic", camera.orthographic}};
}

/// What is missing or wrong is that of `camera`.
OrbitCamera cameraOf(const Json& json, OrbitCamera camera)
{
    if (const Json* target = client::member(json, "target"))
        camera.target = client::triple(*target).value_or(camera.target);
    camera.distance = std::clamp(client::numberOf(json, "distance", camera.distance), 1e-3, 1e6);
    camera.yaw = client::numberOf(json, "yaw", camera.yaw);
    camera.pitch = std::clamp(client::numberOf(json, "pitch", camera.pitch), -90.0, 90.0);
    camera.roll = client::numberOf(json, "roll", camera.roll);
    camera.fieldOfView = std::clamp(client::numberOf(json, "fov", camera.fieldOfView), 1.0, 170.0);
    const Json* orthographic = client::member(json, "orthographic");
    if (orthographic && orthographic->is_boolean())
        camera.orthographic = orthographic->get<bool>();
    return camera;
}

bool isModifier(int key)
{
    return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt ||
           key == Qt::Key_Meta || key == Qt::Key_AltGr;
}

} // namespace

void Viewport::makePanes()
{
    grid_ = new QGridLayout;
    grid_->setContentsMargins({});
    grid_->setSpacing(kGap);
    for (Pane& pane : panes_) {
        pane.area = new PictureArea(this);
        pane.area->hide();
    }
    panes_[1].area->lookFrom(StandardView::Top);
    panes_[2].area->lookFrom(StandardView::Front);
    panes_[3].area->lookFrom(StandardView::Right);
    area_ = panes_.front().area;
}

void Viewport::makeLayouts()
{
    arrangements_ = new QToolButton(this);
    auto* menu = new QMenu(arrangements_);
    layouts_ = new QActionGroup(this);
    const std::pair<QString, QString> layouts[] = {
        {tr("One view"), tr("The active view alone")},
        {tr("Two views side by side"), tr("The first view and another, beside each other")},
        {tr("Two views above each other"), tr("The first view and another, above each other")},
        {tr("Four views"), tr("From the top, in perspective, from the front and from the right; "
                              "again: the active one alone  [Ctrl+Alt+Q]")}};
    for (int i = 0; i < 4; ++i) {
        QAction* action = layouts_->addAction(layouts[i].first);
        action->setObjectName(QLatin1String("viewport.") + QLatin1String(kLayoutNames[i]));
        action->setToolTip(layouts[i].second);
        action->setCheckable(true);
        menu->addAction(action);
        viewCommands_ << action;
    }
    layouts_->actions().front()->setChecked(true);
    QAction* four = layouts_->actions().back();
    four->setShortcut(Qt::CTRL | Qt::ALT | Qt::Key_Q);
    four->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(four);
    connect(layouts_, &QActionGroup::triggered, this, [this](QAction* action) {
        const auto wanted = static_cast<ViewLayout>(layouts_->actions().indexOf(action));
        setViewLayout(wanted == ViewLayout::Four && layout_ == wanted ? ViewLayout::One : wanted);
    });
    arrangements_->setText(tr("Layout"));
    arrangements_->setMenu(menu);
    arrangements_->setPopupMode(QToolButton::InstantPopup);
    arrangements_->setToolTip(tr("How many views there are"));
}

QList<PictureArea*> Viewport::areas() const
{
    QList<PictureArea*> all;
    for (const Pane& pane : panes_)
        all << pane.area;
    return all;
}

QList<int> Viewport::shownPanes() const
{
    switch (layout_) {
    case ViewLayout::One:
        return {active_};
    case ViewLayout::Beside:
    case ViewLayout::Above:
        return {0, beside_};
    case ViewLayout::Four:
        return {1, 0, 2, 3}; // the plan above the elevation, as on a drawing
    }
    return {0};
}

void Viewport::setViewLayout(ViewLayout layout)
{
    if (active_ > 0)
        beside_ = active_;
    layout_ = layout;
    layouts_->actions()[static_cast<int>(layout)]->setChecked(true);
    arrange();
    ask(false);
}

void Viewport::arrange()
{
    const QList<int> shown = shownPanes();
    for (int which = 0; which < kPanes; ++which) {
        grid_->removeWidget(pane(which).area);
        if (!shown.contains(which)) {
            pane(which).area->hide();
            runtime_->closeView(which);
        }
    }
    const int columns = layout_ == ViewLayout::Beside || layout_ == ViewLayout::Four ? 2 : 1;
    for (int i = 0; i < 2; ++i) {
        grid_->setColumnStretch(i, i < columns);
        grid_->setRowStretch(i, i < static_cast<int>(shown.size()) / columns);
    }
    for (int i = 0; i < shown.size(); ++i) {
        grid_->addWidget(pane(shown[i]).area, i / columns, i % columns);
        pane(shown[i]).area->show();
    }
    grid_->activate();
    showPane();
    refreshMessage();
}

void Viewport::activate(int which)
{
    if (active_ == which || !shownPanes().contains(which))
        return;
    PictureArea* before = area_;
    active_ = which;
    area_ = active().area;
    if (before->hasFocus())
        area_->setFocus();
    if (before->wipe().shown) { // another run is compared with the active view
        const Wipe wipe = before->wipe();
        before->setWipe({});
        area_->setWipe(wipe);
    }
    area_->setHint({});
    look_.start();
    showPane();
    placeRestart();
    ask(false);
}

void Viewport::activatePointed()
{
    if (area_->hasFocus())
        for (const int which : shownPanes())
            if (pane(which).area->underMouse())
                return activate(which);
}

/// A key acts in the view under the pointer.
bool Viewport::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride &&
        !isModifier(static_cast<QKeyEvent*>(event)->key()))
        activatePointed();
    return QWidget::event(event);
}

void Viewport::showPane()
{
    const QSignalBlocker blocker(cameras_);
    cameras_->setCurrentIndex(std::max(0, cameras_->findData(active().cameraNode)));
    perspective_->setChecked(!area_->camera().orthographic);
    showCut();
    refreshTools();
    for (int which = 0; which < kPanes; ++which)
        showCamera(which);
}

void Viewport::lookThrough(int which, const QString& cameraNode)
{
    if (std::exchange(pane(which).cameraNode, cameraNode) == cameraNode)
        return;
    if (which == active_)
        showPane();
    else
        showCamera(which);
}

void Viewport::showCamera(int which)
{
    const Pane& pane = this->pane(which);
    pane.area->setOneOfSeveral(layout_ != ViewLayout::One, which == active_, pane.cameraNode);
}

void Viewport::saveViews(QSettings& settings) const
{
    Json cameras = Json::array();
    for (const Pane& pane : panes_) {
        Json json = cameraJson(pane.area->camera());
        if (!pane.cameraNode.isEmpty())
            json["node"] = pane.cameraNode.toStdString();
        if (pane.framed)
            json["framed"] = true;
        cameras.push_back(std::move(json));
    }
    settings.setValue("views/layout", QLatin1String(kLayoutNames[static_cast<int>(layout_)]));
    settings.setValue("views/active", active_);
    settings.setValue("views/scene", document_->path());
    settings.setValue("views/cameras", QString::fromStdString(cameras.dump()));
}

void Viewport::restoreViews(const QSettings& settings)
{
    savedScene_ = settings.value("views/scene").toString();
    try {
        saved_ = parseJson(settings.value("views/cameras").toString().toStdString(),
                           "settings of the views");
    } catch (const std::exception&) { // none, or of another version
        saved_ = Json::array();
    }
    const int active = std::clamp(settings.value("views/active").toInt(), 0, kPanes - 1);
    const QString name = settings.value("views/layout").toString();
    const auto* const found = std::find(std::begin(kLayoutNames), std::end(kLayoutNames), name);
    if (found == std::end(kLayoutNames))
        return;
    active_ = active;
    area_ = this->active().area;
    setViewLayout(static_cast<ViewLayout>(found - std::begin(kLayoutNames)));
}

/// The cameras stand where they stood when this scene was seen last.
void Viewport::useSaved()
{
    if (savedScene_.isEmpty() || savedScene_ != document_->path() || !saved_.is_array())
        return;
    savedScene_.clear();
    for (std::size_t i = 0; i < panes_.size() && i < saved_.size(); ++i) {
        const Json* framed = client::member(saved_[i], "framed");
        if (!framed || *framed != true)
            continue;
        panes_[i].framed = true;
        panes_[i].area->setCamera(cameraOf(saved_[i], panes_[i].area->camera()));
        panes_[i].cameraNode = client::textOf(saved_[i], "node");
    }
}

} // namespace floe::views
