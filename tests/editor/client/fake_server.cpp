#include "fake_server.hpp"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTest>

FakeServer::FakeServer()
{
    const auto nothing = [](const floe::Json&) {
        return floe::Json::object();
    };
    replies["hello"] = [](const floe::Json&) {
        return floe::Json{{"protocol", 1}, {"version", "test"}, {"pid", 1}};
    };
    replies["types.list"] = [](const floe::Json&) {
        return floe::Json{{"types", floe::Json::array()}};
    };
    replies["document.set"] = [](const floe::Json&) {
        return floe::Json{{"revision", 1}, {"faults", floe::Json::array()}};
    };
    for (const char* method :
         {"view.set", "view.close", "run.start", "run.stop", "run.step", "control.set"})
        replies[method] = nothing;
    server_.listen(folder_.filePath(QStringLiteral("socket")));
    QObject::connect(&server_, &QLocalServer::newConnection, &server_, [this] {
        socket_ = server_.nextPendingConnection();
        QObject::connect(socket_, &QLocalSocket::readyRead, socket_, [this] { read(); });
        QObject::connect(socket_, &QLocalSocket::disconnected, socket_, [this, s = socket_] {
            if (socket_ == s)
                socket_ = nullptr;
            s->deleteLater();
        });
    });
}

void FakeServer::read()
{
    while (socket_ && socket_->canReadLine()) {
        const QByteArray line = socket_->readLine();
        received.push_back(floe::Json::parse(line.toStdString()));
        const floe::Json& message = received.back();
        if (!answers || !message.contains("id"))
            continue;
        const std::string method = message.value("method", "");
        floe::Json answer = {{"jsonrpc", "2.0"}, {"id", message["id"]}};
        if (const auto found = replies.find(method); found != replies.end())
            answer["result"] = found->second(message["params"]);
        else
            answer["error"] = {{"code", -32601}, {"message", "no method " + method}};
        raw(QByteArray::fromStdString(answer.dump() + "\n"));
    }
}

int FakeServer::count(const std::string& method) const
{
    int n = 0;
    for (const floe::Json& message : received)
        n += message.value("method", "") == method;
    return n;
}

const floe::Json* FakeServer::last(const std::string& method) const
{
    for (auto it = received.rbegin(); it != received.rend(); ++it)
        if (it->value("method", "") == method)
            return &(*it)["params"];
    return nullptr;
}

void FakeServer::notify(const std::string& method, const floe::Json& params)
{
    raw(QByteArray::fromStdString(
        floe::Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump() + "\n"));
}

void FakeServer::raw(const QByteArray& bytes)
{
    if (socket_)
        socket_->write(bytes);
}

void FakeServer::hangUp()
{
    if (socket_) {
        socket_->flush();
        socket_->abort();
    }
}

bool waitUntil(const std::function<bool()>& done, int milliseconds)
{
    return QTest::qWaitFor(done, milliseconds);
}
