#include "shell/main_window.hpp"

#include "canvas/network_view.hpp"
#include "document/scene_paths.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "shell/notice.hpp"
#include "shell/start_page.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScopeGuard>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStatusBar>

namespace floe::editor {

namespace {
constexpr int kRecentFiles = 12;

QString filters()
{
    return MainWindow::tr("Floe graphs (*.floe.json);;All files (*)");
}
} // namespace

bool MainWindow::isWorking() const
{
    return stack_->currentIndex() == 1;
}

void MainWindow::beginNew()
{
    if (!letGo())
        return;
    document_.clear();
    disk_.note({});
    exampleName_.clear();
    showWork();
}

void MainWindow::showStart()
{
    const bool empty = document_.path().isEmpty() && document_.content().graph.nodes.empty();
    start_->setWaiting(empty ? QString() : document_.title());
    stack_->setCurrentIndex(0);
    start_->setRecent(QSettings().value("files/recent").toStringList());
    start_->setFocus();
}

void MainWindow::showWork()
{
    stack_->setCurrentIndex(1);
    canvas()->setFocus();
    refreshTitle();
}

bool MainWindow::open(const QString& path)
{
    if (!letGo())
        return false;
    try {
        document_.load(QFileInfo(path).absoluteFilePath());
        disk_.note(document_.path());
        noteExample();
        if (exampleName_.isEmpty())
            remember(path);
    } catch (const std::exception& error) {
        notice_->say(Notice::Severity::Error,
                     tr("This file was not opened: %1").arg(translated(error)));
        return false;
    }
    notice_->clear();
    showWork();
    if (!document_.content().lossless)
        notice_->say(Notice::Severity::Warning,
                     tr("This file holds text that Floe cannot keep, so it will not save over it: "
                        "%1")
                         .arg(document_.content().faults.empty()
                                  ? QString()
                                  : translated(document_.content().faults.front().line())));
    return true;
}

/// An example keeps its path, so that relative paths in it work, and is never saved over.
void MainWindow::noteExample()
{
    exampleName_ = isExample(document_.path()) ? QFileInfo(document_.path()).fileName() : QString();
    refreshTitle();
}

/// A ready scene from the node search: its nodes are added to what is there. An empty scene takes
/// its frames too.
void MainWindow::openInsert(const QString& path)
{
    try {
        graph::Document scene = graph::Document::load(path.toStdString());
        makePathsAbsolute(scene, document_.types());
        QUndoStack& undo = document_.undo();
        undo.beginMacro(tr("Add the scene %1").arg(QFileInfo(path).baseName()));
        const auto end = qScopeGuard([&undo] { undo.endMacro(); });
        if (document_.content().graph.nodes.empty())
            document_.setRange(scene.range);
        canvas()->select(document_.paste(canvas()->scope(), scene.format(document_.types()),
                                         canvas()->toScene(canvas()->rect().center())));
        canvas()->frameSelection();
    } catch (const std::exception& error) {
        notice_->say(Notice::Severity::Error, translated(error));
    }
}

void MainWindow::openAsked()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open"), QSettings().value("files/folder", QDir::homePath()).toString(),
        filters());
    if (!path.isEmpty())
        open(path);
}

bool MainWindow::write(const QString& path)
{
    try {
        document_.save(path);
    } catch (const std::exception& error) {
        notice_->say(Notice::Severity::Error, tr("Not saved: %1").arg(translated(error)),
                     tr("Save as…"), [this] { saveAs(); });
        return false;
    }
    disk_.note(path);
    exampleName_.clear();
    remember(path);
    refreshTitle();
    followSaving();
    statusBar()->showMessage(tr("Saved %1").arg(QFileInfo(path).fileName()), 4000);
    return true;
}

bool MainWindow::save()
{
    if (document_.path().isEmpty() || !exampleName_.isEmpty())
        return saveAs();
    return mayOverwrite() && write(document_.path());
}

