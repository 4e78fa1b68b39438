#include "views/viewport.hpp"

#include "document/document.hpp"
#include "document/translated.hpp"
#include "views/picture_area.hpp"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::views {

using client::Runtime;
using client::View;

namespace {

constexpr const char* kCameraType = "floe.camera";
constexpr std::size_t kMaxGhosts = 256; // that the runtime takes
constexpr int kWaitMilliseconds = 700;  // after the last frame played
constexpr int kLookMilliseconds = 700;
constexpr double kShutter = 0.5; // [frames]: that of a film camera

/// A solver takes colliders and has none.
bool fallsFreely(const editor::Document& document)
{
    const graph::Graph& g = document.content().graph;
    for (const graph::Node& node : g.nodes) {
        const graph::NodeType* type = document.types().find(node.type);
        if (!type || type->role != graph::Role::Solver)
            continue;
        for (const graph::Socket& input : type->inputs)
            if (std::find(input.kinds.begin(), input.kinds.end(), "collider") !=
                    input.kinds.end() &&
                std::none_of(g.links.begin(), g.links.end(), [&](const graph::Link& link) {
                    return link.to == graph::Endpoint{node.name, input.name};
                }))
                return true;
    }
    return false;
}

} // namespace

std::optional<std::pair<Vec3, Vec3>> Viewport::boundsOf(const Json& result)
{
    const Json* low = client::member(result, "low");
    const Json* high = client::member(result, "high");
    const auto from = low ? client::triple(*low) : std::nullopt;
    const auto to = high ? client::triple(*high) : std::nullopt;
    return from && to ? std::optional(std::pair<Vec3, Vec3>(*from, *to)) : std::nullopt;
}

Viewport::Viewport(Runtime* runtime, editor::Document* document, QWidget* parent)
    : QWidget(parent), runtime_(runtime), document_(document)
{
    makePanes();
    makeColouring();
    makeShows();
    makeFraming();
    makeViews();
    makeLayouts();
    makeCut();
    makeTools();
    makeExports();
    layOut();

    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, this, [this] { ask(false); });
    look_.setSingleShot(true);
    look_.setInterval(kLookMilliseconds);
    connect(&look_, &QTimer::timeout, this, &Viewport::lookForParticles);
    for (int which = 0; which < kPanes; ++which)
        followArea(which);
    connect(drive, &QAction::toggled, this, &Viewport::refreshHandle);
    followRuntime();
    followDocument();
    refreshCameras();
    arrange();
    ask(false);
}

void Viewport::followArea(int which)
{
    PictureArea* area = pane(which).area;
    connect(area, &PictureArea::touched, this, [this, which] { activate(which); });
    connect(area, &PictureArea::cameraMoved, this, [this, which](bool moving) {
        pane(which).framed = true;
        lookThrough(which, {}); // the free camera goes on from where the node stood
        ask(which, moving);
        if (moving)
            settle_.start(kSettleMilliseconds);
    });
    connect(area, &PictureArea::lensChanged, this,
            [this] { perspective_->setChecked(!area_->camera().orthographic); });
    connect(area, &PictureArea::resized, this, [this, which] {
        placeRestart();
        ask(which, true);
        settle_.start(kSettleMilliseconds);
    });
    // The drags of each view are numbered by it.
    connect(area, &PictureArea::handleChanged, this,
            [this, which](const HandleTools::Change& change, int drag, bool finished) {
                changeByHandle(change, drag * kPanes + which, finished);
            });
    connect(area, &PictureArea::handleCancelled, this,
            [this, which](int drag) { takeBackHandle(drag * kPanes + which); });
    connect(area, &PictureArea::picked, this, [this, which](QPointF at) { pickAt(which, at); });
    connect(area, &PictureArea::dropped, this,
            [this, which](const QString& id, QPointF at) { dropAt(which, id, at); });
}

void Viewport::followRuntime()
{
    connect(restart_, &QPushButton::clicked, runtime_, &Runtime::restart);
    connect(runtime_, &Runtime::pictureArrived, this, &Viewport::showPicture);
    connect(runtime_, &Runtime::stateChanged, this, &Viewport::refreshMessage);
    connect(runtime_, &Runtime::slowChanged, this, &Viewport::refreshMessage);
    connect(runtime_, &Runtime::faultsChanged, this, &Viewport::refreshMessage);
    connect(runtime_, &Runtime::faultsChanged, this, &Viewport::frameUnseen);
    connect(runtime_, &Runtime::runStateChanged, this, &Viewport::refreshMessage);
    connect(runtime_, &Runtime::frameFinished, this, [this](int frame) {
        if (frame == frame_)
            ask(false);
        refreshAttributes();
    });
}

