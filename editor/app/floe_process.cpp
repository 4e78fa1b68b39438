#include "app/floe_process.hpp"

#include <QProcess>

#include <unistd.h>
#include <utility>

namespace floe::editor {

namespace {
constexpr int kLastWait = 3000; // for what is in work, at the end [ms]
} // namespace

FloeProcess::~FloeProcess()
{
    if (!process_)
        return;
    process_->disconnect(this);
    process_->terminate();
    if (!process_->waitForFinished(kLastWait))
        process_->kill();
}

void FloeProcess::start(const QString& program, const QStringList& arguments, const QString& folder)
{
    stop();
    process_ = new QProcess(this);
    process_->setWorkingDirectory(folder);
    connect(process_, &QProcess::finished, this, &FloeProcess::finish);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish();
    });
    process_->setChildProcessModifier([] { static_cast<void>(::nice(10)); }); // work goes first
    process_->start(program, arguments);
}

void FloeProcess::stop()
{
    if (!process_)
        return;
    QProcess* process = std::exchange(process_, nullptr);
    process->disconnect(this);
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->terminate();
}

void FloeProcess::finish()
{
    QProcess* process = std::exchange(process_, nullptr);
    process->deleteLater();
    const bool done = process->exitStatus() == QProcess::NormalExit && process->exitCode() == 0 &&
                      process->error() != QProcess::FailedToStart;
    const QString errors = QString::fromUtf8(process->readAllStandardError()).trimmed();
    emit ended(done, process->readAllStandardOutput(),
               errors.isEmpty() ? process->errorString() : errors.section(QLatin1Char('\n'), -1));
}

} // namespace floe::editor
