#include "floe/base/descriptor.hpp"

#include <unistd.h>

namespace floe {

void Descriptor::close()
{
    if (value_ >= 0)
        ::close(value_);
    value_ = -1;
}

} // namespace floe
