#include "panels/dope_sheet.hpp"

#include "document/document.hpp"
#include "panels/key_times.hpp"
#include "themes/theme.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::panels {

namespace {

constexpr double kGrip = 7;        // logical pixels
constexpr double kNarrowest = 110; // names [logical pixels]

} // namespace

DopeSheet::DopeSheet(editor::Document* document, QWidget* parent)
    : QWidget(parent), document_(document), area_(new QWidget(this)),
      scroll_(new QScrollBar(Qt::Vertical, this)), only_(new QToolButton(this)),
      note_(new QLabel(this))
{
    setObjectName("dopeSheet");
    area_->setFocusPolicy(Qt::StrongFocus);
    area_->setMouseTracking(true);
    area_->setAccessibleName(tr("Keys of all parameters"));
    area_->installEventFilter(this);
    area_->setMinimumHeight(60);
    only_->setObjectName("dopeOnly");
    only_->setText(tr("Selected nodes"));
    only_->setToolTip(tr("Show the keys of the selected nodes alone"));
    only_->setCheckable(true);
    only_->setAutoRaise(true);
    connect(only_, &QToolButton::toggled, this, &DopeSheet::refresh);
    editor::setTone(*note_, "muted");
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 2, 6, 2);
    bar->addWidget(note_, 1);
    bar->addWidget(only_);
    auto* middle = new QHBoxLayout;
    middle->setContentsMargins({});
    middle->setSpacing(0);
    middle->addWidget(area_, 1);
    middle->addWidget(scroll_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(bar);
    column->addLayout(middle, 1);
    connect(scroll_, &QScrollBar::valueChanged, area_, qOverload<>(&QWidget::update));
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &DopeSheet::refresh);
    connect(document_, &editor::Document::edited, &later_, qOverload<>(&QTimer::start));
    connect(document_, &editor::Document::replaced, this, [this] {
        selected_.clear();
        current_ = -1;
        framed_ = false;
        later_.start();
    });
    refresh();
}

// ------------------------------------------------------------------------------------ what is seen

void DopeSheet::setSelection(const std::string& scope, const std::vector<std::string>& nodes)
{
    scope_ = scope;
    nodes_ = nodes;
    if (only_->isChecked())
        refresh();
    else
        area_->update();
}

void DopeSheet::setOnlySelected(bool only)
{
    only_->setChecked(only);
}

void DopeSheet::setRange(int first, int last)
{
    first_ = first;
    last_ = last;
    if (!framed_)
        frameAll();
    area_->update();
}

void DopeSheet::setFrame(int frame)
{
    frame_ = frame;
    area_->update();
}

void DopeSheet::frameAll()
{
    left_ = first_;
    right_ = last_;
    for (const Row& row : rows_) {
        left_ = std::min(left_, row.frames.front());
        right_ = std::max(right_, row.frames.back());
    }
    const double margin = std::max(0.5, 0.03 * (right_ - left_));
    left_ -= margin;
    right_ += margin;
    area_->update();
}

void DopeSheet::addRows(const std::string& scope)
{
    const graph::Graph* graph = document_->graph(scope);
    if (!graph)
        return;
    for (const graph::Node& node : graph->nodes) {
        if (only_->isChecked() &&
            (scope != scope_ || std::find(nodes_.begin(), nodes_.end(), node.name) == nodes_.end()))
            continue;
        const graph::NodeType* type = document_->typeOf(scope, node.name);
        for (const auto& [name, value] : node.parameters.items()) {
            std::vector<double> frames = keyFrames(value);
            if (frames.empty())
                continue;
            const graph::ParameterSpec* spec = type ? type->parameter(name) : nullptr;
            const std::string& label = spec && !spec->label.empty() ? spec->label : name;
            const std::string place = scope.empty() ? node.name : scope + "/" + node.name;
            rows_.push_back({scope, node.name, name,
                             QString::fromStdString(place) + QStringLiteral(" · ") +
                                 QString::fromStdString(label),
                             std::move(frames)});
        }
    }
}

