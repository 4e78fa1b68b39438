#include "app/drive.hpp"

#include "client/runtime.hpp"
#include "document/document.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QKeyEvent>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace floe::editor {

using views::Vec3;
using views::operator+;
using views::operator*;

namespace {

constexpr int kDrives = 1 << 29; // numbers of their own, apart from those of handle and panels
constexpr double kSpeed = 0.25;  // of the camera's distance in a second
constexpr double kFast = 4;
constexpr int kReading = 15;          // the gamepad, every so often [ms]
constexpr const char* kEmit = "emit"; // the switch of an emitter

bool isDriving(int key)
{
    return key == Qt::Key_W || key == Qt::Key_S || key == Qt::Key_A || key == Qt::Key_D ||
           key == Qt::Key_E || key == Qt::Key_Q;
}

/// @return a switch's keys up to a frame, at least one; null when it follows an expression
Json switchKeys(const Json& value, int frame)
{
    Json keys = Json::array();
    if (value.is_boolean())
        keys.push_back({frame, value.get<bool>(), "step"});
    else if (value.is_object() && value.contains("keys"))
        for (const Json& key : value["keys"])
            if (key.is_array() && key.size() >= 2 && key[0].is_number() && key[1].is_boolean() &&
                key[0] <= frame)
                keys.push_back(key);
    return keys.empty() ? Json() : keys;
}

} // namespace

Drive::Drive(views::Viewport* viewport, client::Runtime* runtime, Document* document,
             std::function<void()> send, std::function<bool()> settled, QObject* parent)
    : QObject(parent), viewport_(viewport), runtime_(runtime), document_(document),
      send_(std::move(send)), settled_(std::move(settled))
{
    for (views::PictureArea* area : viewport_->areas())
        area->installEventFilter(this);
    reading_.setInterval(kReading);
    connect(&reading_, &QTimer::timeout, this, &Drive::read);
    rest_.setSingleShot(true);
    rest_.setTimerType(Qt::PreciseTimer);
    connect(&rest_, &QTimer::timeout, this, &Drive::goOn);
    connect(viewport_->drive, &QAction::toggled, this, [this](bool on) {
        if (on && !on_)
            begin();
        else if (!on && on_)
            end({});
    });
    connect(viewport_, &views::Viewport::handleDriven, this,
            [this](const Vec3& position) { wanted_ = position; });
    connect(runtime_, &client::Runtime::faultsChanged, this, &Drive::proceed);
    connect(runtime_, &client::Runtime::runStateChanged, this, &Drive::finish);
    connect(runtime_, &client::Runtime::refused, this, [this](const QString& message) {
        if (on_)
            end(message);
    });
    connect(document_, &Document::replaced, this, [this] {
        if (on_)
            end({});
    });
}

void Drive::begin()
{
    std::tie(scope_, node_, parameter_) = viewport_->handleOwner();
    on_ = true;
    wanted_.reset();
    keys_.clear();
    fast_ = false;
    held_ = {};
    frame_ = shown_;
    const graph::NodeType* type = node_.empty() ? nullptr : document_->typeOf(scope_, node_);
    const graph::ParameterSpec* spec =
        type && !parameter_.empty() ? type->parameter(parameter_) : nullptr;
    if (!spec || !spec->animatable) {
        end(tr("Select a node whose position can be driven, a collider for instance."));
        return;
    }
    if (runtime_->runState() == client::RunState::Running ||
        runtime_->runState() == client::RunState::Stopping) {
        end(tr("Stop the simulation first: driving makes its own frames."));
        return;
    }
    const std::optional<Json> keys = recorded();
    if (!keys) {
        end(tr("The position follows an expression, which driving would replace."));
        return;
    }
    for (int axis = 0; axis < 3; ++axis)
        position_[axis] = (*keys)[axis]["keys"].back()[1].get<double>();
    if (!pad_)
        pad_ = std::make_unique<Gamepad>();
    reading_.start();
    findEmitters();
    clock_.start();
    due_ = 0;
    ++drive_;
    written_ = document_->value(scope_, node_, parameter_);
    const auto& frames = runtime_->frames();
    const bool there = std::any_of(frames.begin(), frames.end(), [this](const auto& span) {
        return span.state == client::FrameState::Cached && span.first <= frame_ &&
               frame_ <= span.last;
    });
    viewport_->area()->setFocus();
    if (there) {
        step();
        return;
    }
    frame_ = document_->content().range.start - 1; // its first frame comes first
    waiting_ = true;
    proceed();
}

void Drive::end(const QString& reason)
{
    on_ = waiting_ = false;
    reading_.stop();
    rest_.stop();
    viewport_->drive->setChecked(false);
    emit ended(reason);
}

void Drive::read()
{
    held_ = pad_->read();
    if (held_.end)
        end({});
}

std::optional<Json> Drive::recorded() const
{
    const Json value = document_->value(scope_, node_, parameter_);
    if (!value.is_array() || value.size() != 3)
        return std::nullopt;
    Json made = Json::array();
    for (const Json& channel : value) {
        Json keys = Json::array();
        if (channel.is_number()) {
            keys.push_back({frame_, channel, "linear"});
        } else if (channel.is_object() && channel.contains("keys")) {
            for (const Json& key : channel["keys"])
                if (key.is_array() && key.size() >= 2 && key[0].is_number() && key[0] <= frame_)
                    keys.push_back(key);
        }
        if (keys.empty())
            return std::nullopt;
        if (keys.back()[0] < frame_) // flat until it is driven
            keys.push_back({frame_, keys.back()[1], "linear"});
        made.push_back({{"keys", std::move(keys)}});
    }
    return made;
}

