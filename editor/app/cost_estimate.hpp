#pragma once

#include "app/run_cost.hpp"

#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <string>

namespace floe::panels {
class ParameterPanel;
}

namespace floe::graph {
struct NodeType;
class TypeLibrary;
} // namespace floe::graph

namespace floe::editor {

class Document;

/// The parameter of a solver that values of other nodes follow, its cell size; empty: it has none.
std::string followedParameter(const graph::TypeLibrary& types, const graph::NodeType& solver);

/// What a run takes, beside the parameter that makes a scene finer: the one of a solver that other
/// nodes follow (graph::Automatic), its cell size.
///
/// Where the size comes to rest, a trial of the scene as it is then measures; while it is dragged,
/// the last measurement is scaled: with n times as many cells along a side there are n^3 times as
/// many particles, which take as much more memory, and n times as many steps.
class CostEstimate : public QObject {
    Q_OBJECT
public:
    /// @param program  the path of `floe`
    CostEstimate(const Document& document, panels::ParameterPanel* panel,
                 std::function<QString()> program, QObject* parent);

    /// The panel shows this node now; none: nothing to estimate.
    void follow(const std::string& scope, const std::string& node, const QString& path);
    void setRest(int milliseconds) { rest_.setInterval(milliseconds); }

private:
    /// What a trial has found of a solver.
    struct Measured {
        QString node; ///< full name
        double size = 0;
        double particles = 0, bytes = 0, steps = 0;
        double firstSeconds = 0, frameSeconds = 0; ///< of the first frame, of each one after it
        double growth = 0;                         ///< share of the particles that a frame adds
        int frames = 0;
    };
    std::optional<double> size() const; ///< of the node followed
    void edited();
    void measure();
    void take(const Json& cost);
    void show();
    QString text(const Measured& measured, double size) const;

    const Document& document_;
    panels::ParameterPanel* panel_;
    std::function<QString()> program_;
    RunCost trial_{nullptr};
    QTimer rest_;
    std::string scope_, node_, parameter_; ///< parameter_ empty: nothing to estimate
    QString path_;
    std::optional<double> known_; ///< size when the panel was filled, or last edited
    double tried_ = 0;            ///< size in the trial in work
    std::optional<Measured> measured_;
};

} // namespace floe::editor
