#pragma once

#include "domain_lines.hpp"
#include "frame_store.hpp"
#include "quiet_services.hpp"
#include "session_document.hpp"

#include "../evaluator.hpp"
#include "../picture_scene.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::session {

/// What the client wants to see.
struct ViewSettings {
    int width = 1280, height = 720; ///< [pixels]
    int frame = 1;
    std::optional<render::Camera> camera; ///< nothing: cameraNode, or one that shows everything
    std::string cameraNode;
    /// Width / height of what cameraNode is rendered to. A narrower view sees a wider angle, so
    /// that the whole of it shows. 0: nothing renders it.
    double gate = 0;
    std::string mode = "material"; ///< material, speed, activation, attribute
    std::string attribute;
    std::string map = "viridis";
    std::optional<std::array<double, 2>> range; ///< of the map; nothing: that of the data
    bool particles = true, colliders = true, grid = true, domain = true, legend = true;
    std::optional<bool> emitters; ///< nothing: while the frame is not simulated
    bool surfaces = true;         ///< meshes made of the solvers' particles, in their place
    bool moving = false;          ///< quick rather than beautiful

    /// True when another camera, size or quality would show the same things.
    bool sameContent(const ViewSettings& other) const;
};

/// The values of a document's nodes at one frame, for pictures and tables: nodes before the solvers
/// are cooked as needed, the solvers' values come from the store. One thread.
class SceneValues {
public:
    SceneValues(Library& library, FrameStore& store, std::string outputFolder);
    ~SceneValues();

    /// Values that the new document does not change are kept.
    void setDocument(std::shared_ptr<const SessionDocument> document);
    const graph::FlatGraph* graph() const;

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

    Library& library_;
    FrameStore& store_;
    std::shared_ptr<const SessionDocument> document_;
    QuietServices services_;
    std::unique_ptr<Evaluator> evaluator_; ///< of placed()
    std::optional<int> frame_;
    Placed placed_;
    std::vector<std::size_t> surfaceNodes_;
    std::map<int, Surfaces> surfaces_; ///< by frame
};

/// A scene for a view, with the node of each of its parts.
struct ViewScene {
    std::unique_ptr<PictureScene> picture;
    std::vector<std::string> particleNodes; ///< of scene.particles
    std::vector<std::string> meshNodes;     ///< of scene.meshes
    /// Of scene.meshes those that are boxes of domains, with their corners; see thinLines.
    std::vector<std::pair<std::size_t, std::array<render::Float3, 8>>> domains;
    bool preview = false;  ///< with fewer particles than there are
    bool cached = false;   ///< it shows simulated particles
    bool surfaces = false; ///< it shows their surfaces
    bool shared = false;   ///< only the renderer whose memory was given can draw it
};

/// Surfaces are cooked for still views; one in motion shows those that are there.
/// @param frame   the solvers' values at view.frame; null when it is not simulated
/// @param shared  as PictureScene takes it
/// @throws InputError a setting that these particles do not have
ViewScene makeViewScene(SceneValues& values, const std::shared_ptr<const FrameValues>& frame,
                        const ViewSettings& view, SharedMemory* shared);

} // namespace floe::session
