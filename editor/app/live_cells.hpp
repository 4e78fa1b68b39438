#pragma once

#include "app/run_cost.hpp"

#include "floe/graph/document.hpp"

#include <QObject>

#include <functional>
#include <optional>
#include <vector>

namespace floe::client {
class Runtime;
}
namespace floe::views {
class Timeline;
}

namespace floe::editor {

class Document;

/// Chooses the cells of live runs, with the switch beside the rate: as large as frames at the
/// scene's rate need them to be, but never smaller than the scene's own, nor over four times as
/// large.
///
/// What frames took in the live run before decides, and before the first one a trial of the scene.
/// The document stays as it is: the runtime is given another one.
class LiveCells : public QObject {
    Q_OBJECT
public:
    /// @param program  gives the path of `floe`
    /// @param send     hands the runtime simulated()
    /// @param settled  whether the runtime has answered to it
    LiveCells(const Document& document, client::Runtime* runtime, views::Timeline* timeline,
              std::function<QString()> program, std::function<void()> send,
              std::function<bool()> settled, QObject* parent);

    /// The scene as it is simulated.
    graph::Document simulated() const;
    /// How many times as large as the scene's own its cells are; 1 without the switch.
    double times() const { return isOn() ? times_ : 1; }

private:
    /// Of a solver with the first cell size of the scene; none: it has none that can be chosen.
    std::optional<double> ownSize() const;
    bool isOn() const;
    void prepare(std::function<void()> start);
    void choose(double size, double seconds);
    void begin();
    void proceed(); ///< starts the run once the runtime has the scene
    void giveUp();
    void take(double speed); ///< a frame of a live run has come
    void show();

    const Document& document_;
    client::Runtime* runtime_;
    views::Timeline* timeline_;
    std::function<QString()> program_;
    std::function<void()> send_;
    std::function<bool()> settled_;
    std::function<void()> start_; ///< the run that waits; empty: none
    RunCost trial_{nullptr};
    double times_ = 1;
    double runSize_ = 0;          ///< of the cells of the run in work [m]
    double frameSeconds_ = 0;     ///< of its last frame
    bool isFirst_ = true;         ///< the frame that comes next, of that run
    std::vector<double> seconds_; ///< of its frames, as if time had run at its own speed
};

} // namespace floe::editor
