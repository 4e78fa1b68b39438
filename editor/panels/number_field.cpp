#include "panels/number_field.hpp"

#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/graph/expression.hpp"
#include "panels/mark_colours.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::panels {

namespace {

constexpr double kDragThreshold = 3;     // logical pixels
constexpr double kPixelsPerDecade = 100; // at least: a hand holds half a pixel in a hundred

QColor mix(const QColor& under, const QColor& over, double share)
{
    const auto one = [share](int a, int b) {
        return static_cast<int>(a + (b - a) * share + 0.5);
    };
    return QColor(one(under.red(), over.red()), one(under.green(), over.green()),
                  one(under.blue(), over.blue()));
}

} // namespace

NumberField::NumberField(Range range, const QString& unit, QWidget* parent)
    : QWidget(parent), range_(range), unit_(unit)
{
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::SizeHorCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

QString NumberField::text(double value, bool whole)
{
    if (whole)
        return QString::number(std::llround(value));
    const double size = std::abs(value);
    if (value == 0)
        return QStringLiteral("0");
    if (size >= 1e7 || size < 1e-4) {
        QString text = QString::number(value, 'g', 6); // 2.5e+09 reads better as 2.5e9
        return text.replace(QLatin1String("e+0"), QLatin1String("e"))
            .replace(QLatin1String("e+"), QLatin1String("e"))
            .replace(QLatin1String("e-0"), QLatin1String("e-"));
    }
    return QString::number(value, 'g', 7);
}

QSize NumberField::sizeHint() const
{
    return {110, fontMetrics().height() + 8};
}

QSize NumberField::minimumSizeHint() const
{
    return {44, sizeHint().height()};
}

void NumberField::setValue(double value)
{
    if (dragging_)
        return; // what is shown is what the hand does
    value_ = value;
    update();
}

void NumberField::setPrefix(const QString& prefix)
{
    prefix_ = prefix;
    update();
}

void NumberField::setTint(const QColor& tint)
{
    tint_ = tint;
    update();
}

void NumberField::setFormula(const QString& formula)
{
    formula_ = formula;
    setCursor(formula.isEmpty() ? Qt::SizeHorCursor : Qt::IBeamCursor);
}

void NumberField::setFaulty(bool faulty)
{
    if (std::exchange(faulty_, faulty) != faulty)
        update();
}

/// Ranges over three or more decades are slid by decades.
bool NumberField::logarithmic() const
{
    return range_.softMin && range_.softMax && *range_.softMin > 0 &&
           *range_.softMax / *range_.softMin >= 1000;
}

std::optional<double> NumberField::share() const
{
    if (!range_.softMin || !range_.softMax || *range_.softMax <= *range_.softMin)
        return std::nullopt;
    if (logarithmic())
        return value_ <= 0 ? 0
                           : std::clamp(std::log(value_ / *range_.softMin) /
                                            std::log(*range_.softMax / *range_.softMin),
                                        0.0, 1.0);
    return std::clamp((value_ - *range_.softMin) / (*range_.softMax - *range_.softMin), 0.0, 1.0);
}

double NumberField::limited(double value) const
{
    if (range_.whole)
        value = std::round(value);
    if (range_.min)
        value = std::max(value, *range_.min);
    if (range_.max)
        value = std::min(value, *range_.max);
    return value;
}

double NumberField::stepSize() const
{
    if (range_.whole)
        return 1;
    if (range_.softMin && range_.softMax && !logarithmic())
        return std::pow(10, std::floor(std::log10((*range_.softMax - *range_.softMin) / 20)));
    const double size = std::abs(value_);
    return size > 0 ? std::pow(10, std::floor(std::log10(size)) - 1) : 0.01;
}

void NumberField::change(double value, bool finished)
{
    value_ = value;
    update();
    emit edited(value, finished);
}

void NumberField::dragTo(double pixels, Qt::KeyboardModifiers keys)
{
    if (keys & Qt::ShiftModifier)
        pixels *= 0.1;
    // What is found by itself is no number to begin with.
    const double from =
        range_.automatic && pressValue_ == 0 ? range_.softMin.value_or(0) : pressValue_;
    double value = from, resolution = 0;
    const double wide = std::max(60, width());
    if (logarithmic() && from > 0) {
        const double decades = std::log10(*range_.softMax / *range_.softMin);
        value *= std::pow(10, pixels / std::max(wide / decades, kPixelsPerDecade));
        resolution = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
    } else if (range_.softMin && range_.softMax && *range_.softMax > *range_.softMin) {
        const double perPixel = (*range_.softMax - *range_.softMin) / wide;
        value += perPixel * pixels;
        resolution = std::pow(10, std::floor(std::log10(perPixel)));
    } else {
        const double size = std::max(std::abs(from), 0.1);
        const double perPixel = range_.whole ? 0.1 : size / 100;
        value += perPixel * pixels;
        resolution = std::pow(10, std::floor(std::log10(perPixel)));
    }
    if (keys & Qt::ShiftModifier)
        resolution /= 10;
    if (keys & Qt::ControlModifier)
        resolution *= 10;
    value = std::round(value / resolution) * resolution;
    value = std::stod(QString::number(value, 'g', 12).toStdString()); // no 0.30000000000000004
    // The slider ends where its soft range ends, unless it started outside.
    if (range_.softMin && from >= *range_.softMin)
        value = std::max(value, *range_.softMin);
    if (range_.softMax && from <= *range_.softMax)
        value = std::min(value, *range_.softMax);
    value = limited(value);
    if (value != value_)
        change(value, false);
}

void NumberField::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const QPalette& colours = palette();
    const QColor accent = colours.color(QPalette::Highlight);
    const bool enabled = isEnabled();
    QColor base = colours.color(QPalette::Base);
    if (tint_.isValid())
        base = mix(base, tint_, 0.28);
    if (underMouse() && enabled)
        base = mix(base, colours.color(QPalette::Text), 0.05);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath outline;
    outline.addRoundedRect(box, 3, 3);
    p.fillPath(outline, base);
    if (const auto part = share(); part && enabled) {
        p.save();
        p.setClipPath(outline);
        p.fillRect(QRectF(box.left(), box.top(), box.width() * *part, box.height()),
                   mix(base, tint_.isValid() ? tint_ : accent, 0.33));
        p.restore();
    }
    QColor edge = mix(colours.color(QPalette::Window), colours.color(QPalette::Text), 0.16);
    if (faulty_)
        edge = faultColour();
    else if (hasFocus())
        edge = accent;
    p.setPen(QPen(edge, 1));
    p.setBrush(Qt::NoBrush);
    p.drawPath(outline);

    const QColor text =
        colours.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text);
    const QColor quiet = mix(base, text, 0.66); // legible in both themes
    QRectF line = box.adjusted(6, 0, -6, 0);
    const QString number = shown(value_);
    const double needed = fontMetrics().horizontalAdvance(number) +
                          (prefix_.isEmpty() ? 0 : fontMetrics().horizontalAdvance(prefix_) + 6);
    if (!prefix_.isEmpty() && needed <= line.width()) {
        p.setPen(quiet);
        p.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, prefix_);
    }
    if (!unit_.isEmpty() && !(range_.automatic && value_ == 0)) {
        const double wide = fontMetrics().horizontalAdvance(unit_) + 5;
        if (needed + wide <= line.width()) {
            p.setPen(quiet);
            p.drawText(line, Qt::AlignRight | Qt::AlignVCenter, unit_);
            line.adjust(0, 0, -wide, 0);
        }
    }
    p.setPen(text);
    QString fitting = number; // as many digits as there is room for
    for (int digits = 6; digits > 1 && fontMetrics().horizontalAdvance(fitting) > line.width();
         --digits)
        fitting = QString::number(value_, 'g', digits);
    p.drawText(line, Qt::AlignRight | Qt::AlignVCenter, fitting);
}

