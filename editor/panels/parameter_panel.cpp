#include "panels/parameter_panel.hpp"

#include "document/document.hpp"
#include "document/presets.hpp"
#include "document/translated.hpp"
#include "panels/curve_view.hpp"
#include "panels/parameter_row.hpp"
#include "panels/section.hpp"
#include "themes/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProxyStyle>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSettings>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace floe::panels {

namespace {

/// Menus whose icons are pictures. Never destroyed: menus share it.
QStyle* pictureStyle()
{
    class PictureStyle : public QProxyStyle {
        int pixelMetric(PixelMetric metric, const QStyleOption* option,
                        const QWidget* widget) const override
        {
            return metric == PM_SmallIconSize ? 48
                                              : QProxyStyle::pixelMetric(metric, option, widget);
        }
    };
    static auto* const style = new PictureStyle;
    return style;
}

/// Sections that are folded, "type/group": they stay so for the session.
QSet<QString>& folded()
{
    static QSet<QString> all;
    return all;
}

/// Numbers that only differ in how they are written are the same value.
bool sameValue(const Json& a, const Json& b)
{
    if (a.is_number() && b.is_number())
        return a.get<double>() == b.get<double>();
    if (a.is_array() && b.is_array() && a.size() == b.size())
        return std::equal(a.begin(), a.end(), b.begin(), sameValue);
    return a == b;
}

} // namespace

ParameterPanel::ParameterPanel(editor::Document* document, QWidget* parent)
    : QWidget(parent), document_(document), name_(new QLineEdit(this)), type_(new QLabel(this)),
      help_(new QLabel(this)), faults_(new QLabel(this)), empty_(new QLabel(this)),
      presets_(new QToolButton(this)), manual_(new QToolButton(this)), header_(new QWidget(this)),
      scroll_(new QScrollArea(this)), curves_(new CurveView(this)), dropLine_(new QWidget(this))
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    bold.setPointSizeF(QFontInfo(bold).pointSizeF() * 1.1);
    name_->setFont(bold);
    name_->setToolTip(tr("Name of the node; expressions use it"));
    name_->setAccessibleName(tr("Name of the node"));
    name_->setMinimumWidth(90);
    presets_->setObjectName("presets");
    presets_->setPopupMode(QToolButton::InstantPopup);
    presets_->setToolTip(tr("Sets several parameters at once"));
    manual_->setText(QStringLiteral("?"));
    manual_->setToolTip(tr("Open the manual page of this node"));
    manual_->setAccessibleName(tr("Manual"));
    for (QLabel* label : {help_, faults_, empty_})
        label->setWordWrap(true);
    for (QLabel* label : {help_, type_, empty_})
        editor::setTone(*label, "muted");
    empty_->setAlignment(Qt::AlignCenter);
    editor::setTone(*faults_, "fault");

    auto* first = new QHBoxLayout;
    first->setSpacing(6);
    first->addWidget(name_, 1);
    first->addWidget(type_);
    first->addWidget(presets_);
    first->addWidget(manual_);
    auto* head = new QVBoxLayout(header_);
    head->setContentsMargins(10, 8, 10, 6);
    head->setSpacing(6);
    head->addLayout(first);
    head->addWidget(help_);
    head->addWidget(faults_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    curves_->hide();
    dropLine_->setAutoFillBackground(true);
    dropLine_->setBackgroundRole(QPalette::Highlight);
    dropLine_->setAttribute(Qt::WA_TransparentForMouseEvents);
    dropLine_->hide();

    auto* split = new QSplitter(Qt::Vertical, this);
    auto* upper = new QWidget(split);
    auto* column = new QVBoxLayout(upper);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(empty_, 1);
    column->addWidget(scroll_, 1);
    split->addWidget(upper);
    split->addWidget(curves_);
    split->setStretchFactor(0, 1);
    split->setChildrenCollapsible(false);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins({});
    all->addWidget(split);

    connect(name_, &QLineEdit::editingFinished, this, [this] {
        const std::string wish = name_->text().trimmed().toStdString();
        if (node_.empty() || wish == node_)
            return;
        if (!peers_.empty())
            return;
        const QString refusal = document_->rename(scope_, node_, wish);
        if (!refusal.isEmpty()) {
            QToolTip::showText(name_->mapToGlobal(QPoint(0, name_->height())), refusal, name_);
            name_->setText(QString::fromStdString(node_));
        }
    });
    connect(manual_, &QToolButton::clicked, this, [this] {
        if (const graph::Node* node = document_->node(scope_, node_))
            emit manualWanted(QString::fromStdString(node->type));
    });
    connect(curves_, &CurveView::edited, this, [this](const Channels& channels, int drag) {
        if (ParameterRow* edited = row(curve_))
            edited->setChannels(channels, drag);
    });
    connect(curves_, &CurveView::frameWanted, this, &ParameterPanel::frameWanted);
    connect(curves_, &CurveView::closed, this, &ParameterPanel::closeCurves);

    using editor::Document;
    connect(document_, &Document::replaced, this, [this] { setNode({}, {}); });
    connect(document_, &Document::nodeRemoved, this,
            [this](const std::string& scope, const std::string& node) {
                if (scope == scope_ && (node == node_ || std::erase(peers_, node) > 0))
                    setNode(scope, {});
            });
    connect(document_, &Document::nodeRenamed, this,
            [this](const std::string& scope, const std::string& from, const std::string& to) {
                if (scope == scope_ && from == node_)
                    setNode(scope, to);
            });
    connect(
        document_, &Document::parameterChanged, this,
        [this](const std::string& scope, const std::string& node, const std::string& parameter) {
            if (scope == scope_ &&
                (node == node_ || std::find(peers_.begin(), peers_.end(), node) != peers_.end()))
                refreshParameter(parameter);
            else if (scope == scope_) // an expression here may use it
                for (ParameterRow* each : rows_)
                    if (each->note().startsWith(QLatin1Char('=')) ||
                        each->note().contains(QStringLiteral(" = ")))
                        each->refresh();
        });
    connect(document_, &Document::promotionChanged, this, [this] { rebuild(); });
    connect(document_, &Document::faultsChanged, this, &ParameterPanel::refreshFaults);
    connect(document_, &Document::rangeChanged, this, [this] {
        const graph::FrameRange& range = document_->content().range;
        curves_->setRange(range.start, range.end);
    });
    setNode({}, {});
}

