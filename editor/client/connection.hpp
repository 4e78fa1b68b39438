#pragma once

#include "client/messages.hpp"

#include <QByteArray>
#include <QIODevice>
#include <QMutex>
#include <QObject>
#include <QPointer>

#include <array>
#include <deque>
#include <memory>
#include <optional>

class QLocalSocket;
class QTcpSocket;

namespace floe::client {

/// The socket, and everything about it that could take long: reading lines, parsing JSON, copying
/// pictures. Lives in a thread of its own, so that the window never waits for the runtime.
///
/// Messages wait in a mailbox that the window's thread empties; when it is full, the socket is not
/// read until there is room. Of pictures only the newest of each view is kept.
class Connection : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kLongestLine = 64 << 20;       ///< bytes, of a message either way
    static constexpr std::size_t kMailbox = 512;              ///< messages that wait
    static constexpr qint64 kWriteBuffer = qint64(128) << 20; ///< unsent bytes, then it is cut

    explicit Connection(QObject* parent = nullptr);
    ~Connection() override;

    // From any thread:

    /// The oldest message, parsed; a JSON object. Empty: none.
    std::optional<Json> take();
    /// The newest picture of a view, of those that came since they were taken last. Empty: none.
    std::optional<Picture> takePicture();

    // In the connection's thread (through queued calls):

    void openLocal(const QString& path);
    void openTcp(const QString& host, quint16 port);
    /// @param line JSON without a newline
    void send(const QByteArray& line);
    void close();  ///< no signal follows
    void resume(); ///< the mailbox has room again

signals:
    void opened();
    /// The connection is over. @param reason one sentence for a person
    void closed(const QString& reason);
    void mail(); ///< take() or takePicture() have something; not repeated until they were called

private:
    void attach(QIODevice* device);
    void read();
    void message(const QByteArray& line);
    void fail(const QString& reason);
    void announce();

    QIODevice* device_ = nullptr;
    QByteArray buffer_;
    qsizetype start_ = 0;    // of the first line in buffer_ that was not handled
    qsizetype searched_ = 0; // from start_ to here there is no newline
    bool reading_ = false;
    bool ending_ = false; ///< what is left is read, however much waits

    QMutex mutex_; // guards what follows
    std::deque<Json> mailbox_;
    std::array<std::optional<Picture>, kMaxViews> pictures_;
    bool announced_ = false;
    bool held_ = false;
};

} // namespace floe::client
