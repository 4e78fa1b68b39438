#include "document/document.hpp"
#include "document/files.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "sample_types.hpp"
#include "temporary_folder.hpp"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace floe::editor {
namespace {

const QString kSnow = FLOE_SOURCE_DIR "/graphs/first_snow.floe.json";

QString path(const std::filesystem::path& p)
{
    return QString::fromStdString(p.string());
}

TEST(Files, SavedAndReopenedIsEqual)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes()), again(test::builtTypes());
    document.load(kSnow);
    document.setParameter("", "ball", "radius", 0.25);
    document.save(path(folder / "a.floe.json"));
    EXPECT_FALSE(document.isModified());
    again.load(path(folder / "a.floe.json"));
    EXPECT_EQ(again.text(), document.text());
}

TEST(Files, FiveBackupsAreKept)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    const QString file = path(folder / "a.floe.json");
    for (int i = 1; i <= 8; ++i) {
        document.setRange({1, i, 24});
        document.save(file);
    }
    for (int n = 1; n <= kBackups; ++n) {
        Document old(test::builtTypes());
        old.load(path(folder / ("backup/a." + std::to_string(n) + ".floe.json")));
        EXPECT_EQ(old.content().range.end, 8 - n) << "1 is the newest";
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "backup/a.6.floe.json"));
}

TEST(Files, AsManyBackupsAreKeptAsOneLikes)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    document.setBackups(2);
    for (int i = 1; i <= 5; ++i) {
        document.setRange({1, i, 24});
        document.save(path(folder / "a.floe.json"));
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "backup/a.2.floe.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "backup/a.3.floe.json"));
}

TEST(Files, NodesOfUnknownPluginsAreKeptAsTheyAre)
{
    const test::TemporaryFolder folder;
    const std::string strange =
        R"({"type": "acme.teapot", "parameters": {"a":   [1,2,  3]}, "zz": 1})";
    const auto file = folder.file("a.floe.json", R"({"floe": 1, "nodes": {"pot": )" + strange +
                                                     R"(, "g": {"type": "floe.force.gravity"}}})");
    Document document(test::builtTypes());
    document.load(path(file));
    EXPECT_EQ(document.typeOf("", "pot"), nullptr);
    document.moveNodes("", {{"g", {5, 5}}});
    document.save(path(file));
    EXPECT_NE(readFile(file).find(strange), std::string::npos) << readFile(file);
}

// A file that cannot be opened leaves the document that is open, and itself, alone.
TEST(Files, BrokenAndFutureFilesChangeNothing)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    document.load(kSnow);
    document.setParameter("", "ball", "radius", 0.25);
    const std::string before = document.text();
    const std::pair<const char*, std::string> bad[] = {
        {"empty", ""},
        {"half", R"({"floe": 1, "nodes": {"a")"},
        {"binary", std::string("\0\xff\x7f\x01", 4)},
        {"other", R"([1, 2, 3])"},
        {"future", R"({"floe": 999, "nodes": {}})"},
        {"deep", std::string(100'000, '[')},
    };
    for (const auto& [name, text] : bad) {
        const auto file = folder.file(name, text);
        try {
            document.load(path(file));
            ADD_FAILURE() << name << " was opened";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos)
                << "names the file: " << error.what();
        }
        EXPECT_EQ(document.text(), before) << name;
        EXPECT_TRUE(document.isModified());
        EXPECT_EQ(document.undo().count(), 1);
    }
    EXPECT_THROW(document.load(path(folder / "not there")), Error);
}

TEST(Files, AFailedSaveLosesNothing)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    document.load(kSnow);
    document.setRange({1, 3, 24});
    folder.file("wall", "not a folder");
    EXPECT_THROW(document.save(path(folder / "wall/a.floe.json")), Error);
    EXPECT_TRUE(document.isModified());
    EXPECT_EQ(document.path(), kSnow);
}

/// While it lives, no file of this process grows beyond so many bytes: writing fails as on a full
/// disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes)
    {
        before_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit small{bytes, limit_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &limit_);
        std::signal(SIGXFSZ, before_);
    }

private:
    rlimit limit_{};
    void (*before_)(int);
};