void ParameterPanel::setPreview(QWidget* widget)
{
    const QString key = QStringLiteral("parameters/previewFolded");
    preview_ = new Section(tr("Preview"), this);
    preview_->hide();
    header_->layout()->addWidget(preview_);
    preview_->add(widget);
    preview_->setFolded(QSettings().value(key, false).toBool());
    connect(preview_, &Section::foldedChanged, this,
            [key](bool isFolded) { QSettings().setValue(key, isFolded); });
}

void ParameterPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::StyleChange) // of another theme, fields of keys have other tints
        for (ParameterRow* row : rows_)
            QTimer::singleShot(0, row, &ParameterRow::refresh);
}

ParameterPanel::~ParameterPanel()
{
    hide(); // a number that is being typed is taken while everything is still there
}

void ParameterPanel::setNode(const std::string& scope, const std::string& node)
{
    setNodes(scope, node.empty() ? std::vector<std::string>() : std::vector{node});
}

void ParameterPanel::setNodes(const std::string& scope, const std::vector<std::string>& nodes)
{
    const std::string node = nodes.empty() ? std::string() : nodes.front();
    const std::vector<std::string> peers(nodes.empty() ? nodes.begin() : nodes.begin() + 1,
                                         nodes.end());
    if (scope == scope_ && node == node_ && peers == peers_ && !rows_.empty())
        return; // an open menu, an edit and the curves stay
    peers_ = peers;
    scope_ = scope;
    node_ = document_->node(scope, node) ? node : std::string();
    closeCurves();
    rebuild();
    for (const ParameterRow* each : rows_)
        if (curvesTaken_ && curve_.empty() && !each->keyFrames().isEmpty())
            showCurves(each->spec().name);
}

