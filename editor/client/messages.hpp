#pragma once

#include "floe/base/json.hpp"
#include "floe/graph/fault.hpp"

#include <QColor>
#include <QDateTime>
#include <QImage>
#include <QMap>
#include <QString>
#include <QVariant>
#include <QVector>

#include <array>
#include <optional>
#include <vector>

namespace floe::client {

// What the runtime tells, as values. The runtime is another process and may be of another version,
// broken or hostile: reading never throws; what is missing or of a wrong type takes the default
// that is written beside it, and numbers are kept in range.

enum class FrameState { Empty, Running, Cached, Stale, Broken };

/// Frames first to last, both included, that have one state.
struct FrameSpan {
    int first = 1, last = 1;
    FrameState state = FrameState::Empty;
    bool operator==(const FrameSpan&) const = default;
};

enum class RunState { Idle, Running, Stopping, Finished, Failed, Cancelled };

enum class NodeMark { Fine, Warning, Error, Cooking, Cached, Missing };

/// What a node is doing.
struct NodeStatus {
    QString node; ///< with its subgraphs: "debris/ball"
    NodeMark mark = NodeMark::Fine;
    QString message;
    double progress = -1; ///< 0 to 1; -1: not known
};

struct LogLine {
    enum class Severity { Info, Warning, Error };
    Severity severity = Severity::Info;
    QString node; ///< empty: none
    QString message;
    QDateTime time;
};

/// Where the run is.
struct Progress {
    int frame = 0;
    QString node;
    double fraction = 0; ///< of the frame, 0 to 1
};

/// What the colours of a picture mean: a map with its range, or one entry for each colour.
struct Legend {
    struct Entry {
        QString label;
        QColor colour;
    };
    QString title; ///< empty: there is no legend
    QString map;   ///< name of the colour map; empty: entries
    double low = 0, high = 1;
    QVector<Entry> entries; ///< at most 64
};

/// Views of a scene that are open at a time.
inline constexpr int kMaxViews = 4;

/// From where a picture is seen.
struct Camera {
    std::array<double, 3> eye{2, 1.5, 3}, target{0, 0.5, 0}, up{0, 1, 0}; ///< world space [m]
    double fieldOfView = 40;                                              ///< vertical [deg]
    bool orthographic = false; ///< everywhere as high as it is at the target
    bool operator==(const Camera&) const = default;
};

/// Cuts away points x with dot(normal, x) > offset.
struct Cut {
    std::array<double, 3> normal{0, 0, 1};
    double offset = 0; ///< [m]
    bool operator==(const Cut&) const = default;
};

/// A picture the runtime drew.
struct Picture {
    QImage image; ///< RGBA8888
    qint64 sequence = 0;
    int view = 0; ///< number of the view, 0 to kMaxViews - 1
    int frame = 0;
    double milliseconds = 0; ///< the drawing took
    bool cached = true;      ///< false: the scene before it is simulated
    std::optional<Camera> camera;
    Legend legend;
};

/// A page of a value as a table.
struct TablePage {
    QStringList columns;
    QVector<QVector<QVariant>> rows; ///< numbers (double) and texts (QString)
    qint64 total = 0;                ///< rows of the whole value
};

/// The member of an object; null when there is none, or `object` is not an object.
const Json* member(const Json& object, const char* key);
QString textOf(const Json& object, const char* key);                   ///< default ""
double numberOf(const Json& object, const char* key, double fallback); ///< finite
/// Clamped to [low, high].
qint64 integerOf(const Json& object, const char* key, qint64 fallback, qint64 low = -1'000'000'000,
                 qint64 high = 1'000'000'000);

QVector<FrameSpan> frameSpans(const Json& object, const char* key); ///< at most 100,000
/// Spans by node: what is on disk of nodes that keep their frames. At most 10,000 nodes.
QMap<QString, QVector<FrameSpan>> keptFrames(const Json& object, const char* key);
std::vector<graph::Fault> faults(const Json& object, const char* key);
RunState runState(const Json& params);
NodeStatus nodeStatus(const Json& params);
LogLine logLine(const Json& params);
Progress progress(const Json& params);
TablePage tablePage(const Json& result);
Legend legend(const Json& object, const char* key);
std::optional<Camera> camera(const Json& object, const char* key); ///< only with eye and target
std::optional<std::array<double, 3>> triple(const Json& value);    ///< only of three finite numbers

/// "Running", ... for people, translated.
QString label(FrameState state);

} // namespace floe::client
