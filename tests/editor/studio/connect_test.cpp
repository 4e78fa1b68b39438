#include "app/connect_dialog.hpp"
#include "studio_fixture.hpp"

#include <QAction>
#include <QLineEdit>
#include <QLocalServer>
#include <QLocalSocket>
#include <QProcess>
#include <QPushButton>
#include <QTcpServer>
#include <QTcpSocket>

namespace floe::test {
namespace {

using client::FrameState;
using client::Runtime;

/// A cable between editor and runtime that can be unplugged: what comes in on one side goes out on
/// the other.
class Cable : public QObject {
public:
    using Open = std::function<QIODevice*()>;

    void join(QIODevice* near, QIODevice* far)
    {
        pairs_.push_back({near, far});
        const auto pass = [](QIODevice* from, QIODevice* to) {
            QObject::connect(from, &QIODevice::readyRead, to,
                             [from, to] { to->write(from->readAll()); });
            to->write(from->readAll());
        };
        pass(near, far);
        pass(far, near);
    }
    void unplug()
    {
        for (const auto& [near, far] : std::exchange(pairs_, {}))
            for (QIODevice* end : {near, far}) {
                end->disconnect();
                end->close();
                end->deleteLater();
            }
    }

private:
    std::vector<std::pair<QIODevice*, QIODevice*>> pairs_;
};

/// `floe serve` as somebody runs it elsewhere.
class Elsewhere {
public:
    explicit Elsewhere(const QStringList& arguments)
    {
        process_.start(FLOE_BINARY_DIR "/bin/floe", QStringList{"serve", "--keep"} + arguments);
    }
    ~Elsewhere()
    {
        process_.terminate();
        process_.waitForFinished(-1);
    }
    QString line()
    {
        EXPECT_TRUE(QTest::qWaitFor([this] { return process_.canReadLine(); }, 300'000));
        return QString::fromUtf8(process_.readLine()).trimmed();
    }

private:
    QProcess process_;
};

class Connected : public WithTheRuntime {
protected:
    static Json scene()
    {
        return Json::parse(R"json({
            "floe": 1, "range": {"start": 1, "end": 4, "fps": 240},
            "nodes": {
                "ball": {"type": "floe.shape.sphere",
                         "parameters": {"radius": 0.2, "center": [0, 1, 0], "voxelSize": 0.05}},
                "jello": {"type": "floe.material"},
                "body": {"type": "floe.emitter"},
                "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.1}}
            },
            "links": [
                {"from": "ball.shape", "to": "body.shape"},
                {"from": "jello.material", "to": "body.material"},
                {"from": "body.emitter", "to": "solver.emitters"}
            ]})json");
    }

    bool is(Runtime::State state)
    {
        return until([&] { return runtime().state() == state; });
    }

    /// By the menu and the dialog, as a person would.
    void connectTo(const QString& address, const QString& token)
    {
        auto* action = window->findChild<QAction*>("run.connect");
        ASSERT_NE(action, nullptr);
        QTimer::singleShot(0, window.get(), [&] {
            auto* dialog = qobject_cast<editor::ConnectDialog*>(QApplication::activeModalWidget());
            ASSERT_NE(dialog, nullptr);
            ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog));
            auto* place = dialog->findChild<QLineEdit*>("address");
            auto* proof = dialog->findChild<QLineEdit*>("token");
            auto* button = dialog->findChild<QPushButton*>("connect");
            place->clear();
            QTest::keyClicks(place, "nonsense");
            QTest::keyClicks(proof, token);
            EXPECT_FALSE(button->isEnabled()) << "that is no address";
            place->clear();
            QTest::keyClicks(place, address);
            EXPECT_TRUE(button->isEnabled());
            QTest::mouseClick(button, Qt::LeftButton);
        });
        action->trigger();
    }

    bool cached()
    {
        return runtime().frames().size() == 1 && runtime().frames()[0].last == 4 &&
               runtime().frames()[0].state == FrameState::Cached;
    }

