#pragma once

namespace floe::serve {

/// Keeps a simulation at a frame rate: a frame does not begin before its time, and where frames
/// take longer than that, simulated time is slowed down, since a frame then takes fewer substeps.
///
/// What a frame takes is assumed to be in proportion to the speed, and corrected from frame to
/// frame. Where it turns out not to depend on the speed (solvers with as many substeps in each
/// frame), time runs as it should, and frames come late.
class Pace {
public:
    static constexpr double kSlowest = 1.0 / 64;

    /// @param fps  frames a second, > 0
    explicit Pace(double fps) : frame_(1 / fps) {}

    /// Begins a frame. @param now  [s], since whenever  @return how long to wait first [s]
    double wait(double now);
    /// A frame that began when wait() had passed has ended. @param now  [s]
    void done(double now);

    bool begun() const { return started_; }

    /// What to multiply the simulated time of the next frame by, at most 1.
    double speed() const { return speed_; }
    /// What the last frame took [s].
    double seconds() const { return seconds_; }
    /// Mean of speed() over all frames so far; 1 before the first.
    double meanSpeed() const { return frames_ > 0 ? sum_ / frames_ : 1; }

private:
    double frame_;
    double due_ = 0, began_ = 0, seconds_ = 0;
    double speed_ = 1, sum_ = 0;
    int frames_ = 0;
    double fromSpeed_ = 0;   ///< when time began to be slowed down; 0: it was not
    double fromSeconds_ = 0; ///< longest frame since
    bool vain_ = false;      ///< slower time is of no use
    bool started_ = false;
};

} // namespace floe::serve
