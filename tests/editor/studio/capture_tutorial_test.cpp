#include "tutorial_fixture.hpp"

#include <QCheckBox>
#include <QProcess>

namespace floe::test {
namespace {

/// The page about captures, with a capture of a ball on a floor that is ten times as large as it
/// should be.
class CaptureTutorial : public Tutorial {
protected:
    CaptureTutorial()
    {
        window->resize(1500, 950);
        page = pageOf("your_own_capture.md");
    }

    static constexpr int kCaptured = 6000;

    /// @return a file as a training tool would leave it
    QString capture()
    {
        const Json scene = Json::parse(R"json({"floe": 1, "range": {"start": 1, "end": 1},
            "nodes": {
                "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 3,
                    "voxelSize": 0.2}},
                "floor": {"type": "floe.shape.box", "parameters": {"size": [20, 0.4, 20],
                    "center": [0, -3.4, 0], "voxelSize": 0.2}},
                "both": {"type": "floe.shape.union"},
                "set": {"type": "floe.gaussians.mesh", "parameters": {"count": 6000}},
                "write": {"type": "floe.gaussians.write",
                    "parameters": {"path": "capture.ply"}}},
            "links": [{"from": "ball.shape", "to": "both.shapes"},
                {"from": "floor.shape", "to": "both.shapes"},
                {"from": "both.mesh", "to": "set.mesh"},
                {"from": "set.gaussians", "to": "write.gaussians"}]})json");
        const auto file = folder.file("trained.floe.json", scene.dump());
        QProcess run;
        run.start(FLOE_BINARY_DIR "/bin/floe",
                  {"run", QString::fromStdString(file.string()), "--device", "cpu", "--progress",
                   "quiet", "-o", QString::fromStdString(folder.path().string())});
        EXPECT_TRUE(run.waitForFinished(300'000));
        EXPECT_EQ(run.exitCode(), 0) << run.readAllStandardError().toStdString();
        return QString::fromStdString((folder / "capture.ply").string());
    }

    /// How many there are of a set at a frame.
    int countOf(const std::string& node, const char* socket, int frame = 1)
    {
        int count = -1;
        bool answered = false;
        runtime().request(
            studio, "value.info", {{"node", node}, {"socket", socket}, {"frame", frame}},
            [&](const Json& result) {
                count = result.value("count", -1);
                answered = true;
            },
            [&](const QString& trouble) {
                ADD_FAILURE() << trouble.toStdString();
                answered = true;
            });
        EXPECT_TRUE(until([&] { return answered; }));
        return count;
    }

    void switchOn(const QString& label)
    {
        ParameterRow* at = row(label);
        auto* box = at ? at->findChild<QCheckBox*>() : nullptr;
        ASSERT_TRUE(box && !box->isChecked()) << label.toStdString();
        QTest::mouseClick(box, Qt::LeftButton, {}, {8, box->height() / 2});
        EXPECT_TRUE(box->isChecked()) << label.toStdString();
    }

    /// The second step: the scene, and the file in it.
    void load()
    {
        const QString file = capture();
        read("2. **Load.**");
        read("**File > Open**");
        answer(FLOE_SOURCE_DIR "/graphs/gaussians/jelly_knot.floe.json",
               [&] { chooseFromMenu("File > Open"); });
        read("the scene `gaussians/jelly_knot`.");
        ASSERT_TRUE(until([&] { return document().node("", "deform") != nullptr; }));
        settle();

        read("Press **Tab**, type `capture`, press **Enter**: this is a **Gaussians file**.");
        addNode("capture");
        ASSERT_EQ(canvas().selection().size(), 1u);
        captured = canvas().selection().front();
        ASSERT_EQ(document().node("", captured)->type, "floe.gaussians.file");

        read("Choose your file.");
        ParameterRow* path = row("File");
        auto* browse = path ? path->findChild<QToolButton*>() : nullptr;
        ASSERT_TRUE(browse);
        answer(file, [&] { QTest::mouseClick(browse, Qt::LeftButton); });
        EXPECT_EQ(document().value({}, captured, "path"), file.toStdString());

        read("set **Scale** until the thing is as large as it should be");
        typeNumbers("Scale", 0, {"0.1"});
        read("**Position** so that it stands above the ground");
        typeNumbers("Position", 0, {"0", "1", "0"});
    }

    /// In the place of what the scene has.
    void linkInsteadOfGaussians(const std::string& node, const char* output)
    {
        link(node, output, "source", "gaussians");
        link(node, output, "deform", "gaussians");
        EXPECT_FALSE(isLinked("gaussians", "source", "gaussians"));
        EXPECT_FALSE(isLinked("gaussians", "deform", "gaussians"));
        canvas().select({"gaussians", "knot"});
        canvas().setFocus();
        press(Qt::Key_Delete);
        EXPECT_FALSE(document().node("", "gaussians") || document().node("", "knot"));
    }

    void simulate(int frames)
    {
        read("Press **Space**.");
        document().checkNow();
        EXPECT_TRUE(document().faults().empty());
        settle();
        int done = 0;
        QObject::connect(&runtime(), &client::Runtime::frameFinished, window.get(),
                         [&](int frame) { done = frame; });
        clickEmptyPlace();
        press(Qt::Key_Space);
        ASSERT_TRUE(until([&] { return done >= frames || (done > 0 && !runs()); }));
        runtime().cancel();
        ASSERT_TRUE(until([&] { return !runs(); }));
        ASSERT_GE(done, frames);
    }

    std::string captured; ///< the node of the file
};

TEST_F(CaptureTutorial, ACutOutThingIsFilledAndFalls)
{
    ASSERT_NO_FATAL_FAILURE(load());
    QTest::qWait(1500); // for whom looks at the picture
    keep("tutorial_capture_loaded");

    read("3. **Cut out.** Switch **Crop** on and draw the box in around the thing");
    switchOn("Crop");
    read("**Box centre** and **Box size**");
    typeNumbers("Box centre", 0, {"0", "1", "0"});
    typeNumbers("Box size", 0, {"0.7", "0.6", "0.7"});
    read("raise **Smallest opacity** to lose haze");
    typeNumbers("Smallest opacity", 0, {"0.1"});
    QTest::qWait(1500);
    keep("tutorial_capture_cropped");

    read("Link the file in the place of the node **gaussians**, to the **Gaussian emitter** and to "
         "**Deform Gaussians**, and delete **gaussians** and **knot**.");
    linkInsteadOfGaussians(captured, "gaussians");
    read("link a shape that is a little smaller than the thing to **Shape** of the emitter, such "
         "as a sphere");
    addNode("sphere");
    const std::string ball = canvas().selection().front();
    typeNumbers("Radius", 0, {"0.28"});
    typeNumbers("Centre", 0, {"0", "1", "0"});
    link(ball, "shape", "source", "shape");
    read("Choose a material.");
    canvas().select({"jelly"});
    choosePreset("Rubber");
    EXPECT_EQ(document().value({}, "jelly", "law"), "neoHookean");

    ASSERT_NO_FATAL_FAILURE(simulate(3));
    const int cut = countOf("deform", "gaussians", 3);
    EXPECT_GT(cut, kCaptured / 20);
    EXPECT_LT(cut, kCaptured / 2) << "the floor is not in the box";
    EXPECT_GT(countOf("solver", "particles", 3), cut) << "it is filled";
    QTest::qWait(2500);
    keep("tutorial_capture");
}

// The other way of each step: the surroundings stay, and no shape fills the thing.
TEST_F(CaptureTutorial, SurroundingsStayAndTheThingIsFilledWithoutAShape)
{
    ASSERT_NO_FATAL_FAILURE(load());
    read("To keep the surroundings too");
    read("leave **Crop** off: part the set with **Select Gaussians**");
    addNode("select gaussians");
    const std::string parted = canvas().selection().front();
    ASSERT_EQ(document().node("", parted)->type, "floe.gaussians.select");
    typeNumbers("Box centre", 0, {"0", "1", "0"});
    typeNumbers("Box size", 0, {"0.7", "0.6", "0.7"});
    link(captured, "gaussians", parted, "gaussians");
    read("let **Selected** take the place of the file in the next step, and link **Rest** to the "
         "renderer");
    link(parted, "rest", "render", "particles");

    read("**Fill Gaussians** between the file and both nodes does it without a shape");
    addNode("fill gaussians");
    const std::string filled = canvas().selection().front();
    ASSERT_EQ(document().node("", filled)->type, "floe.gaussians.fill");
    link(parted, "selected", filled, "gaussians");
    linkInsteadOfGaussians(filled, "gaussians");

    ASSERT_NO_FATAL_FAILURE(simulate(3));
    const int thing = countOf(parted, "selected"), rest = countOf(parted, "rest");
    EXPECT_EQ(thing + rest, countOf(captured, "gaussians"));
    EXPECT_GT(rest, thing);
    EXPECT_GT(countOf(filled, "gaussians"), thing);
    QTest::qWait(2500);
    keep("tutorial_capture_rest");
}

} // namespace
} // namespace floe::test
