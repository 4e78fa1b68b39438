// Files that plugins write with the SDK alone.
#include "temporary_folder.hpp"

#include "floe/sdk/npz.hpp"
#include "floe/sdk/output_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace floe::sdk {
namespace {

void write(const Npz& arrays, const std::filesystem::path& path)
{
    OutputFile file(path.string());
    arrays.write([&](const void* data, std::size_t size) { file.write(data, size); });
    file.commit();
}

// The parts of a zip archive that readers look for; NumPy itself opens one in another test.
TEST(Npz, IsAnArchiveOfArrays)
{
    const test::TemporaryFolder folder;
    Npz arrays;
    arrays.add("numbers", std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
    arrays.add("alone", std::vector<double>{7}, {});
    write(arrays, folder.path() / "deeper" / "a.npz");
    write(arrays, folder.path() / "deeper" / "b.npz");
    const auto bytesOf = [&](const char* name) {
        std::ifstream stream(folder.path() / "deeper" / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    const std::string bytes = bytesOf("a.npz");
    EXPECT_EQ(bytes, bytesOf("b.npz"));
    EXPECT_EQ(bytes.substr(0, 4), std::string("PK\x03\x04", 4));
    EXPECT_NE(bytes.find("'descr': '<f4', 'fortran_order': False, 'shape': (2,3,)"),
              std::string::npos);
    EXPECT_NE(bytes.find("'shape': ()"), std::string::npos);
    EXPECT_EQ(bytes.substr(bytes.size() - 22, 4), std::string("PK\x05\x06", 4));
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(folder.path() / "deeper"))
        ++files;
    EXPECT_EQ(files, 2u); // nothing half written is left
    std::ofstream(folder.path() / "taken") << "a file";
    EXPECT_THROW(write(arrays, folder.path() / "taken" / "c.npz"), Failure);
}

} // namespace
} // namespace floe::sdk
