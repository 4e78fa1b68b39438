#pragma once

#include "client/runtime.hpp"
#include "floe/graph/document.hpp"
#include "views/statistics.hpp"

#include <QImage>
#include <QObject>
#include <QString>

#include <map>
#include <optional>

namespace floe::graph {
class TypeLibrary;
}

namespace floe::editor {

/// What a run is looked at from.
struct RunSource {
    graph::Document document;                   ///< with the overrides of the run
    QString name;                               ///< for a person
    QString cache;                              ///< folder of its frames; empty: simulated anew
    std::map<int, views::FrameNumbers> numbers; ///< of its frames, as far as they are known

    /// Of a run with `--cache`, by its run.json. @throws IoError, GraphError
    static RunSource read(const QString& report, const graph::TypeLibrary& types);
};

/// A run that is looked at beside the window's own, in a runtime of its own.
class SeenRun : public QObject {
    Q_OBJECT
public:
    /// @param program  path of `floe`
    SeenRun(RunSource source, const graph::TypeLibrary& types, const QString& program,
            QObject* parent = nullptr);
    ~SeenRun() override;

    client::Runtime* runtime() { return &runtime_; }
    const QString& name() const { return source_.name; }
    const QImage& picture() const { return picture_; } ///< null: there is none yet
    const views::FrameNumbers* at(int frame) const;    ///< null: not known
    QString note() const; ///< why there is no picture, or that it is not of this frame
    void look(const client::View& view);

signals:
    void changed();

private:
    void use(); ///< the document is known: its frames are read or simulated
    void fail(const QString& message);

    RunSource source_;
    client::Runtime runtime_;
    QString failure_;
    bool used_ = false;
    std::optional<int> shownFrame_; ///< of the picture that is there
    bool shownCached_ = false;
    QImage picture_;
};

} // namespace floe::editor
