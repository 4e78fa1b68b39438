// What git counts on when it calls `floe diff` and `floe merge`: exit codes and files.
#include "run_graph.hpp"

#include "floe/base/file.hpp"
#include "floe/base/json.hpp"

#include <gmock/gmock.h>

namespace floe {
namespace {

using test::runFloe;
using testing::HasSubstr;

class Merging : public testing::Test {
protected:
    Merging()
    {
        write("base", [](Json&) {});
        write("mine", [](Json& scene) { scene["range"]["end"] = 96; });
        write("theirs", [](Json& scene) { radiusOf(scene) = 0.25; });
        write("against", [](Json& scene) { scene["range"]["end"] = 24; });
    }

    static Json& radiusOf(Json& scene) { return scene["nodes"]["ball"]["parameters"]["radius"]; }

    std::string path(const std::string& name) const
    {
        return (folder / (name + ".floe.json")).string();
    }
    Json read(const std::string& name) const { return Json::parse(readFile(path(name))); }

    void write(const std::string& name, const std::function<void(Json&)>& edit)
    {
        Json scene = Json::parse(readFile(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
        edit(scene);
        writeFileAtomically(path(name), scene.dump());
    }

    const test::TemporaryFolder folder;
};

TEST_F(Merging, WritesWhatBothHaveChanged)
{
    const auto run = runFloe("merge " + path("base") + " " + path("mine") + " " + path("theirs") +
                             " -o " + path("mine"));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(run.output, "");
    Json scene = read("mine");
    EXPECT_EQ(scene["range"]["end"], 96);
    EXPECT_EQ(radiusOf(scene), 0.25);
    EXPECT_EQ(runFloe("fmt --check " + path("mine")).code, 0) << "in the standard layout";
}

TEST_F(Merging, ConflictsAreToldByTheExitCode)
{
    const std::string three =
        "merge " + path("base") + " " + path("mine") + " " + path("against") + " -o " + path("out");
    const auto run = runFloe(three);
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.output, HasSubstr("! range.end: 48 -> mine 96, theirs 24"));
    EXPECT_EQ(read("out")["range"]["end"], 96);

    EXPECT_EQ(runFloe(three + " --theirs").code, 0);
    EXPECT_EQ(read("out")["range"]["end"], 24);
    EXPECT_EQ(runFloe(three + " --mine --theirs").code, 2);

    const auto json = runFloe(three + " --json");
    EXPECT_EQ(json.code, 1);
    EXPECT_EQ(Json::parse(json.output)["conflicts"][0]["theirs"], 24);
}

// git gives an empty file for what was not there, and /dev/null to a difftool.
TEST_F(Merging, NothingIsAGraphToo)
{
    folder.file("nothing.floe.json", "");
    const auto diff = runFloe("diff /dev/null " + path("base"));
    EXPECT_EQ(diff.code, 1);
    EXPECT_THAT(diff.output, HasSubstr("+ node ball (floe.shape.sphere)"));
    EXPECT_EQ(runFloe("diff " + path("nothing") + " /dev/null").code, 0);

    const auto merge = runFloe("merge " + path("nothing") + " " + path("theirs") + " " +
                               path("theirs") + " -o " + path("out"));
    EXPECT_EQ(merge.code, 0) << merge.output;
    EXPECT_EQ(runFloe("diff " + path("out") + " " + path("theirs")).code, 0);
}

// A file that is no graph ends the merge and leaves what was there.
TEST_F(Merging, LeavesTheOutputWhereASideCannotBeRead)
{
    const std::string before = readFile(path("mine"));
    folder.file("broken.floe.json", "<<<<<<< HEAD");
    const auto run = runFloe("merge " + path("base") + " " + path("mine") + " " + path("broken") +
                             " -o " + path("mine"));
    EXPECT_EQ(run.code, 3) << run.output;
    EXPECT_EQ(readFile(path("mine")), before);
}

// Where the result cannot be written, what was there stays, and nothing else does.
TEST_F(Merging, LeavesTheOutputWhereNothingCanBeWritten)
{
    const auto merge = [&](const std::filesystem::path& output) {
        return runFloe("merge " + path("base") + " " + path("mine") + " " + path("theirs") +
                           " -o " + output.string(),
                       "ulimit -f 0;");
    };
    const std::filesystem::path there = folder / "there";
    std::filesystem::create_directory(there);
    for (const std::string before : {"", "before"}) {
        if (!before.empty())
            folder.file("there/out.floe.json", before);
        const auto full = merge(there / "out.floe.json");
        EXPECT_EQ(full.code, 5) << full.output;
        EXPECT_THAT(full.output, HasSubstr("there/out.floe.json: cannot write: File too large"));
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(there))
            files += entry.is_regular_file();
        EXPECT_EQ(files, before.empty() ? 0u : 1u) << "nothing half written";
        if (!before.empty()) {
            EXPECT_EQ(readFile(there / "out.floe.json"), before);
        }
    }
}

} // namespace
} // namespace floe
