#include "app/sweep_variants.hpp"

#include "client/messages.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace floe::editor {

namespace {

/// What is in a file of a variant; null where it cannot be read, as of one that never began.
Json readOrNull(const QString& path)
{
    try {
        return parseJson(readFile(path.toStdString()), path.toStdString());
    } catch (const Error&) {
        return nullptr;
    }
}

SweepVariant variant(const Json& entry, const QDir& sweep, const std::string& file)
{
    SweepVariant v;
    v.name = client::textOf(entry, "name");
    static const QRegularExpression names("\\A[0-9a-zA-Z]{1,64}\\z"); // no path leads elsewhere
    if (!names.match(v.name).hasMatch())
        throw IoError({.file = file}, "names a variant that none can be called",
                      "begin the sweep anew");
    if (const Json* values = client::member(entry, "values"); values && values->is_object())
        for (const auto& [name, value] : values->items())
            v.values.emplace_back(QString::fromStdString(name), value);
    const QDir folder(sweep.filePath("variants/" + v.name));
    const Json state = readOrNull(folder.filePath("state.json"));
    v.state = client::textOf(state, "state");
    if (const Json* seconds = client::member(state, "seconds"); seconds && seconds->is_number())
        v.seconds = seconds->get<double>();
    v.report = folder.filePath("out/run.json");
    v.kept = QFileInfo(folder.filePath("out/cache")).isDir();
    v.last = views::frameNumbers(Json::object());
    const Json run = readOrNull(v.report);
    if (const Json* frames = client::member(run, "frames");
        frames && frames->is_array() && !frames->empty())
        v.last = views::frameNumbers(frames->back());
    return v;
}

} // namespace

QString SweepVariant::textOf(const Json& value)
{
    return value.is_string() ? QString::fromStdString(value.get<std::string>())
                             : QString::fromStdString(value.dump());
}

QString SweepVariant::text() const
{
    QStringList parts;
    for (const auto& [parameter, value] : values)
        parts += parameter + QStringLiteral(" = ") + textOf(value);
    return parts.isEmpty() ? name : parts.join(QStringLiteral(", "));
}

std::vector<SweepVariant> sweepVariants(const QString& folder)
{
    const QDir sweep(folder);
    const std::string file = sweep.absoluteFilePath("sweep.json").toStdString();
    const Json about = parseJson(readFile(file), file);
    const Json* list = client::member(about, "variants");
    if (!list || !list->is_array())
        throw IoError({.file = file}, "is not the list of a sweep's variants",
                      "choose the output folder of 'floe sweep'");
    std::vector<SweepVariant> variants;
    for (const Json& entry : *list)
        variants.push_back(variant(entry, sweep, file));
    return variants;
}

} // namespace floe::editor
