#include "floe/graph/check.hpp"
#include "on_the_canvas.hpp"
#include "temporary_folder.hpp"

#include <QDir>

namespace floe::editor {
namespace {

/// First snow with a click on one of its wires.
class OnAWire : public OnTheCanvas {
protected:
    OnAWire()
    {
        document.load(kSnow);
        canvas.setView(1, {60, 60});
        canvas.frameAll();
        QTest::qWait(50);
        for (const Wire& wire : canvas.scene().wires)
            if (wire.link.to == graph::Endpoint{"solver", "emitters"})
                link = wire.link;
        EXPECT_FALSE(link.from.node.empty());
    }
    QPoint middle()
    {
        const Wire& wire = canvas.scene().wires[std::size_t(canvas.scene().findWire(link))];
        return canvas.toWidget(wire.path.pointAtPercent(0.5)).toPoint();
    }
    void write(const QString& text)
    {
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, middle());
        QTest::keyClick(&canvas, Qt::Key_N, Qt::ShiftModifier);
        auto* field = canvas.findChild<QLineEdit*>("wireNoteField");
        ASSERT_TRUE(field && field->isVisible());
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Backspace);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
        QTest::qWait(20);
    }
    QString note() const { return document.wireNote("", link); }

    graph::Link link;
};

TEST_F(OnAWire, AShortTextIsWrittenAndKept)
{
    const int before = document.undo().count();
    const QImage bare = canvas.grab().toImage();
    write("only the ball");
    EXPECT_EQ(note(), "only the ball");
    EXPECT_EQ(document.undo().count(), before + 1);
    QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
    canvas.grab().save(FLOE_BINARY_DIR "/pictures/editor/wire_note.png");
    EXPECT_NE(canvas.grab().toImage().pixelColor(middle() + QPoint(0, -6)),
              bare.pixelColor(middle() + QPoint(0, -6)))
        << "it is seen";

    // With the file, which is one of the same format, and which nothing is wrong with.
    const test::TemporaryFolder folder;
    const QString file = QString::fromStdString((folder / "noted.floe.json").string());
    document.save(file);
    Document again(test::builtTypes());
    again.load(file);
    EXPECT_EQ(again.wireNote("", link), "only the ball");
    again.checkNow();
    for (const graph::Fault& fault : again.faults())
        ADD_FAILURE() << fault.text();

    document.undo().undo();
    EXPECT_TRUE(note().isEmpty());
    document.undo().redo();
    write(""); // and nothing written takes it away
    EXPECT_TRUE(note().isEmpty());
    EXPECT_EQ(document.node("", "solver")->layout.count("bends"), 0u);
}

TEST_F(OnAWire, ItStaysWithItsWire)
{
    write("slow");
    document.setBends("", link, {{666, 190}}); // as well
    EXPECT_EQ(note(), "slow");
    EXPECT_TRUE(document.rename("", link.from.node, "source").isEmpty());
    EXPECT_TRUE(note().isEmpty()) << "that wire is called otherwise now";
    link.from.node = "source";
    EXPECT_EQ(note(), "slow");
    EXPECT_EQ(document.bends("", link).size(), 1u);
    EXPECT_TRUE(document.rename("", "solver", "mpm").isEmpty());
    link.to.node = "mpm";
    EXPECT_EQ(note(), "slow");
    graph::Link other = link;
    other.to.socket = "forces";
    EXPECT_TRUE(document.wireNote("", other).isEmpty());
}

} // namespace
} // namespace floe::editor
