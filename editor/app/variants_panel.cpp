#include "app/variants_panel.hpp"

#include "app/sweep_dialog.hpp"
#include "document/document.hpp"
#include "document/translated.hpp"
#include "shell/main_window.hpp"
#include "shell/notice.hpp"

#include <QApplication>
#include <QButtonGroup>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kLeft = 0, kRight = 1, kValues = 2; // columns; numbers follow the values
constexpr int kMinWidth = 340;                    // pixels
constexpr std::size_t kMaxRows = 2000;            // of a list that somebody reads

/// "node.parameter".
std::pair<std::string, std::string> parted(const QString& parameter)
{
    return {parameter.section('.', 0, 0).toStdString(), parameter.section('.', 1).toStdString()};
}

} // namespace

VariantsPanel::VariantsPanel(MainWindow& window, OtherRun& other, std::function<QString()> program)
    : window_(window), other_(other), sweep_(std::move(program), nullptr), title_(new QLabel(this)),
      tree_(new QTreeWidget(this)), use_(new QPushButton(tr("Use its values"), this)),
      open_(new QPushButton(tr("Open a sweep…"), this)), stop_(new QPushButton(tr("Stop"), this)),
      close_(new QPushButton(tr("End the comparison"), this))
{
    setObjectName("variants");
    title_->setWordWrap(true);
    tree_->setObjectName("variantsTree");
    tree_->setAccessibleName(tr("Variants"));
    tree_->setRootIsDecorated(false);
    tree_->setUniformRowHeights(true);
    tree_->setAlternatingRowColors(true);
    tree_->setAllColumnsShowFocus(true);
    auto* choice = new QHBoxLayout;
    choice->setContentsMargins(10, 0, 10, 0);
    choice->addWidget(use_);
    choice->addStretch();
    choice->addWidget(stop_);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 0, 10, 0);
    row->addWidget(open_);
    row->addStretch();
    row->addWidget(close_);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(10, 0, 10, 0);
    head->addWidget(title_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 6);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(tree_, 1);
    column->addLayout(choice);
    column->addLayout(row);
    use_->setObjectName("useVariant");
    use_->setToolTip(tr("Gives the scene the values of the variant on the right"));
    connect(use_, &QPushButton::clicked, this, &VariantsPanel::useValues);
    connect(open_, &QPushButton::clicked, this, &VariantsPanel::ask);
    stop_->setObjectName("stopSweep");
    stop_->hide();
    connect(stop_, &QPushButton::clicked, this, [this] {
        sweep_.stop();
        endSweep({});
    });
    connect(&sweep_, &SweepRun::advanced, this, &VariantsPanel::showSweep);
    connect(&sweep_, &SweepRun::ended, this, &VariantsPanel::endSweep);
    connect(close_, &QPushButton::clicked, this, [this] { other_.close(); });
    connect(tree_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item, int where) {
        const int index = item->data(0, Qt::UserRole).toInt();
        choose(index < 0 || where == kLeft ? OtherRun::Side::Left : OtherRun::Side::Right, index);
    });
    connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        const bool byKey = QApplication::mouseButtons() == Qt::NoButton && tree_->hasFocus();
        if (const int index = item && byKey ? item->data(0, Qt::UserRole).toInt() : -1; index >= 0)
            choose(OtherRun::Side::Right, index);
    });
    connect(&other_, &OtherRun::closed, this, [this] {
        left_ = right_ = -1;
        showChoice();
    });
    connect(&window_.document(), &Document::edited, this, &VariantsPanel::showChoice);
    window_.addCommand("run", "run.variants", tr("Compare variants of a sweep…"),
                       tr("Choose two variants, or one and this scene, and show them beside each "
                          "other"),
                       {}, [this] { ask(); });
    fill();
}

QSize VariantsPanel::minimumSizeHint() const
{
    return QWidget::minimumSizeHint().expandedTo({kMinWidth, 0});
}

void VariantsPanel::addDock()
{
    dock_ = window_.addDock("variants", tr("Variants"), this, Qt::RightDockWidgetArea, false);
}

void VariantsPanel::ask()
{
    const QString folder = QFileDialog::getExistingDirectory(
        &window_, tr("Output folder of a sweep"),
        QSettings().value("files/sweeps", QDir::homePath()).toString());
    if (!folder.isEmpty() && open(folder))
        QSettings().setValue("files/sweeps", folder);
}

