#include "shell/compare_panel.hpp"

#include "canvas/canvas.hpp"
#include "document/translated.hpp"
#include "floe/graph/diff.hpp"
#include "themes/colours.hpp"

#include <QButtonGroup>
#include <QEvent>
#include <QFont>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace floe::editor {

namespace {

constexpr int kMinWidth = 340;         // pixels
constexpr int kDelay = 150;            // ms
constexpr int kMaxLetters = 400;       // of a value
constexpr std::size_t kMaxRows = 2000; // of a list that somebody reads
constexpr int kPlace = Qt::UserRole;

QString shown(const std::string& json)
{
    QString text = QString::fromStdString(json);
    if (text.size() > 1 && text.startsWith('"') && text.endsWith('"') &&
        text.count('"') == 2) // a word needs no quotes
        text = text.mid(1, text.size() - 2);
    return text.size() > kMaxLetters ? text.left(kMaxLetters) + QStringLiteral("…") : text;
}

/// The node that something is about, with its graph: of links the one that they lead to.
QString placeOf(const std::string& where)
{
    QString place = QString::fromStdString(where);
    if (const auto arrow = place.indexOf(QLatin1String(" -> ")); arrow >= 0)
        place = place.mid(arrow + 4);
    return place.section('.', 0, 0);
}

} // namespace

ComparePanel::ComparePanel(Document& document, Canvas& canvas, QWidget* parent)
    : QWidget(parent), document_(document), canvas_(canvas), title_(new QLabel(this)),
      tree_(new QTreeWidget(this)), next_(new QPushButton(this)),
      merge_(new QPushButton(tr("Merge"), this)), allMine_(new QPushButton(tr("All mine"), this)),
      allTheirs_(new QPushButton(tr("All theirs"), this)),
      close_(new QPushButton(tr("Close"), this))
{
    setObjectName("compare");
    title_->setWordWrap(true);
    title_->setObjectName("compareTitle");
    tree_->setObjectName("compareTree");
    tree_->setAccessibleName(tr("Differences"));
    tree_->setIndentation(14);
    tree_->setAllColumnsShowFocus(true);
    merge_->setObjectName("compareMerge");
    next_->setObjectName("compareNext");
    allMine_->setObjectName("compareAllMine");
    allTheirs_->setObjectName("compareAllTheirs");
    close_->setObjectName("compareClose");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 6);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(10, 0, 10, 0);
    head->addWidget(title_, 1);
    column->addLayout(head);
    column->addWidget(tree_, 1);
    auto* sides = new QHBoxLayout;
    sides->setContentsMargins(10, 0, 10, 0);
    sides->addWidget(allMine_);
    sides->addWidget(allTheirs_);
    sides->addStretch();
    column->addLayout(sides);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 0, 10, 0);
    row->addStretch();
    row->addWidget(next_);
    row->addWidget(merge_);
    row->addWidget(close_);
    column->addLayout(row);

    later_.setSingleShot(true);
    later_.setInterval(kDelay);
    connect(&later_, &QTimer::timeout, this, &ComparePanel::refresh);
    connect(&document_, &Document::edited, this, [this] {
        if (mode_ != Mode::Off)
            later_.start();
    });
    connect(&document_, &Document::opened, this, &ComparePanel::stop);
    connect(tree_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { go(item); });
    connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { go(item); });
    connect(close_, &QPushButton::clicked, this, &ComparePanel::stop);
    connect(next_, &QPushButton::clicked, this, [this] {
        if (const auto action = offered_)
            action();
    });
    connect(allMine_, &QPushButton::clicked, this, [this] { decideAll(graph::Side::Mine); });
    connect(allTheirs_, &QPushButton::clicked, this, [this] { decideAll(graph::Side::Theirs); });
    connect(merge_, &QPushButton::clicked, this, [this] {
        refresh(); // an edit of just now belongs to it
        if (merged())
            emit mergeWanted();
    });
    refresh();
}

void ComparePanel::compare(graph::Document other, const QString& name, const QStringList& columns)
{
    mode_ = Mode::Compare;
    other_ = std::move(other);
    name_ = name;
    columns_ = columns.isEmpty() ? QStringList{tr("Before"), tr("Now")} : columns;
    offered_ = {};
    refresh();
}

