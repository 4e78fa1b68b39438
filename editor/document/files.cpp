#include "document/files.hpp"

#include "document/document.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QLockFile>
#include <QPointer>
#include <QStandardPaths>
#include <QThreadPool>
#include <QUuid>

#include <filesystem>
#include <utility>

namespace floe::editor {

namespace fs = std::filesystem;

QString pathInScene(const QString& folder, const QString& file)
{
    const QString relative = QDir(folder).relativeFilePath(file);
    return folder.isEmpty() || relative.startsWith(QLatin1String("..")) ? file : relative;
}

void rotateBackups(const QString& path, int keep)
{
    const QFileInfo info(path);
    if (!info.exists())
        return;
    const QString folder = info.absolutePath() + "/backup";
    QString stem = info.fileName();
    QString ending;
    if (stem.endsWith(".floe.json")) {
        stem.chop(10);
        ending = ".floe.json";
    }
    const auto numbered = [&](int n) {
        return fs::path(QString("%1/%2.%3%4").arg(folder, stem).arg(n).arg(ending).toStdString());
    };
    std::error_code error;
    fs::create_directories(folder.toStdString(), error);
    if (error)
        throw IoError({folder.toStdString()},
                      "cannot make the folder for backups: " + error.message(),
                      "save somewhere else");
    // The copy first: on a full disk the backups that are there stay.
    const fs::path copy = numbered(0);
    fs::copy_file(path.toStdString(), copy, fs::copy_options::overwrite_existing, error);
    if (error) {
        const std::string reason = error.message();
        fs::remove(copy, error);
        throw IoError({path.toStdString()}, "cannot keep a backup: " + reason,
                      "make room on the disk, or save somewhere else");
    }
    for (int n = keep - 1; n >= 0; --n)
        if (fs::exists(numbered(n), error))
            fs::rename(numbered(n), numbered(n + 1), error);
}

QString Recovery::defaultFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
           "/floe/recovery";
}

Recovery::Recovery(Document& document, const QString& folder, QObject* parent)
    : QObject(parent), document_(document), rest_(new QTimer(this)), longest_(new QTimer(this))
{
    const QString place = folder.isEmpty() ? defaultFolder() : folder;
    QDir().mkpath(place);
    file_ = place + "/" + QUuid::createUuid().toString(QUuid::WithoutBraces) + ".json";
    lock_ = std::make_unique<QLockFile>(file_ + ".lock");
    lock_->setStaleLockTime(0);
    lock_->tryLock();
    setDelays(3000, 30000);
    rest_->setSingleShot(true);
    longest_->setSingleShot(true);
    connect(rest_, &QTimer::timeout, this, &Recovery::write);
    connect(longest_, &QTimer::timeout, this, &Recovery::write);
    connect(&document_, &Document::edited, this, &Recovery::schedule);
    connect(&document_, &Document::modifiedChanged, this, [this](bool modified) {
        if (!modified)
            discard();
    });
}

Recovery::~Recovery()
{
    if (writing_) // what is being written must not outlive its being unwanted
        QThreadPool::globalInstance()->waitForDone();
    if (discarded_)
        QFile::remove(file_);
}

void Recovery::setDelays(int restMilliseconds, int longestMilliseconds)
{
    rest_->setInterval(restMilliseconds);
    longest_->setInterval(longestMilliseconds);
}

void Recovery::schedule()
{
    // Not asked here whether there is anything to keep: the undo stack counts this edit only after.
    discarded_ = false;
    rest_->start();
    if (!longest_->isActive())
        longest_->start();
}

namespace {
void writeCopy(const graph::Document& content, const graph::TypeLibrary& types, const QString& file)
{
    Json json;
    json["path"] = content.path;
    json["document"] = content.format(types);
    writeFileAtomically(file.toStdString(), dumpJson(json));
}
} // namespace

void Recovery::writeNow()
{
    if (!document_.isModified())
        return;
    discarded_ = false;
    writeCopy(document_.content(), document_.types(), file_);
}

void Recovery::write()
{
    rest_->stop();
    longest_->stop();
    if (!document_.isModified())
        return;
    if (writing_) {
        again_ = true;
        return;
    }
    writing_ = true;
    QThreadPool::globalInstance()->start([self = QPointer<Recovery>(this), file = file_,
                                          generation = generation_, content = document_.content(),
                                          types = document_.sharedTypes()] {
        QString failure;
        try {
            writeCopy(content, *types, file);
        } catch (const std::exception& error) {
            failure = translated(error);
        }
        QMetaObject::invokeMethod(QCoreApplication::instance(), [self, failure, file, generation] {
            if (!self || generation != self->generation_) {
                QFile::remove(file); // saved or closed in the meantime
                if (self)
                    self->writing_ = false;
                return;
            }
            self->writing_ = false;
            const bool before = std::exchange(self->failing_, !failure.isEmpty());
            if (self->failing_ && !before)
                emit self->failed(failure);
            else if (before && !self->failing_)
                emit self->worksAgain();
            if (std::exchange(self->again_, false))
                self->write();
        });
    });
}

void Recovery::discard()
{
    ++generation_;
    discarded_ = true;
    rest_->stop();
    longest_->stop();
    QFile::remove(file_);
}

std::vector<Recovered> Recovery::find(const QString& folder)
{
    std::vector<Recovered> result;
    const QDir place(folder.isEmpty() ? defaultFolder() : folder);
    for (const QFileInfo& info : place.entryInfoList({"*.json"}, QDir::Files, QDir::Time)) {
        QLockFile lock(info.absoluteFilePath() + ".lock");
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) // its editor runs
            continue;
        try {
            const Json json = loadJson(info.absoluteFilePath().toStdString());
            if (!json.is_object() || !json.contains("path") || !json.contains("document"))
                continue;
            Recovered found;
            found.file = info.absoluteFilePath();
            found.path = QString::fromStdString(json.at("path").get<std::string>());
            found.time = info.lastModified();
            found.text = json.at("document").get<std::string>();
            result.push_back(std::move(found));
        } catch (const std::exception&) { // not a copy of ours; it stays where it is
        }
    }
    return result;
}

void Recovery::forget(const Recovered& recovered)
{
    QFile::remove(recovered.file);
    QFile::remove(recovered.file + ".lock");
}

} // namespace floe::editor
