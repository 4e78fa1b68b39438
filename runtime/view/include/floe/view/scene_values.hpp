#pragma once

#include "floe/graph/flat_graph.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/library.hpp"
#include "floe/session/quiet_services.hpp"
#include "floe/view/frame_values.hpp"
#include "floe/view/kept_surfaces.hpp"
#include "floe/view/line_box.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace floe::view {

/// The values of a graph's nodes at one frame, for pictures and tables: nodes upstream of solvers
/// are cooked on demand, the solvers' values come from the simulated frames. One thread.
class SceneValues {
public:
    /// @param library, frames  must outlive this, unmoved
    SceneValues(session::Library& library, FrameSource& frames, std::string outputFolder);
    ~SceneValues();

    /// Keeps values that the new graph does not change. Before the first graph there is nothing to
    /// see, even of frames that are there.
    void setGraph(std::shared_ptr<const graph::FlatGraph> graph);

    /// Objects placed in the scene, each with its node.
    struct Placed {
        std::vector<std::pair<std::string, ValueRef>> colliders; ///< records
        std::vector<std::pair<std::string, ValueRef>> emitters;  ///< as records "collider"
        /// Shapes before they are simulated, as records "collider".
        struct Shape {
            std::string node;
            ValueRef record;
            bool used = false; ///< its node is linked to another
        };
        std::vector<Shape> shapes;
        std::vector<ValueRef> lights;
        std::vector<std::pair<std::string, ValueRef>> cameras;
        std::vector<std::pair<std::string, LineBox>> domains;
        /// 3D Gaussians that no solver moves, and those as they are before one moves them.
        std::vector<std::pair<std::string, ValueRef>> gaussians, simulatedGaussians;
    };
    /// @throws what evaluation throws as a whole; failed nodes are left out
    const Placed& placed(int frame);

    /// Meshes and 3D Gaussians that nodes downstream of solvers make from a simulated frame, each
    /// with its node.
    /// Failed nodes are left out.
    using Surfaces = std::vector<std::pair<std::string, ValueRef>>;
    /// @param cook  false: only existing values; null when there are none
    const Surfaces* surfaces(int frame, bool cook);
    /// Drops the surfaces of a frame whose values have changed; of all frames without an argument.
    void forgetSurfaces(std::optional<int> frame);
    /// Surfaces of the solvers' particles, dropped with those of the nodes.
    KeptSurfaces& keptSurfaces() { return keptSurfaces_; }

    double fps() const; ///< of the graph; before the first: the usual

    /// Returns the solvers whose values a node takes, directly or as other nodes have changed them.
    /// @param input  by this one alone; empty: by all
    std::set<std::string> solversBehind(const std::string& node,
                                        const std::string& input = {}) const;
    bool keepsFrames(const std::string& node) const; ///< see graph::NodeType

    /// Returns a value of any node. @throws InputError there is none, with the reason
    ValueRef value(const std::string& node, const std::string& socket, int frame);

    /// Sockets of nodes, which are numbers in the graph.
    using Outputs = std::map<std::size_t, std::vector<std::string>>;
    struct GaussianOutput {
        std::size_t node;
        std::string socket;
        bool moved; ///< by a solver
    };

private:
    std::map<std::string, ValueRef> outputsOf(std::size_t solver, int frame) const;
    ValueRef output(std::size_t node, const std::string& kind) const;
    void addPlaced(std::size_t node);
    ValueRef emitterShape(const graph::FlatNode& emitter) const;
    std::vector<bool> used_, after_; ///< by node: is linked to another, depends on a solver

    session::Library& library_;
    FrameSource& frames_;
    std::shared_ptr<const graph::FlatGraph> graph_;
    session::QuietServices services_;
    std::unique_ptr<session::Evaluator> evaluator_; ///< of placed()
    std::optional<int> frame_;
    Placed placed_;
    Outputs surfaceOutputs_;
    std::vector<GaussianOutput> gaussianOutputs_;
    std::map<int, Surfaces> surfaces_; ///< by frame
    KeptSurfaces keptSurfaces_;
};

} // namespace floe::view