    /// What a person sees and does when the cable is out, whatever it is made of.
    void unplugAndGoOn(Cable& cable)
    {
        ASSERT_TRUE(playToTheEnd());
        ASSERT_TRUE(until([&] { return cached(); }));
        document().setParameter("", "solver", "cellSize", 0.11);
        document().undo().undo();
        document().addNode("", "floe.force.gravity", {300, 300});
        const std::string before = document().text();
        QString message;
        QObject::connect(&runtime(), &Runtime::lost, window.get(),
                         [&](const QString& text) { message = text; });
        cable.unplug();
        ASSERT_TRUE(is(Runtime::State::Lost));
        EXPECT_FALSE(message.isEmpty());
        EXPECT_EQ(document().text(), before);
        EXPECT_TRUE(document().isModified());
        document().undo().undo(); // one goes on working
        EXPECT_NE(document().text(), before);
        QPushButton* again = nullptr;
        ASSERT_TRUE(until([&] {
            for (QPushButton* button : window->findChildren<QPushButton*>())
                if (button->isVisible() && button->text().contains("Connect again"))
                    again = button;
            return again != nullptr;
        }));
        QTest::mouseClick(again, Qt::LeftButton);
        ASSERT_TRUE(is(Runtime::State::Ready));
        EXPECT_TRUE(until([&] { return cached(); })) << "the frames were not lost";
        EXPECT_FALSE(again->isVisible());
    }
};

TEST(Addresses, AreAHostAndAPort)
{
    EXPECT_EQ(editor::parseAddress("farm-3:7000"), std::pair(QString("farm-3"), quint16(7000)));
    EXPECT_EQ(editor::parseAddress("[::1]:80"), std::pair(QString("::1"), quint16(80)));
    for (const char* wrong : {"", "farm", "farm:", ":7000", "farm:0", "farm:65536", "farm:x"})
        EXPECT_FALSE(editor::parseAddress(wrong)) << wrong;
}

// A runtime on another machine (here: TCP) simulates, and its pictures come compressed.
TEST_F(Connected, ByAddressAndToken)
{
    Elsewhere elsewhere({"--listen", "127.0.0.1:0"});
    const QString address = elsewhere.line(), token = elsewhere.line().section(' ', 1);
    open(scene());
    const std::string before = document().text();
    connectTo(address, "0123");
    ASSERT_TRUE(is(Runtime::State::Lost));
    EXPECT_TRUE(runtime().lossMessage().contains("token")) << runtime().lossMessage().toStdString();
    EXPECT_EQ(document().text(), before);

    QSize seen;
    QObject::connect(&runtime(), &Runtime::pictureArrived, window.get(),
                     [&](const client::Picture& picture) { seen = picture.image.size(); });
    connectTo(address, token);
    ASSERT_TRUE(is(Runtime::State::Ready));
    EXPECT_TRUE(until([&] { return seen.isValid(); }));
    ASSERT_TRUE(playToTheEnd());
    EXPECT_TRUE(cached());
}

TEST_F(Connected, ACableThatIsUnpluggedCostsNothing)
{
    Elsewhere elsewhere({"--listen", "127.0.0.1:0"});
    const auto place = editor::parseAddress(elsewhere.line());
    const QString token = elsewhere.line().section(' ', 1);
    ASSERT_TRUE(place);
    Cable cable;
    QTcpServer plug;
    ASSERT_TRUE(plug.listen(QHostAddress::LocalHost));
    QObject::connect(&plug, &QTcpServer::newConnection, &cable, [&] {
        auto* far = new QTcpSocket(&cable);
        far->connectToHost(place->first, place->second);
        cable.join(plug.nextPendingConnection(), far);
    });
    open(scene());
    connectTo(QString("127.0.0.1:%1").arg(plug.serverPort()), token);
    ASSERT_TRUE(is(Runtime::State::Ready));
    unplugAndGoOn(cable);
}

TEST_F(Connected, ALocalSocketThatBreaksCostsNothing)
{
    const QString socket = QString::fromStdString((folder.path() / "runtime").string());
    Elsewhere elsewhere({"--socket", socket});
    EXPECT_EQ(elsewhere.line(), socket);
    Cable cable;
    QLocalServer plug;
    ASSERT_TRUE(plug.listen(QString::fromStdString((folder.path() / "plug").string())));
    QObject::connect(&plug, &QLocalServer::newConnection, &cable, [&] {
        auto* far = new QLocalSocket(&cable);
        far->connectToServer(socket);
        cable.join(plug.nextPendingConnection(), far);
    });
    open(scene());
    runtime().connectLocal(plug.fullServerName());
    ASSERT_TRUE(is(Runtime::State::Ready));
    settle();
    unplugAndGoOn(cable);
}

} // namespace
} // namespace floe::test