bool VariantsPanel::open(const QString& folder)
{
    try {
        variants_ = sweepVariants(folder);
    } catch (const std::exception& error) {
        window_.notice()->say(Notice::Severity::Error,
                              tr("This sweep cannot be read: %1").arg(translated(error)));
        return false;
    }
    other_.close();
    folder_ = folder;
    left_ = right_ = -1;
    fill();
    window_.showWork();
    if (dock_) {
        dock_->show();
        dock_->raise();
    }
    return true;
}

// ------------------------------------------------------------------------------------------ sweep

void VariantsPanel::askForValues(const std::string& node, const std::string& parameter)
{
    auto* dialog = new SweepDialog(window_.document(), node, parameter, &window_);
    connect(dialog, &SweepDialog::wanted, this, &VariantsPanel::begin);
    dialog->open();
}

void VariantsPanel::begin(const SweepRun::Wanted& wanted)
{
    if (const QString why = sweep_.start(window_.document(), wanted); !why.isEmpty()) {
        window_.notice()->say(Notice::Severity::Error,
                              tr("Variants cannot be simulated: %1").arg(why));
        return;
    }
    wanted_ = wanted;
    other_.close();
    variants_.clear();
    folder_.clear();
    left_ = right_ = -1;
    stop_->show();
    fill();
    showSweep();
    window_.showWork();
    if (dock_) {
        dock_->show();
        dock_->raise();
    }
}

/// The list grows while variants are simulated.
void VariantsPanel::showSweep()
{
    try {
        variants_ = sweepVariants(sweep_.folder());
        folder_ = sweep_.folder();
    } catch (const std::exception&) { // its list is not there yet
        variants_.clear();
    }
    fill();
    if (!sweep_.isBusy())
        return;
    const auto done = std::count_if(variants_.begin(), variants_.end(), [](const auto& variant) {
        return variant.state == QLatin1String("done");
    });
    title_->setText(tr("Simulating %1 of %2 values of '%3'…")
                        .arg(std::min<qsizetype>(done + 1, wanted_.values.size()))
                        .arg(wanted_.values.size())
                        .arg(wanted_.parameter));
}

void VariantsPanel::endSweep(const QString& trouble)
{
    stop_->hide();
    showSweep();
    if (!trouble.isEmpty())
        window_.notice()->say(Notice::Severity::Error,
                              tr("Variants cannot be simulated: %1").arg(trouble));
    if (left_ >= 0 || right_ >= 0)
        return;
    // Nobody has chosen: the first and the last are the farthest apart.
    const auto isKept = [](const SweepVariant& variant) {
        return variant.kept;
    };
    const auto first = std::find_if(variants_.begin(), variants_.end(), isKept);
    const auto last = std::find_if(variants_.rbegin(), variants_.rend(), isKept);
    if (first == variants_.end() || &*first == &*last)
        return;
    choose(OtherRun::Side::Left, int(first - variants_.begin()));
    choose(OtherRun::Side::Right, int(variants_.rend() - last) - 1);
}

// ------------------------------------------------------------------------------------------- list

void VariantsPanel::fill()
{
    const QSignalBlocker blocker(tree_);
    const int current = tree_->indexOfTopLevelItem(tree_->currentItem());
    tree_->clear();
    QStringList titles{tr("Left"), tr("Right")};
    if (!variants_.empty())
        for (const auto& [parameter, value] : variants_.front().values)
            titles += parameter;
    titles << tr("Particles") << tr("Top speed") << tr("Time") << QString();
    tree_->setColumnCount(int(titles.size()));
    tree_->setHeaderLabels(titles);
    if (folder_.isEmpty())
        title_->setText(tr("No sweep is open. The right mouse button on a parameter begins one; "
                           "'floe sweep --cache' keeps the frames of its variants, too."));
    else
        title_->setText(tr("%n variant(s) of '%1'", nullptr, int(variants_.size()))
                            .arg(QFileInfo(folder_).fileName()));
    tree_->setVisible(!folder_.isEmpty());
    for (const char* name : {"left", "right"}) {
        delete findChild<QButtonGroup*>(name);
        auto* group = new QButtonGroup(this);
        group->setObjectName(name);
    }
    if (!folder_.isEmpty())
        addRow(-1);
    for (std::size_t i = 0; i < std::min(variants_.size(), kMaxRows); ++i)
        addRow(int(i));
    for (int i = 0; i < tree_->columnCount(); ++i)
        tree_->resizeColumnToContents(i);
    tree_->setColumnWidth(kLeft, std::max(52, tree_->columnWidth(kLeft)));
    tree_->setColumnWidth(kRight, std::max(52, tree_->columnWidth(kRight)));
    tree_->setCurrentItem(tree_->topLevelItem(current));
    showChoice();
}

