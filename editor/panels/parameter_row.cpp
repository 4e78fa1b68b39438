#include "panels/parameter_row.hpp"

#include "document/document.hpp"
#include "panels/fields.hpp"
#include "panels/mark_colours.hpp"
#include "panels/number_field.hpp"
#include "panels/step_keys.hpp"
#include "themes/theme.hpp"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QShortcut>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::panels {

using graph::ValueType;

namespace {

constexpr int kDeepest = 16; // expressions that refer to expressions

bool isNumeric(ValueType type)
{
    return type == ValueType::Float || type == ValueType::Int || type == ValueType::Vector ||
           type == ValueType::Colour;
}

std::size_t widthOf(ValueType type)
{
    return type == ValueType::Vector || type == ValueType::Colour ? 3 : 1;
}

/// Values of other parameters of the same graph, as its expressions see them.
Resolver resolver(const editor::Document& document, const std::string& scope, double frame,
                  int depth)
{
    return [&document, scope, frame, depth](const std::string& reference) -> std::optional<double> {
        const std::size_t dot = reference.find('.');
        if (dot == std::string::npos || depth > kDeepest)
            return std::nullopt;
        const std::string node = reference.substr(0, dot);
        std::string parameter = reference.substr(dot + 1);
        std::size_t component = 0;
        if (const std::size_t second = parameter.find('.'); second != std::string::npos) {
            const std::string axis = parameter.substr(second + 1);
            component = axis == "y" ? 1 : axis == "z" ? 2 : 0;
            parameter.resize(second);
        }
        const graph::NodeType* type = document.typeOf(scope, node);
        const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
        if (!spec || !isNumeric(spec->type))
            return std::nullopt;
        const auto channels =
            readChannels(document.value(scope, node, parameter), widthOf(spec->type));
        if (!channels || component >= channels->size())
            return std::nullopt;
        const graph::FrameRange& range = document.content().range;
        return evaluate((*channels)[component], frame, range.start, range.fps,
                        resolver(document, scope, frame, depth + 1))
            .value;
    };
}

} // namespace

int ParameterRow::newDrag()
{
    static int last = 0;
    return ++last;
}

