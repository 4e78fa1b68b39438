#pragma once

namespace floe::view {

/// Lets nodes draw: offers floe/sdk/render.h to plugins during its lifetime, then releases the
/// renderer. One per process, made before the nodes that draw and destroyed after them.
class NodePictures {
public:
    NodePictures();
    ~NodePictures();
    NodePictures(const NodePictures&) = delete;
    NodePictures& operator=(const NodePictures&) = delete;
};

} // namespace floe::view
