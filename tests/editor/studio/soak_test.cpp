#include "studio_fixture.hpp"

#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"
#include "views/timeline.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QProcess>
#include <QVersionNumber>

#include <fstream>
#include <iostream>
#include <malloc.h>
#include <numeric>
#include <random>
#include <unistd.h>

namespace floe::test {
namespace {

/// Memory of a process and its children that is really there [MiB].
double residentMemory(qint64 process)
{
    const std::string folder = "/proc/" + std::to_string(process);
    std::ifstream file(folder + "/statm");
    double total = 0, resident = 0;
    file >> total >> resident;
    resident *= double(::sysconf(_SC_PAGESIZE)) / double(1 << 20);
    std::ifstream children(folder + "/task/" + std::to_string(process) + "/children");
    for (qint64 child = 0; children >> child;)
        resident += residentMemory(child);
    return resident;
}

class Soak : public WithTheRuntime {
protected:
    static Json scene()
    {
        return Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 6, "fps": 240},
            "nodes": {
                "ball": {"type": "floe.shape.sphere",
                         "parameters": {"radius": 0.2, "center": [0, 0.5, 0], "voxelSize": 0.05}},
                "jello": {"type": "floe.material"},
                "body": {"type": "floe.emitter"},
                "floor_shape": {"type": "floe.shape.box",
                                "parameters": {"size": [2, 0.2, 2], "voxelSize": 0.05}},
                "floor": {"type": "floe.collider"},
                "gravity": {"type": "floe.force.gravity"},
                "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.1}}
            },
            "links": [
                {"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"},
                {"from": "floor_shape.shape", "to": "floor.shape"},
                {"from": "floor_shape.mesh", "to": "floor.mesh"},
                {"from": "floor.collider", "to": "solver.colliders"},
                {"from": "gravity.force", "to": "solver.forces"}
            ]})json");
    }

    std::size_t pick(std::size_t count) { return random_() % count; }
    std::string anyNode()
    {
        const auto& nodes = document().graph("")->nodes;
        return nodes.empty() ? std::string() : nodes[pick(nodes.size())].name;
    }

    /// Something that a person does to a scene.
    void edit()
    {
        editor::Document& d = document();
        const auto types = d.types().all();
        const QPointF place(double(pick(1200)), double(pick(600)));
        const std::string node = anyNode(), other = anyNode();
        switch (pick(14)) {
        case 0:
        case 1:
            d.addNode("", types[pick(types.size())]->type, place);
            break;
        case 2:
            d.removeNodes("", {node});
            break;
        case 3:
        case 4: {
            const auto *a = d.typeOf("", node), *b = d.typeOf("", other);
            if (a && b && !a->outputs.empty() && !b->inputs.empty())
                d.link("", {{node, a->outputs[pick(a->outputs.size())].name},
                            {other, b->inputs[pick(b->inputs.size())].name}});
            break;
        }
        case 5:
            if (const auto& links = d.graph("")->links; !links.empty())
                d.unlink("", {links[pick(links.size())]});
            break;
        case 6:
            d.rename("", node, "n" + std::to_string(pick(500)));
            break;
        case 7:
            d.moveNodes("", {{node, place}});
            break;
        case 8:
        case 9: // a slider: several values, one step
            if (const auto* type = d.typeOf("", node); type && !type->parameters.empty()) {
                const auto& spec = type->parameters[pick(type->parameters.size())];
                const Json value = Json::parse(graph::text(spec.defaultValue));
                const int drag = int(pick(1'000'000)) + 1;
                for (int i = 1; i < 4; ++i)
                    d.setParameter(
                        "", node, spec.name,
                        value.is_number_float() ? Json(value.get<double>() * (1 + 0.1 * i)) : value,
                        drag);
            }
            break;
        case 10:
            d.setBypass("", {node}, pick(2));
            break;
        case 11:
            d.setNote("", "note", {{"text", "Look here"}, {"x", place.x()}, {"y", place.y()}});
            break;
        case 12:
            if (const std::string piece = d.copy("", {node, other}); !piece.empty())
                d.paste("", piece, place);
            break;
        default:
            for (std::size_t i = pick(4); i > 0; --i)
                pick(3) ? d.undo().undo() : d.undo().redo();
        }
    }

    /// What is looked at between two edits: panels, docks, frames, the network.
    void look()
    {
        switch (pick(6)) {
        case 0:
        case 1:
            window->canvas()->select({anyNode()});
            break;
        case 2:
            window->canvas()->select({anyNode(), anyNode()});
            break;
        case 3: {
            const auto docks = window->findChildren<QDockWidget*>();
            docks[qsizetype(pick(std::size_t(docks.size())))]->raise();
            break;
        }
        case 4:
            studio->timeline().setFrame(1 + int(pick(6)));
            break;
        default:
            window->canvas()->setView(0.3 + 0.1 * double(pick(10)), {double(pick(300)), 100});
        }
        QTest::qWait(1);
    }

    /// One round: edits, all undone; playing, stopping, scrubbing.
    void work(int edits)
    {
        const std::string before = document().text();
        for (int i = 0; i < edits; ++i) {
            edit();
            if (i % 4 == 0)
                look();
        }
        while (document().undo().canUndo())
            document().undo().undo();
        ASSERT_EQ(document().text(), before) << "undone";
        document().setParameter("", "ball", "radius", 0.2 + 0.001 * double(++round_ % 20));
        settle();
        if (round_ % 3 == 0) {
            bool begun = false;
            const auto connection =
                QObject::connect(&runtime(), &client::Runtime::runStateChanged, window.get(),
                                 [&](client::RunState) { begun = true; });
            runtime().play();
            ASSERT_TRUE(until([&] { return begun; }));
            QObject::disconnect(connection);
            runtime().cancel();
            ASSERT_TRUE(until([&] { return !runs(); }));
        } else {
            ASSERT_TRUE(playToTheEnd());
        }
        for (int frame = 1; frame <= 6; ++frame) {
            studio->timeline().setFrame(frame);
            QTest::qWait(5);
        }
        document().undo().undo();
    }

    std::mt19937 random_{3};
    int round_ = 0;
};

