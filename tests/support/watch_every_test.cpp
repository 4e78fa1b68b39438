// Linked into a test program whose kernels are compiled for it (memory_watch.hpp): every test fails
// that finds a fault.

#include "memory_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace floe::test {
namespace {

class WatchAll final : public testing::Environment {
public:
    void SetUp() override { watch_ = std::make_unique<MemoryWatch>(); }
    void TearDown() override
    {
        EXPECT_THAT(watch_->found(), testing::IsEmpty());
        EXPECT_EQ(watch_->accesses() > 0, watch_->launches() > 0) << "kernels are not watched";
        watch_.reset();
    }

private:
    std::unique_ptr<MemoryWatch> watch_;
};

const testing::Environment* const watchAll = testing::AddGlobalTestEnvironment(new WatchAll);

} // namespace
} // namespace floe::test
