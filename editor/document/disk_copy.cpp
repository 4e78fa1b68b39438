#include "document/disk_copy.hpp"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace floe::editor {

namespace {
constexpr int kSettle = 400; // ms

/// Empty: it cannot be read.
QByteArray digest(const QString& path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    return file.open(QIODevice::ReadOnly) && hash.addData(&file) ? hash.result() : QByteArray();
}
} // namespace

DiskCopy::DiskCopy(QObject* parent) : QObject(parent)
{
    settle_.setSingleShot(true);
    settle_.setInterval(kSettle);
    connect(&settle_, &QTimer::timeout, this, &DiskCopy::look);
    // The folder too: programs that save atomically put another file in its place.
    for (auto moved : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&watcher_, moved, this, [this] { settle_.start(); });
}

void DiskCopy::note(const QString& path)
{
    const QStringList before = watcher_.files() + watcher_.directories();
    if (!before.isEmpty())
        watcher_.removePaths(before);
    settle_.stop();
    path_ = path;
    noted_ = told_ = path.isEmpty() ? QByteArray() : digest(path);
    if (!noted_.isEmpty())
        watcher_.addPaths({path, QFileInfo(path).absolutePath()});
}

void DiskCopy::note(const QString& path, const QByteArray& content)
{
    note(path);
    noted_ = QCryptographicHash::hash(content, QCryptographicHash::Sha256);
    if (told_ != noted_)
        settle_.start();
    told_ = noted_;
}

bool DiskCopy::isChanged() const
{
    const QByteArray now = path_.isEmpty() ? QByteArray() : digest(path_);
    return !now.isEmpty() && !noted_.isEmpty() && now != noted_;
}

void DiskCopy::look()
{
    const QByteArray now = digest(path_);
    if (!now.isEmpty() && !watcher_.files().contains(path_))
        watcher_.addPath(path_);
    if (std::exchange(told_, now) == now || now == noted_)
        return;
    if (now.isEmpty())
        emit removed();
    else
        emit changed();
}

} // namespace floe::editor
