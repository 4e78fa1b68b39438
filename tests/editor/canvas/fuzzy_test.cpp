#include "canvas/fuzzy.hpp"
#include "canvas/look.hpp"
#include "canvas/tidy.hpp"

#include <QRectF>
#include <gtest/gtest.h>

#include <cmath>
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

// Wires go right, and no two nodes overlap.
TEST(Tidy, ColumnsFollowTheWires)
{
    const std::vector<QSizeF> sizes(7, QSizeF(100, 50));
    const std::vector<std::pair<int, int>> links{{0, 2}, {1, 2}, {2, 3}, {4, 3}, {3, 5}, {5, 0}};
    const auto places = tidyLayout(sizes, {links.begin(), links.end() - 1});
    for (std::size_t i = 0; i + 1 < links.size(); ++i)
        EXPECT_LT(places[std::size_t(links[i].first)].x() + 100,
                  places[std::size_t(links[i].second)].x());
    for (std::size_t a = 0; a < places.size(); ++a)
        for (std::size_t b = a + 1; b < places.size(); ++b)
            EXPECT_FALSE(QRectF(places[a], sizes[a]).intersects(QRectF(places[b], sizes[b])))
                << a << " " << b;
    for (const QPointF& point : tidyLayout(sizes, links)) // a loop does not hang
        EXPECT_TRUE(std::isfinite(point.x()));
}

} // namespace
} // namespace floe::editor
