#include "app/run_cost.hpp"

#include "document/document.hpp"

#include "floe/base/json.hpp"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QStringList>
#include <QTemporaryFile>

#include <algorithm>
#include <cmath>
#include <exception>

namespace floe::editor {

namespace {

/// "1:05", "2:00:00"
QString duration(double seconds)
{
    const auto whole = static_cast<qint64>(std::llround(std::max(0.0, seconds)));
    const auto two = [](qint64 number) {
        return QString::number(number).rightJustified(2, QLatin1Char('0'));
    };
    if (whole < 3600)
        return QString::number(whole / 60) + QLatin1Char(':') + two(whole % 60);
    return QString::number(whole / 3600) + QLatin1Char(':') + two(whole / 60 % 60) +
           QLatin1Char(':') + two(whole % 60);
}

/// The words about one solver, from its statistics.
QString solverText(const QString& node, const Json& values)
{
    constexpr std::string_view kStep = "stable step of ";
    const QLocale locale;
    QString text = RunCost::tr("%1: %2 particles, %3 MiB")
                       .arg(node, locale.toString(values.value("particles", 0.0), 'f', 0),
                            locale.toString(values.value("bytes", 0.0) / (1 << 20), 'f', 0));
    if (const double steps = values.value("substeps", 0.0); steps > 0)
        text += RunCost::tr(", %1 steps a frame").arg(locale.toString(steps, 'f', 0));
    QString material;
    double shortest = 0;
    for (const auto& [name, step] : values.items())
        if (name.starts_with(kStep) && step.is_number() && (shortest == 0 || step < shortest)) {
            shortest = step;
            material = QString::fromStdString(name.substr(kStep.size()));
        }
    if (shortest > 0)
        text += RunCost::tr("; the stiffest for its weight is '%1', with steps of at most %2 ms")
                    .arg(material, locale.toString(1e3 * shortest, 'g', 3));
    return text;
}

QString textOf(const Json& cost)
{
    QStringList lines;
    for (const auto& [node, values] : cost.at("nodes").items())
        if (values.contains("particles"))
            lines << solverText(QString::fromStdString(node), values);
    const int frames = cost.at("frames").get<int>();
    const Json& seconds = cost.at("frameSeconds");
    if (seconds.is_number())
        lines << RunCost::tr("A frame takes %1 s here, and %n frames %2, without pictures and "
                             "files.",
                             nullptr, frames)
                     .arg(QLocale().toString(seconds.get<double>(), 'g', 2),
                          duration(cost.at("firstFrameSeconds").get<double>() +
                                   (frames - 1) * seconds.get<double>()));
    if (const double growth = cost.value("growth", 0.0); growth > 0 && frames > 2)
        lines << RunCost::tr("Emitters go on: where they do to the end, it takes %1.")
                     .arg(duration(cost.at("firstFrameSeconds").get<double>() +
                                   (frames - 1) * seconds.get<double>() *
                                       (1 + 0.5 * growth * (frames - 2))));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

RunCost::RunCost(QObject* parent) : QObject(parent)
{
    connect(&process_, &FloeProcess::ended, this, &RunCost::finish);
}

RunCost::~RunCost() = default;

void RunCost::stop()
{
    process_.stop();
    file_.reset();
}

bool RunCost::start(const QString& program, const QString& file)
{
    if (isBusy())
        return false;
    process_.start(program, {QStringLiteral("validate"), QStringLiteral("--cost"),
                             QStringLiteral("--json"), file});
    return true;
}

bool RunCost::start(const QString& program, const Document& document)
{
    if (isBusy())
        return false;
    // Beside the scene, so that it finds the same files; elsewhere if nothing can be written there.
    const QString beside =
        document.path().isEmpty() ? QDir::tempPath() : QFileInfo(document.path()).absolutePath();
    for (const QString& folder : {beside, QDir::tempPath()}) {
        file_ = std::make_unique<QTemporaryFile>(
            QDir(folder).filePath(QStringLiteral(".estimate-XXXXXX.floe.json")));
        if (file_->open())
            break;
    }
    try {
        const std::string text = document.content().format(document.types());
        if (file_->isOpen() && file_->write(text.data(), qint64(text.size())) >= 0 &&
            file_->flush() && start(program, file_->fileName()))
            return true;
    } catch (const std::exception&) { // text that cannot be kept; the window has said so
    }
    file_.reset();
    return false;
}

void RunCost::finish(bool done, const QByteArray& output, const QString& said)
{
    file_.reset();
    const QStringList lines =
        QString::fromUtf8(output).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (done && !lines.isEmpty())
        try {
            const Json cost = parseJson(lines.last().toStdString(), "cost");
            const QString text = textOf(cost);
            emit measured(cost);
            return emit found(text);
        } catch (const std::exception&) { // another version of the program
        }
    emit failed(tr("What a run takes could not be found: %1").arg(said));
}

} // namespace floe::editor
