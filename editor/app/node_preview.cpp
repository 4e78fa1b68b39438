#include "app/node_preview.hpp"

#include "document/document.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "panels/animated_value.hpp"
#include "themes/theme.hpp"

#include <QDir>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kRest = 500; // ms after the last change
const std::string kShown = "shown", kCamera = "floe.camera";

/// What a stored value is at a frame; null where that follows from other nodes.
Json valueAt(const graph::ParameterSpec& spec, const Json& stored, double frame,
             const graph::FrameRange& range)
{
    using graph::ValueType;
    const bool triple = spec.type == ValueType::Vector || spec.type == ValueType::Colour;
    if (!triple && spec.type != ValueType::Float && spec.type != ValueType::Int)
        return stored.is_object() ? Json() : stored;
    auto channels = panels::readChannels(stored, triple ? 3 : 1);
    if (!channels)
        return {};
    for (panels::Channel& channel : *channels) {
        const panels::Evaluated now =
            panels::evaluate(channel, frame, range.start, range.fps,
                             [](const std::string&) { return std::optional<double>(); });
        if (!now.value)
            return {};
        channel = {panels::Channel::Kind::Constant, *now.value, {}, {}};
    }
    return panels::writeChannels(*channels, spec.type == ValueType::Int);
}
} // namespace

NodePreview::NodePreview(Document* document, std::function<QString()> program,
                         std::function<bool()> busy, QWidget* parent)
    : QWidget(parent), document_(document), program_(std::move(program)), busy_(std::move(busy))
{
    setObjectName("preview");
    setAccessibleName(tr("Preview"));
    setToolTip(tr("What these values make of it. A click shows its frames again."));
    setMinimumHeight(sizeHint().height());
    setCursor(Qt::PointingHandCursor);
    rest_.setSingleShot(true);
    rest_.setInterval(kRest);
    connect(&rest_, &QTimer::timeout, this, &NodePreview::begin);
    connect(&replay_, &QTimer::timeout, this, [this] {
        if (shown_ >= last_)
            replay_.stop();
        else
            look(shown_ + 1);
    });
    connect(document_, &Document::parameterChanged, this,
            [this](const std::string& scope, const std::string& node, const std::string&) {
                if (scope == scope_ && node == node_)
                    change();
            });
    connect(document_, &Document::replaced, this, [this] { setNode({}, {}); });
}

NodePreview::~NodePreview()
{
    close();
}

void NodePreview::close()
{
    if (!runtime_)
        return;
    runtime_->disconnect(this); // its end is nobody's news
    runtime_.reset();
}

const graph::NodeType* NodePreview::type() const
{
    const graph::NodeType* type = node_.empty() ? nullptr : document_->typeOf(scope_, node_);
    return type && !type->preview.empty() ? type : nullptr;
}

void NodePreview::setNode(const std::string& scope, const std::string& node)
{
    if (std::exchange(scope_, scope) == scope && std::exchange(node_, node) == node)
        return;
    node_ = node;
    picture_ = {};
    change();
}

void NodePreview::setFrame(int frame)
{
    if (std::exchange(frame_, frame) == frame)
        return;
    const graph::Node* node = type() ? document_->node(scope_, node_) : nullptr;
    const auto animated = [](const Json& value) {
        return value.is_object() ||
               (value.is_array() && std::any_of(value.begin(), value.end(),
                                                [](const Json& v) { return v.is_object(); }));
    };
    if (node && std::any_of(node->parameters.begin(), node->parameters.end(), animated))
        change();
}

void NodePreview::goOn()
{
    if (stale_ && !rest_.isActive())
        rest_.start();
}

void NodePreview::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    goOn();
}

void NodePreview::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (complete_)
        look(last_);
}

void NodePreview::change()
{
    stale_ = type() != nullptr;
    complete_ = false;
    replay_.stop();
    rest_.stop();
    say({});
    goOn();
}

void NodePreview::say(const QString& note)
{
    note_ = note;
    update();
}

