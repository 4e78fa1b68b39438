#include "app/other_run.hpp"

#include "canvas/canvas.hpp"
#include "document/translated.hpp"
#include "shell/main_window.hpp"
#include "shell/notice.hpp"
#include "views/picture_area.hpp"
#include "views/viewport.hpp"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QSettings>

#include <cmath>
#include <utility>

namespace floe::editor {

namespace {

/// Numbers of a frame in two short lines.
QString textOf(const views::FrameNumbers& numbers)
{
    QStringList parts;
    if (!std::isnan(numbers.particles))
        parts += OtherRun::tr("%1 particles").arg(views::countText(numbers.particles));
    if (!std::isnan(numbers.topSpeed))
        parts += OtherRun::tr("up to %1 m/s").arg(QLocale().toString(numbers.topSpeed, 'f', 2));
    QStringList costs;
    if (!std::isnan(numbers.substeps))
        costs += OtherRun::tr("%1 substeps").arg(views::countText(numbers.substeps));
    if (!std::isnan(numbers.seconds))
        costs += views::secondsText(numbers.seconds);
    QStringList lines;
    for (const QStringList& line : {parts, costs})
        if (!line.isEmpty())
            lines += line.join(QStringLiteral("  ·  "));
    return lines.join('\n');
}

} // namespace

OtherRun::OtherRun(MainWindow& window, views::Viewport* viewport, views::History* history,
                   std::function<QString()> program, QObject* parent)
    : QObject(parent), window_(window), viewport_(viewport), history_(history),
      program_(std::move(program))
{
    openAction = window_.addCommand(
        "run", "run.compare", tr("Compare with another run…"),
        tr("Show a run with --cache, such as a variant of a sweep, beside this one"), {}, [this] {
            const QString report = QFileDialog::getOpenFileName(
                &window_, tr("Compare with a run"),
                QSettings().value("files/runs", QDir::homePath()).toString(),
                tr("Runs (run.json);;All files (*)"));
            if (report.isEmpty())
                return;
            left_.reset();
            if (open(report))
                QSettings().setValue("files/runs", QFileInfo(report).absolutePath());
        });
    holdAction = window_.addCommand("run", "run.hold", tr("Hold this scene for comparison"),
                                    tr("Simulate the scene as it is now beside what it becomes"),
                                    {}, [this] { hold(); });
    besideAction = window_.addCommand("run", "run.beside", tr("Side by side"),
                                      tr("Show the two runs beside each other, not by a line that "
                                         "wipes between them"),
                                      {}, [this] { refresh(); });
    besideAction->setCheckable(true);
    closeAction = window_.addCommand("run", "run.compareEnd", tr("End the comparison"),
                                     tr("Show this run alone"), {}, [this] { close(); });
    connect(viewport_, &views::Viewport::asked, this, &OtherRun::look);
    connect(history_, &views::History::changed, this, &OtherRun::refresh);
    connect(&window_.document(), &Document::opened, this, &OtherRun::close);
    refreshActions();
}

OtherRun::~OtherRun() = default;

bool OtherRun::open(const QString& report, const QString& name, Side side)
{
    try {
        RunSource source = RunSource::read(report, window_.document().types());
        if (!name.isEmpty())
            source.name = name;
        begin(std::move(source), side);
    } catch (const std::exception& error) {
        window_.notice()->say(Notice::Severity::Error,
                              tr("This run cannot be shown: %1").arg(translated(error)));
        return false;
    }
    refresh();
    return true;
}

void OtherRun::hold()
{
    left_.reset();
    begin({window_.document().content(), tr("held"), {}, {}}, Side::Right);
    refresh();
}

void OtherRun::begin(RunSource source, Side side)
{
    std::unique_ptr<SeenRun>& run = side == Side::Left ? left_ : right_;
    run = std::make_unique<SeenRun>(std::move(source), window_.document().types(), program_());
    connect(run.get(), &SeenRun::changed, this, &OtherRun::refresh);
    views::Wipe wipe = viewport_->area()->wipe();
    wipe.shown = isOpen();
    viewport_->setWipe(wipe);
    look(view_);
    refreshActions();
}

void OtherRun::close()
{
    if (!left_ && !right_)
        return;
    left_.reset();
    right_.reset();
    refreshActions();
    viewport_->setWipe({});
    emit closed();
}

void OtherRun::showThisScene()
{
    left_.reset();
    refresh();
}

void OtherRun::setFrame(int frame)
{
    frame_ = frame;
    refresh();
}

void OtherRun::look(const client::View& view)
{
    view_ = view;
    for (SeenRun* run : {left_.get(), right_.get()})
        if (run)
            run->look(view);
}

void OtherRun::refresh()
{
    refreshActions();
    if (!isOpen())
        return;
    views::Wipe wipe;
    wipe.shown = true;
    wipe.layout =
        besideAction->isChecked() ? views::Wipe::Layout::Beside : views::Wipe::Layout::Over;
    const auto numbers = [](const views::FrameNumbers* of) {
        return of ? textOf(*of) : QString();
    };
    if (left_) {
        wipe.hidesMine = true;
        wipe.instead = left_->picture();
        wipe.mine = {left_->name(), numbers(left_->at(frame_))};
        wipe.mineNote = left_->note();
    } else {
        wipe.mine = {tr("This scene"), numbers(history_->at(frame_))};
    }
    wipe.other = right_->picture();
    wipe.theirs = {right_->name(), numbers(right_->at(frame_))};
    wipe.note = right_->note();
    viewport_->setWipe(wipe);
}

void OtherRun::refreshActions()
{
    besideAction->setEnabled(isOpen());
    closeAction->setEnabled(isOpen());
    for (QAction* action : {besideAction, closeAction})
        action->setProperty("whyNot", tr("No other run is shown."));
}

} // namespace floe::editor
