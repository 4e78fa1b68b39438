#include "canvas/fuzzy.hpp"
#include "canvas/look.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floe::editor {
namespace {

TEST(Search, FindsByLabelAliasAndInitials)
{
    const std::vector<Entry> entries{
        {"sphere", "Sphere", "Shapes", {"ball"}, {}, {}},
        {"collider", "Collider", "Colliders", {"ground", "rigid"}, {}, {}},
        {"solver", "MPM solver", "Solvers", {"simulation"}, {}, {}},
        {"export", "Export particles", "Output", {}, {}, {}}};
    const auto first = [&](const QString& query) {
        const auto found = search(entries, query, {});
        return found.empty() ? QString() : entries[std::size_t(found.front())].id;
    };
    EXPECT_EQ(first("sph"), "sphere");
    EXPECT_EQ(first("ground"), "collider");
    EXPECT_EQ(first("ep"), "export");
    EXPECT_EQ(first("mpm"), "solver");
    EXPECT_EQ(first("BALL"), "sphere");
    EXPECT_TRUE(search(entries, "xyzzy", {}).empty());
    EXPECT_EQ(search(entries, "", {"export"}).front(), 3) << "recent first";
    EXPECT_EQ(search(entries, "", {}).size(), entries.size());
}

// Every built-in kind differs from every other in shape alone.
TEST(Look, KindsDifferWithoutColour)
{
    std::set<SocketShape> shapes;
    const std::vector<std::string> kinds{"volume",  "mesh",     "particles", "material",
                                         "emitter", "collider", "force",     "transform",
                                         "camera",  "light",    "domain",    "activation"};
    for (const std::string& kind : kinds)
        shapes.insert(kindLook(kind).shape);
    EXPECT_EQ(shapes.size(), kinds.size());
}

} // namespace
} // namespace floe::editor
