#pragma once

#include "client/runtime.hpp"

#include <QObject>

#include <array>
#include <map>

namespace floe::views {

inline constexpr int kStages = 4; ///< of a frame's time; the last is everything else

/// What is known of one simulated frame; sums over all solvers. NaN: not reported.
struct FrameNumbers {
    double particles, activeShare, substeps, topSpeed;
    double seconds;                     ///< the whole frame took
    double bytes;                       ///< memory of the process
    std::array<double, kStages> stages; ///< transfer, grid, rebin, everything else [s]
};

/// Names of FrameNumbers::stages, translated.
QString stageName(int stage);

/// Reads a frame's statistics as in run.json. Unknown content gives NaN.
FrameNumbers frameNumbers(const Json& statistics);

/// Statistics of the frames this session simulated; the strip and the plots read it.
class History : public QObject {
    Q_OBJECT
public:
    explicit History(client::Runtime* runtime, QObject* parent = nullptr);
    const std::map<int, FrameNumbers>& frames() const { return frames_; }
    const FrameNumbers* at(int frame) const; ///< null: none
    void add(int frame, const FrameNumbers& numbers);
    void clear();

signals:
    void changed(int frame);

private:
    static constexpr std::size_t kMaxFrames = 100'000;
    std::map<int, FrameNumbers> frames_;
};

/// "45,900", "1.25 M", "3.4 GB", "120 ms", "2.1 s": three or four digits for a person.
QString countText(double count);
QString bytesText(double bytes);
QString secondsText(double seconds);

} // namespace floe::views
