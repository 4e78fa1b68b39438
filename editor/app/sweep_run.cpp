#include "app/sweep_run.hpp"

#include "document/document.hpp"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTemporaryFile>

#include <exception>
#include <unistd.h>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kLook = 1000;     // [ms]
constexpr int kLastWait = 3000; // for one in work, at the end [ms]
} // namespace

SweepRun::SweepRun(std::function<QString()> program, QObject* parent)
    : QObject(parent), program_(std::move(program))
{
    look_.setInterval(kLook);
    connect(&look_, &QTimer::timeout, this, &SweepRun::advanced);
}

SweepRun::~SweepRun()
{
    if (!process_)
        return;
    process_->disconnect(this);
    process_->terminate();
    if (!process_->waitForFinished(kLastWait))
        process_->kill();
}

QString SweepRun::start(const Document& document, const Wanted& wanted)
{
    stop();
    const QFileInfo scene(document.path());
    const bool saved = !document.path().isEmpty();
    if (!saved && !unsaved_)
        unsaved_ = std::make_unique<QTemporaryDir>();
    if (!saved && !unsaved_->isValid())
        return unsaved_->errorString();
    // Beside the scene, so that it finds the same files.
    const QString place = saved ? scene.absolutePath() : unsaved_->path();
    file_ = std::make_unique<QTemporaryFile>(
        QDir(place).filePath(QStringLiteral(".compare-XXXXXX.floe.json")));
    try {
        const std::string text = document.content().format(document.types());
        if (!file_->open() || file_->write(text.data(), qint64(text.size())) < 0 || !file_->flush())
            return file_->errorString();
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    folder_ = QDir(place).filePath(
        QStringLiteral("out/") +
        (saved ? scene.fileName().section(QLatin1Char('.'), 0, 0) : QStringLiteral("scene")) +
        QStringLiteral("-sweep"));
    process_ = new QProcess(this);
    process_->setWorkingDirectory(place);
    process_->setStandardOutputFile(QProcess::nullDevice());
    connect(process_, &QProcess::finished, this, &SweepRun::finish);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish();
    });
    process_->setChildProcessModifier([] { static_cast<void>(::nice(10)); }); // work goes first
    process_->start(program_(),
                    {QStringLiteral("sweep"), QStringLiteral("--vary"),
                     wanted.parameter + QLatin1Char('=') + wanted.values.join(QLatin1Char(',')),
                     QStringLiteral("--frames"), QString::number(wanted.frames),
                     QStringLiteral("--cache"), QStringLiteral("-o"), folder_, file_->fileName()});
    look_.start();
    return {};
}

void SweepRun::stop()
{
    look_.stop();
    if (!process_)
        return;
    QProcess* process = std::exchange(process_, nullptr);
    process->disconnect(this);
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->terminate();
    file_.reset();
}

void SweepRun::finish()
{
    look_.stop();
    QProcess* process = std::exchange(process_, nullptr);
    process->deleteLater();
    file_.reset();
    const bool done = process->exitStatus() == QProcess::NormalExit && process->exitCode() == 0 &&
                      process->error() != QProcess::FailedToStart;
    const QString said = QString::fromUtf8(process->readAllStandardError()).trimmed();
    const QString last = said.section(QLatin1Char('\n'), -1);
    emit ended(done ? QString() : last.isEmpty() ? process->errorString() : last);
}

} // namespace floe::editor
