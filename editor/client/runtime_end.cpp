// How a runtime ends: what is heard of it last, and what a person is told.
#include "client/connection.hpp"
#include "client/runtime.hpp"

#include <QCoreApplication>
#include <QRegularExpression>

#include <utility>

namespace floe::client {

namespace {
constexpr int kEndTogether = 5000; // ms between the ends of the process and its socket, at most
constexpr qsizetype kLastLines = 20;
} // namespace

/// Drops process and connection; every waiting request fails with `reason`.
void Runtime::abandon(const QString& reason)
{
    clock_.stop();
    if (Connection* connection = std::exchange(connection_, nullptr)) {
        connection->disconnect(this);
        // The socket first: a runtime that is told to end while it has a client keeps its frames.
        if (thread_.isRunning())
            QMetaObject::invokeMethod(connection, &Connection::close, Qt::BlockingQueuedConnection);
        connection->deleteLater();
    }
    if (QProcess* process = std::exchange(process_, nullptr)) {
        process->disconnect(this);
        process->terminate();
        // It ends by itself when its client is gone; a hung one is killed.
        QTimer::singleShot(3000, process, [process] { process->kill(); });
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
        process->setParent(QCoreApplication::instance());
        ending_.removeIf([](const auto& ended) { return !ended; });
        ending_.append(process);
        if (process->state() == QProcess::NotRunning)
            process->deleteLater();
    }
    controls_.clear();
    const QHash<qint64, Pending> pending = std::exchange(pending_, {});
    for (const Pending& waiting : pending)
        if (waiting.owner && waiting.failure)
            waiting.failure(reason);
    if (std::exchange(runState_, RunState::Idle) != RunState::Idle)
        emit runStateChanged(RunState::Idle, {}, {});
}

QString Runtime::deathNote() const
{
    if (!process_ || process_->state() != QProcess::NotRunning ||
        process_->error() == QProcess::FailedToStart)
        return {};
    constexpr int kCrashed = 9; // its supervisor has seen it crash, and has said where
    if (process_->exitStatus() == QProcess::CrashExit || process_->exitCode() == kCrashed)
        return tr("The runtime crashed.");
    return tr("The runtime ended with code %1.").arg(process_->exitCode());
}

void Runtime::lose(const QString& reason)
{
    if (state_ != State::Starting && state_ != State::Ready)
        return;
    if (process_) {
        // The socket breaks and the process ends, in either order, at nearly one time. How it ended
        // says more than a broken socket; what it said last may still be in the socket.
        const bool ended = process_->state() == QProcess::NotRunning;
        if (ended ? socketKnown_ && !heardAll_ : !reason.isEmpty()) {
            if (std::exchange(waitingForEnd_, true))
                return;
            QTimer::singleShot(kEndTogether, this, [this, reason, process = QPointer(process_)] {
                if (process && process == process_)
                    finishLoss(reason);
            });
            return;
        }
        readErrors();
    }
    finishLoss(reason);
}

void Runtime::finishLoss(const QString& reason)
{
    if (state_ != State::Starting && state_ != State::Ready)
        return;
    QString message = deathNote();
    if (message.isEmpty())
        message = reason.isEmpty() ? tr("The runtime ended.") : reason;
    const QString node = cooking_.value(cooking_.size() - 1);
    if (!node.isEmpty())
        message += QLatin1Char(' ') + tr("It was cooking node '%1'.").arg(node);
    const QStringList lines = lastLines_;
    dead_ = way_ == Way::Process ? processId_ : 0;
    processId_ = 0;
    abandon(message);
    loss_ = message;
    setState(State::Lost);
    log(LogLine::Severity::Error, message);
    for (const QString& line : lines) // printed last
        log(LogLine::Severity::Info, line);
    emit lost(message, node, lines);
}

void Runtime::readErrors()
{
    if (!process_)
        return;
    errorPart_ += process_->readAllStandardError();
    qsizetype end = 0;
    while ((end = errorPart_.indexOf('\n')) >= 0 || errorPart_.size() > 4096) {
        const qsizetype length = end >= 0 ? end : 4096;
        static const QRegularExpression colours(QStringLiteral("\x1b\\[[0-9;]*m"));
        QString line = QString::fromUtf8(errorPart_.left(length)).remove(colours).trimmed();
        errorPart_.remove(0, end >= 0 ? end + 1 : length);
        if (line.isEmpty())
            continue;
        lastLines_.append(line);
        if (lastLines_.size() > kLastLines)
            lastLines_.removeFirst();
    }
}

} // namespace floe::client
