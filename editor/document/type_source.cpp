#include "document/type_source.hpp"

#include "floe/base/file.hpp"

#include <QDir>
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
        const auto found = types->addManifestFile(manifest.toStdString());
        if (faults)
            faults->insert(faults->end(), found.begin(), found.end());
    };
    for (const QString& folder : folders) {
        add(folder); // FLOE_PLUGIN_PATH may name one plugin
        for (const QString& plugin : QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            add(folder + "/" + plugin);
    }
    return types;
}

} // namespace floe::editor
