#include "panels/fields.hpp"

#include "document/files.hpp"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QColorDialog>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionComboBox>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace floe::panels {

namespace {

QString textOf(const Json& value)
{
    return value.is_string() ? QString::fromStdString(value.get<std::string>()) : QString();
}

/// Space switches the box that has the focus, whatever else it is a shortcut for.
class CheckBox final : public QCheckBox {
public:
    using QCheckBox::QCheckBox;

protected:
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ShortcutOverride &&
            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
            event->accept();
            return true;
        }
        return QCheckBox::event(event);
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter p(this);
        p.setRenderHint(QPainter::Antialiasing);
        const QColor accent = palette().color(QPalette::Highlight);
        const QRectF box(1.5, height() / 2.0 - 7.5, 15, 15);
        QColor edge = palette().color(QPalette::Text);
        edge.setAlphaF(underMouse() ? 0.5f : 0.28f);
        p.setPen(QPen(hasFocus() ? accent.lighter(130) : edge, 1));
        p.setBrush(isChecked() ? accent : palette().color(QPalette::Base));
        p.drawRoundedRect(box, 3, 3);
        if (!isChecked())
            return;
        p.setPen(QPen(palette().color(QPalette::HighlightedText), 2, Qt::SolidLine, Qt::RoundCap,
                      Qt::RoundJoin));
        p.drawPolyline(QPolygonF({box.topLeft() + QPointF(3.5, 8), box.topLeft() + QPointF(6.5, 11),
                                  box.topLeft() + QPointF(11.5, 4.5)}));
    }
};

/// The wheel scrolls the panel, not the choice under the mouse. Its list's window is made when it
/// is opened: Qt's style sheets remember the margins of each for ever.
class ComboBox final : public QComboBox {
public:
    using QComboBox::QComboBox;
    /// That of AdjustToMinimumContentsLengthWithIcon; setting that policy makes the window.
    QSize sizeHint() const override
    {
        QStyleOptionComboBox option;
        initStyleOption(&option);
        const QFontMetrics metrics = fontMetrics();
        const QSize content(minimumContentsLength() * metrics.horizontalAdvance(QLatin1Char('X')),
                            std::max(metrics.height(), 14) + 2);
        return style()->sizeFromContents(QStyle::CT_ComboBox, &option, content, this);
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    /// QComboBox tells the list, and makes it for that.
    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::StyleChange && !findChild<QAbstractItemView*>())
            QWidget::changeEvent(event);
        else
            QComboBox::changeEvent(event);
    }
    void wheelEvent(QWheelEvent* event) override
    {
        if (hasFocus())
            QComboBox::wheelEvent(event);
        else
            event->ignore();
    }
};

class BoolField final : public Field {
public:
    explicit BoolField(QWidget* parent) : Field(parent), box_(new CheckBox(this))
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins({});
        box_->setMinimumSize(18, 18); // the drawn box; the style would ask for less
        row->addWidget(box_);
        row->addStretch();
        setFocusProxy(box_);
        connect(box_, &QCheckBox::clicked, this, [this](bool on) { emit edited(on); });
    }
    void setValue(const Json& value) override
    {
        box_->setChecked(value.is_boolean() && value.get<bool>());
    }

private:
    QCheckBox* box_;
};

class ChoiceField final : public Field {
public:
    ChoiceField(const graph::ParameterSpec& spec, QWidget* parent)
        : Field(parent), box_(new ComboBox(this))
    {
        for (const graph::Choice& choice : spec.choices) {
            const QString value = QString::fromStdString(choice.value);
            const QString label = QString::fromStdString(choice.label);
            box_->addItem(label.isEmpty() ? value : label, value);
            box_->setItemData(box_->count() - 1, QString::fromStdString(choice.help),
                              Qt::ToolTipRole);
        }
        box_->setFocusPolicy(Qt::StrongFocus);
        box_->setMinimumContentsLength(6);
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins({});
        row->addWidget(box_);
        setFocusProxy(box_);
        connect(box_, &QComboBox::activated, this, [this](int index) {
            box_->setToolTip(box_->itemData(index, Qt::ToolTipRole).toString());
            emit edited(box_->itemData(index).toString().toStdString());
        });
    }
    void setValue(const Json& value) override
    {
        const QString text = textOf(value);
        int index = box_->findData(text);
        if (index < 0) { // what the file holds is shown, even when it is no choice
            box_->addItem(text, text);
            index = box_->count() - 1;
        }
        box_->setCurrentIndex(index);
        box_->setToolTip(box_->itemData(index, Qt::ToolTipRole).toString());
    }

private:
    QComboBox* box_;
};

