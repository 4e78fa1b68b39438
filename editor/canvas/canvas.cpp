#include "canvas/canvas.hpp"

#include "canvas/search_popup.hpp"

#include <QAction>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QTimer>
#include <QToolTip>

#include <cmath>

namespace floe::editor {

namespace {
constexpr double kSmallest = 0.05, kLargest = 3;
constexpr double kLegible = 0.36; // names can be read; what is opened begins no smaller
constexpr int kPaintTime = 7;     // ms of work on the picture in one paint
} // namespace

Canvas::Canvas(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), scene_(document),
      search_(new SearchPopup(tr("Search nodes"), "search/nodes", this)),
      find_(new SearchPopup(tr("Find in the network"), {}, this))
{
    setObjectName("canvas");
    setAccessibleName(tr("Network"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAcceptDrops(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(160, 120);
    makeCommands();
    follow();
    connect(search_, &SearchPopup::chosen, this,
            [this](const QString& id) { addChosen(id, search_->field()->text()); });
    connect(find_, &SearchPopup::chosen, this, [this](const QString& path) {
        setFocus();
        reveal(path);
    });
    connect(search_, &SearchPopup::dismissed, this, [this] {
        pendingPull_.reset();
        update();
    });
}

Canvas::~Canvas() = default;

void Canvas::follow()
{
    const auto here = [this](const std::string& scope) {
        return scope == scene_.scope;
    };
    const auto structure = [this, here](const std::string& scope) {
        if (here(scope))
            changed();
    };
    connect(&document_, &Document::replaced, this, [this] {
        const bool inside = !trail_.empty();
        trail_.clear();
        scene_.scope.clear();
        selection_.clear();
        selectedDecoration_.clear();
        runtime_.clear();
        cancelDrag();
        backing_.forget();
        changed();
        fitWhenShown_ = true;
        if (inside)
            emit scopeChanged();
        emit selectionChanged();
    });
    connect(&document_, &Document::nodeAdded, this, structure);
    connect(&document_, &Document::nodeRemoved, this,
            [this, here](const std::string& scope, const std::string&) {
                if (here(scope))
                    changed();
            });
    connect(&document_, &Document::nodeRenamed, this,
            [this, here](const std::string& scope, const std::string& from, const std::string& to) {
                if (!here(scope))
                    return;
                if (selection_.erase(from))
                    selection_.insert(to);
                changed();
            });
    connect(&document_, &Document::nodeChanged, this,
            [this, here](const std::string& scope, const std::string& name) {
                if (here(scope))
                    nodeChanged(name);
            });
    connect(&document_, &Document::layoutChanged, this,
            [this, here](const std::string& scope, const std::string& name) {
                if (!here(scope))
                    return;
                scene_.updateLayout(name);
                repaint();
            });
    connect(&document_, &Document::linkAdded, this, structure);
    connect(&document_, &Document::linkRemoved, this, structure);
    connect(&document_, &Document::decorationChanged, this, structure);
    connect(&document_, &Document::promotionChanged, this, [this] { changed(); });
    connect(&document_, &Document::subgraphsChanged, this, [this] {
        while (!trail_.empty() && !document_.graph(scene_.scope))
            leave();
        changed();
    });
    connect(&document_, &Document::faultsChanged, this, &Canvas::updateStatuses);
    connect(&document_, &Document::edited, this, [this] { keepSelection(); });
}

void Canvas::changed()
{
    scene_.invalidate();
    attention_.hoverCard = attention_.hoverWire = -1;
    attention_.hoverSocket = {};
    selectedWires_.clear();
    if (drag_ != Drag::None && drag_ != Drag::Pan)
        cancelDrag(); // its indices are gone
    backing_.recount();
    map_ = {};
    update();
}

void Canvas::repaint()
{
    backing_.touch();
    map_ = {};
    update();
}

/// Bypass: the card looks different, and is where it was.
void Canvas::nodeChanged(const std::string& name)
{
    scene_.updateNode(name);
    repaint();
}

void Canvas::keepSelection()
{
    const std::size_t before = selection_.size();
    std::erase_if(selection_,
                  [&](const std::string& name) { return !document_.node(scene_.scope, name); });
    if (selection_.size() != before)
        emit selectionChanged();
}

const Scene& Canvas::scene()
{
    scene_.ensure();
    return scene_;
}

// --------------------------------------------------------------------------------------- scope

QString Canvas::pathOf(const std::string& name) const
{
    QString path;
    for (const Level& level : trail_)
        path += QString::fromStdString(level.instance) + '/';
    return path + QString::fromStdString(name);
}

QStringList Canvas::trail() const
{
    QStringList names;
    for (const Level& level : trail_)
        names += QString::fromStdString(level.instance);
    return names;
}

void Canvas::enter(const std::string& instance)
{
    const graph::Node* node = document_.node(scene_.scope, instance);
    if (!node || node->type != graph::kSubgraphType)
        return;
    if (!node->file.empty()) {
        emit fileEntered(QString::fromStdString(document_.content().folder() + "/" + node->file));
        return;
    }
    if (!document_.content().subgraph(node->graph) || trail_.size() > 32) {
        emit said(tr("There is no subgraph '%1'.").arg(QString::fromStdString(node->graph)));
        return;
    }
    trail_.push_back({instance, node->graph});
    scene_.scope = node->graph;
    selection_.clear();
    backing_.forget();
    changed();
    updateStatuses();
    frameFirst();
    emit scopeChanged();
    emit selectionChanged();
}

void Canvas::leave(int levels)
{
    if (trail_.empty() || levels <= 0)
        return;
    std::string instance;
    for (; levels > 0 && !trail_.empty(); --levels) {
        instance = trail_.back().instance;
        trail_.pop_back();
    }
    scene_.scope = trail_.empty() ? std::string() : trail_.back().scope;
    selection_ = {instance};
    backing_.forget();
    changed();
    keepSelection();
    updateStatuses();
    frameFirst();
    emit scopeChanged();
    emit selectionChanged();
}

void Canvas::select(const std::vector<std::string>& names)
{
    std::set<std::string> chosen;
    for (const std::string& name : names)
        if (document_.node(scene_.scope, name))
            chosen.insert(name);
    const bool others = !selectedWires_.empty() || !selectedDecoration_.empty();
    selectedWires_.clear();
    selectedDecoration_.clear();
    if (others)
        repaint();
    if (chosen == selection_)
        return;
    selection_ = std::move(chosen);
    repaint();
    emit selectionChanged();
}

void Canvas::reveal(const QString& path)
{
    QStringList parts = path.split('/');
    const std::string last = parts.takeLast().toStdString();
    if (parts != trail()) {
        leave(int(trail_.size()));
        for (const QString& part : parts)
            enter(part.toStdString());
    }
    select({last});
    const Scene& s = scene();
    if (const int card = s.find(last);
        card >= 0 && !visible().contains(s.cards[std::size_t(card)].rect))
        frameSelection();
}

// ---------------------------------------------------------------------------------------- view

QTransform Canvas::view() const
{
    return {zoom_, 0, 0, zoom_, origin_.x(), origin_.y()};
}

QRectF Canvas::visible() const
{
    return {toScene(QPointF()), toScene(QPointF(width(), height()))};
}

void Canvas::setView(double zoom, QPointF origin)
{
    zoom_ = std::clamp(zoom, kSmallest, kLargest);
    const double ratio = devicePixelRatioF(); // whole pixels: then a pan can scroll the picture
    origin_ = {std::round(origin.x() * ratio) / ratio, std::round(origin.y() * ratio) / ratio};
    fitWhenShown_ = false;
    closeEditor();
    update();
}

void Canvas::zoomBy(double factor, QPointF about)
{
    const QPointF fixed = toScene(about);
    const double zoom = std::clamp(zoom_ * factor, kSmallest, kLargest);
    setView(zoom, about - fixed * zoom);
}

void Canvas::frame(QRectF area, double least)
{
    if (area.isEmpty() || width() < 20 || height() < 20) {
        setView(1, QPointF(width() / 2.0, height() / 2.0));
        return;
    }
    area.adjust(-40, -40, 40, 40);
    const double zoom = std::clamp(std::min(width() / area.width(), height() / area.height()),
                                   std::max(least, kSmallest), 1.0);
    const QSizeF seen = QSizeF(width(), height()) / zoom;
    QPointF middle = area.center();
    if (const QPointF hub = busiest(); least > 0) { // not all of it: where most happens
        const auto within = [](double at, double half, double low, double high) {
            return high - low <= 2 * half ? (low + high) / 2
                                          : std::clamp(at, low + half, high - half);
        };
        middle = {within(hub.x(), seen.width() / 2, area.left(), area.right()),
                  within(hub.y(), seen.height() / 2, area.top(), area.bottom())};
    }
    setView(zoom, QPointF(width() / 2.0, height() / 2.0) - middle * zoom);
}

/// The middle of the node with most wires.
QPointF Canvas::busiest() const
{
    const auto hub = std::max_element(
        scene_.cards.begin(), scene_.cards.end(),
        [](const Card& a, const Card& b) { return a.wires.size() < b.wires.size(); });
    return hub == scene_.cards.end() ? QPointF() : hub->rect.center();
}

void Canvas::frameFirst()
{
    placeFirst();
    frame(scene().bounds(), kLegible);
}

void Canvas::frameAll()
{
    QRectF area = scene().bounds();
    if (const GraphMarks* marks = shownMarks())
        for (const auto& [name, ghost] : marks->ghosts)
            area |= ghost.rect;
    frame(area);
}

void Canvas::frameSelection()
{
    QRectF area;
    for (const Card& card : scene().cards)
        if (selection_.contains(card.name))
            area |= card.rect;
    frame(area.isEmpty() ? scene_.bounds() : area);
}

QPoint Canvas::nodePoint(const std::string& name)
{
    const Scene& s = scene();
    const int card = s.find(name);
    return card < 0
               ? QPoint()
               : toWidget(s.cards[std::size_t(card)].rect.topLeft() + QPointF(60, 12)).toPoint();
}

QPoint Canvas::socketPoint(const std::string& name, bool output, const std::string& socket)
{
    const Scene& s = scene();
    const int index = s.find(name);
    if (index < 0)
        return {};
    const Card& card = s.cards[std::size_t(index)];
    const auto& list = output ? card.outputs : card.inputs;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].name == socket)
            return toWidget(card.socket(output, int(i))).toPoint();
    return {};
}

// ------------------------------------------------------------------------------------ painting

void Canvas::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (fitWhenShown_)
        update();
}

void Canvas::paintEvent(QPaintEvent*)
{
    scene_.ensure();
    if (fitWhenShown_ && width() > 50) {
        frameFirst();
        fitWhenShown_ = false;
    }
    attention_.selection = &selection_;
    attention_.selectedWires = selectedWires_;
    attention_.selectedDecoration = selectedDecoration_;
    attention_.pulling = pull_.has_value();
    attention_.unreachable = pull_ ? &unreachable_ : nullptr;
    const QTransform transform = view();
    const QRectF area = visible();
    QPainter painter(this);
    complete_ = backing_.paint(painter, scene_, {zoom_, origin_, size(), devicePixelRatioF()},
                               attention_, kPaintTime);
    if (!complete_)
        QTimer::singleShot(0, this, qOverload<>(&QWidget::update));
    if (!backing_.missing().empty())
        paintCards(painter, scene_, transform, area, attention_, backing_.missing());
    paintHover(painter, scene_, transform, area, attention_, moving_);
    paintWireNotes(painter, scene_, transform, area);
    paintOverlays(painter);
}

void Canvas::paintOverlays(QPainter& painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (scene_.cards.empty() && scene_.notes.empty() && scene_.backdrops.empty())
        showEmptyHint(painter);
    if (const GraphMarks* marks = shownMarks())
        paintMarks(painter, scene_, view(), *marks, marksCome_);
    if (!marks_.empty())
        paintMarkLegend(painter, font(), marksCome_, hasConflicts());
    if (drag_ == Drag::Nodes && attention_.hoverWire >= 0) {
        painter.save();
        painter.setTransform(view(), true);
        painter.setPen(QPen(themeColours().accent, 4, Qt::SolidLine, Qt::RoundCap));
        painter.drawPath(scene_.wires[std::size_t(attention_.hoverWire)].path);
        painter.restore();
    }
    if (drag_ == Drag::Box && dragging_) {
        QColor fill = themeColours().accent;
        fill.setAlpha(30);
        painter.setPen(QPen(themeColours().accent, 1));
        painter.setBrush(fill);
        painter.drawRect(QRectF(pressed_, last_).normalized());
    }
    if (drag_ == Drag::Cut && cut_.size() > 1) {
        painter.setPen(QPen(themeColours().error, 2, Qt::DashLine));
        painter.drawPolyline(cut_);
    }
    const std::optional<Pull>& pull = pull_ ? pull_ : pendingPull_;
    if (pull) {
        const QPointF fixed =
            socketPoint(pull->fixed.node, pull->fromOutput, pull->fixed.socket).toPointF();
        QPointF free = pull_ ? last_ : toWidget(searchAt_);
        if (const auto& hit = attention_.hoverSocket; pull_ && hit && refusal_.isEmpty())
            free = toWidget(scene_.cards[std::size_t(hit.card)].socket(hit.output, hit.socket));
        QColor colour = refusal_.isEmpty() ? themeColours().accent : themeColours().error;
        painter.setPen(QPen(colour, 2.5, pull_ ? Qt::SolidLine : Qt::DashLine, Qt::RoundCap));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(pull->fromOutput ? Scene::curve(fixed, free, {})
                                          : Scene::curve(free, fixed, {}));
        if (pull_ && !refusal_.isEmpty()) { // said at once, where one looks
            QFont small = font();
            painter.setFont(small);
            const QFontMetrics metrics(small);
            const QRect needed =
                metrics.boundingRect(QRect(0, 0, 320, 200), Qt::TextWordWrap, refusal_);
            QRectF box(last_ + QPointF(18, 14), QSizeF(needed.width() + 18, needed.height() + 12));
            box.moveRight(std::min(box.right(), width() - 4.0));
            box.moveBottom(std::min(box.bottom(), height() - 4.0));
            painter.setPen(QPen(themeColours().refusalEdge, 1));
            painter.setBrush(themeColours().refusal);
            painter.drawRoundedRect(box, 4, 4);
            painter.setPen(themeColours().errorText);
            painter.drawText(box.adjusted(9, 6, -9, -6), Qt::TextWordWrap, refusal_);
        }
    }
    if (!scene_.cards.empty()) {
        QFont small = font();
        small.setPixelSize(11);
        painter.setFont(small);
        painter.setPen(themeColours().muted);
        painter.drawText(rect().adjusted(10, 6, -10, -6), Qt::AlignLeft | Qt::AlignBottom,
                         tr("%1 %").arg(qRound(zoom_ * 100)));
    }
    paintMap(painter);
    if (hasFocus()) {
        painter.setPen(QPen(themeColours().canvasFocus, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void Canvas::showEmptyHint(QPainter& painter)
{
    painter.setPen(themeColours().muted);
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.2);
    painter.setFont(large);
    painter.drawText(rect(), Qt::AlignCenter,
                     tr("Press Tab to add a node\n\nA scene needs a shape, an emitter, a material "
                        "and a solver"));
}

// --------------------------------------------------------------------------------------- event

bool Canvas::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // Here the arrows walk the network; elsewhere they step through the frames.
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool arrow = key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down;
        if ((arrow && !key->modifiers().testFlag(Qt::ShiftModifier)) ||
            (key->key() == Qt::Key_Escape && drag_ != Drag::None)) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::StyleChange) { // another theme: all colours are others
        changed();
        backing_.forget();
    }
    if (event->type() == QEvent::ToolTip) {
        showHelpAt(static_cast<QHelpEvent*>(event));
        return true;
    }
    return QWidget::event(event);
}

/// "On disk: 48 frames, and 3 that are stale"
QString Canvas::keptText(const KeptFrames& kept)
{
    int fresh = 0, stale = 0;
    for (const KeptSpan& span : kept.spans)
        (span.fresh ? fresh : stale) += span.last - span.first + 1;
    if (fresh + stale == 0)
        return tr("No frame is on disk yet.");
    QString text = tr("On disk: %n frame(s) of %1.", nullptr, fresh)
                       .arg(std::max(1, kept.last - kept.first + 1));
    if (stale > 0)
        text +=
            QLatin1Char(' ') +
            tr("%n stale one(s) will be made anew: what led to them has changed.", nullptr, stale);
    return text;
}

void Canvas::showHelpAt(QHelpEvent* event)
{
    const QPointF point = toScene(event->pos());
    const Scene& s = scene();
    QString text;
    const auto paragraph = [&](const QString& line) {
        if (!line.isEmpty())
            text += "<p style='margin:2px 0'>" + line + "</p>";
    };
    if (const auto hit = s.socketAt(point, 9 / std::min(zoom_, 1.0))) {
        const Card& card = s.cards[std::size_t(hit.card)];
        const SocketItem& socket =
            (hit.output ? card.outputs : card.inputs)[std::size_t(hit.socket)];
        QStringList kinds;
        for (const std::string& kind : socket.kinds)
            kinds += QString::fromStdString(kind);
        paragraph("<b>" + socket.label.toHtmlEscaped() + "</b> &nbsp; <i>" +
                  kinds.join(", ").toHtmlEscaped() + "</i>");
        paragraph(socket.help.toHtmlEscaped());
        if (!hit.output)
            paragraph(socket.multiple ? tr("Takes several wires.") : QString());
        if (socket.required && !hit.output)
            paragraph(tr("Must be linked."));
    } else if (const int card = s.cardAt(point); card >= 0) {
        const Card& c = s.cards[std::size_t(card)];
        paragraph("<b>" + c.title.toHtmlEscaped() + "</b> &nbsp; <i>" + c.subtitle.toHtmlEscaped() +
                  "</i>");
        if (!c.known && !c.instance)
            paragraph(tr("The plugin of this node is not installed. The node is kept as it is."));
        if (!c.status.message.isEmpty())
            paragraph("<b>" + c.status.message.toHtmlEscaped() + "</b>");
        if (c.status.state == NodeState::Cached)
            paragraph(tr("Simulated: the frame looked at is kept and up to date."));
        if (c.status.kept)
            paragraph(keptText(*c.status.kept));
        if (c.bypass)
            paragraph(tr("Bypassed: hands its first input on."));
        paragraph(c.help.toHtmlEscaped());
    } else if (const int wire = s.wireAt(point, 6 / zoom_); wire >= 0) {
        const graph::Link& link = s.wires[std::size_t(wire)].link;
        paragraph(
            QString::fromStdString(link.from.text() + " \u2192 " + link.to.text()).toHtmlEscaped());
    }
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPos(), "<div style='width:280px'>" + text + "</div>", this);
}

} // namespace floe::editor
