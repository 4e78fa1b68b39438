#pragma once

#include "floe/base/json.hpp"

#include <QLocalServer>
#include <QLocalSocket>
#include <QTemporaryDir>

#include <functional>
#include <map>
#include <string>
#include <vector>

/// Stands in for `floe serve`: answers what a test tells it to, and records what it was asked.
class FakeServer {
public:
    using Reply = std::function<floe::Json(const floe::Json& params)>;

    FakeServer();

    QString path() const { return server_.fullServerName(); }
    /// What to answer to a method; `hello`, `types.list` and `document.set` have answers already.
    std::map<std::string, Reply> replies;
    std::vector<floe::Json> received; ///< every message, in order
    bool answers = true;              ///< false: it reads but says nothing

    int count(const std::string& method) const;
    const floe::Json* last(const std::string& method) const;
    void notify(const std::string& method, const floe::Json& params);
    void raw(const QByteArray& bytes);
    void hangUp();
    bool connected() const { return socket_ != nullptr; }

private:
    void read();

    QTemporaryDir folder_;
    QLocalServer server_;
    QLocalSocket* socket_ = nullptr;
};

/// Runs the event loop until `done`. Generous: only a broken program waits so long. @return done
bool waitUntil(const std::function<bool()>& done, int milliseconds = 300'000);