ParameterRow::ParameterRow(editor::Document* document, std::string scope, std::string node,
                           const graph::ParameterSpec& spec, QWidget* parent)
    : QWidget(parent), document_(document), scope_(std::move(scope)), node_(std::move(node)),
      spec_(spec), label_(new QLabel(this)), note_(new QLabel(this))
{
    const QString name = QString::fromStdString(spec_.label.empty() ? spec_.name : spec_.label);
    label_->setText(name);
    label_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    label_->setFixedWidth(kLabelWidth);
    label_->setWordWrap(true);
    QString tip = QStringLiteral("<b>%1</b>&nbsp; <code>%2.%3</code>")
                      .arg(name.toHtmlEscaped(), QString::fromStdString(node_).toHtmlEscaped(),
                           QString::fromStdString(spec_.name).toHtmlEscaped());
    if (!spec_.help.empty())
        tip += QStringLiteral("<br>") + QString::fromStdString(spec_.help).toHtmlEscaped();
    if (spec_.min || spec_.max)
        tip += QStringLiteral("<br><i>") +
               tr("%1 to %2")
                   .arg(spec_.min ? NumberField::text(*spec_.min, false) : QStringLiteral("−∞"),
                        spec_.max ? NumberField::text(*spec_.max, false) : QStringLiteral("∞")) +
               QLatin1Char(' ') + QString::fromStdString(spec_.unit).toHtmlEscaped() +
               QStringLiteral("</i>");
    if (spec_.live)
        tip += QStringLiteral("<br>") + tr("Acts on the running simulation.");
    label_->setToolTip(tip);
    note_->setWordWrap(true);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    note_->hide();

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(4, 0, 4, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->addWidget(label_, 0, 0);
    grid->setColumnStretch(1, 1);
    grid->addWidget(note_, 1, 1, 1, 2);
    if (isNumeric(spec_.type)) {
        auto* row = new QHBoxLayout;
        row->setSpacing(3);
        buildNumbers();
        if (patch_)
            row->addWidget(patch_);
        for (NumberField* number : numbers_)
            row->addWidget(number, 1);
        grid->addLayout(row, 0, 1);
    } else {
        field_ = makeField(spec_, QString::fromStdString(document_->content().folder()), this);
        field_->setAccessibleName(name);
        if (QWidget* focused = field_->focusProxy())
            focused->setAccessibleName(name);
        grid->addWidget(field_, 0, 1);
        connect(field_, &Field::edited, this, &ParameterRow::fieldEdited);
        if (QWidget* focused = field_->focusProxy(); focused && spec_.type == ValueType::Bool)
            connect(new QShortcut(Qt::Key_K, focused, nullptr, nullptr, Qt::WidgetShortcut),
                    &QShortcut::activated, this, &ParameterRow::toggleKey);
    }
    const bool keyed =
        isNumeric(spec_.type) || spec_.type == ValueType::Bool || spec_.type == ValueType::Choice;
    if (keyed && spec_.animatable) {
        key_ = new KeyButton(this);
        grid->addWidget(key_, 0, 2);
        connect(key_, &QToolButton::clicked, this, &ParameterRow::toggleKey);
    } else {
        grid->setColumnMinimumWidth(2, 20);
    }
    refresh();
}

void ParameterRow::buildNumbers()
{
    NumberField::Range range{spec_.min,
                             spec_.max,
                             spec_.softMin,
                             spec_.softMax,
                             spec_.type == ValueType::Int,
                             spec_.automatic.has_value()};
    if (!range.softMin && range.min)
        range.softMin = range.min;
    if (!range.softMax && range.max)
        range.softMax = range.max;
    const bool several = widthOf(spec_.type) > 1;
    if (several && spec_.type == ValueType::Vector)
        range.softMin = range.softMax = std::nullopt; // three fills side by side say nothing
    if (spec_.type == ValueType::Colour) {
        range.softMin = 0;
        range.softMax = 1;
        patch_ = new ColourPatch(this);
        connect(patch_, &ColourPatch::edited, this,
                [this](const std::array<double, 3>& linear, bool finished) {
                    auto all = channels();
                    if (!all)
                        return;
                    for (std::size_t c = 0; c < 3; ++c)
                        if ((*all)[c].kind == Channel::Kind::Keys)
                            setKey((*all)[c], frame_, linear[c]);
                        else
                            (*all)[c] = {Channel::Kind::Constant, linear[c], {}, {}};
                    if (drag_ == 0)
                        drag_ = newDrag();
                    setChannels(*all, drag_);
                    if (finished)
                        drag_ = 0;
                });
    }
    const QStringList names = channelNames();
    for (std::size_t c = 0; c < widthOf(spec_.type); ++c) {
        auto* number =
            new NumberField(range, several ? QString() : QString::fromStdString(spec_.unit), this);
        number->setPrefix(names[static_cast<qsizetype>(c)]);
        number->setAccessibleName(label_->text() + QLatin1Char(' ') +
                                  names[static_cast<qsizetype>(c)]);
        number->setToolTip(label_->toolTip());
        connect(number, &NumberField::edited, this,
                [this, c](double value, bool finished) { numberEdited(c, value, finished); });
        connect(number, &NumberField::expressionEntered, this,
                [this, c](const QString& text) { setExpression(c, text); });
        connect(number, &NumberField::keyWanted, this, [this] {
            if (spec_.animatable)
                toggleKey();
        });
        numbers_.push_back(number);
    }
}

QStringList ParameterRow::channelNames() const
{
    if (spec_.type == ValueType::Vector)
        return {QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z")};
    if (spec_.type == ValueType::Colour)
        return {QStringLiteral("r"), QStringLiteral("g"), QStringLiteral("b")};
    return {QString()};
}

std::optional<Channels> ParameterRow::channels() const
{
    if (!isNumeric(spec_.type))
        return std::nullopt;
    return readChannels(document_->value(scope_, node_, spec_.name), widthOf(spec_.type));
}

void ParameterRow::setChannels(const Channels& channels, int drag)
{
    document_->setParameter(scope_, node_, spec_.name,
                            writeChannels(channels, spec_.type == ValueType::Int), drag);
}

bool ParameterRow::isChanged() const
{
    return document_->isStored(scope_, node_, spec_.name) &&
           document_->value(scope_, node_, spec_.name) !=
               Json::parse(graph::text(spec_.defaultValue));
}

void ParameterRow::setPeers(std::vector<std::string> peers)
{
    peers_ = std::move(peers);
    refresh();
}

bool ParameterRow::differs() const
{
    const Json own = document_->value(scope_, node_, spec_.name);
    return std::any_of(peers_.begin(), peers_.end(), [&](const std::string& peer) {
        return document_->value(scope_, peer, spec_.name) != own;
    });
}

/// Changes the value of the node and those of its peers, each from what it is.
void ParameterRow::storeEach(const std::function<Json(const Json& stored)>& changed, int drag)
{
    std::vector<std::string> nodes = peers_;
    nodes.push_back(node_);
    std::map<std::string, Json> values;
    for (const std::string& node : nodes)
        values[node] = changed(document_->value(scope_, node, spec_.name));
    document_->setParameter(scope_, values, spec_.name, drag);
}

void ParameterRow::edit(const std::function<void(Channels&)>& change, int drag)
{
    storeEach(
        [&](const Json& stored) {
            Channels all =
                readChannels(stored, widthOf(spec_.type)).value_or(Channels(numbers_.size()));
            change(all);
            return writeChannels(all, spec_.type == ValueType::Int);
        },
        drag);
}

void ParameterRow::store(const Json& value)
{
    storeEach([&](const Json&) { return value; });
}

/// A value of the field: the key of this frame where there are keys, else the constant.
void ParameterRow::fieldEdited(const Json& value)
{
    storeEach([&](const Json& stored) {
        return readSteps(stored) ? withStep(stored, frame_, value) : value;
    });
}

void ParameterRow::toggleStep()
{
    const auto own = readSteps(document_->value(scope_, node_, spec_.name));
    const bool here = own && hasStep(*own, frame_);
    storeEach([&](const Json& stored) {
        const auto keys = readSteps(stored);
        if (here)
            return withoutStep(stored, frame_);
        if (keys || !stored.is_object()) // an expression stays
            return withStep(stored, frame_, keys ? stepAt(*keys, frame_) : stored);
        return stored;
    });
}

QVector<int> ParameterRow::keyFrames() const
{
    QVector<int> frames;
    if (const auto all = channels()) {
        for (const Channel& channel : *all)
            for (const CurveKey& key : channel.keys)
                frames.append(static_cast<int>(std::lround(key.frame)));
    } else if (const auto steps = readSteps(document_->value(scope_, node_, spec_.name))) {
        for (const StepKey& key : *steps)
            frames.append(static_cast<int>(std::lround(key.frame)));
    }
    return frames;
}

/// A switch, menu, text or file as it is at this frame.
void ParameterRow::refreshField()
{
    const Json stored = document_->value(scope_, node_, spec_.name);
    auto mark = KeyButton::Mark::Constant;
    QString formula;
    Json now = stored;
    if (const auto steps = readSteps(stored)) {
        now = stepAt(*steps, frame_);
        mark = hasStep(*steps, frame_) ? KeyButton::Mark::Here : KeyButton::Mark::Elsewhere;
    } else if (const auto all = readChannels(stored, 1);
               all && all->front().kind == Channel::Kind::Expression) {
        now = evaluateChannel(all->front()).value.value_or(0) != 0;
        mark = KeyButton::Mark::Expression;
        formula = QStringLiteral("= ") + QString::fromStdString(all->front().expression);
    }
    field_->setValue(now);
    if (key_)
        key_->setMark(mark);
    showNote(faults_, formula);
}

void ParameterRow::numberEdited(std::size_t channel, double value, bool finished)
{
    if (!finished && drag_ == 0)
        drag_ = newDrag();
    edit(
        [&](Channels& all) {
            Channel& edited = all[channel];
            if (edited.kind == Channel::Kind::Keys)
                setKey(edited, frame_, value);
            else
                edited = {Channel::Kind::Constant, value, {}, {}};
        },
        drag_);
    if (finished)
        drag_ = 0;
}

void ParameterRow::setExpression(std::size_t channel, const QString& text)
{
    if (!spec_.animatable) {
        showNote({tr("This parameter takes a number only.")}, {});
        return;
    }
    edit(
        [&](Channels& all) {
            all[channel] = {Channel::Kind::Expression, 0, {}, text.toStdString()};
        },
        0);
}

void ParameterRow::toggleKey()
{
    if (field_ && key_)
        return toggleStep();
    const auto own = channels();
    if (!own || !spec_.animatable)
        return;
    const bool here = std::any_of(own->begin(), own->end(),
                                  [this](const Channel& c) { return hasKey(c, frame_); });
    edit(
        [&](Channels& all) {
            for (Channel& channel : all) {
                if (here) {
                    removeKey(channel, frame_);
                } else if (channel.kind != Channel::Kind::Expression) {
                    double value = evaluateChannel(channel).value.value_or(0);
                    if (spec_.type == ValueType::Int)
                        value = std::round(value);
                    setKey(channel, frame_, value);
                }
            }
        },
        0);
}

void ParameterRow::reset()
{
    store(Json());
}

Evaluated ParameterRow::evaluateChannel(const Channel& channel) const
{
    const graph::FrameRange& range = document_->content().range;
    return evaluate(channel, frame_, range.start, range.fps,
                    resolver(*document_, scope_, frame_, 0));
}

void ParameterRow::setFrame(int frame)
{
    if (std::exchange(frame_, frame) == frame)
        return;
    if (field_ && document_->value(scope_, node_, spec_.name).is_object())
        return refresh();
    const auto all = channels();
    if (all && std::any_of(all->begin(), all->end(), [](const Channel& channel) {
            return channel.kind != Channel::Kind::Constant;
        }))
        refresh();
}

void ParameterRow::setFaults(const QStringList& faults)
{
    if (faults == faults_)
        return;
    faults_ = faults;
    refresh();
}

void ParameterRow::setIdle(const QString& why)
{
    if (why != idle_) {
        idle_ = why;
        refresh();
    }
}

void ParameterRow::setRemark(const QString& text)
{
    if (std::exchange(remark_, text) != text)
        refresh();
}

void ParameterRow::refresh()
{
    if (parentWidget()) // without one it would be a window of its own
        setVisible(idle_.isEmpty() || isChanged() || differs() || !faults_.isEmpty());
    editor::setTone(*label_, idle_.isEmpty() ? "" : "muted");
    QFont font = label_->font();
    font.setWeight(isChanged() ? QFont::DemiBold : QFont::Normal);
    label_->setFont(font);
    const QString title = QString::fromStdString(spec_.label.empty() ? spec_.name : spec_.label);
    label_->setText(differs() ? title + QStringLiteral(" ≠") : title);
    update();
    if (field_)
        return refreshField();
    QStringList errors = faults_, formulas;
    const auto all = channels();
    if (!all) {
        if (errors.isEmpty())
            errors.append(tr("The stored value cannot be shown; editing replaces it."));
        showNote(errors, {});
        return;
    }
    auto mark = KeyButton::Mark::Constant;
    std::array<double, 3> colour{};
    for (std::size_t c = 0; c < all->size(); ++c) {
        const Channel& channel = (*all)[c];
        const Evaluated now = evaluateChannel(channel);
        NumberField* number = numbers_[c];
        if (now.value)
            number->setValue(*now.value);
        colour[c] = now.value.value_or(0);
        number->setFaulty(!faults_.isEmpty() || !now.error.isEmpty());
        number->setFormula(QString::fromStdString(channel.expression));
        if (channel.kind == Channel::Kind::Expression) {
            number->setTint(formulaColour());
            mark = KeyButton::Mark::Expression;
            const QString name = channelNames()[static_cast<qsizetype>(c)];
            formulas.append((name.isEmpty() ? QString() : name + QLatin1Char(' ')) +
                            QStringLiteral("= ") + QString::fromStdString(channel.expression));
            if (!now.error.isEmpty() && faults_.isEmpty())
                errors.append(now.error);
        } else if (channel.kind == Channel::Kind::Keys) {
            number->setTint(keyedColour());
            if (hasKey(channel, frame_))
                mark = KeyButton::Mark::Here;
            else if (mark == KeyButton::Mark::Constant)
                mark = KeyButton::Mark::Elsewhere;
        } else {
            number->setTint({});
        }
    }
    if (patch_)
        patch_->setColour(colour);
    if (key_)
        key_->setMark(mark);
    showNote(errors, formulas.join(QStringLiteral("   ")));
}

void ParameterRow::showNote(const QStringList& errors, const QString& hint)
{
    const bool fault = !errors.isEmpty();
    QStringList lines = errors;
    if (!hint.isEmpty())
        lines.prepend(hint);
    if (!idle_.isEmpty())
        lines.append(idle_);
    else if (!remark_.isEmpty())
        lines.append(remark_);
    note_->setText(lines.join(QLatin1Char('\n')));
    editor::setTone(*note_, fault ? "fault" : hint.isEmpty() ? "muted" : "formula");
    note_->setVisible(!lines.isEmpty());
}

QString ParameterRow::note() const
{
    return note_->isVisibleTo(this) ? note_->text() : QString();
}

void ParameterRow::paintEvent(QPaintEvent*)
{
    if (!isChanged() && !spec_.live)
        return;
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    const QRect label = label_->geometry();
    if (isChanged()) { // a bar at the left edge
        p.setBrush(palette().color(QPalette::Highlight));
        p.drawRoundedRect(QRectF(0, label.center().y() - 7, 2.5, 15), 1, 1);
    }
    if (spec_.live) { // a dot between label and field
        p.setBrush(formulaColour());
        p.drawEllipse(QPointF(label.right() + 4.5, label.center().y() + 0.5), 2, 2);
    }
}

} // namespace floe::panels
