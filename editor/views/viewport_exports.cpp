#include "document/document.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

#include <algorithm>
#include <cmath>

namespace floe::views {

using client::Runtime;

namespace {

/// Where an export goes unless one says otherwise: to the scene, else home.
QString besideScene(const editor::Document& document, const QString& name)
{
    const QString scene = document.path();
    return (scene.isEmpty() ? QDir::homePath() : QFileInfo(scene).absolutePath()) +
           QLatin1Char('/') + name;
}

/// The scene's name, as files that are made of it begin.
QString sceneName(const editor::Document& document)
{
    const QString name = QFileInfo(document.path()).fileName().section(QLatin1Char('.'), 0, 0);
    return name.isEmpty() ? QStringLiteral("untitled") : name;
}

/// Has frames to write: simulated, with the document as it is or as it was.
bool isSimulated(const client::FrameSpan& span)
{
    return span.state == client::FrameState::Cached || span.state == client::FrameState::Stale;
}

} // namespace

void Viewport::makeExports()
{
    savePicture = new QAction(tr("Save picture…"), this);
    savePicture->setObjectName(QStringLiteral("viewport.savePicture"));
    savePicture->setToolTip(tr("Save the frame shown as an image"));
    saveMovie = new QAction(tr("Save movie…"), this);
    saveMovie->setObjectName(QStringLiteral("viewport.saveMovie"));
    saveMovie->setToolTip(tr("Save the simulated frames, up to the first gap, as a movie"));
    stopMovie = new QAction(tr("Stop saving the movie"), this);
    stopMovie->setObjectName(QStringLiteral("viewport.stopMovie"));
    stopMovie->setToolTip(tr("End the movie that is being saved; no file is left"));
    stopMovie->setProperty("whyNot", tr("No movie is being saved."));
    stopMovie->setEnabled(false);
    addAction(stopMovie);
    for (QAction* action : {savePicture, saveMovie}) {
        action->setEnabled(false);
        action->setProperty("whyNot", tr("No frame has been simulated."));
        addAction(action);
    }
    connect(savePicture, &QAction::triggered, this, [this] {
        const QString path = askForPath(tr("Save picture"),
                                        QStringLiteral("%1.%2.png")
                                            .arg(sceneName(*document_))
                                            .arg(frame_, 4, 10, QLatin1Char('0')),
                                        tr("Images (*.png)"));
        exportTo(QStringLiteral("export.picture"), path, {{"frame", frame_}},
                 tr("Saved %1").arg(path));
    });
    connect(saveMovie, &QAction::triggered, this, [this] {
        const QString path = askForPath(
            tr("Save movie"), sceneName(*document_) + QStringLiteral(".mp4"), tr("Movies (*.mp4)"));
        if (path.isEmpty())
            return;
        int first = 0, last = -1; // the first stretch of simulated frames
        for (const client::FrameSpan& span : runtime_->frames())
            if (isSimulated(span)) {
                if (last < first)
                    first = span.first;
                else if (span.first != last + 1)
                    break;
                last = span.last;
            }
        movieStopped_ = false;
        stopMovie->setEnabled(true);
        exportTo(QStringLiteral("export.movie"), path, {{"first", first}, {"last", last}},
                 tr("Saved %1: frames %2 to %3").arg(path).arg(first).arg(last));
    });
    connect(stopMovie, &QAction::triggered, this, [this] {
        movieStopped_ = true;
        runtime_->request(this, QStringLiteral("export.cancel"), Json::object());
    });
    connect(runtime_, &Runtime::framesChanged, this, [this] {
        const auto& frames = runtime_->frames();
        const bool any = std::any_of(frames.begin(), frames.end(), isSimulated);
        savePicture->setEnabled(any);
        saveMovie->setEnabled(any);
    });
    connect(runtime_, &Runtime::exportProgressed, this, [this](const QString& path, double share) {
        emit placePicked(tr("Saving %1: %2 %").arg(path).arg(std::lround(100 * share)));
    });
}

/// @return empty when it is not to be written
QString Viewport::askForPath(const QString& title, const QString& name, const QString& filter)
{
    QString path =
        QFileDialog::getSaveFileName(window(), title, besideScene(*document_, name), filter);
    if (path.isEmpty() || !QFileInfo(path).suffix().isEmpty())
        return path;
    path += QLatin1Char('.') + QFileInfo(name).suffix();
    // The dialog has asked about the name without its end.
    if (QFileInfo::exists(path) &&
        QMessageBox::question(
            window(), title,
            tr("'%1' exists already. Replace it?").arg(QFileInfo(path).fileName())) !=
            QMessageBox::Yes)
        return {};
    return path;
}

void Viewport::exportTo(const QString& method, const QString& path, Json params,
                        const QString& saved)
{
    if (path.isEmpty())
        return;
    params.update(aboutView());
    params["path"] = path.toStdString();
    const bool movie = method == QLatin1String("export.movie");
    constexpr int kDay = 24 * 3600 * 1000; // a long movie takes its time
    runtime_->request(
        this, method, std::move(params),
        [this, movie, saved](const Json&) {
            if (movie)
                stopMovie->setEnabled(false);
            emit placePicked(saved);
        },
        [this, movie, path](const QString& message) {
            const QString name = QFileInfo(path).fileName();
            if (movie)
                stopMovie->setEnabled(false);
            if (movie && movieStopped_)
                emit placePicked(tr("%1 was not saved: it was stopped.").arg(name));
            else
                emit exportFailed(tr("%1 was not saved: %2").arg(name, message));
        },
        kDay);
}

} // namespace floe::views
