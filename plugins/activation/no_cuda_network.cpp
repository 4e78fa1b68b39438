#include "cuda_network.hpp"

namespace floe::activation {

bool evaluateOnCuda(const sdk::network::PreparedModel&, const sdk::network::Question&,
                    const floe_device*, float*)
{
    return false;
}

} // namespace floe::activation