void ParameterPanel::rebuild()
{
    rows_.clear();
    sections_.clear();
    const int scrolled = scroll_->verticalScrollBar()->value();
    const graph::Node* node = node_.empty() ? nullptr : document_->node(scope_, node_);
    const graph::NodeType* type = node ? document_->typeOf(scope_, node_) : nullptr;
    header_->setVisible(node != nullptr);
    scroll_->setVisible(type != nullptr);
    empty_->setVisible(!type);
    empty_->setText(node ? tr("The plugin of '%1' is not installed.\nThe node is kept as it is.")
                               .arg(QString::fromStdString(node->type))
                         : tr("Select a node to see its parameters"));
    presets_->setVisible(type && !type->presets.empty());
    manual_->setVisible(type != nullptr);
    help_->setVisible(type && !type->help.empty());
    if (node)
        name_->setText(peers_.empty() ? QString::fromStdString(node->name)
                                      : tr("%n nodes", nullptr, int(peers_.size()) + 1));
    name_->setReadOnly(!peers_.empty());
    const bool alike = std::all_of(peers_.begin(), peers_.end(), [&](const std::string& peer) {
        const graph::Node* other = document_->node(scope_, peer);
        return node && other && other->type == node->type;
    });
    if (!alike) {
        presets_->hide();
        help_->hide();
        manual_->hide();
    }
    if (preview_)
        preview_->setVisible(type && !type->preview.empty() && peers_.empty());
    type_->setText(!alike ? tr("what they share")
                   : type ? QString::fromStdString(type->label)
                   : node ? QString::fromStdString(node->type)
                          : QString());
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(2, 4, 6, 12);
    column->setSpacing(3);
    scroll_->setWidget(body); // the old one is deleted
    if (type) {
        help_->setText(QString::fromStdString(type->help));
        buildRows(*type);
        if (rows_.empty()) {
            scroll_->hide();
            empty_->setText(!peers_.empty() ? tr("These nodes have no parameter in common")
                            : node->type == graph::kSubgraphType
                                ? tr("This subgraph shows no parameters.\nInside it (I), the menu "
                                     "of a parameter can show it here.")
                                : tr("This node has no parameters"));
            empty_->show();
        }
        auto* menu = new QMenu(presets_);
        menu->setStyle(pictureStyle());
        menu->setToolTipsVisible(true);
        for (const graph::Preset& preset : type->presets) {
            QAction* action = menu->addAction(QString::fromStdString(preset.label));
            action->setToolTip(QString::fromStdString(preset.help));
            if (!preset.picture.empty())
                action->setIcon(QIcon(QString::fromStdString(preset.picture)));
            const QString id = editor::PresetOf{type, &preset}.id();
            connect(action, &QAction::triggered, this, [this, id] {
                std::vector<std::string> nodes{node_};
                nodes.insert(nodes.end(), peers_.begin(), peers_.end());
                if (const auto chosen = editor::findPreset(document_->types(), id))
                    editor::applyPreset(*document_, scope_, nodes, *chosen);
            });
        }
        delete presets_->menu();
        presets_->setMenu(menu);
    }
    column->addStretch();
    scroll_->verticalScrollBar()->setValue(scrolled);
    refreshFaults();
    refreshPreset();
    announceKeys();
}