void ComparePanel::offer(const QString& button, std::function<void()> action)
{
    next_->setText(button);
    offered_ = std::move(action);
    refreshButtons();
}

void ComparePanel::prepareMerge(graph::Document base, graph::Document theirs, const QString& name)
{
    if (mode_ != Mode::Merge) // what was decided stays when the file changes once more
        choices_.clear();
    mode_ = Mode::Merge;
    base_ = std::move(base);
    other_ = std::move(theirs);
    name_ = name;
    offered_ = {};
    refresh();
}

void ComparePanel::stop()
{
    if (std::exchange(mode_, Mode::Off) == Mode::Off)
        return;
    later_.stop();
    offered_ = {};
    base_ = other_ = {};
    choices_.clear();
    refresh();
    emit stopped();
}

std::optional<graph::Document> ComparePanel::merged() const
{
    const bool decided = std::all_of(
        result_.conflicts.begin(), result_.conflicts.end(),
        [&](const graph::Conflict& conflict) { return choices_.contains(idOf(conflict)); });
    if (mode_ != Mode::Merge || !decided || !failure_.isEmpty())
        return std::nullopt;
    return result_.document;
}

ComparePanel::Id ComparePanel::idOf(const graph::Conflict& conflict)
{
    return conflict.what + '\n' + conflict.where + '\n' + conflict.field;
}

void ComparePanel::decide(const graph::Conflict& conflict, graph::Side side)
{
    choices_[idOf(conflict)] = side;
    computeMerge();
    refreshButtons();
    later_.start(); // the list, not now: this may come from a button in it
}

void ComparePanel::decideAll(graph::Side side)
{
    // A node that goes may take other conflicts with it, or bring some.
    const std::vector<graph::Conflict> conflicts = result_.conflicts;
    for (const graph::Conflict& conflict : conflicts)
        choices_[idOf(conflict)] = side;
    refresh();
}

bool ComparePanel::event(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        later_.start();
    return QWidget::event(event);
}

// ---------------------------------------------------------------------------------------- lists

void ComparePanel::refresh()
{
    later_.stop();
    tree_->clear();
    failure_.clear();
    result_ = {};
    if (mode_ == Mode::Compare)
        showComparison();
    else if (mode_ == Mode::Merge)
        showMerge();
    else {
        title_->setText(tr("Nothing is compared. The menu File compares the scene with its last "
                           "saved state or with another file."));
        canvas_.setMarks({});
    }
    refreshButtons();
}

void ComparePanel::setColumns(const QStringList& titles)
{
    tree_->setColumnCount(int(titles.size()));
    tree_->setHeaderLabels(titles);
    fitColumns();
}

/// Names need more room than values.
void ComparePanel::fitColumns()
{
    const int values = tree_->columnCount() - 1;
    if (values < 1)
        return;
    const int wide = tree_->width() - tree_->verticalScrollBar()->sizeHint().width() - 2;
    const int first = values == 2 ? wide * 46 / 100 : wide * 40 / 100;
    tree_->header()->resizeSection(0, first);
    for (int i = 1; i < values; ++i)
        tree_->header()->resizeSection(i, (wide - first) / values);
}

QSize ComparePanel::minimumSizeHint() const
{
    return QWidget::minimumSizeHint().expandedTo({kMinWidth, 0});
}

void ComparePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layout()->activate(); // the list has its width
    fitColumns();
}

void ComparePanel::showComparison()
{
    std::vector<graph::Change> changes = graph::diff(other_, document_.content());
    std::erase_if(changes, [](const graph::Change& change) { return change.what == "layout"; });
    title_->setText(changes.empty()
                        ? tr("The scene is the same as %1, but for places of nodes.").arg(name_)
                        : tr("%n difference(s) from %1", nullptr, int(changes.size())).arg(name_));
    setColumns(QStringList{tr("Where")} + columns_);
    listChanges(changes, nullptr, 1, 2);
    canvas_.setMarks(marksBetween(other_, document_.content(), document_.types()));
}