void Viewport::followDocument()
{
    connect(document_, &editor::Document::replaced, this, &Viewport::startAnew);
    connect(document_, &editor::Document::faultsChanged, this, &Viewport::refreshMessage);

    const auto cameraChange = [this](const std::string& scope, const std::string&) {
        if (scope.empty())
            refreshCameras();
    };
    connect(document_, &editor::Document::nodeAdded, this, cameraChange);
    connect(document_, &editor::Document::nodeRemoved, this, cameraChange);
    connect(document_, &editor::Document::nodeRenamed, this, [this] { refreshCameras(); });

    connect(document_, &editor::Document::layoutChanged, this, [this] {
        const auto ghosts = document_->ghosts(kMaxGhosts);
        if (std::exchange(ghosts_, ghosts) != ghosts)
            ask(false);
    });

    const auto follow = [this] {
        refreshHandle(); // the place of a node may follow from others
        for (const int which : shownPanes()) {
            const double before = pane(which).area->gate();
            refreshGate(pane(which));
            if (pane(which).area->gate() != before)
                ask(which, false);
        }
    };
    for (auto changed : {&editor::Document::linkAdded, &editor::Document::linkRemoved})
        connect(document_, changed, this, follow);
    connect(document_, &editor::Document::parameterChanged, this, follow);
}

/// Another document is in the editor.
void Viewport::startAnew()
{
    for (Pane& pane : panes_) {
        pane.framed = false;
        pane.area->setPicture({});
        pane.area->setCorner({});
        pane.area->setHint({});
    }
    useSaved();
    node_.clear();
    path_.clear();
    while (colouring_->count() > kModes) // attributes of the scene before
        colouring_->removeItem(colouring_->count() - 1);
    refreshCameras();
    refreshHandle();
    refreshMessage();
}

void Viewport::showPicture(const client::Picture& picture)
{
    Pane& pane = this->pane(picture.view);
    PictureArea* area = pane.area;
    area->setPicture(picture.image);
    if (picture.camera && !pane.cameraNode.isEmpty()) // what lies over the picture follows it
        area->setCamera(OrbitCamera::lookingAt(*picture.camera));
    client::Legend legend = picture.legend;
    if (!legend.title.isEmpty()) // by the name it was chosen by
        legend.title = colouring_->currentText() +
                       (legend.title == QLatin1String("speed [m/s]") ? tr("  m/s") : QString());
    area->setLegend(legend.entries.size() == 1 ? client::Legend() : legend);
    area->setCorner((picture.cached ? tr("Frame %1  ·  %2 × %3  ·  %4 ms")
                                    : tr("Before simulating  ·  frame %1  ·  %2 × %3  ·  %4 ms"))
                        .arg(picture.frame)
                        .arg(picture.image.width())
                        .arg(picture.image.height())
                        .arg(std::lround(picture.milliseconds)));
    refreshMessage();
    if (!picture.cached)
        area->setHint({}); // shapes may lie anywhere
    else if (!look_.isActive())
        look_.start();
    frameUnseen();
}

/// The views along the axes begin with everything, once the runtime has the scene.
void Viewport::frameUnseen()
{
    if (!runtime_->knowsDocument() || document_->content().graph.nodes.empty())
        return;
    for (const int which : shownPanes())
        if (which > 0 && !pane(which).framed && !pane(which).area->picture().isNull()) {
            pane(which).framed = true;
            frameEverything(which);
        }
}

void Viewport::setFrame(int frame, bool moving)
{
    frame_ = frame;
    refreshHandle();
    ask(moving);
    if (moving) // while playing waits for frames, the one shown becomes sharp
        settle_.start(kWaitMilliseconds);
}

void Viewport::setSelection(const std::string& scope, const std::string& node, const QString& path)
{
    scope_ = scope;
    node_ = node;
    refreshHandle();
    if (std::exchange(path_, path) != path)
        ask(false);
}

void Viewport::ask(bool moving)
{
    if (!moving)
        settle_.stop();
    for (const int which : shownPanes())
        ask(which, moving);
}

