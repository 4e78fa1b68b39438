#include "floe/sdk/node.hpp"

#include <csignal>

namespace {

using namespace floe::sdk;

class Crash final : public Node {
public:
    static constexpr const char* kType = "test.crash";
    void cook(Context& context) override
    {
        if (static_cast<int64_t>(context.frame()) == context.integer("frame")) {
            std::signal(SIGSEGV, SIG_DFL);
            std::raise(SIGSEGV);
        }
        context.setOutput("out", makeNumber(context.frame()));
    }
};

} // namespace

FLOE_PLUGIN("test.editor", "1.0.0", Crash)
