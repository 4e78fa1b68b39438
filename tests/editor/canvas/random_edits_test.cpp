#include "canvas/canvas.hpp"
#include "floe/base/error.hpp"
#include "sample_types.hpp"
#include "temporary_folder.hpp"

#include <QCoreApplication>
#include <QImage>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <malloc.h>
#include <random>
#include <unistd.h>

namespace floe::editor {
namespace {

/// What the canvas shows is what the document holds.
void agree(Canvas& canvas, const Document& document, int step)
{
    const Scene& scene = canvas.scene();
    const graph::Graph* g = document.graph(canvas.scope());
    ASSERT_NE(g, nullptr) << step;
    ASSERT_EQ(scene.cards.size(), g->nodes.size()) << step;
    for (std::size_t i = 0; i < g->nodes.size(); ++i) {
        ASSERT_EQ(scene.cards[i].name, g->nodes[i].name) << step;
        ASSERT_EQ(scene.cards[i].rect.topLeft(),
                  document.position(canvas.scope(), g->nodes[i].name))
            << step;
        ASSERT_EQ(scene.cards[i].bypass, g->nodes[i].bypass) << step;
    }
    ASSERT_EQ(scene.wires.size(), g->links.size()) << step;
    for (std::size_t i = 0; i < g->links.size(); ++i) {
        ASSERT_EQ(scene.wires[i].link, g->links[i]) << step;
        ASSERT_EQ(scene.wires[i].bends, document.bends(canvas.scope(), g->links[i])) << step;
    }
}

/// Anything that a person could do to a document, undo and redo too.
void edit(Document& document, Canvas& canvas, std::mt19937& random)
{
    const auto types = document.types().all();
    const auto pick = [&](std::size_t count) {
        return std::size_t(random() % count);
    };
    const auto anyNode = [&]() -> std::string {
        const auto& nodes = document.graph(canvas.scope())->nodes;
        return nodes.empty() ? std::string() : nodes[pick(nodes.size())].name;
    };
    const auto anyLink = [&]() -> graph::Link {
        const auto& links = document.graph(canvas.scope())->links;
        return links.empty() ? graph::Link{} : links[pick(links.size())];
    };
    const std::string scope = canvas.scope();
    const std::size_t count = document.graph(scope)->nodes.size();
    switch (pick(22)) {
    case 0:
    case 1:
        if (count < 60)
            document.addNode(scope, types[pick(types.size())]->type,
                             {double(pick(900)), double(pick(900))});
        break;
    case 2:
        document.removeNodes(scope, {anyNode(), anyNode()});
        break;
    case 3:
    case 4:
    case 5: {
        const std::string from = anyNode(), to = anyNode();
        const auto *a = document.typeOf(scope, from), *b = document.typeOf(scope, to);
        if (a && b && !a->outputs.empty() && !b->inputs.empty())
            document.link(scope, {{from, a->outputs[pick(a->outputs.size())].name},
                                  {to, b->inputs[pick(b->inputs.size())].name}});
        break;
    }
    case 6:
        document.unlink(scope, {anyLink()});
        break;
    case 7:
        document.rename(scope, anyNode(), "n" + std::to_string(pick(200)));
        break;
    case 8:
        document.moveNodes(scope, {{anyNode(), {double(pick(900)), double(pick(900))}},
                                   {anyNode(), {double(pick(900)), double(pick(900))}}});
        break;
    case 9:
    case 10: {
        const std::string node = anyNode();
        if (const auto* type = document.typeOf(scope, node); type && !type->parameters.empty())
            document.setParameter(scope, node, type->parameters[pick(type->parameters.size())].name,
                                  double(pick(5)), int(pick(3)));
        break;
    }
    case 11:
        document.setBypass(scope, {anyNode()}, pick(2));
        break;
    case 12:
        if (const graph::Link link = anyLink(); !link.to.node.empty())
            document.setBends(scope, link, {{double(pick(100)), double(pick(100))}});
        break;
    case 13:
        document.setBackdrop(scope, "frame" + std::to_string(pick(20)),
                             pick(3) ? Json{{"title", "t"}, {"rect", {0, 0, 99, 99}}} : Json());
        break;
    case 14:
        if (document.content().subgraphs.size() < 4)
            document.group(scope, {anyNode(), anyNode()}, "group");
        break;
    case 15:
        try {
            if (const std::string piece = document.copy("", {anyNode()});
                count < 60 && !piece.empty())
                document.paste(scope, piece, std::nullopt);
        } catch (const Error&) { // a subgraph into itself
        }
        break;
    case 16:
        canvas.leave();
        if (const std::string node = anyNode(); !node.empty())
            canvas.enter(node);
        break;
    default:
        for (std::size_t i = pick(4); i > 0; --i)
            pick(3) ? document.undo().undo() : document.undo().redo();
    }
}

// Ten thousand edits, undos and redos: document, canvas and file stay one; undoing all of it leads
// back to the beginning.
TEST(RandomEdits, KeepDocumentCanvasAndFileInAgreement)
{
    const test::TemporaryFolder folder;
    const QString file = QString::fromStdString((folder / "a.floe.json").string());
    Document document(test::builtTypes());
    document.load(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json");
    document.undo().setUndoLimit(0);
    Canvas canvas(document);
    canvas.resize(800, 600);
    const std::string beginning = document.text();

    std::mt19937 random(7);
    for (int step = 0; step < 10'000; ++step) {
        edit(document, canvas, random);
        if (step % 10 == 0)
            agree(canvas, document, step);
        if (::testing::Test::HasFatalFailure())
            return;
        if (step % 500 == 0) {
            document.save(file);
            Document again(test::builtTypes());
            again.load(file);
            ASSERT_EQ(again.text(), document.text()) << step;
        }
    }
    while (document.undo().canUndo())
        document.undo().undo();
    EXPECT_EQ(document.text(), beginning);
    agree(canvas, document, -1);
}

/// Memory that is really there [MiB].
double residentMemory()
{
    ::malloc_trim(0); // what is free already
    std::ifstream file("/proc/self/statm");
    double total = 0, resident = 0;
    file >> total >> resident;
    return resident * double(::sysconf(_SC_PAGESIZE)) / double(1 << 20);
}

// Hours of work, without the pauses: once the undo stack is full, nothing grows any more.
TEST(RandomEdits, MemoryStaysFlat)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
    Document document(test::builtTypes());
    document.load(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json");
    Canvas canvas(document);
    canvas.resize(800, 600);
    QImage target(canvas.size(), QImage::Format_ARGB32_Premultiplied);
    std::mt19937 random(11);
    const auto work = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
            edit(document, canvas, random);
            if (i % 100 == 0)
                canvas.render(&target);
            if (i % 1000 == 0)
                QCoreApplication::processEvents();
        }
        return residentMemory();
    };
    work(30'000); // more than five undo stacks
    const double once = work(30'000), twice = work(30'000);
    std::cout << "resident: " << once << " MiB, later " << twice << " MiB\n";
    EXPECT_NEAR(twice, once, 8) << "the stack's edits are not always of the same size";
}

} // namespace
} // namespace floe::editor
