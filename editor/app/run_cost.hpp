#pragma once

#include "app/floe_process.hpp"
#include "floe/base/json.hpp"

#include <QObject>
#include <QString>

#include <memory>

class QTemporaryFile;

namespace floe::editor {

class Document;

/// Finds what a run of a file would take, with `floe validate --cost` in a process of its own.
class RunCost : public QObject {
    Q_OBJECT
public:
    explicit RunCost(QObject* parent);
    ~RunCost() override; ///< ends a trial that is in work

    /// Begins a trial. @return false when one is in work
    bool start(const QString& program, const QString& file);
    /// The same of a document as it is now, in a file beside its own. @return false also when no
    /// such file can be written
    bool start(const QString& program, const Document& document);
    bool isBusy() const { return process_.isRunning(); }
    /// Ends a trial that is in work; nothing is heard of it.
    void stop();

signals:
    /// As `floe validate --cost --json` prints it; followed by the next.
    void measured(const floe::Json& cost);
    void found(const QString& text);  ///< for a person, in lines
    void failed(const QString& text); ///< why there is none

private:
    void finish(bool done, const QByteArray& output, const QString& said);

    std::unique_ptr<QTemporaryFile> file_; ///< of the document of the trial in work
    FloeProcess process_;                  ///< ends before what it reads goes
};

} // namespace floe::editor
