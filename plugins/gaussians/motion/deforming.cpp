#include "motion/deforming.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace floe::gaussians {

// One for each instruction set (deform_kernel.cpp.in).
void deformBaseline(const DeformedBatch& batch);
void deformAvx2(const DeformedBatch& batch);
void deformAvx512(const DeformedBatch& batch);

Deform findDeform(const char* instructionSet)
{
    const auto asks = [&](const char* name) {
        return std::strcmp(instructionSet, name) == 0;
    };
    if (asks("baseline"))
        return deformBaseline;
#if FLOE_GAUSSIANS_WIDE
    __builtin_cpu_init();
    if (asks("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return deformAvx2;
    if (asks("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return deformAvx512;
#endif
    return nullptr;
}

namespace {

Deform chosenDeform()
{
    const char* const asked = std::getenv("FLOE_SIMD"); // as for the solver
    if (const Deform found = asked ? findDeform(asked) : nullptr)
        return found;
    for (const char* name : {"avx512", "avx2"})
        if (const Deform found = findDeform(name))
            return found;
    return deformBaseline;
}

} // namespace

void deform(const DeformedBatch& batch)
{
    static const Deform chosen = chosenDeform();
    chosen(batch);
}

} // namespace floe::gaussians