void Viewport::ask(int which, bool moving)
{
    if (!shownPanes().contains(which))
        return;
    Pane& pane = this->pane(which);
    const PictureArea* area = pane.area;
    const QString colouring = colouring_->currentData().toString();
    View view;
    const Wipe& wipe = area->wipe();
    const QSizeF room = wipe.shown ? wipe.area(area->size(), false).size() : area->size();
    view.size = (room * devicePixelRatioF()).toSize().expandedTo({16, 16});
    view.frame = frame_;
    view.moving = moving;
    view.cameraNode = pane.cameraNode;
    refreshGate(pane);
    view.gate = area->gate();
    view.camera = area->camera().seen();
    view.cut = cutOf(pane);
    view.mode = colouring.section(QLatin1Char(' '), 0, 0);
    view.attribute = colouring.section(QLatin1Char(' '), 1);
    view.map = maps_->currentData().toString();
    const bool mapped =
        view.mode == QLatin1String("speed") || view.mode == QLatin1String("attribute");
    for (QWidget* part :
         {static_cast<QWidget*>(maps_), static_cast<QWidget*>(low_), static_cast<QWidget*>(high_)})
        part->setVisible(mapped);
    bool lowGood = false, highGood = false;
    const QLocale locale;
    const double low = locale.toDouble(low_->text(), &lowGood);
    const double high = locale.toDouble(high_->text(), &highGood);
    if (mapped && (lowGood || highGood)) { // the end that is not given stays as it is shown
        const client::Legend& shown = area_->legend();
        const bool known = !shown.title.isEmpty() && !shown.map.isEmpty();
        const double from = lowGood ? low : known ? shown.low : 0;
        const double to = highGood ? high : known ? shown.high : 1;
        if (to > from)
            view.range = {from, to};
    }
    view.selected = path_;
    view.ghosts.clear();
    for (const std::string& node : document_->ghosts(kMaxGhosts))
        view.ghosts += QString::fromStdString(node);
    view.colliders = colliders_->isChecked();
    view.emitters = emitters_->isChecked();
    view.surfaces = surfaces_->isChecked();
    view.grid = ground_->isChecked();
    view.domain = domain_->isChecked();
    view.shutter = blur_->isChecked() ? kShutter : 0;
    runtime_->setView(view, which);
    if (which == active_)
        emit asked(view);
}

void Viewport::setWipe(const Wipe& wipe)
{
    const Wipe& before = area_->wipe();
    const bool resized = before.shown != wipe.shown || before.layout != wipe.layout;
    area_->setWipe(wipe);
    if (resized)
        ask(false);
}

void Viewport::refreshMessage()
{
    bool lost = false;
    const auto severe = [](const std::vector<graph::Fault>& faults) {
        QStringList lines;
        int more = 0;
        for (const graph::Fault& fault : faults) {
            if (fault.severity != graph::Severity::Error)
                continue;
            if (lines.size() >= 3) {
                ++more;
                continue;
            }
            lines.append(editor::translated(
                graph::within(graph::TranslatableText::verbatim(fault.node), fault.sentence())));
        }
        if (more > 0)
            lines.append(tr("and %n more", nullptr, more));
        return lines;
    };
    QStringList faults = severe(document_->faults());
    if (faults.isEmpty())
        faults = severe(runtime_->faults());
    for (const Pane& pane : panes_) {
        const bool empty = pane.area->picture().isNull();
        QString title, text;
        switch (runtime_->state()) {
        case Runtime::State::Lost:
            title = runtime_->lossMessage();
            text = tr("Your scene is safe: it lives in the editor.");
            lost = true;
            break;
        case Runtime::State::Starting:
            if (runtime_->isSlow()) {
                title = tr("The runtime takes long to start …");
                text = tr("It is alive; a busy computer or new plugins make it slow. Your scene is "
                          "safe.");
            } else if (empty) {
                title = tr("Starting the runtime …");
            }
            break;
        case Runtime::State::Stopped:
            title = tr("The runtime is not running");
            break;
        case Runtime::State::Ready:
            if (!empty)
                break;
            if (document_->content().graph.nodes.empty()) {
                title = tr("An empty scene");
                text =
                    tr("Press Tab in the network to add nodes. A shape, a material, an emitter and "
                       "a solver make a scene.");
            } else if (!faults.isEmpty()) {
                title = tr("The scene cannot run yet");
                text = faults.join(QLatin1Char('\n'));
            } else if (runtime_->runState() == client::RunState::Running) {
                title = tr("Simulating the first frame …");
            } else {
                title = tr("Preparing the view …");
                text = tr("Press Space to simulate and play.");
            }
            break;
        }
        pane.area->setMessage(title, text);
    }
    restart_->setText(runtime_->isElsewhere() ? tr("Connect again") : tr("Restart the runtime"));
    restart_->setVisible(lost || runtime_->isSlow());
    restart_->adjustSize();
    placeRestart();
}

/// Below the message.
void Viewport::placeRestart()
{
    restart_->move(area_->pos() +
                   QPoint((area_->width() - restart_->width()) / 2, area_->height() / 2 + 56));
    restart_->raise();
}

void Viewport::refreshCameras()
{
    const QSignalBlocker blocker(cameras_);
    cameras_->clear();
    cameras_->addItem(tr("Free camera"), QString());
    for (const graph::Node& node : document_->content().graph.nodes)
        if (node.type == kCameraType) {
            const QString name = QString::fromStdString(node.name);
            cameras_->addItem(name, name);
        }
    for (Pane& pane : panes_)
        if (cameras_->findData(pane.cameraNode) < 0)
            pane.cameraNode.clear();
    if (!panes_.front().framed &&
        cameras_->count() > 1) // a scene opens as its first camera sees it
        panes_.front().cameraNode = cameras_->itemData(1).toString();
    showPane();
    ask(false);
}

