#include "shell/main_window.hpp"

#include "document/translated.hpp"
#include "floe/base/file.hpp"
#include "shell/compare_panel.hpp"
#include "shell/notice.hpp"

#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>

#include <utility>

namespace floe::editor {

namespace {
constexpr int kColumns = 430; // pixels that four columns need
} // namespace

void MainWindow::makeComparison()
{
    compare_ = new ComparePanel(document_, *canvas());
    connect(compare_, &ComparePanel::mergeWanted, this, &MainWindow::finishMerge);
    QMenu* file = menu("file");
    file->insertSeparator(exports_);
    const auto add = [&](const QString& id, const QString& text, const QString& tip, auto run) {
        file->insertAction(exports_, addCommand({}, id, text, tip, {}, std::move(run)));
    };
    add("file.compareSaved", tr("Compare with last saved"),
        tr("Show what was edited since the scene was saved"), [this] { compareWithSaved(); });
    add("file.compare", tr("Compare with a file…"),
        tr("Show how the scene differs from another graph file"), [this] { compareAsked(); });
}

/// Behind the parameters, which are there by now.
void MainWindow::addComparisonDock()
{
    compareDock_ = addDock("compare", tr("Compare"), compare_, Qt::RightDockWidgetArea, false);
    connect(compare_, &ComparePanel::stopped, compareDock_, &QDockWidget::hide);
    connect(compareDock_->toggleViewAction(), &QAction::toggled, compare_, [this](bool shown) {
        if (!shown && compareDock_->isHidden()) // not with the whole window
            compare_->stop();
    });
}

void MainWindow::showComparison()
{
    showWork();
    compareDock_->show();
    compareDock_->raise();
    if (!compareDock_->isFloating() && compareDock_->width() < kColumns)
        work_->resizeDocks({compareDock_}, {kColumns}, Qt::Horizontal);
}

void MainWindow::compareWithSaved()
{
    compare_->compare(document_.saved(), tr("the last saved state"));
    comparesWithSaved_ = true;
    showComparison();
}

/// What was just saved is the last saved state.
void MainWindow::followSaving()
{
    if (comparesWithSaved_ && compare_->isComparing())
        compare_->compare(document_.saved(), tr("the last saved state"));
}

void MainWindow::compareAsked()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Compare with"), QSettings().value("files/folder", QDir::homePath()).toString(),
        tr("Floe graphs (*.floe.json);;All files (*)"));
    if (!path.isEmpty())
        compareWith(path);
}

bool MainWindow::compareWith(const QString& path)
{
    try {
        compare_->compare(graph::Document::load(path.toStdString()),
                          tr("'%1'").arg(QFileInfo(path).fileName()), {tr("There"), tr("Here")});
        comparesWithSaved_ = false;
    } catch (const std::exception& error) {
        notice_->say(Notice::Severity::Error,
                     tr("This file was not compared: %1").arg(translated(error)));
        return false;
    }
    showComparison();
    return true;
}

// --------------------------------------------------------------------- the file was changed
// outside

bool MainWindow::mayOverwrite()
{
    if (!disk_.isChanged())
        return true;
    QMessageBox box(QMessageBox::Warning, tr("Changed by somebody else"),
                    tr("'%1' was changed on disk since it was opened here.").arg(document_.title()),
                    QMessageBox::Save | QMessageBox::Cancel, this);
    box.setInformativeText(tr("Saving over it keeps the other version in the folder 'backup'."));
    box.button(QMessageBox::Save)->setText(tr("Save over it"));
    QPushButton* merge = box.addButton(tr("Merge…"), QMessageBox::ActionRole);
    box.setDefaultButton(QMessageBox::Cancel);
    const int answer = box.exec();
    if (box.clickedButton() == merge)
        mergeDisk();
    return answer == QMessageBox::Save;
}

/// Another program has written the file, or has taken it away.
void MainWindow::followDisk()
{
    connect(&disk_, &DiskCopy::changed, this, [this] {
        if (compare_->isMerging()) // with what is in it now
            mergeDisk();
        else
            tellChangedFile();
    });
    connect(&disk_, &DiskCopy::removed, this, [this] {
        notice_->say(
            Notice::Severity::Warning,
            tr("'%1' is not on disk any more; saving writes it again.").arg(document_.title()),
            tr("Save"), [this] { save(); });
    });
}

void MainWindow::tellChangedFile()
{
    const Notice::Choice reload{tr("Reload"), [this] {
                                    open(document_.path());
                                }};
    const Notice::Choice compare{tr("Compare"), [this] {
                                     compareWithDisk();
                                 }};
    const Notice::Choice merge{tr("Merge…"), [this] {
                                   mergeDisk();
                               }};
    notice_->offer(Notice::Severity::Warning,
                   tr("'%1' was changed on disk by another program.").arg(document_.title()),
                   document_.isModified() ? std::vector{merge, compare, reload}
                                          : std::vector{reload, compare});
}

std::optional<graph::Document> MainWindow::readDisk()
{
    try {
        const std::string path = document_.path().toStdString();
        diskText_ = readFile(path);
        return graph::Document::parse(diskText_, path);
    } catch (const std::exception& error) {
        notice_->say(Notice::Severity::Error,
                     tr("What is on disk cannot be read: %1").arg(translated(error)));
        return std::nullopt;
    }
}

void MainWindow::compareWithDisk()
{
    auto theirs = readDisk();
    if (!theirs)
        return tellChangedFile();
    compare_->compare(*std::move(theirs), tr("the file on disk"), {tr("On disk"), tr("Here")});
    comparesWithSaved_ = false;
    if (document_.isModified())
        compare_->offer(tr("Merge…"), [this] { mergeDisk(); });
    else
        compare_->offer(tr("Reload"), [this] { open(document_.path()); });
    showComparison();
}

void MainWindow::mergeDisk()
{
    auto theirs = readDisk();
    if (!theirs)
        return;
    compare_->prepareMerge(document_.saved(), *std::move(theirs), tr("the file on disk"));
    showComparison();
}

/// The document becomes what the panel shows, in one step of undo; saving it then asks nothing.
void MainWindow::finishMerge()
{
    const auto merged = compare_->merged();
    if (!merged)
        return;
    std::string now;
    try {
        now = readFile(document_.path().toStdString());
    } catch (const std::exception&) { // gone: what was read of it is merged
        now = diskText_;
    }
    if (now != diskText_) { // once more, and just now
        notice_->say(Notice::Severity::Info,
                     tr("The file was changed again: this is what it holds now."));
        return mergeDisk();
    }
    const graph::Document theirs = compare_->other();
    compare_->stop();
    document_.become(*merged, tr("Merge"));
    document_.setSaved(theirs);
    disk_.note(document_.path(), QByteArray::fromStdString(diskText_));
    notice_->clear();
    statusBar()->showMessage(tr("Merged; undo brings back what was here."), 8000);
}

} // namespace floe::editor
