#include "app/variants_panel.hpp"

#include "app/sweep_dialog.hpp"
#include "document/document.hpp"
#include "document/translated.hpp"
#include "shell/main_window.hpp"
#include "shell/notice.hpp"

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
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {
constexpr int kLeft = 0, kRight = 1, kValues = 2; // columns; numbers follow the values
constexpr int kNarrowest = 340;                   // pixels
constexpr std::size_t kMost = 2000;               // rows of a list that somebody reads
} // namespace

VariantsPanel::VariantsPanel(MainWindow& window, OtherRun& other, std::function<QString()> program)
    : window_(window), other_(other), sweep_(std::move(program), nullptr), title_(new QLabel(this)),
      tree_(new QTreeWidget(this)), open_(new QPushButton(tr("Open a sweep…"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      close_(new QPushButton(tr("End the comparison"), this))
{
    setObjectName("variants");
    setMinimumWidth(kNarrowest);
    title_->setWordWrap(true);
    tree_->setObjectName("variantsTree");
    tree_->setAccessibleName(tr("Variants"));
    tree_->setRootIsDecorated(false);
    tree_->setUniformRowHeights(true);
    tree_->setAlternatingRowColors(true);
    tree_->setAllColumnsShowFocus(true);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 0, 10, 0);
    row->addWidget(open_);
    row->addWidget(stop_);
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
    column->addLayout(row);
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
    connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        choose(OtherRun::Side::Right, item->data(0, Qt::UserRole).toInt());
    });
    connect(&other_, &OtherRun::closed, this, [this] {
        left_ = right_ = -1;
        showChoice();
    });
    window_.addCommand("run", "run.variants", tr("Compare variants of a sweep…"),
                       tr("Choose two variants, or one and this scene, and show them beside each "
                          "other"),
                       {}, [this] { ask(); });
    fill();
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
}

// ------------------------------------------------------------------------------------------- list

void VariantsPanel::fill()
{
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
    for (std::size_t i = 0; i < std::min(variants_.size(), kMost); ++i)
        addRow(int(i));
    for (int i = 0; i < tree_->columnCount(); ++i)
        tree_->resizeColumnToContents(i);
    tree_->setColumnWidth(kLeft, std::max(52, tree_->columnWidth(kLeft)));
    tree_->setColumnWidth(kRight, std::max(52, tree_->columnWidth(kRight)));
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
            item->setText(column++, value);
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
    for (const bool isLeft : {true, false}) {
        auto* group = findChild<QButtonGroup*>(isLeft ? "left" : "right");
        group->setExclusive(false); // so that none may be chosen
        for (QAbstractButton* button : group->buttons())
            button->setChecked(group->id(button) - 1 == (isLeft ? left_ : right_) &&
                               (isLeft || right_ >= 0));
        group->setExclusive(true);
    }
}

} // namespace floe::editor