class TextField final : public Field {
public:
    TextField(const graph::ParameterSpec& spec, const QString& folder, QWidget* parent)
        : Field(parent), line_(new QLineEdit(this)), folder_(folder)
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins({});
        row->setSpacing(3);
        row->addWidget(line_, 1);
        setFocusProxy(line_);
        connect(line_, &QLineEdit::editingFinished, this, [this] { commit(line_->text()); });
        if (spec.type != graph::ValueType::Path)
            return;
        auto* browse = new QToolButton(this);
        browse->setText(QStringLiteral("…"));
        browse->setToolTip(Field::tr("Choose a file"));
        row->addWidget(browse);
        const bool writes = spec.widget == "save" || spec.widget == "saveFile";
        QString filter;
        for (const std::string& extension : spec.extensions)
            filter += QStringLiteral(" *.%1 *.%2")
                          .arg(QString::fromStdString(extension),
                               QString::fromStdString(extension).toUpper());
        if (!filter.isEmpty())
            filter = QStringLiteral("%1 (%2);;%3 (*)")
                         .arg(QString::fromStdString(spec.label), filter.trimmed(),
                              Field::tr("All files"));
        connect(browse, &QToolButton::clicked, this, [this, writes, filter] {
            const QString start = QDir(folder_).filePath(line_->text());
            const QString chosen =
                writes
                    ? QFileDialog::getSaveFileName(this, Field::tr("Choose a file"), start, filter)
                    : QFileDialog::getOpenFileName(this, Field::tr("Choose a file"), start, filter);
            if (chosen.isEmpty())
                return;
            commit(editor::pathInScene(folder_, chosen));
        });
    }
    void setValue(const Json& value) override
    {
        value_ = textOf(value);
        if (line_->text() != value_)
            line_->setText(value_);
    }

private:
    void commit(const QString& text)
    {
        if (text == value_)
            return;
        value_ = text;
        line_->setText(text);
        emit edited(text.toStdString());
    }

    QLineEdit* line_;
    QString folder_, value_;
};

} // namespace

Field* makeField(const graph::ParameterSpec& spec, const QString& folder, QWidget* parent)
{
    if (spec.type == graph::ValueType::Bool)
        return new BoolField(parent);
    if (spec.type == graph::ValueType::Choice)
        return new ChoiceField(spec, parent);
    return new TextField(spec, folder, parent);
}

double encodeSrgb(double linear)
{
    linear = std::clamp(linear, 0.0, 1.0);
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

double decodeSrgb(double encoded)
{
    encoded = std::clamp(encoded, 0.0, 1.0);
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

ColourPatch::ColourPatch(QWidget* parent) : QToolButton(parent)
{
    setToolTip(tr("Choose a colour"));
    setFixedWidth(26);
    setFixedHeight(fontMetrics().height() + 8);
    connect(this, &QToolButton::clicked, this, &ColourPatch::choose);
}

void ColourPatch::setColour(const std::array<double, 3>& linear)
{
    colour_ = linear;
    update();
}

void ColourPatch::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 1));
    p.setBrush(QColor::fromRgbF(static_cast<float>(encodeSrgb(colour_[0])),
                                static_cast<float>(encodeSrgb(colour_[1])),
                                static_cast<float>(encodeSrgb(colour_[2]))));
    p.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

void ColourPatch::choose()
{
    const std::array<double, 3> before = colour_;
    const auto linear = [](const QColor& colour) {
        const auto one = [](double v) {
            return std::round(decodeSrgb(v) * 1e4) / 1e4;
        };
        return std::array{one(colour.redF()), one(colour.greenF()), one(colour.blueF())};
    };
    auto* dialog = new QColorDialog(QColor::fromRgbF(static_cast<float>(encodeSrgb(colour_[0])),
                                                     static_cast<float>(encodeSrgb(colour_[1])),
                                                     static_cast<float>(encodeSrgb(colour_[2]))),
                                    window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QColorDialog::DontUseNativeDialog);
    connect(dialog, &QColorDialog::currentColorChanged, this,
            [this, linear](const QColor& colour) { emit edited(linear(colour), false); });
    connect(dialog, &QDialog::finished, this, [this, dialog, linear, before](int result) {
        emit edited(result == QDialog::Accepted ? linear(dialog->currentColor()) : before, true);
    });
    dialog->open();
}

} // namespace floe::panels