std::vector<std::string> filesIn(const std::filesystem::path& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            names.push_back(entry.path().lexically_relative(folder).string() + ": " +
                            readFile(entry.path()));
    std::sort(names.begin(), names.end());
    return names;
}

TEST(Files, AFullDiskCostsNothingThatWasThere)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    const QString file = path(folder / "a.floe.json");
    document.load(kSnow);
    for (int i = 1; i <= 7; ++i) { // all backups there are
        document.setRange({1, i, 24});
        document.save(file);
    }
    document.setParameter("", "ball", "radius", 0.25);
    const auto before = filesIn(folder.path());
    ASSERT_EQ(before.size(), 1u + kBackups);
    const std::string text = document.text();
    for (int i = 0; i < 3; ++i) {
        std::string said;
        {
            const FullDisk full(100);
            try {
                document.save(file);
            } catch (const IoError& error) {
                said = error.what();
            }
        }
        EXPECT_FALSE(said.empty());
        EXPECT_NE(said.find("a.floe.json"), std::string::npos) << "names the file: " << said;
        EXPECT_EQ(filesIn(folder.path()), before) << "nothing lost, nothing half left behind";
        EXPECT_EQ(document.text(), text);
        EXPECT_TRUE(document.isModified());
    }
    document.save(file); // there is room again
    EXPECT_FALSE(document.isModified());
}

// A process that is killed leaves its copy; one that runs keeps its own to itself.
TEST(Recovery, ACopySurvivesTheKill)
{
    const test::TemporaryFolder folder;
    const QString place = path(folder.path());
    const pid_t child = fork();
    if (child == 0) {
        Document document(test::builtTypes());
        Recovery recovery(document, place);
        document.load(kSnow);
        document.setParameter("", "ball", "radius", 0.123);
        recovery.writeNow();
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));

    const auto found = Recovery::find(place);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].path, kSnow);
    Document document(test::builtTypes());
    document.restore(found[0].text, found[0].path);
    EXPECT_EQ(document.value("", "ball", "radius"), 0.123);
    EXPECT_TRUE(document.isModified()) << "it is not what the file holds";

    Recovery own(document, place);
    own.writeNow();
    EXPECT_EQ(Recovery::find(place).size(), 1u) << "its own copy is locked";
    Recovery::forget(found[0]);
    EXPECT_TRUE(Recovery::find(place).empty());
}

// The copy that was written while there was room stays, and the reason is told, once.
TEST(Recovery, AFullDiskIsSaid)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    Recovery recovery(document, path(folder.path()));
    recovery.setDelays(5, 50);
    QStringList said;
    QObject::connect(&recovery, &Recovery::failed, &recovery,
                     [&](const QString& text) { said += text; });
    document.load(kSnow);
    document.setParameter("", "ball", "radius", 0.25);
    recovery.writeNow();
    const auto before = filesIn(folder.path());
    {
        const FullDisk full(100);
        for (int i = 0; i < 3; ++i) {
            document.setParameter("", "ball", "radius", 0.3 + i);
            QElapsedTimer timer;
            timer.start();
            while ((i > 0 && timer.elapsed() < 200) ||
                   (said.isEmpty() && timer.elapsed() < 300'000))
                QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        }
    }
    ASSERT_EQ(said.size(), 1) << said.join('\n').toStdString();
    EXPECT_EQ(filesIn(folder.path()), before);
}

TEST(Recovery, WritesByItselfAndCleansUp)
{
    const test::TemporaryFolder folder;
    Document document(test::builtTypes());
    Recovery recovery(document, path(folder.path()));
    recovery.setDelays(20, 200);
    const auto copies = [&] {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            count += entry.path().extension() == ".json";
        return count;
    };
    const auto wait = [&](int wanted) {
        QElapsedTimer timer;
        timer.start();
        while (copies() != wanted && timer.elapsed() < 300'000) // generous: a loaded machine
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        return copies();
    };
    document.addNode("", "floe.collider", {});
    EXPECT_EQ(wait(1), 1);
    const test::TemporaryFolder other;
    document.save(path(other / "a.floe.json"));
    EXPECT_EQ(wait(0), 0) << "saved: the copy is gone";
}

} // namespace
} // namespace floe::editor