void ParameterPanel::buildRows(const graph::NodeType& type)
{
    auto* column = static_cast<QVBoxLayout*>(scroll_->widget()->layout());
    // Parameters without a group come first; groups follow in the order of the manifest.
    std::vector<std::pair<std::string, Section*>> sections;
    int loose = 0;
    for (const graph::ParameterSpec& spec : type.parameters) {
        const bool shared = std::all_of(peers_.begin(), peers_.end(), [&](const auto& peer) {
            const graph::NodeType* other = document_->typeOf(scope_, peer);
            const graph::ParameterSpec* its = other ? other->parameter(spec.name) : nullptr;
            return its && its->type == spec.type;
        });
        if (!shared)
            continue;
        auto* made = new ParameterRow(document_, scope_, node_, spec);
        made->setPeers(peers_);
        made->setFrame(frame_);
        connect(made, &ParameterRow::dragged, this,
                [this, made](int y, bool finished) { dragRow(made, y, finished); });
        connect(made, &ParameterRow::compareWanted, this,
                [this, name = spec.name] { emit compareWanted(node_, name); });
        connect(made, &ParameterRow::curveWanted, this,
                [this, name = spec.name] { openCurves(name); });
        rows_.push_back(made);
        if (spec.group.empty()) {
            column->insertWidget(loose++, made);
            continue;
        }
        auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const auto& entry) { return entry.first == spec.group; });
        if (found == sections.end()) {
            auto* section = new Section(QString::fromStdString(spec.group));
            const QString key = QString::fromStdString(type.type + "/" + spec.group);
            section->setFolded(folded().contains(key));
            connect(section, &Section::foldedChanged, this, [key](bool isFolded) {
                if (isFolded)
                    folded().insert(key);
                else
                    folded().remove(key);
            });
            found = sections.insert(sections.end(), {spec.group, section});
        }
        found->second->add(made);
    }
    for (const auto& [group, section] : sections) {
        column->addWidget(section);
        sections_.push_back(section);
    }
    refreshIdle();
    QWidget* before = presets_;
    for (ParameterRow* each : rows_) { // Tab goes down the panel
        for (QWidget* child : each->findChildren<QWidget*>())
            if ((child->focusPolicy() & Qt::TabFocus) && child->window() == window()) {
                setTabOrder(before, child);
                before = child;
            }
    }
}

ParameterRow* ParameterPanel::row(const std::string& parameter) const
{
    for (ParameterRow* each : rows_)
        if (each->spec().name == parameter)
            return each;
    return nullptr;
}

void ParameterPanel::setFrame(int frame)
{
    frame_ = frame;
    for (ParameterRow* each : rows_)
        each->setFrame(frame);
    curves_->setFrame(frame);
}

void ParameterPanel::refreshParameter(const std::string& parameter)
{
    if (ParameterRow* changed = row(parameter)) {
        changed->refresh();
        if (parameter == curve_)
            refreshCurves();
        else if (curvesTaken_ && curve_.empty() && !changed->keyFrames().isEmpty())
            showCurves(parameter);
    } else if (parameter.empty()) {
        for (ParameterRow* each : rows_)
            each->refresh();
    }
    refreshIdle();
    refreshPreset();
    announceKeys();
}

void ParameterPanel::refreshIdle()
{
    for (ParameterRow* each : rows_) {
        QString why = idle(node_, each->spec().name);
        for (const std::string& peer : peers_) // it matters when it does for one of them
            if (!why.isEmpty())
                why = idle(peer, each->spec().name);
        each->setIdle(why);
    }
    for (Section* section : sections_)
        section->refresh();
}

QString ParameterPanel::idle(const std::string& name, const std::string& parameter) const
{
    const graph::Node* node = document_->node(scope_, name);
    const graph::NodeType* type = node ? document_->typeOf(scope_, name) : nullptr;
    const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
    if (!spec || type->matters(*spec, node->parameters))
        return {};
    for (const graph::Condition& condition : spec->shownWhen) {
        graph::ParameterSpec only;
        only.shownWhen = {condition};
        const graph::ParameterSpec* other = type->parameter(condition.parameter);
        if (!other || type->matters(only, node->parameters))
            continue;
        const QString label = QString::fromStdString(other->label);
        const Json value = document_->value(scope_, name, other->name);
        if (value.is_boolean())
            return value.get<bool>() ? tr("No effect while '%1' is on").arg(label)
                                     : tr("No effect while '%1' is off").arg(label);
        for (const graph::Choice& choice : other->choices)
            if (value == choice.value)
                return tr("No effect while '%1' is '%2'")
                    .arg(label, QString::fromStdString(choice.label));
    }
    return tr("No effect with the other settings as they are");
}

