#pragma once

#include <QByteArray>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace floe::editor {

/// The document's file as this program last read or wrote it, and whether another one has changed
/// it since.
class DiskCopy : public QObject {
    Q_OBJECT
public:
    explicit DiskCopy(QObject* parent = nullptr);

    /// The file is as the document: it was just read or written. Empty: there is no file.
    void note(const QString& path);
    /// The document knows what the file held a moment ago, whatever it holds now.
    void note(const QString& path, const QByteArray& content);
    /// The file differs from what was noted; a file that is not there does not.
    bool isChanged() const;

signals:
    void changed(); ///< by another program, once for each version of the file
    void removed(); ///< moved or deleted, and not there again soon

private:
    void look();

    QFileSystemWatcher watcher_;
    QTimer settle_; ///< a program that saves may remove the file, or write it in pieces
    QString path_;
    QByteArray noted_, told_; ///< digests
};

} // namespace floe::editor
