#include "canvas/canvas.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QRegularExpression>
#include <QStandardPaths>

namespace floe::editor {

/// Subgraphs that the user keeps for all scenes, a file each: what copying one gives.
QString Canvas::assetFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/floe/assets";
}

namespace {
bool isAssetName(const QString& name)
{
    static const QRegularExpression strange(R"([^\w \-]|^[ \-]|_$)",
                                            QRegularExpression::UseUnicodePropertiesOption);
    return !name.isEmpty() && name.size() <= 80 && !name.contains(strange);
}

QString nameRule()
{
    return Canvas::tr("An asset's name has letters, digits, spaces, _ and - only.");
}

constexpr QLatin1String kAssetEnding(".floe.json");
constexpr int kPictureWidth = 240, kPictureHeight = 160;

QString assetFile(const QString& name)
{
    return Canvas::assetFolder() + "/" + name + kAssetEnding;
}

/// The middle of a picture as a small file beside the asset; without a picture, what lies there
/// goes, for it shows what the asset was before.
void savePicture(const QImage& picture, const QString& file)
{
    if (picture.isNull()) {
        QFile::remove(file);
        return;
    }
    QImage small = picture.convertToFormat(QImage::Format_RGB32)
                       .scaled(kPictureWidth, kPictureHeight, Qt::KeepAspectRatioByExpanding,
                               Qt::SmoothTransformation);
    small = small.copy((small.width() - kPictureWidth) / 2, (small.height() - kPictureHeight) / 2,
                       kPictureWidth, kPictureHeight);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    small.save(&buffer, "JPG", 88);
    writeFileAtomically(file.toStdString(), bytes.toStdString());
}
} // namespace

void Canvas::askToSaveAsset()
{
    if (selection_.empty())
        return emit said(tr("Select the nodes that the asset is to have."));
    const graph::Node* node =
        selection_.size() == 1 ? document_.node(scope(), *selection_.begin()) : nullptr;
    QString name = node ? QString::fromStdString(node->name) : QString();
    QString lead = tr("Name, under which the node search finds it:");
    do {
        bool good = false;
        name =
            QInputDialog::getText(this, tr("Save as asset"), lead, QLineEdit::Normal, name, &good)
                .trimmed();
        if (!good || name.isEmpty())
            return;
        lead = nameRule();
    } while (!isAssetName(name));
    if (!QFile::exists(assetFile(name)) ||
        QMessageBox::question(this, tr("Save as asset"),
                              tr("There is an asset '%1' already. Replace it?").arg(name)) ==
            QMessageBox::Yes)
        saveAsset(name);
}

bool Canvas::saveAsset(const QString& name)
{
    if (!isAssetName(name)) {
        emit said(nameRule());
        return false;
    }
    try {
        std::string text = document_.copy(scope(), selection());
        const graph::Node* only =
            selection_.size() == 1 ? document_.node(scope(), *selection_.begin()) : nullptr;
        if (!only || only->type != graph::kSubgraphType) { // made one node in a scene of its own
            Document workbench(document_.sharedTypes());
            const auto names = workbench.paste({}, text, QPointF());
            QString label = name.toLower();
            label.replace(QRegularExpression("[^a-z0-9_]+"), "_");
            const std::string instance = workbench.group({}, names, label);
            if (instance.empty())
                return false;
            text = workbench.copy({}, {instance});
        }
        QDir().mkpath(assetFolder());
        const QString file = assetFile(name);
        const bool replaced = QFile::exists(file);
        writeFileAtomically(file.toStdString(), text);
        QString what =
            (replaced ? tr("The asset '%1' was replaced.") : tr("The asset '%1' was saved."))
                .arg(name);
        try {
            savePicture(snapshot_ ? snapshot_() : QImage(),
                        file.chopped(kAssetEnding.size()) + ".jpg");
        } catch (const std::exception& error) {
            what = tr("%1 Without a picture: %2").arg(what, translated(error));
        }
        emit assetsChanged();
        emit said(what);
        return true;
    } catch (const std::exception& error) {
        emit said(tr("The asset was not saved: %1").arg(translated(error)));
        return false;
    }
}

std::vector<Entry> Canvas::assetEntries() const
{
    std::vector<Entry> found;
    const QDir folder(assetFolder());
    for (const QFileInfo& file : folder.entryInfoList({"*.floe.json"}, QDir::Files, QDir::Name)) {
        const QString name = file.fileName().chopped(kAssetEnding.size());
        found.push_back({"asset:" + file.absoluteFilePath(),
                         name,
                         tr("Asset"),
                         {"asset", "subgraph"},
                         tr("A subgraph of yours, kept in %1.").arg(folder.absolutePath()),
                         tr("Asset"),
                         "Subgraph",
                         {},
                         file.absoluteFilePath().chopped(kAssetEnding.size()) + ".jpg"});
        if (found.size() >= 1000)
            break;
    }
    return found;
}

/// @return its node; empty when the file cannot be used
std::string Canvas::addAsset(const QString& path, QPointF place)
{
    try {
        const auto names = document_.paste(scope(), readFile(path.toStdString()), place);
        return names.empty() ? std::string() : names.front();
    } catch (const std::exception& error) {
        emit said(translated(error));
        return {};
    }
}

} // namespace floe::editor
