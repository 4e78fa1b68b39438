#pragma once

#include "set/gaussian_set.hpp"

#include "floe/sdk/node.hpp"

#include <optional>
#include <span>

namespace floe::gaussians {

/// Gaussians where they lie in particles, without a copy unless an attribute `shRotation` turns
/// their colours. The particles must outlive it.
class SetView {
public:
    /// @param input  name of the socket, for the message
    /// @throws sdk::Failure  they are no Gaussians
    SetView(const sdk::Value& particles, const char* input);
    SetView(const SetView&) = delete;
    SetView& operator=(const SetView&) = delete;

    int degree; ///< as in GaussianSet
    std::span<const float> x, scale, rotation, opacity, sh;
    struct Property {
        const char* name;
        std::span<const float> values;
    };
    std::vector<Property> properties;

    std::size_t count() const { return opacity.size(); }
    std::size_t shComponents() const { return 3 * coefficientsOf(degree); }
    /// Whether `sh` is a turned copy.
    bool isTurned() const { return turned_.has_value(); }

private:
    std::optional<std::vector<float>> turned_; ///< coefficients, where they are not as they lie
};

} // namespace floe::gaussians
