#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>

#include <memory>
#include <vector>

class QLockFile;

namespace floe::editor {

class Document;

/// How many older versions of a file are kept unless one says otherwise.
inline constexpr int kBackups = 5;

/// Copies a file that is about to be replaced to `backup/NAME.1.floe.json` beside it; older ones
/// move on to 2, 3, ... `keep`. @throws IoError; a file that is not there is no fault
void rotateBackups(const QString& path, int keep = kBackups);

/// How a scene names a file: relative inside the scene's folder, so that the folder can be moved.
/// @param folder  of the scene; empty: it was never saved
QString pathInScene(const QString& folder, const QString& file);

/// What an editor that ended without saving has left.
struct Recovered {
    QString file; ///< the recovery file
    QString path; ///< of the document; empty: it was never saved
    QDateTime time;
    std::string text; ///< of the document
};

/// Keeps a copy of an unsaved document, so that a crash costs some seconds of work at most.
///
/// A copy is written when the document has rested for some seconds after an edit, and every 30 s
/// while edits go on; the writing happens in another thread. It is removed when the document is
/// saved or the window is closed on purpose. Copies are locked by the process that writes them.
class Recovery : public QObject {
    Q_OBJECT
public:
    /// @param document  must live longer
    /// @param folder    for the copies; empty: the user's own
    explicit Recovery(Document& document, const QString& folder = {}, QObject* parent = nullptr);
    ~Recovery() override;

    void setDelays(int restMilliseconds, int longestMilliseconds);

    /// Writes now, in this thread. Without unsaved changes there is nothing to write.
    void writeNow();

    /// Removes the copy: the document is saved, or its user does not want it.
    void discard();

    /// Copies of editors that no longer run, newest first. Files that are not copies are skipped.
    static std::vector<Recovered> find(const QString& folder = {});
    static void forget(const Recovered& recovered);
    static QString defaultFolder();

signals:
    void failed(const QString& message); ///< the disk is full, ...; once until it works again
    void worksAgain();

private:
    void schedule();
    void write();

    Document& document_;
    QString file_;
    std::unique_ptr<QLockFile> lock_;
    class QTimer* rest_;
    class QTimer* longest_;
    bool writing_ = false, again_ = false, failing_ = false, discarded_ = false;
    int generation_ = 0;
};

} // namespace floe::editor