void DopeSheet::refresh()
{
    later_.stop();
    const std::vector<Row> before = std::exchange(rows_, {});
    const auto chosen = std::exchange(selected_, {});
    const int current = std::exchange(current_, -1);
    addRows({});
    for (const auto& [name, graph] : document_->content().subgraphs)
        addRows(name);
    // What was selected stays so, where it still is.
    for (int i = 0; i < int(rows_.size()); ++i)
        for (int old = 0; old < int(before.size()); ++old) {
            const Row &a = rows_[std::size_t(i)], &b = before[std::size_t(old)];
            if (!a.isOf(b))
                continue;
            if (old == current)
                current_ = i;
            if (const auto found = chosen.find(old); found != chosen.end())
                for (const double frame : found->second)
                    if (std::binary_search(a.frames.begin(), a.frames.end(), frame))
                        selected_[i].insert(frame);
        }
    if (drag_ == Drag::Keys || drag_ == Drag::Box)
        drag_ = Drag::None; // what it held may be gone
    if (!framed_)
        frameAll();
    note_->setText(rows_.empty() ? QString()
                                 : tr("%n parameter(s) with keys", nullptr, int(rows_.size())));
    fitScroll();
    area_->update();
}

void DopeSheet::fitScroll()
{
    const double all = double(rows_.size()) * rowHeight(), room = area_->height() - rulerHeight();
    scroll_->setRange(0, std::max(0, int(std::ceil(all - room))));
    scroll_->setPageStep(std::max(1, int(room)));
    scroll_->setSingleStep(int(rowHeight()));
    scroll_->setVisible(scroll_->maximum() > 0);
}

void DopeSheet::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layout()->activate();
    fitScroll();
}

// ------------------------------------------------------------------------------------------ places

double DopeSheet::rulerHeight() const
{
    return fontMetrics().height() + 8;
}

double DopeSheet::rowHeight() const
{
    return fontMetrics().height() + 6;
}

double DopeSheet::nameWidth() const
{
    double widest = kNarrowest;
    for (const Row& row : rows_)
        widest = std::max(widest, fontMetrics().horizontalAdvance(row.label) + 20.0);
    return std::min(widest, std::max(kNarrowest, 0.4 * area_->width()));
}

QPointF DopeSheet::place(int row, double frame) const
{
    const double names = nameWidth();
    return {names + (frame - left_) / (right_ - left_) * (area_->width() - names),
            rulerHeight() + (row + 0.5) * rowHeight() - scroll_->value()};
}

QPointF DopeSheet::namePlace(int row) const
{
    return {nameWidth() / 2, place(row, 0).y()};
}

double DopeSheet::frameAt(double x) const
{
    const double names = nameWidth();
    return left_ + (x - names) / std::max(1.0, area_->width() - names) * (right_ - left_);
}

int DopeSheet::rowAt(double y) const
{
    if (y < rulerHeight())
        return -1;
    const int row = int(std::floor((y - rulerHeight() + scroll_->value()) / rowHeight()));
    return row >= 0 && row < int(rows_.size()) ? row : -1;
}

DopeSheet::Hit DopeSheet::keyAt(QPointF mouse) const
{
    const int row = mouse.x() > nameWidth() - kGrip ? rowAt(mouse.y()) : -1;
    if (row < 0)
        return {};
    Hit best;
    double nearest = kGrip;
    for (const double frame : rows_[std::size_t(row)].frames)
        if (const double away = std::abs(place(row, frame).x() - mouse.x()); away < nearest) {
            nearest = away;
            best = {row, frame};
        }
    return best;
}

bool DopeSheet::isSelected(int row, double frame) const
{
    const auto found = selected_.find(row);
    return found != selected_.end() && found->second.contains(frame);
}

double DopeSheet::shift() const
{
    return drag_ == Drag::Keys && moved_ ? std::round(frameAt(now_.x()) - frameAt(pressed_.x()))
                                         : 0;
}

// --------------------------------------------------------------------------------------------
// mouse

void DopeSheet::press(QMouseEvent* event)
{
    pressed_ = now_ = event->position();
    moved_ = false;
    if (event->button() == Qt::MiddleButton) {
        drag_ = Drag::Pan;
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    const bool more = event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier);
    if (pressed_.y() < rulerHeight() && pressed_.x() >= nameWidth()) {
        drag_ = Drag::Scrub;
        emit frameWanted(int(std::lround(frameAt(pressed_.x()))));
        return;
    }
    const int row = rowAt(pressed_.y());
    if (pressed_.x() < nameWidth() - kGrip) {
        if (row < 0)
            return;
        current_ = row;
        const Row named = rows_[std::size_t(row)]; // a filter may take the rows away
        emit nodeClicked(QString::fromStdString(named.scope), QString::fromStdString(named.node));
    } else if (const Hit hit = keyAt(pressed_)) {
        const bool was = isSelected(hit.row, hit.frame);
        if (!more && !was)
            selected_.clear();
        current_ = hit.row;
        if (more && was) {
            selected_[hit.row].erase(hit.frame);
            if (selected_[hit.row].empty())
                selected_.erase(hit.row);
        } else {
            selected_[hit.row].insert(hit.frame);
            drag_ = Drag::Keys;
        }
    } else {
        if (!more)
            selected_.clear();
        before_ = selected_;
        drag_ = Drag::Box;
    }
    area_->update();
}

