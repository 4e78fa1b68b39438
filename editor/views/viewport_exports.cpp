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
    saveMovie->setToolTip(tr("Save all simulated frames as a movie"));
    for (QAction* action : {savePicture, saveMovie}) {
        action->setEnabled(false);
        action->setProperty("whyNot", tr("No frame has been simulated."));
        addAction(action);
    }
    connect(savePicture, &QAction::triggered, this, [this] {
        const QString path =
            askForPath(tr("Save picture"), QStringLiteral("picture.png"), tr("Images (*.png)"));
        exportTo(QStringLiteral("export.picture"), path, {{"frame", frame_}});
    });
    connect(saveMovie, &QAction::triggered, this, [this] {
        const QString path =
            askForPath(tr("Save movie"), QStringLiteral("movie.mp4"), tr("Movies (*.mp4)"));
        int first = 0, last = -1; // the first stretch of simulated frames
        for (const client::FrameSpan& span : runtime_->frames())
            if (isSimulated(span)) {
                if (last < first)
                    first = span.first;
                else if (span.first != last + 1)
                    break;
                last = span.last;
            }
        exportTo(QStringLiteral("export.movie"), path, {{"first", first}, {"last", last}});
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

void Viewport::exportTo(const QString& method, const QString& path, Json params)
{
    if (path.isEmpty())
        return;
    params["path"] = path.toStdString();
    constexpr int kDay = 24 * 3600 * 1000; // a long movie takes its time
    runtime_->request(
        this, method, std::move(params),
        [this, path](const Json&) { emit placePicked(tr("Saved %1").arg(path)); },
        [this, path](const QString& message) {
            emit exportFailed(tr("%1 was not saved: %2").arg(QFileInfo(path).fileName(), message));
        },
        kDay);
}

} // namespace floe::views
