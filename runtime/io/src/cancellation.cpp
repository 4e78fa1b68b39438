#include "cancellation.hpp"

#include "floe/base/error.hpp"

namespace floe::io {

void Cancellation::ask()
{
    work_ = 0;
    if (cancelled_ && cancelled_())
        throw CancelledError({.file = file_}, "cancelled");
}

} // namespace floe::io
