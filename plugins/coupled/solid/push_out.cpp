#include "push_out.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

void pushOut(Fluid& fluid, const Lattice& lattice, const std::vector<float>& solidVolume,
             Executor& executor)
{
    const auto cell = static_cast<float>(fluid.cellSize());
    const float whole = cell * cell * cell;
    executor.parallelFor(fluid.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto b = static_cast<std::size_t>(lattice.find(fluid[i].block));
            for (FluidParticle& p : fluid[i].particles) {
                int low[3];
                float share[3];
                for (int axis = 0; axis < 3; ++axis) {
                    const float at = p.x[axis] / cell - 0.5f;
                    const float first = // a block beside at most
                        std::clamp(std::floor(at), float{-kBlockEdge}, float{2 * kBlockEdge - 2});
                    low[axis] = static_cast<int>(first);
                    share[axis] = at - first;
                }
                float filled = 0;
                Vec3f slope{0, 0, 0};
                for (int k = 0; k < 8; ++k) {
                    const int o[3] = {k >> 2, k >> 1 & 1, k & 1};
                    const std::int64_t at =
                        lattice.cellAt(b, low[0] + o[0], low[1] + o[1], low[2] + o[2]);
                    if (at < 0)
                        continue;
                    const float value = solidVolume[static_cast<std::size_t>(at)] / whole;
                    float w[3], d[3];
                    for (int axis = 0; axis < 3; ++axis) {
                        w[axis] = o[axis] ? share[axis] : 1 - share[axis];
                        d[axis] = (o[axis] ? 1 : -1) / cell;
                    }
                    filled += value * w[0] * w[1] * w[2];
                    slope = slope + value * Vec3f{d[0] * w[1] * w[2], w[0] * d[1] * w[2],
                                                  w[0] * w[1] * d[2]};
                }
                const float steep = physics::length(slope);
                // A plane surface fills half of what a cell averages over.
                if (filled <= 0.5f || !(steep > 0))
                    continue;
                const float way = std::min((filled - 0.5f) / steep, 0.25f * cell);
                p.x = p.x - (way / steep) * slope;
            }
        }
    });
}

} // namespace floe::coupled
