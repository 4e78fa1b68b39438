#pragma once

#include "floe/graph/flat_graph.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/library.hpp"
#include "floe/session/quiet_services.hpp"
#include "floe/view/domain_lines.hpp"
#include "floe/view/frame_values.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace floe::view {

/// The values of a graph's nodes at one frame, for pictures and tables: nodes before the solvers
/// are cooked as needed, the solvers' values come from the frames that are simulated. One thread.
class SceneValues {
public:
    /// @param library, frames  stay where they are while this lives
    SceneValues(session::Library& library, FrameSource& frames, std::string outputFolder);
    ~SceneValues();

    /// Values that the new graph does not change are kept.
    void setGraph(std::shared_ptr<const graph::FlatGraph> graph);

    /// Things placed in the scene; from which node each comes.
    struct Placed {
        std::vector<std::pair<std::string, ValueRef>> colliders; ///< records
        std::vector<std::pair<std::string, ValueRef>> emitters;  ///< as records "collider"
        std::vector<ValueRef> lights;
        std::vector<std::pair<std::string, ValueRef>> cameras;
        std::vector<std::pair<std::string, DomainBox>> domains;
    };
    /// @throws what evaluation throws as a whole; nodes that fail are left out
    const Placed& placed(int frame);

    /// Meshes that nodes after the solvers make of a simulated frame, and from which node each is.
    /// Those that fail are left out.
    using Surfaces = std::vector<std::pair<std::string, ValueRef>>;
    /// @param cook  false: only what is there already; null when it is not
    const Surfaces* surfaces(int frame, bool cook);
    /// A frame has other values; of all frames when nothing is said.
    void forgetSurfaces(std::optional<int> frame);

    /// A value of any node. @throws InputError there is none, with the reason
    ValueRef value(const std::string& node, const std::string& socket, int frame);

private:
    ValueRef output(std::size_t node, const std::string& kind) const;
    void addPlaced(std::size_t node);
    ValueRef emitterShape(const graph::FlatNode& emitter) const;

    session::Library& library_;
    FrameSource& frames_;
    std::shared_ptr<const graph::FlatGraph> graph_;
    session::QuietServices services_;
    std::unique_ptr<session::Evaluator> evaluator_; ///< of placed()
    std::optional<int> frame_;
    Placed placed_;
    std::vector<std::size_t> surfaceNodes_;
    std::map<int, Surfaces> surfaces_; ///< by frame
};

} // namespace floe::view
