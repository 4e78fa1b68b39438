#pragma once

#include "client/runtime.hpp"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <functional>

class QAction;
class QLabel;
class QSpinBox;
class QToolButton;

namespace floe::views {

class ElidedLabel;
class FrameBar;

/// Play, step, scrub and simulate.
///
/// A live run keeps the scene's frame rate, and what it simulates is shown as it comes.
///
/// Play shows simulated frames at the scene's rate and simulates those that are missing; at a frame
/// that is not there yet it waits. The current frame is kept here; the viewport and the others
/// follow frameChanged().
class Timeline : public QWidget {
    Q_OBJECT
public:
    /// @param runtime may be null: then nothing can be simulated
    explicit Timeline(client::Runtime* runtime, QWidget* parent = nullptr);

    /// The scene's range. @param last >= first  @param fps > 0
    void setRange(int first, int last, double fps);
    int first() const;
    int last() const;
    int frame() const;
    void setFrame(int frame); ///< clamped to the range; emits frameChanged() when it differs
    void setKeys(const QVector<int>& frames);
    bool isPlaying() const { return playing_; }
    bool loops() const;

    FrameBar* bar() const { return bar_; }
    /// Everything a key or the command palette may trigger; each has an objectName, a text and
    /// a default shortcut.
    QAction *play, *stepBack, *stepForward, *toStart, *toEnd, *loop, *simulate, *stop, *resume,
        *live;
    QAction* cellsForRate; ///< a switch: live runs have cells that meet the rate

    /// What is called before a live run with that switch; the run begins when it calls `start`.
    void setPreparation(std::function<void(std::function<void()> start)> prepare);
    /// Which cells these are, in a few words beside the rate. Empty: nothing.
    void showCells(const QString& text, const QString& tip = {});

signals:
    /// @param moving frames go by (scrubbing, playing): quick pictures will do
    void frameChanged(int frame, bool moving);
    /// The user wants another range of the scene.
    void rangeEdited(int first, int last);
    void playingChanged(bool playing);

private:
    QAction* action(const char* name, const QString& text, const QString& tip,
                    const QKeySequence& keys);
    QToolButton* button(QAction* action);
    void setPlaying(bool playing);
    void showFrame(int frame, bool moving);
    void tick();
    void refresh();
    bool available(int frame) const;
    bool running() const;
    void startRun();
    void beginRun();
    void showRate(double speed);

    client::Runtime* runtime_;
    FrameBar* bar_;
    QSpinBox *now_, *start_, *end_;
    QLabel* rate_;
    ElidedLabel* cells_;
    QTimer timer_;
    QElapsedTimer clock_;
    double fps_ = 24;
    double due_ = 0;       // milliseconds of the next frame on clock_
    bool follows_ = false; // a live run, frame by frame
    bool waits_ = false;   // for a frame that is being simulated
    bool playing_ = false, asked_ = false;
    std::function<void(std::function<void()>)> prepare_;
};

} // namespace floe::views