bool MainWindow::saveAs()
{
    const QString folder = QSettings().value("files/folder", QDir::homePath()).toString();
    const QString name =
        exampleName_.isEmpty() && !document_.path().isEmpty()
            ? document_.path()
            : folder + "/" +
                  (exampleName_.isEmpty() ? tr("untitled") + ".floe.json" : exampleName_);
    QString path = QFileDialog::getSaveFileName(this, tr("Save as"), name, filters());
    if (path.isEmpty())
        return false;
    if (!path.endsWith(".json")) {
        path += ".floe.json";
        // The dialog has asked about the name without its end.
        if (QFile::exists(path) &&
            QMessageBox::question(
                this, tr("Save as"),
                tr("'%1' exists already. Replace it?").arg(QFileInfo(path).fileName())) !=
                QMessageBox::Yes)
            return false;
    }
    if (isExample(path)) {
        notice_->say(Notice::Severity::Warning,
                     tr("'%1' is an example, which stays as it is: choose another name.")
                         .arg(QFileInfo(path).fileName()),
                     tr("Save as…"), [this] { saveAs(); });
        return false;
    }
    return write(path);
}

bool MainWindow::letGo()
{
    if (!document_.isModified())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
                    tr("'%1' has changes that are not saved.").arg(document_.title()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(tr("Without saving they are lost."));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        recovery_.discard();
        return true;
    default:
        return false;
    }
}

void MainWindow::remember(const QString& path)
{
    QSettings settings;
    const QString file = QFileInfo(path).absoluteFilePath();
    QStringList recent = settings.value("files/recent").toStringList();
    recent.removeAll(file);
    recent.prepend(file);
    settings.setValue("files/recent", recent.mid(0, kRecentFiles));
    settings.setValue("files/folder", QFileInfo(file).absolutePath());
    refreshRecent();
}

void MainWindow::refreshRecent()
{
    const QStringList recent = QSettings().value("files/recent").toStringList();
    start_->setRecent(recent);
    recentMenu_->clear();
    for (const QString& file : recent) {
        QAction* action = recentMenu_->addAction(QFileInfo(file).fileName());
        action->setToolTip(file);
        connect(action, &QAction::triggered, this, [this, file] { open(file); });
    }
    recentMenu_->setEnabled(!recent.isEmpty());
}

void MainWindow::offerRecovery()
{
    const std::vector<Recovered> found = Recovery::find();
    if (found.empty())
        return;
    const Recovered first = found.front();
    const QString name =
        first.path.isEmpty() ? tr("an unsaved scene") : QFileInfo(first.path).fileName();
    notice_->ask(
        Notice::Severity::Warning,
        tr("Floe ended without saving %1. A copy of %2 is there.")
            .arg(name, QLocale().toString(first.time, QLocale::ShortFormat)),
        tr("Recover"),
        [this, first] {
            if (!letGo())
                return offerRecovery();
            try {
                document_.restore(first.text, first.path);
                disk_.note(document_.path());
                noteExample();
                recovery_.writeNow(); // the old copy goes only when a new one is there
                Recovery::forget(first);
                showWork();
                offerRecovery();
            } catch (const std::exception& error) {
                offerRecovery();
                notice_->say(Notice::Severity::Error, translated(error));
            }
        },
        tr("Discard"),
        [this, first, name] {
            if (QMessageBox::question(
                    this, tr("Discard the copy"),
                    tr("Discard the copy of %1? It cannot be brought back.").arg(name),
                    QMessageBox::Discard | QMessageBox::Cancel,
                    QMessageBox::Cancel) == QMessageBox::Discard)
                Recovery::forget(first);
            offerRecovery();
        });
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!letGo())
        return event->ignore();
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/docks", work_->saveState(kLayoutVersion));
    recovery_.discard();
    emit quitting();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !urls.front().isLocalFile())
        return;
    const QString file = urls.front().toLocalFile();
    const QPointF place = canvas()->mapFrom(this, event->position());
    if (file.endsWith(QLatin1String(".json")) || !canvas()->addReaderOf(file, place))
        open(file);
    else
        showWork();
}

} // namespace floe::editor