CurveView* ParameterPanel::takeCurves()
{
    curvesTaken_ = true;
    closeCurves();
    return curves_;
}

void ParameterPanel::closeCurves()
{
    curve_.clear();
    if (!curvesTaken_)
        return curves_->hide();
    curves_->setTitle(tr("Edit curve, in the menu of a number that has keys, shows it here"));
    curves_->setCurves({}, {});
}

void ParameterPanel::openCurves(const std::string& parameter)
{
    showCurves(parameter);
    if (curvesTaken_)
        emit curvesOpened();
    else
        curves_->show();
}

void ParameterPanel::showCurves(const std::string& parameter)
{
    curve_ = parameter;
    const graph::FrameRange& range = document_->content().range;
    curves_->setRange(range.start, range.end);
    curves_->setFrame(frame_);
    refreshCurves();
    curves_->frameAll();
}

void ParameterPanel::refreshCurves()
{
    const ParameterRow* shown = row(curve_);
    const auto channels = shown ? shown->channels() : std::nullopt;
    if (!channels)
        return;
    curves_->setTitle(QString::fromStdString(node_ + "." + curve_));
    curves_->setCurves(*channels, shown->channelNames());
}

/// Whether a node's name with its subgraphs is that of the node shown: inside a subgraph it begins
/// with the instances it lies in.
bool ParameterPanel::isShown(const std::string& name) const
{
    const std::size_t slash = name.rfind('/');
    const std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
    return !node_.empty() && last == node_ && scope_.empty() == (slash == std::string::npos);
}

void ParameterPanel::refreshFaults()
{
    QStringList general;
    std::map<std::string, QStringList> byField;
    for (const graph::Fault& fault : document_->faults()) {
        if (!isShown(fault.node))
            continue;
        const QString text = editor::translated(fault.sentence());
        const std::string field = fault.field.substr(0, fault.field.find_first_of(".["));
        if (row(field))
            byField[field].append(text);
        else
            general.append(text);
    }
    std::map<std::string, std::string> needed; // by which node
    for (const graph::SwitchedOn& on : document_->switchedOn())
        if (isShown(on.node))
            needed.emplace(on.parameter, on.by);
    for (ParameterRow* each : rows_) {
        each->setFaults(byField[each->spec().name]);
        if (!each->spec().keeps.empty()) {
            const auto by = needed.find(each->spec().name);
            each->setRemark(
                by == needed.end()
                    ? QString()
                    : tr("On, since '%1' needs it.").arg(QString::fromStdString(by->second)));
        }
    }
    faults_->setText(general.join(QLatin1Char('\n')));
    faults_->setVisible(!general.isEmpty());
}

void ParameterPanel::refreshPreset()
{
    const graph::NodeType* type = node_.empty() ? nullptr : document_->typeOf(scope_, node_);
    if (!type || type->presets.empty())
        return;
    QString text = tr("Presets");
    for (const graph::Preset& preset : type->presets) {
        const bool same =
            std::all_of(preset.values.begin(), preset.values.end(), [&](const auto& entry) {
                return sameValue(document_->value(scope_, node_, entry.first),
                                 editor::jsonOf(entry.second));
            });
        if (same) {
            text = QString::fromStdString(preset.label);
            break;
        }
    }
    presets_->setText(text);
}

void ParameterPanel::announceKeys()
{
    QSet<int> frames;
    for (const ParameterRow* each : rows_)
        for (const int frame : each->keyFrames())
            frames.insert(frame);
    QVector<int> sorted(frames.begin(), frames.end());
    std::sort(sorted.begin(), sorted.end());
    emit keysChanged(sorted);
}

} // namespace floe::panels
