#pragma once

#include "views/statistics.hpp"

#include "floe/base/json.hpp"

#include <QString>

#include <utility>
#include <vector>

namespace floe::editor {

/// A variant of a sweep as `floe sweep` left it.
struct SweepVariant {
    QString name;                                 ///< of its folder
    std::vector<std::pair<QString, Json>> values; ///< "node.parameter" and what it is
    QString state;            ///< "done", "failed"; else it was not simulated to its end
    QString report;           ///< path of its run.json
    bool kept = false;        ///< its frames are there to be looked at
    views::FrameNumbers last; ///< of its last frame
    double seconds = 0;       ///< that it took

    /// "snow.youngModulus = 20000, ball.radius = 0.2"
    QString text() const;
    static QString textOf(const Json& value); ///< as a person writes it
};

/// The variants of the newest sweep in an output folder, in its order.
/// @throws IoError  it is none
std::vector<SweepVariant> sweepVariants(const QString& folder);

} // namespace floe::editor