/// Of the render node that the camera is wired to.
void Viewport::refreshGate(Pane& pane)
{
    const std::string camera = pane.cameraNode.toStdString();
    double aspect = 0;
    for (const graph::Link& link : document_->content().graph.links)
        if (!camera.empty() && link.from.node == camera) {
            const Json width = document_->value({}, link.to.node, "width");
            const Json height = document_->value({}, link.to.node, "height");
            if (width.is_number() && height.is_number() && height.get<double>() > 0)
                aspect = width.get<double>() / height.get<double>();
        }
    pane.area->setGate(aspect);
}

void Viewport::refreshAttributes()
{
    if (colouring_->count() > kModes)
        return; // known already; they rarely change within a session
    for (const graph::Node& node : document_->content().graph.nodes) {
        const graph::NodeType* type = document_->types().find(node.type);
        if (!type || type->role != graph::Role::Solver)
            continue;
        for (const graph::Socket& socket : type->outputs) {
            if (std::find(socket.kinds.begin(), socket.kinds.end(), "particles") ==
                socket.kinds.end())
                continue;
            runtime_->request(
                this, QStringLiteral("value.info"),
                {{"node", node.name}, {"socket", socket.name}, {"frame", frame_}},
                [this](const Json& result) {
                    const Json* list = client::member(result, "attributes");
                    if (colouring_->count() > kModes || !list || !list->is_array())
                        return;
                    // What the ways above show already, and places, whose distance from the
                    // origin says little.
                    static const QStringList known = {
                        QStringLiteral("x"), QStringLiteral("v"), QStringLiteral("J"),
                        QStringLiteral("material"), QStringLiteral("state")};
                    QStringList names;
                    for (const Json& attribute : *list)
                        if (const QString name = client::textOf(attribute, "name");
                            !name.isEmpty() && !known.contains(name) && names.size() < 100)
                            names.append(name);
                    if (!names.isEmpty())
                        colouring_->insertSeparator(kModes);
                    for (const QString& name : names)
                        colouring_->addItem(name, QStringLiteral("attribute ") + name);
                },
                [](const QString&) {});
            return;
        }
    }
}

void Viewport::see(int which, const Vec3& low, const Vec3& high)
{
    PictureArea* area = pane(which).area;
    OrbitCamera camera = area->camera();
    camera.frame(low, high, double(area->width()) / std::max(1, area->height()));
    area->setCamera(camera);
    pane(which).framed = true;
    lookThrough(which, {});
    ask(which, false);
}

void Viewport::frameEverything(int which)
{
    askBounds([this, which](const Vec3& low, const Vec3& high) { see(which, low, high); });
}

Json Viewport::aboutView() const
{
    return active_ > 0 ? Json{{"view", active_}} : Json::object();
}

/// Calls found(low, high) with the box of all that is there, later.
void Viewport::askBounds(const std::function<void(const Vec3&, const Vec3&)>& found)
{
    const Vec3 low{-1, 0, -1}, high{1, 1.5, 1}; // where scenes usually are
    runtime_->request(
        this, QStringLiteral("view.bounds"), aboutView(),
        [found, low, high](const Json& result) {
            const auto box = boundsOf(result);
            found(box ? box->first : low, box ? box->second : high);
        },
        [found, low, high](const QString&) { found(low, high); });
}

void Viewport::frameSelected()
{
    const int which = active_;
    if (path_.isEmpty())
        return frameEverything(which);
    Json params = aboutView();
    params["node"] = path_.toStdString();
    runtime_->request(
        this, QStringLiteral("view.bounds"), std::move(params),
        [this, which](const Json& result) {
            if (const auto box = boundsOf(result))
                see(which, box->first, box->second);
            else
                frameEverything(which);
        },
        [this, which](const QString&) { frameEverything(which); });
}

void Viewport::lookForParticles()
{
    runtime_->request(
        this, QStringLiteral("view.bounds"), aboutView(),
        [this](const Json& result) {
            const auto box = boundsOf(result);
            if (!box || area_->camera().seesBox(box->first, box->second, area_->size())) {
                area_->setHint({});
                return;
            }
            QString hint = tr("What is simulated is out of sight: A shows it.");
            if (fallsFreely(*document_))
                hint += QLatin1Char('\n') +
                        tr("The solver has no collider, so nothing stops what falls: add a Plane "
                           "and a Collider.");
            area_->setHint(hint);
        },
        [](const QString&) {});
}

} // namespace floe::views