void Drive::findEmitters()
{
    emitters_.clear();
    const graph::Graph* graph = document_->graph(scope_);
    std::set<std::string> seen = {node_};
    std::vector<std::string> ahead = {node_};
    while (graph && !ahead.empty()) {
        const std::string name = std::move(ahead.back());
        ahead.pop_back();
        const graph::NodeType* type = document_->typeOf(scope_, name);
        if (!type || type->role == graph::Role::Solver)
            continue;
        const graph::ParameterSpec* spec = type->parameter(kEmit);
        if (spec && spec->type == graph::ValueType::Bool && spec->animatable &&
            !switchKeys(document_->value(scope_, name, kEmit), frame_).is_null())
            emitters_.push_back(name);
        for (const graph::Link& link : graph->links)
            if (link.from.node == name && seen.insert(link.to.node).second)
                ahead.push_back(link.to.node);
    }
    pours_ = poured_ =
        !emitters_.empty() &&
        switchKeys(document_->value(scope_, emitters_.front(), kEmit), frame_).back()[1] == true;
}

void Drive::pour()
{
    if (std::exchange(poured_, pours_) == pours_)
        return;
    for (const std::string& emitter : emitters_) {
        Json keys = switchKeys(document_->value(scope_, emitter, kEmit), frame_);
        if (keys.is_null())
            continue;
        keys.push_back({frame_ + 1, pours_, "step"});
        document_->setParameter(scope_, emitter, kEmit, {{"keys", std::move(keys)}});
    }
}

Vec3 Drive::push() const
{
    const views::OrbitCamera& camera = viewport_->area()->camera();
    const Vec3 right = camera.level();
    Vec3 ahead = camera.forward();
    ahead[1] = 0;
    const double flat = views::length(ahead);
    ahead = flat > 1e-6 ? ahead * (1 / flat) : Vec3{right[2], 0, -right[0]};
    const auto held = [this](int more, int less, double stick) {
        const double keys = double(keys_.contains(more)) - double(keys_.contains(less));
        return std::clamp(keys + stick, -1.0, 1.0);
    };
    const Vec3 way = right * held(Qt::Key_D, Qt::Key_A, held_.right) +
                     ahead * held(Qt::Key_W, Qt::Key_S, held_.ahead) +
                     Vec3{0, held(Qt::Key_E, Qt::Key_Q, held_.up), 0};
    const double speed = kSpeed * camera.distance * (fast_ || held_.fast ? kFast : 1);
    // Its numbers are in the space that transforms have made.
    return viewport_->area()->handles().node().space.wayBack(way * speed);
}

void Drive::step()
{
    const graph::FrameRange& range = document_->content().range;
    if (document_->value(scope_, node_, parameter_) != written_) {
        end(tr("The position was changed elsewhere."));
        return;
    }
    if (frame_ >= range.end) {
        end(tr("Frame %1 is the scene's last.").arg(range.end));
        return;
    }
    std::optional<Json> keys = recorded();
    if (!keys) {
        end(tr("The position follows an expression, which driving would replace."));
        return;
    }
    position_ =
        wanted_ ? *std::exchange(wanted_, std::nullopt) : position_ + push() * (1 / range.fps);
    for (int axis = 0; axis < 3; ++axis)
        (*keys)[axis]["keys"].push_back({frame_ + 1, position_[axis], "linear"});
    waiting_ = true;
    pour();
    document_->setParameter(scope_, node_, parameter_, *keys, kDrives + drive_);
    written_ = document_->value(scope_, node_, parameter_);
    viewport_->setHandle(position_);
    send_();
}

void Drive::proceed()
{
    if (!on_ || !waiting_ || !settled_())
        return;
    waiting_ = false;
    if (frame_ < document_->content().range.start)
        runtime_->play({}, frame_ + 1);
    else
        runtime_->play({}, frame_ + 1, frame_);
}

void Drive::finish()
{
    const client::RunState state = runtime_->runState();
    if (!on_ || waiting_ || rest_.isActive() || state == client::RunState::Running ||
        state == client::RunState::Stopping)
        return;
    if (state != client::RunState::Finished) {
        end(tr("The simulation ended."));
        return;
    }
    ++frame_;
    emit stepped(frame_);
    if (!on_)
        return;
    const auto now = static_cast<double>(clock_.elapsed());
    due_ = std::max(due_ + 1000 / document_->content().range.fps, now);
    rest_.start(static_cast<int>(due_ - now));
}

void Drive::goOn()
{
    if (on_)
        read();
    if (on_)
        step();
}

bool Drive::eventFilter(QObject* watched, QEvent* event)
{
    if (on_ && event->type() == QEvent::FocusOut)
        keys_.clear();
    if (!on_ || (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress &&
                 event->type() != QEvent::KeyRelease))
        return QObject::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    fast_ = key->modifiers() & Qt::ShiftModifier;
    if (key->key() == Qt::Key_Escape) {
        event->accept(); // and stops no simulation
        if (event->type() == QEvent::KeyPress)
            end({});
        return true;
    }
    if (key->key() == Qt::Key_Space && !emitters_.empty()) {
        event->accept(); // and plays nothing
        if (event->type() == QEvent::KeyPress && !key->isAutoRepeat())
            pours_ = !pours_;
        return true;
    }
    if (!isDriving(key->key()))
        return QObject::eventFilter(watched, event);
    event->accept(); // A is no shortcut meanwhile
    if (key->isAutoRepeat())
        return true;
    if (event->type() == QEvent::KeyPress)
        keys_.insert(key->key());
    else if (event->type() == QEvent::KeyRelease)
        keys_.remove(key->key());
    return true;
}

} // namespace floe::editor
