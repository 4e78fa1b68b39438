#include "views/timeline.hpp"

#include "views/elided_label.hpp"
#include "views/frame_bar.hpp"
#include "views/transport_icon.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace floe::views {

using client::FrameState;
using client::RunState;
using client::Runtime;

namespace {

QSpinBox* frameBox(const QString& tip, QWidget* parent)
{
    auto* box = new QSpinBox(parent);
    box->setRange(-1'000'000, 1'000'000);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setAlignment(Qt::AlignCenter);
    box->setKeyboardTracking(false);
    box->setToolTip(tip);
    box->setAccessibleName(tip);
    box->setFixedWidth(box->fontMetrics().horizontalAdvance(QStringLiteral("-00000")) + 18);
    return box;
}

} // namespace

Timeline::Timeline(Runtime* runtime, QWidget* parent)
    : QWidget(parent), runtime_(runtime), bar_(new FrameBar(this))
{
    play = action("timeline.play", tr("Play"), tr("Play; simulates frames that are missing"),
                  Qt::Key_Space);
    stepBack = action("timeline.back", tr("Previous frame"), tr("Previous frame"), Qt::Key_Left);
    stepForward = action("timeline.forward", tr("Next frame"),
                         tr("Next frame; simulates it when it is missing"), Qt::Key_Right);
    toStart = action("timeline.start", tr("First frame"), tr("First frame"),
                     QKeySequence(Qt::CTRL | Qt::Key_Home));
    toEnd = action("timeline.end", tr("Last simulated frame"), tr("Last simulated frame"),
                   QKeySequence(Qt::CTRL | Qt::Key_End));
    loop = action("timeline.loop", tr("Loop"), tr("Start over at the end"), {});
    loop->setCheckable(true);
    loop->setChecked(true);
    simulate = action("timeline.simulate", tr("Simulate"),
                      tr("Simulate the whole range; the frame shown stays where it is"),
                      QKeySequence(Qt::CTRL | Qt::Key_Return));
    stop =
        action("timeline.stop", tr("Stop simulating"), tr("Stop simulating (Esc)"), Qt::Key_Escape);
    resume = action("timeline.resume", tr("Resume from this frame"),
                    tr("Simulate on from the frame shown, with the scene as it is now"),
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return));

    live = action("timeline.live", tr("Live"),
                  tr("Simulate at the scene's frame rate and show each frame as it comes; where "
                     "frames take longer, time runs slower"),
                  QKeySequence(Qt::CTRL | Qt::Key_L));
    live->setCheckable(true);
    cellsForRate = action(
        "timeline.cells", tr("Cells for the rate"),
        tr("Live runs have cells as large as the rate needs them; those of the scene stay as they "
           "are"),
        {});
    cellsForRate->setCheckable(true);

    play->setIcon(transportIcon(Transport::Play));
    stepBack->setIcon(transportIcon(Transport::Back));
    stepForward->setIcon(transportIcon(Transport::Forward));
    toStart->setIcon(transportIcon(Transport::First));
    toEnd->setIcon(transportIcon(Transport::Last));
    loop->setIcon(transportIcon(Transport::Loop));
    simulate->setIcon(transportIcon(Transport::Simulate));
    stop->setIcon(transportIcon(Transport::Stop));
    resume->setIcon(transportIcon(Transport::Resume));
    live->setIcon(transportIcon(Transport::Live));
    cellsForRate->setIcon(transportIcon(Transport::Cells));

    now_ = frameBox(tr("Frame shown"), this);
    start_ = frameBox(tr("First frame of the scene"), this);
    end_ = frameBox(tr("Last frame of the scene"), this);
    rate_ = new QLabel(this);
    rate_->setToolTip(tr("Frames a second"));
    cells_ = new ElidedLabel(this);
    cells_->setObjectName(QStringLiteral("cells"));
    cells_->hide();

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(2);
    for (QAction* each : {toStart, stepBack, play, stepForward, toEnd, loop})
        row->addWidget(button(each));
    row->addSpacing(4);
    row->addWidget(now_);
    row->addSpacing(8);
    row->addWidget(start_);
    row->addWidget(bar_, 1);
    row->addWidget(end_);
    row->addSpacing(4);
    row->addWidget(rate_);
    row->addWidget(cells_);
    row->addSpacing(8);
    for (QAction* each : {simulate, stop, resume, live, cellsForRate})
        row->addWidget(button(each));

    connect(play, &QAction::triggered, this, [this] { setPlaying(!playing_); });
    connect(stepBack, &QAction::triggered, this, [this] {
        setPlaying(false);
        setFrame(frame() - 1);
    });
    connect(stepForward, &QAction::triggered, this, [this] {
        setPlaying(false);
        if (frame() < last() && !available(frame() + 1) && runtime_ && !running())
            runtime_->play(std::nullopt, frame() + 1);
        setFrame(frame() + 1);
    });
    connect(toStart, &QAction::triggered, this, [this] {
        follows_ = false;
        setFrame(first());
    });
    connect(toEnd, &QAction::triggered, this, [this] {
        follows_ = false;
        int newest = first();
        for (int f = first(); f <= last(); ++f)
            if (available(f))
                newest = f;
        setFrame(newest);
    });
    connect(simulate, &QAction::triggered, this, &Timeline::startRun);
    connect(stop, &QAction::triggered, this, [this] {
        setPlaying(false);
        if (!runtime_)
            return;
        if (runtime_->runState() != RunState::Running)
            asked_ = false; // it is still being prepared
        runtime_->cancel();
        refresh();
    });
    connect(resume, &QAction::triggered, this, [this] {
        if (!runtime_)
            return;
        follows_ = live->isChecked();
        runtime_->play(std::nullopt, std::nullopt, frame(), {}, live->isChecked());
    });
    connect(bar_, &FrameBar::scrubbed, this, [this](int frame, bool scrubbing) {
        setPlaying(false);
        showFrame(frame, scrubbing);
    });
    connect(bar_, &FrameBar::resumeWanted, this, [this](int frame) {
        setFrame(frame);
        resume->trigger();
    });
    connect(bar_, &FrameBar::rangeWanted, this, &Timeline::rangeEdited);
    connect(now_, &QSpinBox::valueChanged, this, [this](int value) { setFrame(value); });
    connect(start_, &QSpinBox::valueChanged, this,
            [this](int value) { emit rangeEdited(value, std::max(value, end_->value())); });
    connect(end_, &QSpinBox::valueChanged, this,
            [this](int value) { emit rangeEdited(std::min(value, start_->value()), value); });

    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(5);
    connect(&timer_, &QTimer::timeout, this, &Timeline::tick);
    if (runtime_) {
        connect(runtime_, &Runtime::framesChanged, this, &Timeline::refresh);
        connect(runtime_, &Runtime::stateChanged, this, [this](Runtime::State state) {
            if (state == Runtime::State::Lost) { // there are no pictures to play
                asked_ = false;
                setPlaying(false);
            }
            refresh();
        });
        connect(runtime_, &Runtime::refused, this, [this] {
            asked_ = false;
            setPlaying(false);
            refresh();
        });
        connect(runtime_, &Runtime::runStateChanged, this, [this](RunState state) {
            if (state != RunState::Running)
                asked_ = false;
            if (state != RunState::Running && state != RunState::Stopping) {
                showRate(1);
                if (std::exchange(follows_, false) && !playing_)
                    showFrame(frame(), false);
            }
            if (state == RunState::Failed || state == RunState::Cancelled)
                setPlaying(false);
            refresh();
        });
        connect(runtime_, &Runtime::frameFinished, this, [this](int frame) {
            if (follows_ && first() <= frame && frame <= last())
                showFrame(frame, true);
        });
        connect(runtime_, &Runtime::paced, this, &Timeline::showRate);
    }
    setRange(1, 48, 24);
    refresh();
}

