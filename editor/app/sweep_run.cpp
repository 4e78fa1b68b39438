#include "app/sweep_run.hpp"

#include "document/document.hpp"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTemporaryFile>

#include <exception>

namespace floe::editor {

namespace {
constexpr int kLook = 1000; // [ms]
} // namespace

SweepRun::SweepRun(std::function<QString()> program, QObject* parent)
    : QObject(parent), program_(std::move(program))
{
    look_.setInterval(kLook);
    connect(&look_, &QTimer::timeout, this, &SweepRun::advanced);
    connect(&process_, &FloeProcess::ended, this,
            [this](bool done, const QByteArray&, const QString& said) { finish(done, said); });
}

SweepRun::~SweepRun() = default;

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
    process_.start(program_(),
                   {QStringLiteral("sweep"), QStringLiteral("--vary"),
                    wanted.parameter + QLatin1Char('=') + wanted.values.join(QLatin1Char(',')),
                    QStringLiteral("--frames"), QString::number(wanted.frames),
                    QStringLiteral("--cache"), QStringLiteral("-o"), folder_, file_->fileName()},
                   place);
    look_.start();
    return {};
}

void SweepRun::stop()
{
    look_.stop();
    process_.stop();
    file_.reset();
}

void SweepRun::finish(bool done, const QString& said)
{
    look_.stop();
    file_.reset();
    emit ended(done ? QString() : said);
}

} // namespace floe::editor