QString NumberField::shown(double value) const
{
    if (range_.automatic && value == 0)
        return tr("automatic");
    return text(value, range_.whole);
}

void NumberField::mousePressEvent(QMouseEvent* event)
{
    if (dragging_ && event->button() == Qt::RightButton) { // never mind
        down_ = dragging_ = false;
        change(pressValue_, true);
        return;
    }
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    down_ = true;
    pressX_ = event->position().x();
    pressValue_ = value_;
}

void NumberField::mouseMoveEvent(QMouseEvent* event)
{
    if (!down_)
        return;
    const double by = event->position().x() - pressX_;
    if (!formula_.isEmpty() || (!dragging_ && std::abs(by) < kDragThreshold))
        return;
    dragging_ = true;
    dragTo(by, event->modifiers());
}

void NumberField::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !std::exchange(down_, false))
        return;
    if (std::exchange(dragging_, false))
        change(value_, true);
    else
        beginEdit(editable());
}

QString NumberField::editable() const
{
    return formula_.isEmpty() ? shown(value_) : QStringLiteral("= ") + formula_;
}

void NumberField::keyPressEvent(QKeyEvent* event)
{
    const double step = stepSize() * (event->modifiers() & Qt::ShiftModifier     ? 0.1
                                      : event->modifiers() & Qt::ControlModifier ? 10
                                                                                 : 1);
    const double whole = range_.whole ? std::max(1.0, step) : step;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (dragging_) {
            down_ = dragging_ = false;
            change(pressValue_, true);
            return;
        }
        break;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        if (!formula_.isEmpty())
            return;
        const double to = value_ + (event->key() == Qt::Key_Up ? whole : -whole);
        change(limited(std::stod(QString::number(to, 'g', 12).toStdString())), true);
        return;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        beginEdit(editable());
        return;
    case Qt::Key_K:
        emit keyWanted();
        return;
    default:
        break;
    }
    const QString typed = event->text();
    if (typed.size() == 1 && (typed[0].isDigit() || QStringLiteral("-.=(").contains(typed[0]))) {
        beginEdit(typed);
        editor_->deselect();
        editor_->setCursorPosition(1);
        return;
    }
    QWidget::keyPressEvent(event);
}

