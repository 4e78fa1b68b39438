#pragma once

#include "app/floe_process.hpp"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>

class QTemporaryDir;
class QTemporaryFile;

namespace floe::editor {

class Document;

/// Simulates variants of a scene as it is now, which differ in one parameter: `floe sweep` in a
/// process of its own. Frames are kept, so that variants can be looked at.
class SweepRun : public QObject {
    Q_OBJECT
public:
    struct Wanted {
        QString parameter; ///< "node.parameter"
        QStringList values;
        int frames = 1; ///< from the scene's first on
    };

    /// @param program  gives the path of `floe`
    SweepRun(std::function<QString()> program, QObject* parent);
    ~SweepRun() override; ///< ends the one in work

    /// Ends the one in work and begins another. @return why not, for a person; empty: it has begun
    QString start(const Document& document, const Wanted& wanted);
    void stop(); ///< what is done stays
    bool isBusy() const { return process_.isRunning(); }
    /// Of the newest: beside the scene, in `out`; of a scene without a file it goes with this.
    const QString& folder() const { return folder_; }

signals:
    void advanced();                    ///< more of it may be done
    void ended(const QString& trouble); ///< empty: all variants are done

private:
    void finish(bool done, const QString& said);

    std::function<QString()> program_;
    QString folder_;
    std::unique_ptr<QTemporaryFile> file_;   ///< the scene as it was
    std::unique_ptr<QTemporaryDir> unsaved_; ///< output of scenes without a file
    QTimer look_;
    FloeProcess process_; ///< ends before what it reads and writes goes
};

} // namespace floe::editor