void DopeSheet::move(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (drag_ == Drag::None) {
        area_->setCursor(keyAt(at) ? Qt::SizeHorCursor
                         : at.x() < nameWidth() - kGrip && rowAt(at.y()) >= 0
                             ? Qt::PointingHandCursor
                             : Qt::ArrowCursor);
        return;
    }
    if (drag_ == Drag::Pan) {
        const double by = frameAt(now_.x()) - frameAt(at.x());
        left_ += by;
        right_ += by;
        framed_ = true;
        scroll_->setValue(scroll_->value() + int(std::lround(now_.y() - at.y())));
    }
    now_ = at;
    moved_ = moved_ || (at - pressed_).manhattanLength() >= 3;
    if (drag_ == Drag::Scrub)
        emit frameWanted(int(std::lround(frameAt(at.x()))));
    if (drag_ == Drag::Box && moved_)
        applyBox();
    area_->update();
}

void DopeSheet::applyBox()
{
    selected_ = before_;
    const QRectF box = QRectF(pressed_, now_).normalized();
    for (int row = 0; row < int(rows_.size()); ++row)
        for (const double frame : rows_[std::size_t(row)].frames)
            if (box.contains(place(row, frame)))
                selected_[row].insert(frame);
}

void DopeSheet::release()
{
    const double by = shift();
    const Drag was = std::exchange(drag_, Drag::None);
    if (was == Drag::Keys && by != 0)
        moveSelected(by);
    area_->update();
}

void DopeSheet::wheel(QWheelEvent* event)
{
    const double turned =
        (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    if (event->modifiers() & Qt::ShiftModifier || event->position().x() < nameWidth()) {
        scroll_->setValue(scroll_->value() - int(std::lround(turned * 2 * rowHeight())));
    } else {
        const double fixed = frameAt(event->position().x());
        const double wide = std::clamp((right_ - left_) * std::pow(0.87, turned), 4.0, 1e7);
        left_ = fixed - (fixed - left_) * wide / (right_ - left_);
        right_ = left_ + wide;
        framed_ = true;
    }
    area_->update();
    event->accept();
}

// ---------------------------------------------------------------------------------------- keyboard

bool DopeSheet::key(QKeyEvent* event, bool act)
{
    const auto does = [act](auto&& what) {
        if (act)
            what();
        return true;
    };
    const int code = event->key();
    if (event->matches(QKeySequence::Copy))
        return does([this] { copySelected(); });
    if (event->matches(QKeySequence::Cut))
        return does([this] {
            copySelected();
            removeSelected();
        });
    if (event->matches(QKeySequence::Paste))
        return does([this] { paste(); });
    if (event->matches(QKeySequence::SelectAll))
        return does([this] { selectAll(); });
    if (event->modifiers() != Qt::NoModifier && event->modifiers() != Qt::KeypadModifier)
        return false;
    if (code == Qt::Key_Delete || code == Qt::Key_Backspace || code == Qt::Key_X)
        return does([this] { removeSelected(); });
    if (code == Qt::Key_F)
        return does([this] {
            framed_ = false;
            frameAll();
        });
    if (code == Qt::Key_Escape && drag_ != Drag::None)
        return does([this] {
            if (drag_ == Drag::Box)
                selected_ = before_;
            drag_ = Drag::None;
            area_->update();
        });
    return false;
}

bool DopeSheet::eventFilter(QObject* object, QEvent* event)
{
    if (object != area_)
        return QWidget::eventFilter(object, event);
    switch (event->type()) {
    case QEvent::Paint:
        paint();
        return true;
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        press(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseMove:
        move(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseButtonRelease:
        release();
        return true;
    case QEvent::Wheel:
        wheel(static_cast<QWheelEvent*>(event));
        return true;
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
        if (!key(static_cast<QKeyEvent*>(event), event->type() == QEvent::KeyPress))
            break;
        event->accept();
        return true;
    case QEvent::FocusIn:
    case QEvent::FocusOut:
        area_->update();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(object, event);
}

} // namespace floe::panels
