#include "app/sweep_dialog.hpp"

#include "document/document.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {

constexpr int kMinValues = 2, kMaxValues = 64;

/// What somebody may want to compare at first: half, the value and twice it; all of a menu.
QStringList suggested(const graph::ParameterSpec& spec, const Json& value)
{
    QStringList values;
    if (spec.type == graph::ValueType::Choice)
        for (const graph::Choice& choice : spec.choices)
            values += QString::fromStdString(choice.value);
    else if (spec.type == graph::ValueType::Bool)
        values = {QStringLiteral("false"), QStringLiteral("true")};
    else if (value.is_number())
        for (const double times : {0.5, 1.0, 2.0}) {
            double number = value.get<double>() * times;
            if (spec.type == graph::ValueType::Int)
                number = std::round(number);
            number = std::clamp(number, spec.min.value_or(number), spec.max.value_or(number));
            values += QString::number(number, 'g', 6);
        }
    values.removeDuplicates();
    return values;
}

} // namespace

SweepDialog::SweepDialog(const Document& document, const std::string& node,
                         const std::string& parameter, QWidget* parent)
    : QDialog(parent), document_(document), node_(node), parameter_(parameter)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("sweepDialog");
    const graph::NodeType* type = document.typeOf({}, node);
    const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
    setWindowTitle(
        tr("Compare values of '%1'").arg(QString::fromStdString(spec ? spec->label : parameter)));
    values_ = new QLineEdit(this);
    values_->setObjectName("values");
    values_->setMinimumWidth(320);
    values_->setToolTip(tr("Separated by commas"));
    if (spec)
        values_->setText(suggested(*spec, document.value({}, node, parameter)).join(", "));
    const graph::FrameRange& range = document.content().range;
    frames_ = new QSpinBox(this);
    frames_->setObjectName("frames");
    frames_->setRange(1, std::max(1, range.end - range.start + 1));
    frames_->setValue(frames_->maximum());
    refusal_ = new QLabel(this);
    refusal_->setObjectName("refusal");
    refusal_->setWordWrap(true);
    refusal_->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Simulate"));
    connect(buttons, &QDialogButtonBox::accepted, this, &SweepDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &SweepDialog::reject);
    auto* form = new QFormLayout(this);
    form->addRow(tr("Values"), values_);
    form->addRow(tr("Frames"), frames_);
    form->addRow(refusal_);
    form->addRow(buttons);
}

QString SweepDialog::refusal(const QStringList& values) const
{
    if (values.size() < kMinValues || values.size() > kMaxValues)
        return tr("Give %1 to %2 values, separated by commas.").arg(kMinValues).arg(kMaxValues);
    const graph::NodeType* type = document_.typeOf({}, node_);
    const graph::ParameterSpec* spec = type ? type->parameter(parameter_) : nullptr;
    for (const QString& value : values) {
        bool good = true;
        if (spec && spec->type == graph::ValueType::Choice) {
            good = std::any_of(spec->choices.begin(), spec->choices.end(), [&](const auto& choice) {
                return choice.value == value.toStdString();
            });
        } else if (spec && spec->type == graph::ValueType::Bool) {
            good = value == QLatin1String("true") || value == QLatin1String("false");
        } else {
            const double number = value.toDouble(&good);
            good = good && std::isfinite(number) &&
                   (!spec ||
                    (number >= spec->min.value_or(number) && number <= spec->max.value_or(number)));
        }
        if (!good)
            return tr("'%1' is no value that it may have.").arg(value);
    }
    return {};
}

void SweepDialog::accept()
{
    QStringList values;
    for (const QString& part : values_->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (const QString value = part.trimmed(); !value.isEmpty() && !values.contains(value))
            values += value;
    if (const QString why = refusal(values); !why.isEmpty()) {
        refusal_->setText(why);
        refusal_->show();
        return;
    }
    emit wanted({QString::fromStdString(node_ + "." + parameter_), values, frames_->value()});
    QDialog::accept();
}

} // namespace floe::editor