// What Qt's style sheets remember of a list's window they never forget.
TEST_F(Soak, ChoicesMakeTheirListsWhenTheyAreOpened)
{
    open(scene());
    window->canvas()->select({"solver"});
    settle();
    const auto* panel = window->findChild<panels::ParameterPanel*>();
    ASSERT_NE(panel->row("transfer"), nullptr);
    auto* box = panel->row("transfer")->findChild<QComboBox*>();
    ASSERT_NE(box, nullptr);
    if (QVersionNumber::fromString(QString::fromLatin1(qVersion())) < QVersionNumber(6, 8)) {
        EXPECT_EQ(box->findChild<QAbstractItemView*>(), nullptr); // later ones make it at once
    }
    box->showPopup();
    ASSERT_NE(box->findChild<QAbstractItemView*>(), nullptr);
    ASSERT_TRUE(until([&] { return box->view()->isVisible(); }));
    QTest::keyClick(box->view(), Qt::Key_Down);
    QTest::keyClick(box->view(), Qt::Key_Return);
    EXPECT_EQ(document().graph("")->find("solver")->parameters["transfer"],
              Json(box->currentData().toString().toStdString()));
}

// An hour of work without the pauses. FLOE_SOAK_SECONDS makes it as long as one likes; what it
// prints is for tests/bench/results.
TEST_F(Soak, MemoryStaysFlat)
{
    const int seconds = qEnvironmentVariableIntValue("FLOE_SOAK_SECONDS");
    open(scene());
    const auto* process = runtime().findChild<QProcess*>();
    ASSERT_NE(process, nullptr);
    constexpr int kEdits = 250;
    std::vector<double> editor, server;
    QElapsedTimer since;
    since.start();
    while (editor.size() < 4 || since.elapsed() < 1000ll * seconds) {
        work(kEdits);
        if (HasFatalFailure())
            return;
        ::malloc_trim(0); // what is free already
        editor.push_back(residentMemory(::getpid()));
        server.push_back(residentMemory(process->processId()));
        if (editor.size() % 10 == 0 || editor.size() <= 4)
            std::cout << since.elapsed() / 1000 << " s, " << editor.size() * kEdits
                      << " edits: editor " << editor.back() << " MiB, runtime " << server.back()
                      << " MiB" << std::endl;
    }
    if (editor.size() < 40)
        return; // too short to tell growth from warming up
    const auto mean = [](const std::vector<double>& values, double from, double to) {
        const auto first = values.begin() + std::ptrdiff_t(from * double(values.size()));
        const auto last = values.begin() + std::ptrdiff_t(to * double(values.size()));
        return std::accumulate(first, last, 0.0) / double(last - first);
    };
    std::cout << "second quarter: editor " << mean(editor, 0.25, 0.5) << " MiB, runtime "
              << mean(server, 0.25, 0.5) << " MiB; last: editor " << mean(editor, 0.75, 1)
              << " MiB, runtime " << mean(server, 0.75, 1) << " MiB" << std::endl;
    // A leak of a kilobyte an edit would be 10 MiB after the 10,000 edits of a minute or two.
    EXPECT_LT(mean(editor, 0.75, 1), mean(editor, 0.25, 0.5) + 8);
    EXPECT_LT(mean(server, 0.75, 1), mean(server, 0.25, 0.5) + 24) << "caches breathe";
}

} // namespace
} // namespace floe::test