bool NumberField::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) { // keys that are the window's elsewhere
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_K || key->key() == Qt::Key_Up || key->key() == Qt::Key_Down ||
            key->key() == Qt::Key_F2 || (key->key() == Qt::Key_Escape && dragging_)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void NumberField::beginEdit(const QString& text)
{
    if (!isEnabled())
        return;
    if (!editor_) {
        editor_ = new QLineEdit(this);
        editor_->setAlignment(Qt::AlignRight);
        editor_->setFrame(false);
        editor_->setFocusPolicy(Qt::ClickFocus); // the field has the place in the order of Tab
        editor_->installEventFilter(this);
    }
    editor_->setGeometry(rect().adjusted(1, 1, -1, -1));
    editor_->setText(text);
    editor_->selectAll();
    editor_->show();
    editor_->setFocus();
}

void NumberField::endEdit(bool accept)
{
    if (!isEditing())
        return;
    const bool hadFocus = editor_->hasFocus();
    const QString text = editor_->text().trimmed();
    editor_->hide();
    if (hadFocus)
        setFocus();
    if (!accept || text.isEmpty() || text == editable())
        return;
    QString formula = text;
    const bool asked = formula.startsWith(QLatin1Char('='));
    if (asked)
        formula = formula.mid(1).trimmed();
    try {
        const graph::Expression expression(formula.toStdString());
        if (asked || expression.usesTime() || !expression.references().empty()) {
            emit expressionEntered(formula);
            return;
        }
        const double value = expression.evaluate(1, 0, 24, {});
        if (std::isfinite(value) && (limited(value) != value_ || !formula_.isEmpty()))
            change(limited(value), true);
    } catch (const Error& error) {
        if (asked)
            return emit expressionEntered(formula); // its fault is shown beside it
        QToolTip::showText(mapToGlobal(rect().bottomLeft()),
                           tr("'%1' is kept out: %2").arg(text, editor::translated(error)), this);
        update();
    }
}

/// Moves the focus on; a number there is edited at once, so that rows of numbers can be typed.
void NumberField::editNeighbour(bool next)
{
    focusNextPrevChild(next);
    if (auto* field = qobject_cast<NumberField*>(window()->focusWidget()); field && field != this)
        field->beginEdit(field->editable());
}

bool NumberField::eventFilter(QObject* object, QEvent* event)
{
    if (object == editor_) {
        if (event->type() == QEvent::FocusOut)
            endEdit(true);
        if (event->type() == QEvent::ShortcutOverride &&
            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            event->accept();
            return true;
        }
        if (event->type() == QEvent::KeyPress) {
            const int key = static_cast<QKeyEvent*>(event)->key();
            const bool accepts = key == Qt::Key_Return || key == Qt::Key_Enter;
            if (accepts || key == Qt::Key_Escape) { // left to the field, Return would edit again
                endEdit(accepts);
                return true;
            }
            if (key == Qt::Key_Tab || key == Qt::Key_Backtab) {
                endEdit(true);
                editNeighbour(key == Qt::Key_Tab);
                return true;
            }
        }
    }
    return QWidget::eventFilter(object, event);
}

} // namespace floe::panels
