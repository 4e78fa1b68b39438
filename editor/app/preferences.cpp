#include "app/preferences.hpp"

#include "floe/base/file.hpp"

#include <QDir>
#include <QRegularExpression>
#include <QSettings>

#include <cmath>

namespace floe::editor {

namespace {
constexpr double kLargestCache = 10'000; // GB

/// What is stored, where it is a number within bounds.
template <class Number>
Number stored(const QSettings& settings, const char* key, Number low, Number high, Number otherwise)
{
    bool good = false;
    const double value = settings.value(key).toString().toDouble(&good);
    return good && value >= double(low) && value <= double(high) ? Number(value) : otherwise;
}
} // namespace

Preferences Preferences::load()
{
    const QSettings settings;
    Preferences p;
    if (const QString language = settings.value("preferences/language").toString();
        languages().contains(language))
        p.language = language;
    if (const QString theme = settings.value("preferences/theme").toString();
        QStringList{"dark", "light", "system"}.contains(theme))
        p.theme = theme;
    p.scale = stored(settings, "preferences/scale", 50, 300, p.scale);
    p.autosaveSeconds = stored(settings, "preferences/autosave", 5, 600, p.autosaveSeconds);
    p.backups = stored(settings, "preferences/backups", 1, 99, p.backups);
    static const QRegularExpression devices("\\A(auto|cpu|cuda(:[0-9]{1,2})?)\\z");
    if (const QString device = settings.value("preferences/device").toString();
        devices.match(device).hasMatch())
        p.device = device;
    p.cacheMemory = stored(settings, "preferences/cacheMemory", 0.0, kLargestCache, 0.0);
    p.cacheDisk = stored(settings, "preferences/cacheDisk", 0.0, kLargestCache, 0.0);
    return p;
}

void Preferences::save() const
{
    QSettings settings;
    settings.setValue("preferences/language", language);
    settings.setValue("preferences/theme", theme);
    settings.setValue("preferences/scale", scale);
    settings.setValue("preferences/autosave", autosaveSeconds);
    settings.setValue("preferences/backups", backups);
    settings.setValue("preferences/device", device);
    settings.setValue("preferences/cacheMemory", cacheMemory);
    settings.setValue("preferences/cacheDisk", cacheDisk);
}

QStringList Preferences::runtimeOptions() const
{
    QStringList options;
    if (cacheMemory > 0)
        options << "--cache-memory" << QString::number(cacheMemory);
    if (cacheDisk > 0)
        options << "--cache-size" << QString::number(cacheDisk);
    return options;
}

QString translationFolder()
{
    return QString::fromStdString(
        (programFolder() / "../share/floe/translations").lexically_normal().string());
}

QStringList languages()
{
    QStringList found{"en"};
    for (const QString& file : QDir(translationFolder()).entryList({"floe_*.qm"}, QDir::Files))
        if (const QString language = file.section('_', 1).section('.', 0, 0); language != "en")
            found << language;
    return found;
}

} // namespace floe::editor