/// As everything is chosen now; what is not takes mine.
void ComparePanel::computeMerge()
{
    failure_.clear();
    result_ = {};
    try {
        result_ =
            graph::merge(base_, document_.content(), other_, document_.types(),
                         [this](const graph::Conflict& conflict) {
                             const auto choice = choices_.find(idOf(conflict));
                             return choice == choices_.end() ? graph::Side::Mine : choice->second;
                         });
    } catch (const std::exception& error) {
        failure_ = translated(error);
        return;
    }
    Marks marks = marksBetween(result_.document, document_.content(), document_.types());
    for (const graph::Conflict& conflict : result_.conflicts)
        if (!choices_.contains(idOf(conflict)))
            markConflict(marks, document_.content(), placeOf(conflict.where).toStdString());
    canvas_.setMarks(std::move(marks), true);
}

void ComparePanel::showMerge()
{
    setColumns({tr("Where"), tr("Before"), tr("Mine"), tr("Theirs")});
    computeMerge();
    if (!failure_.isEmpty()) {
        title_->setText(failure_);
        return;
    }
    const auto group = [this](const QString& text) {
        auto* item = new QTreeWidgetItem(tree_, {text});
        QFont font = item->font(0);
        font.setBold(true);
        item->setFont(0, font);
        item->setFirstColumnSpanned(true);
        item->setExpanded(true);
        return item;
    };
    const auto& conflicts = result_.conflicts;
    if (!conflicts.empty()) {
        QTreeWidgetItem* list = group(tr("Both have changed"));
        for (const graph::Conflict& conflict : conflicts)
            addConflict(conflict, list);
    }
    std::vector<graph::Change> taken = graph::diff(document_.content(), result_.document);
    std::erase_if(taken, [](const graph::Change& change) { return change.what == "layout"; });
    if (!taken.empty())
        listChanges(taken, group(tr("Comes from %1").arg(name_)), 2, 3);
    if (!result_.renamed.empty()) {
        QTreeWidgetItem* list = group(tr("Gets another name, as mine has it already"));
        for (const graph::Change& change : result_.renamed)
            new QTreeWidgetItem(list, {shown(change.where), {}, {}, shown(change.after)});
    }
    title_->setText(
        conflicts.empty()
            ? tr("Nothing that you changed was changed in %1: both can be joined.").arg(name_)
            : tr("%n value(s) were changed here and in %1: choose one for each.", nullptr,
                 int(conflicts.size()))
                  .arg(name_));
}

/// A row for each node, and under it what of it differs.
void ComparePanel::listChanges(const std::vector<graph::Change>& changes, QTreeWidgetItem* group,
                               int beforeColumn, int afterColumn)
{
    using Kind = graph::Change::Kind;
    std::map<std::string, QTreeWidgetItem*> nodes;
    const auto add = [&](QTreeWidgetItem* parent, const QString& text) {
        auto* item = parent  ? new QTreeWidgetItem(parent, {text})
                     : group ? new QTreeWidgetItem(group, {text})
                             : new QTreeWidgetItem(tree_, {text});
        return item;
    };
    std::size_t rows = 0;
    for (const graph::Change& change : changes) {
        if (++rows > kMaxRows) {
            add(nullptr, tr("and %n more", nullptr, int(changes.size() - kMaxRows)));
            return;
        }
        const char* sign = change.kind == Kind::Added     ? "+  "
                           : change.kind == Kind::Removed ? "−  "
                                                          : "~  ";
        const bool whole = change.what == "node" || change.what == "link" ||
                           change.what == "subgraph" || change.what == "order";
        QTreeWidgetItem* parent = nullptr;
        if (!whole) {
            QTreeWidgetItem*& node = nodes[change.where];
            if (!node) {
                node = add(nullptr, QStringLiteral("~  ") + shown(change.where));
                node->setForeground(0, themeColours().changed);
                node->setData(0, kPlace, placeOf(change.where));
                node->setExpanded(true);
            }
            parent = node;
        }
        QTreeWidgetItem* item =
            add(parent, QString::fromUtf8(sign) +
                            (whole ? shown(change.where)
                                   : fieldOf(change.what, change.where, change.field)));
        if (whole && change.before.empty() && change.after.empty() && change.field.empty())
            item->setFirstColumnSpanned(true);
        item->setToolTip(0, item->text(0));
        item->setForeground(0, change.kind == Kind::Added     ? themeColours().added
                               : change.kind == Kind::Removed ? themeColours().removed
                                                              : themeColours().changed);
        QString before = shown(change.before), after = shown(change.after);
        if (change.what == "node" && change.kind != Kind::Renamed) {
            const graph::NodeType* type = document_.types().find(change.field);
            (change.kind == Kind::Added ? after : before) =
                type ? QString::fromStdString(type->label) : shown(change.field);
        }
        item->setText(beforeColumn, before);
        item->setText(afterColumn, after);
        for (const int value : {beforeColumn, afterColumn})
            item->setToolTip(value, item->text(value));
        const bool renamed = change.kind == Kind::Renamed;
        const std::string scope = change.where.substr(0, change.where.find('/') + 1);
        item->setData(0, kPlace, placeOf(renamed ? scope + change.after : change.where));
    }
}

