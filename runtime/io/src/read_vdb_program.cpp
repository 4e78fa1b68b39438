// floe_read_vdb volume FILE GRID | particles FILE
// Reads an OpenVDB file and writes the value to standard output; see isolated_read.hpp.

#include "openvdb_grids.hpp"
#include "vdb_readers.hpp"

#include "floe/base/error.hpp"
#include "floe/data/value_stream.hpp"

#include <fstream>
#include <iostream>

namespace {

int fail(const std::string& cause, const std::string& cure)
{
    std::cerr << cause << '\n' << cure;
    return 1;
}

} // namespace

int main(int count, char** arguments)
{
    using namespace floe;
    const std::string_view what = count > 2 ? arguments[1] : "";
    if (!(what == "volume" && count == 4) && !(what == "particles" && count == 3))
        return fail("usage: floe_read_vdb volume FILE GRID | particles FILE", "");
    const std::filesystem::path path = arguments[2];
    try {
        const ValueRef value = what == "volume" ? ValueRef(io::readVdbVolume(path, arguments[3]))
                                                : ValueRef(io::readVdbPoints(path));
        std::ofstream stream("/proc/self/fd/1", std::ios::binary);
        writeValue(stream, *value);
        stream.flush();
        return stream ? 0 : fail("the value could not be handed over", "");
    } catch (const Error& error) {
        return fail(error.cause(), error.cure());
    } catch (const std::bad_alloc&) {
        return fail("asks for more memory than there is: it is damaged or too large", "");
    } catch (const std::exception& error) {
        return fail(std::string("is not a VDB file that can be read: ") + error.what(), "");
    }
}
