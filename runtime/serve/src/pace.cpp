#include "pace.hpp"

#include <algorithm>

namespace floe::serve {

namespace {

constexpr double kShare = 0.9;  // of a frame's time that it should take: the rest is for others
constexpr double kIdle = 0.75;  // below this, time may run faster again
constexpr double kFaster = 1.1; // at most, from frame to frame: a short frame may be an exception
constexpr double kSlower = 0.5;
constexpr double kTrial = 0.25; // after so much, frames should be
constexpr double kGain = 0.8;   // this much shorter, or it is of no use

} // namespace

double Pace::wait(double now)
{
    // Late by whole frames: go on from now instead of racing.
    due_ = !started_ || now > due_ + frame_ ? now : due_;
    started_ = true;
    const double pause = std::max(due_ - now, 0.0);
    began_ = now + pause;
    due_ += frame_;
    return pause;
}

void Pace::done(double now)
{
    seconds_ = std::max(now - began_, 0.0);
    sum_ += speed_;
    ++frames_;
    const double share = seconds_ / frame_;
    if (vain_ || frames_ == 1) // the first frame makes things, and takes no steps
        return;
    fromSeconds_ = std::max(fromSeconds_, seconds_);
    if (share > 1 && fromSpeed_ > 0 && speed_ <= kTrial * fromSpeed_) {
        vain_ = seconds_ > kGain * fromSeconds_;
        fromSpeed_ = fromSeconds_ = 0;
        if (vain_) {
            speed_ = 1;
            return;
        }
    }
    if (share > 1 && fromSpeed_ == 0) {
        fromSpeed_ = speed_;
        fromSeconds_ = seconds_;
    }
    if (share > 1)
        speed_ *= std::max(kShare / share, kSlower);
    else if (share < kIdle)
        speed_ *= std::min(kShare / std::max(share, 1e-3), kFaster);
    speed_ = std::clamp(speed_, kSlowest, 1.0);
}

} // namespace floe::serve