QAction* Timeline::action(const char* name, const QString& text, const QString& tip,
                          const QKeySequence& keys)
{
    auto* made = new QAction(text, this);
    made->setObjectName(QLatin1String(name));
    made->setShortcut(keys);
    made->setToolTip(keys.isEmpty() ? tip
                                    : tip + QStringLiteral("  [%1]").arg(
                                                keys.toString(QKeySequence::NativeText)));
    addAction(made);
    return made;
}

QToolButton* Timeline::button(QAction* action)
{
    auto* made = new QToolButton(this);
    made->setDefaultAction(action);
    made->setAutoRaise(true);
    made->setIconSize({16, 16});
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

int Timeline::first() const
{
    return bar_->first();
}

int Timeline::last() const
{
    return bar_->last();
}

int Timeline::frame() const
{
    return bar_->frame();
}

bool Timeline::loops() const
{
    return loop->isChecked();
}

void Timeline::setRange(int first, int last, double fps)
{
    fps_ = fps > 0 ? fps : 24;
    bar_->setRange(first, last);
    const QSignalBlocker a(start_), b(end_);
    start_->setValue(first);
    end_->setValue(bar_->last());
    showRate(1);
    setFrame(frame());
    refresh();
}

void Timeline::showRate(double speed)
{
    rate_->setText(speed > 0.995
                       ? tr("%1 fps").arg(fps_)
                       : tr("%1 fps, time × %2").arg(fps_).arg(locale().toString(speed, 'f', 2)));
}

void Timeline::setPreparation(std::function<void(std::function<void()> start)> prepare)
{
    prepare_ = std::move(prepare);
}

void Timeline::showCells(const QString& text, const QString& tip)
{
    cells_->setText(text);
    cells_->setTip(tip);
    cells_->setVisible(!text.isEmpty());
}

void Timeline::setKeys(const QVector<int>& frames)
{
    bar_->setKeys(frames);
}

void Timeline::setFrame(int frame)
{
    frame = std::clamp(frame, first(), last());
    {
        const QSignalBlocker blocker(now_);
        now_->setValue(frame);
    }
    if (frame == bar_->frame())
        return;
    bar_->setFrame(frame);
    showFrame(frame, false);
}

void Timeline::showFrame(int frame, bool moving)
{
    bar_->setFrame(frame);
    const QSignalBlocker blocker(now_);
    now_->setValue(frame);
    refresh();
    emit frameChanged(frame, moving);
}

bool Timeline::available(int frame) const
{
    const FrameState state = bar_->stateAt(frame);
    return state == FrameState::Cached || state == FrameState::Stale;
}

bool Timeline::running() const
{
    return runtime_ && (runtime_->runState() == RunState::Running || asked_);
}

void Timeline::startRun()
{
    if (!runtime_ || running() || runtime_->state() != Runtime::State::Ready)
        return;
    asked_ = true;
    if (!prepare_ || !live->isChecked() || !cellsForRate->isChecked())
        return beginRun();
    refresh();
    prepare_([timeline = QPointer(this)] {
        if (timeline && timeline->asked_)
            timeline->beginRun();
    });
}

void Timeline::beginRun()
{
    follows_ = live->isChecked();
    runtime_->play(
        {}, {}, {},
        [timeline = QPointer(this)] {
            if (timeline) // it says so itself when it runs; if it has nothing to do, it does not
                QTimer::singleShot(1000, timeline, [timeline] {
                    timeline->asked_ = false;
                    timeline->refresh();
                });
        },
        live->isChecked());
}

void Timeline::setPlaying(bool playing)
{
    if (!playing)
        follows_ = false;
    if (std::exchange(playing_, playing) == playing)
        return;
    play->setIcon(transportIcon(playing ? Transport::Pause : Transport::Play));
    play->setText(playing ? tr("Pause") : tr("Play"));
    if (playing) {
        const auto current = [this](int f) {
            return bar_->stateAt(f) == FrameState::Cached;
        };
        bool complete = true;
        for (int f = first(); f <= last() && complete; ++f)
            complete = current(f);
        if (!complete)
            startRun();
        if (frame() == last() && available(last()))
            showFrame(first(), true);
        clock_.start();
        due_ = 1000 / fps_;
        timer_.start();
    } else {
        timer_.stop();
        showFrame(frame(), false); // a beautiful picture of where it stopped
    }
    emit playingChanged(playing);
}

void Timeline::tick()
{
    const auto now = static_cast<double>(clock_.elapsed());
    if (now < due_)
        return;
    if (follows_) { // frames come by themselves
        due_ = now + 1000 / fps_;
        return;
    }
    // Late by more than a few frames (a slow window): go on from now instead of racing.
    due_ = now - due_ > 4000 / fps_ ? now + 1000 / fps_ : due_ + 1000 / fps_;
    int next = frame() + 1;
    if (next > last()) {
        if (!loops()) {
            if (!running())
                setPlaying(false);
            return;
        }
        next = first();
    }
    if (next == frame())
        return;
    if (!available(next)) { // wait for the simulation, or go round what there is
        if (running()) {
            if (!waits_) // time for the full picture
                emit frameChanged(frame(), false);
            waits_ = true;
            return;
        }
        if (next == first() || !available(first()) || !loops()) {
            setPlaying(false);
            return;
        }
        next = first();
    }
    waits_ = false;
    showFrame(next, true);
}

void Timeline::refresh()
{
    if (runtime_)
        bar_->setFrames(runtime_->frames());
    const bool ready = runtime_ && runtime_->state() == Runtime::State::Ready;
    const auto enable = [](QAction* action, bool can, const QString& whyNot) {
        action->setEnabled(can);
        action->setProperty("whyNot", whyNot); // the command palette says it
    };
    const QString busy = ready ? tr("It is being simulated.") : tr("The runtime is not running.");
    enable(simulate, ready && !running(), busy);
    enable(stop, ready && running(), tr("Nothing is being simulated."));
    enable(resume, ready && !running() && available(frame()),
           ready && !running() ? tr("This frame has not been simulated.") : busy);
    enable(stepBack, frame() > first(), tr("This is the first frame."));
    enable(stepForward, frame() < last(), tr("This is the last frame."));
}

} // namespace floe::views
