#include "panels/promoted_dialog.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>

#include <cmath>

namespace floe::panels {

namespace {
/// The number that a field holds; nothing: it is empty. @return false when it is no number
bool read(const QLineEdit* field, std::optional<double>& value)
{
    value.reset();
    if (!field || field->text().trimmed().isEmpty())
        return true;
    bool good = false;
    const double number = QLocale().toDouble(field->text().trimmed(), &good);
    const double plain = good ? number : field->text().trimmed().toDouble(&good);
    good = good && std::isfinite(plain);
    if (good)
        value = plain;
    return good;
}
} // namespace

PromotedDialog::PromotedDialog(editor::Document* document, std::string scope, std::string name,
                               QWidget* parent)
    : QDialog(parent), document_(document), scope_(std::move(scope)), name_(std::move(name))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("promotedDialog");
    setWindowTitle(tr("How instances show '%1'").arg(QString::fromStdString(name_)));
    label_ = new QLineEdit(this);
    label_->setObjectName("label");
    help_ = new QLineEdit(this);
    help_->setObjectName("help");
    help_->setMinimumWidth(320);
    refusal_ = new QLabel(this);
    refusal_->setObjectName("refusal");
    refusal_->setWordWrap(true);
    auto* form = new QFormLayout(this);
    form->addRow(tr("Label"), label_);
    form->addRow(tr("Help"), help_);
    const graph::PromotedParameter* promoted = document_->promoted(scope_, name_);
    const graph::NodeType* type = promoted ? document_->typeOf(scope_, promoted->to.node) : nullptr;
    const graph::ParameterSpec* inside = type ? type->parameter(promoted->to.socket) : nullptr;
    if (inside) {
        label_->setText(QString::fromStdString(promoted->label));
        label_->setPlaceholderText(QString::fromStdString(inside->label));
        help_->setText(QString::fromStdString(promoted->help));
        help_->setPlaceholderText(QString::fromStdString(inside->help));
        using graph::ValueType;
        if (inside->type == ValueType::Float || inside->type == ValueType::Int ||
            inside->type == ValueType::Vector) {
            min_ = number("min", promoted->min, inside->min);
            max_ = number("max", promoted->max, inside->max);
            softMin_ = number("softMin", promoted->softMin, inside->softMin);
            softMax_ = number("softMax", promoted->softMax, inside->softMax);
            form->addRow(tr("Minimum"), min_);
            form->addRow(tr("Maximum"), max_);
            form->addRow(tr("Slider from"), softMin_);
            form->addRow(tr("Slider to"), softMax_);
        }
    }
    form->addRow(refusal_);
    refusal_->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &PromotedDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &PromotedDialog::reject);
    form->addRow(buttons);
}

QLineEdit* PromotedDialog::number(const char* name, const std::optional<double>& own,
                                  const std::optional<double>& inside)
{
    auto* field = new QLineEdit(this);
    field->setObjectName(name);
    if (own)
        field->setText(QLocale().toString(*own, 'g', QLocale::FloatingPointShortest));
    if (inside)
        field->setPlaceholderText(QLocale().toString(*inside, 'g', QLocale::FloatingPointShortest));
    return field;
}

void PromotedDialog::accept()
{
    graph::PromotedParameter changed;
    changed.name = name_;
    changed.label = label_->text().trimmed().toStdString();
    changed.help = help_->text().trimmed().toStdString();
    const bool good = read(min_, changed.min) && read(max_, changed.max) &&
                      read(softMin_, changed.softMin) && read(softMax_, changed.softMax);
    const QString refusal =
        good ? document_->changePromoted(scope_, changed) : tr("A bound is a number, or empty.");
    if (refusal.isEmpty())
        return QDialog::accept();
    refusal_->setText(refusal);
    refusal_->show();
}

} // namespace floe::panels
