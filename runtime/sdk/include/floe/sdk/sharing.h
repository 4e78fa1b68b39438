/* Host extension: particles that share arrays. A frame in which most attributes are as they were in
 * the last one then costs neither their memory nor a copy. Thread-safe. */
#ifndef FLOE_SDK_SHARING_H
#define FLOE_SDK_SHARING_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_SHARING_EXTENSION "floe.sharing/1"

typedef struct floe_sharing {
    uint32_t struct_size;
    /* Adds an attribute of other particles without a copy: both hold one array, which nobody may
     * write any more; `others` count as handed on. FLOE_NOT_FOUND: they have no attribute of that
     * name; FLOE_BAD_ARGUMENT: they are not as many or in other memory, or `particles` have been
     * handed on or have an attribute of that name. */
    floe_status (*share_attribute)(floe_value* particles, const char* name,
                                   const floe_value* others);
} floe_sharing;

#ifdef __cplusplus
}
#endif

#endif
