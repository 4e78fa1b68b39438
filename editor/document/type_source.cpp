#include "document/type_source.hpp"

#include "floe/base/file.hpp"

#include <QDir>
#include <QLocale>
#include <QStandardPaths>

namespace floe::editor {

QStringList pluginFolders()
{
    QStringList folders =
        qEnvironmentVariable("FLOE_PLUGIN_PATH").split(QDir::listSeparator(), Qt::SkipEmptyParts);
    const QString data = qEnvironmentVariable("XDG_DATA_HOME", QDir::homePath() + "/.local/share");
    folders += data + "/floe/plugins";
    folders +=
        QDir::cleanPath(QString::fromStdString(programFolder().string()) + "/../lib/floe/plugins");
    return folders;
}

Types typesFromFolders(const QStringList& folders, std::vector<graph::Fault>* faults)
{
    auto types = std::make_shared<graph::TypeLibrary>();
    const auto add = [&](const QString& folder) {
        const QString manifest = folder + "/plugin.json";
        if (!QFile::exists(manifest))
            return;
        types->addManifestFile(manifest.toStdString());
    };
    for (const QString& folder : folders) {
        add(folder); // FLOE_PLUGIN_PATH may name one plugin
        for (const QString& plugin : QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            add(folder + "/" + plugin);
    }
    std::vector<std::string> languages;
    for (QString language : QLocale().uiLanguages()) // "fr-FR", "fr"
        languages.push_back(language.replace('-', '_').toStdString());
    const auto found = types->translate(languages);
    if (faults)
        *faults = found;
    return types;
}

} // namespace floe::editor