void VariantsPanel::addRow(int index)
{
    auto* item = new QTreeWidgetItem(tree_);
    item->setData(0, Qt::UserRole, index);
    const SweepVariant* variant = index < 0 ? nullptr : &variants_[std::size_t(index)];
    if (variant) {
        int column = kValues;
        for (const auto& [parameter, value] : variant->values)
            item->setText(column++, SweepVariant::textOf(value));
        const auto number = [&](double value, const QString& text) {
            item->setText(column, std::isnan(value) ? QString() : text);
            item->setTextAlignment(column++, Qt::AlignRight | Qt::AlignVCenter);
        };
        column = tree_->columnCount() - 4;
        number(variant->last.particles, views::countText(variant->last.particles));
        number(variant->last.topSpeed,
               tr("%1 m/s").arg(QLocale().toString(variant->last.topSpeed, 'f', 2)));
        number(variant->seconds > 0 ? variant->seconds : NAN, views::secondsText(variant->seconds));
        item->setText(column, variant->state == QLatin1String("failed") ? tr("failed")
                              : variant->state != QLatin1String("done") ? tr("not finished")
                              : variant->kept                           ? QString()
                                                                        : tr("no frames kept"));
        item->setToolTip(column, variant->kept ? QString()
                                               : tr("Sweep with --cache to look at its frames."));
    } else {
        item->setText(kValues, tr("This scene"));
    }
    for (const OtherRun::Side side : {OtherRun::Side::Left, OtherRun::Side::Right}) {
        const bool isLeft = side == OtherRun::Side::Left;
        if (!variant && !isLeft)
            continue; // the open scene is the left one
        auto* button = new QRadioButton;
        button->setObjectName(QString(isLeft ? "left.%1" : "right.%1").arg(index));
        button->setAccessibleName((isLeft ? tr("%1, left") : tr("%1, right"))
                                      .arg(variant ? variant->text() : tr("This scene")));
        button->setEnabled(!variant || variant->kept);
        if (!button->isEnabled())
            button->setToolTip(tr("Sweep with --cache to look at its frames."));
        findChild<QButtonGroup*>(isLeft ? "left" : "right")->addButton(button, index + 1);
        connect(button, &QRadioButton::clicked, this, [this, side, index] { choose(side, index); });
        tree_->setItemWidget(item, isLeft ? kLeft : kRight, button);
    }
}

void VariantsPanel::choose(OtherRun::Side side, int index)
{
    const bool isLeft = side == OtherRun::Side::Left;
    if (index >= int(variants_.size()) || (index < 0 && !isLeft))
        return;
    if (index < 0) {
        left_ = -1;
        other_.showThisScene();
        return showChoice();
    }
    const SweepVariant& variant = variants_[std::size_t(index)];
    if (variant.kept && other_.open(variant.report, variant.text(), side))
        (isLeft ? left_ : right_) = index;
    showChoice();
}

void VariantsPanel::showChoice()
{
    close_->setEnabled(left_ >= 0 || right_ >= 0);
    use_->setEnabled(right_ >= 0 && right_ < int(variants_.size()) &&
                     hasItsNodes(variants_[std::size_t(right_)]));
    for (const bool isLeft : {true, false}) {
        auto* group = findChild<QButtonGroup*>(isLeft ? "left" : "right");
        group->setExclusive(false); // so that none may be chosen
        for (QAbstractButton* button : group->buttons())
            button->setChecked(group->id(button) - 1 == (isLeft ? left_ : right_) &&
                               (isLeft || right_ >= 0));
        group->setExclusive(true);
    }
}

/// The scene may be another one than the sweep's.
bool VariantsPanel::hasItsNodes(const SweepVariant& variant) const
{
    return std::all_of(variant.values.begin(), variant.values.end(), [this](const auto& value) {
        const auto [node, parameter] = parted(value.first);
        const graph::NodeType* type = window_.document().typeOf({}, node);
        return type && type->parameter(parameter);
    });
}

void VariantsPanel::useValues()
{
    if (right_ < 0)
        return;
    const SweepVariant variant = variants_[std::size_t(right_)];
    Document& document = window_.document();
    document.undo().beginMacro(tr("Use the values %1").arg(variant.text()));
    for (const auto& [name, value] : variant.values) {
        const auto [node, parameter] = parted(name);
        document.setParameter({}, node, parameter, value);
    }
    document.undo().endMacro();
}

} // namespace floe::editor