/// The preview's scene with the node's values. @throws IoError, GraphError
Json NodePreview::scene()
{
    const graph::NodeType& of = *type();
    graph::Document preview = graph::Document::load(of.preview);
    graph::migrate(preview, document_->types());
    const auto& nodes = preview.graph.nodes;
    const auto shown = std::find_if(preview.graph.nodes.begin(), preview.graph.nodes.end(),
                                    [](const graph::Node& node) { return node.name == kShown; });
    if (shown == nodes.end() || shown->type != of.type)
        throw GraphError({.file = of.preview}, "has no node 'shown' of the type " + of.type,
                         "name the node that is shown so");
    for (const graph::ParameterSpec& spec : of.parameters) {
        if (shown->parameters.contains(spec.name) || !document_->isStored(scope_, node_, spec.name))
            continue;
        Json value = valueAt(spec, document_->value(scope_, node_, spec.name), frame_,
                             document_->content().range);
        if (spec.type == graph::ValueType::Path && value.is_string())
            value = QDir(QString::fromStdString(document_->content().folder()))
                        .absoluteFilePath(QString::fromStdString(value.get<std::string>()))
                        .toStdString();
        if (!value.is_null())
            shown->parameters[spec.name] = std::move(value);
    }
    const auto camera = std::find_if(nodes.begin(), nodes.end(),
                                     [](const graph::Node& node) { return node.type == kCamera; });
    camera_ = camera == nodes.end() ? QString() : QString::fromStdString(camera->name);
    first_ = preview.range.start;
    last_ = std::max(preview.range.start, preview.range.end);
    replay_.setInterval(int(1000 / std::clamp(preview.range.fps, 1.0, 60.0)));
    return Json::parse(preview.format(document_->types()));
}

void NodePreview::begin()
{
    if (!stale_ || !isVisible() || !type())
        return;
    if (busy_())
        return say(picture_.isNull() ? tr("Waits for the simulation") : QString());
    if (runtime_ && (runtime_->runState() == client::RunState::Running ||
                     runtime_->runState() == client::RunState::Stopping))
        return runtime_->cancel(); // its end begins anew
    try {
        Json wanted = scene();
        const bool first = !runtime_;
        if (first)
            makeRuntime();
        stale_ = false;
        sent_ = true;
        simulated_ = first_ - 1;
        runtime_->setDocument(std::move(wanted), QString::fromStdString(type()->preview));
        if (first)
            runtime_->start(program_());
        else if (runtime_->state() == client::Runtime::State::Lost)
            runtime_->restart();
        if (picture_.isNull())
            say(tr("Simulating …"));
    } catch (const std::exception& error) {
        stale_ = false;
        say(translated(error));
    }
}

void NodePreview::makeRuntime()
{
    runtime_ = std::make_unique<client::Runtime>();
    runtime_->setDevice(QStringLiteral("cpu")); // too little for a card
    client::Runtime* runtime = runtime_.get();
    connect(runtime, &client::Runtime::framesChanged, this, [this] {
        if (runtime_->knowsDocument() && std::exchange(sent_, false))
            use();
    });
    connect(runtime, &client::Runtime::frameFinished, this, [this](int frame) {
        if (stale_)
            return;
        simulated_ = frame;
        look(frame);
    });
    connect(runtime, &client::Runtime::pictureArrived, this,
            [this](const client::Picture& picture) {
                if (stale_ || picture.frame > simulated_)
                    return; // of the values before
                picture_ = picture.image;
                shown_ = picture.frame;
                complete_ = picture.frame == last_;
                say({});
            });
    connect(runtime, &client::Runtime::refused, this, &NodePreview::say);
    connect(runtime, &client::Runtime::lost, this,
            [this](const QString& message) { say(message); });
    connect(runtime, &client::Runtime::runStateChanged, this,
            [this](client::RunState state, const QString& message) {
                if (state == client::RunState::Failed)
                    say(message);
                if (state == client::RunState::Finished && !stale_ && !sent_ &&
                    std::exchange(simulated_, last_) != last_)
                    look(last_); // all frames were there already
                if (state != client::RunState::Running && state != client::RunState::Stopping)
                    goOn();
            });
}

void NodePreview::use()
{
    for (const graph::Fault& fault : runtime_->faults())
        if (fault.severity == graph::Severity::Error)
            return say(translated(fault.line()));
    runtime_->play();
}

void NodePreview::look(int frame)
{
    if (!runtime_)
        return;
    client::View view;
    view.size = (QSizeF(size()) * devicePixelRatioF()).toSize().expandedTo({16, 16});
    view.frame = frame;
    view.cameraNode = camera_;
    view.domain = false;
    runtime_->setView(view);
}

void NodePreview::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !complete_)
        return QWidget::mousePressEvent(event);
    look(first_);
    shown_ = first_;
    replay_.start();
}

void NodePreview::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    p.fillRect(rect(), themeColours().raised);
    if (!picture_.isNull()) {
        const QSizeF room = QSizeF(picture_.size()).scaled(size(), Qt::KeepAspectRatioByExpanding);
        p.drawImage(
            QRectF(QPointF((width() - room.width()) / 2, (height() - room.height()) / 2), room),
            picture_);
    }
    if (note_.isEmpty())
        return;
    if (!picture_.isNull())
        p.fillRect(rect(), QColor(0, 0, 0, 140));
    p.setPen(picture_.isNull() ? themeColours().muted : QColor(Qt::white));
    p.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, note_);
}

} // namespace floe::editor
