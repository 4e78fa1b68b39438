// floe_read_vdb volume FILE GRID | particles FILE
// Reads an OpenVDB file and writes the value to standard output; see isolated_read.hpp. Exit codes:
// 0 done, 1 the file is at fault, 2 memory ran out; then cause and cure are on standard error.

#include "openvdb_grids.hpp"
#include "vdb_readers.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/data/value_stream.hpp"

#include <fstream>
#include <iostream>

namespace {

int fail(const std::string& cause, const std::string& cure, int code = 1)
{
    std::cerr << cause << '\n' << cure;
    return code;
}

int failForMemory()
{
    return fail("asks for more memory than there is: it is damaged or too large", "", 2);
}

} // namespace

int main(int count, char** arguments)
{
    using namespace floe;
    const std::string_view what = count > 2 ? arguments[1] : "";
    if (!(what == "volume" && count == 4) && !(what == "particles" && count == 3))
        return fail("usage: floe_read_vdb volume FILE GRID | particles FILE", "");
    const std::filesystem::path path = arguments[2];
    endAsKilledFromOutside();
    std::cout.put('\0').flush(); // it begins; the value replaces this
    try {
        const ValueRef value = what == "volume" ? ValueRef(io::readVdbVolume(path, arguments[3]))
                                                : ValueRef(io::readVdbPoints(path));
        std::ofstream stream("/proc/self/fd/1", std::ios::binary);
        writeValue(stream, *value);
        stream.flush();
        return stream ? 0 : fail("the value could not be handed over", "");
    } catch (const MemoryError&) {
        return failForMemory();
    } catch (const Error& error) {
        return fail(error.cause(), error.cure());
    } catch (const std::bad_alloc&) {
        return failForMemory();
    } catch (const std::exception& error) {
        return fail(std::string("is not a VDB file that can be read: ") + error.what(), "");
    }
}