/// What a person calls a field: the label of a parameter.
QString ComparePanel::fieldOf(const std::string& what, const std::string& where,
                              const std::string& field) const
{
    if (what == "node")
        return tr("the node");
    if (what == "name")
        return tr("name");
    if (what == "input")
        return tr("link");
    if (what == "parameter") {
        const auto slash = where.find('/');
        const std::string scope = slash == std::string::npos ? "" : where.substr(0, slash);
        const graph::NodeType* type =
            document_.typeOf(scope, slash == std::string::npos ? where : where.substr(slash + 1));
        const graph::ParameterSpec* spec = type ? type->parameter(field) : nullptr;
        if (spec && !spec->label.empty())
            return QString::fromStdString(spec->label);
    }
    return field.empty() ? shown(what) : shown(field);
}

void ComparePanel::addConflict(const graph::Conflict& conflict, QTreeWidgetItem* group)
{
    const auto nothing = [](const std::string& value) {
        return value.empty() ? tr("nothing") : shown(value);
    };
    auto* item =
        new QTreeWidgetItem(group, {shown(conflict.where) + QStringLiteral("  ·  ") +
                                        fieldOf(conflict.what, conflict.where, conflict.field),
                                    nothing(conflict.base)});
    item->setForeground(0, themeColours().removed);
    item->setToolTip(0, item->text(0));
    item->setToolTip(1, item->text(1));
    item->setData(0, kPlace, placeOf(conflict.where));
    auto* sides = new QButtonGroup(item->treeWidget());
    const auto choice = choices_.find(idOf(conflict));
    const auto side = [&](int columnOfSide, graph::Side which, const std::string& value) {
        auto* button = new QRadioButton(nothing(value));
        button->setObjectName(which == graph::Side::Mine ? "conflictMine" : "conflictTheirs");
        button->setToolTip(nothing(value));
        button->setChecked(choice != choices_.end() && choice->second == which);
        sides->addButton(button);
        connect(button, &QRadioButton::clicked, this,
                [this, conflict, which] { decide(conflict, which); });
        connect(button, &QObject::destroyed, sides, &QObject::deleteLater);
        tree_->setItemWidget(item, columnOfSide, button);
    };
    side(2, graph::Side::Mine, conflict.mine);
    side(3, graph::Side::Theirs, conflict.theirs);
}

void ComparePanel::refreshButtons()
{
    const bool merging = mode_ == Mode::Merge;
    const bool ready = merged().has_value();
    merge_->setVisible(merging);
    merge_->setEnabled(ready);
    merge_->setDefault(ready);
    merge_->setToolTip(ready || !merging ? QString() : tr("Choose a side of each conflict first."));
    for (QPushButton* all : {allMine_, allTheirs_})
        all->setVisible(merging && !result_.conflicts.empty());
    next_->setVisible(!merging && bool(offered_));
    close_->setVisible(mode_ != Mode::Off);
    close_->setText(merging ? tr("Cancel") : tr("Close"));
    tree_->setVisible(mode_ != Mode::Off && failure_.isEmpty());
}

void ComparePanel::go(QTreeWidgetItem* item)
{
    const QString place = item->data(0, kPlace).toString();
    if (place.isEmpty())
        return;
    const QString scope = place.contains('/') ? place.section('/', 0, 0) : QString();
    canvas_.revealIn(scope.toStdString(), place.section('/', -1).toStdString());
}

} // namespace floe::editor
