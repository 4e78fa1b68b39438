// NanoVDB's own threads end the program where memory runs out in one of them, or where one cannot
// be started; TBB's hand the exception on.
#include "floe/io/surface.hpp"
#include "floe/io/volume.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <pthread.h>
#include <tbb/global_control.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they have their own

static std::atomic<int> started{0};

extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t* thread, const pthread_attr_t* settings, void* (*run)(void*), void* given)
{
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
    ++started;
    return create(thread, settings, run, given);
}

namespace floe::io {

TEST(VolumeThreads, AreThoseOfTbb)
{
    const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    const auto point = make<ParticlesValue>(1u);
    std::ranges::fill(point->add<float>("x", 3), 2.0f);
    point->seal();
    const std::array sets = {Ref<const ParticlesValue>(point)};
    const test::TemporaryFolder folder;
    const auto volume = surfaceOf(sets, {.radius = 0.5, .voxelSize = 0.03}); // TBB starts its own
    EXPECT_GT(started, 0); // else they are not seen
    const int before = started;
    writeVolume(folder / "a.vdb", "a", volume);
    EXPECT_EQ(started, before);
}

} // namespace floe::io

#endif
