#include "client/connection.hpp"

#include "client/picture.hpp"
#include "floe/base/error.hpp"

#include <QLocalSocket>
#include <QMutexLocker>
#include <QTcpSocket>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <exception>
#include <utility>

namespace floe::client {

namespace {
/// A cable that is out, or a machine that is off, is known after half a minute.
void watchLine(int descriptor)
{
    const int yes = 1, idle = 10, interval = 5, probes = 4, unanswered = 30'000;
    ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
}
} // namespace

Connection::Connection(QObject* parent) : QObject(parent) {}

Connection::~Connection()
{
    close();
}

std::optional<Json> Connection::take()
{
    const QMutexLocker lock(&mutex_);
    announced_ = false;
    if (mailbox_.empty())
        return std::nullopt;
    std::optional<Json> first(std::move(mailbox_.front()));
    mailbox_.pop_front();
    if (held_ && mailbox_.size() < kMailbox / 2) {
        held_ = false;
        QMetaObject::invokeMethod(this, &Connection::resume, Qt::QueuedConnection);
    }
    return first;
}

std::optional<Picture> Connection::takePicture()
{
    const QMutexLocker lock(&mutex_);
    announced_ = false;
    for (std::optional<Picture>& picture : pictures_)
        if (picture)
            return std::exchange(picture, std::nullopt);
    return std::nullopt;
}

void Connection::openLocal(const QString& path)
{
    close();
    auto* socket = new QLocalSocket(this);
    attach(socket);
    connect(socket, &QLocalSocket::connected, this, &Connection::opened);
    connect(socket, &QLocalSocket::errorOccurred, this, [this, socket] {
        fail(socket->error() == QLocalSocket::PeerClosedError
                 ? tr("The runtime closed the connection.")
                 : tr("The connection to the runtime failed: %1.").arg(socket->errorString()));
    });
    connect(socket, &QLocalSocket::disconnected, this,
            [this] { fail(tr("The runtime closed the connection.")); });
    socket->connectToServer(path);
}

void Connection::openTcp(const QString& host, quint16 port)
{
    close();
    auto* socket = new QTcpSocket(this);
    attach(socket);
    connect(socket, &QTcpSocket::connected, this, [this, socket] {
        watchLine(int(socket->socketDescriptor()));
        emit opened();
    });
    connect(socket, &QTcpSocket::errorOccurred, this, [this, socket] {
        fail(socket->error() == QAbstractSocket::RemoteHostClosedError
                 ? tr("The runtime closed the connection.")
                 : tr("The connection to the runtime failed: %1.").arg(socket->errorString()));
    });
    connect(socket, &QTcpSocket::disconnected, this,
            [this] { fail(tr("The runtime closed the connection.")); });
    socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    socket->connectToHost(host, port);
}

void Connection::attach(QIODevice* device)
{
    device_ = device;
    ending_ = false;
    buffer_.clear();
    start_ = searched_ = 0;
    if (auto* local = qobject_cast<QLocalSocket*>(device))
        local->setReadBufferSize(4 << 20);
    else if (auto* tcp = qobject_cast<QTcpSocket*>(device))
        tcp->setReadBufferSize(4 << 20);
    connect(device, &QIODevice::readyRead, this, &Connection::read);
}

void Connection::close()
{
    if (QIODevice* device = std::exchange(device_, nullptr)) {
        device->disconnect(this);
        device->close();
        device->deleteLater();
    }
    buffer_.clear();
    start_ = searched_ = 0;
    const QMutexLocker lock(&mutex_);
    mailbox_.clear();
    pictures_ = {};
    held_ = false;
}

void Connection::fail(const QString& reason)
{
    if (!device_ || std::exchange(ending_, true))
        return;
    const QPointer<Connection> alive(this);
    read(); // what it said last is wanted
    if (!alive || !device_)
        return;
    device_->disconnect(this);
    device_->close();
    std::exchange(device_, nullptr)->deleteLater();
    buffer_.clear();
    start_ = searched_ = 0;
    emit closed(reason);
}

void Connection::send(const QByteArray& line)
{
    if (!device_ || !device_->isOpen())
        return;
    if (device_->bytesToWrite() + line.size() > kWriteBuffer) {
        fail(tr("The runtime no longer reads what it is sent."));
        return;
    }
    device_->write(line);
    device_->write("\n", 1);
}

void Connection::resume()
{
    read();
}

void Connection::read()
{
    if (reading_)
        return;
    reading_ = true;
    while (device_) {
        {
            const QMutexLocker lock(&mutex_);
            if (mailbox_.size() >= kMailbox && !ending_) {
                held_ = true;
                break;
            }
        }
        if (const qsizetype end = buffer_.indexOf('\n', searched_); end >= 0) {
            const QByteArray line = buffer_.mid(start_, end - start_);
            start_ = searched_ = end + 1;
            message(line);
            continue;
        }
        buffer_.remove(0, std::exchange(start_, 0)); // once for all lines of a chunk
        searched_ = buffer_.size();
        if (buffer_.size() > kLongestLine) {
            reading_ = false;
            device_->readAll();
            fail(tr("The runtime sent a message longer than 64 MiB."));
            return;
        }
        const QByteArray more = device_->read(1 << 20);
        if (more.isEmpty())
            break;
        buffer_.append(more);
    }
    reading_ = false;
}

void Connection::message(const QByteArray& line)
{
    if (line.trimmed().isEmpty())
        return;
    Json parsed;
    try {
        JsonLimits limits;
        limits.bytes = static_cast<std::size_t>(kLongestLine);
        parsed = parseJson({line.constData(), static_cast<std::size_t>(line.size())},
                           "message from the runtime", limits);
        if (!parsed.is_object())
            throw InputError({}, "it is no JSON object");
    } catch (const std::exception& error) {
        if (device_)
            device_->readAll();
        fail(tr("The runtime sent something that is not a message: %1")
                 .arg(QString::fromUtf8(error.what()).left(300)));
        return;
    }
    if (textOf(parsed, "method") == QLatin1String("view.picture")) {
        const Json* found = member(parsed, "params");
        const Json params = found ? *found : Json();
        const qint64 sequence = integerOf(params, "sequence", 0, 0, qint64(1) << 53);
        try {
            Picture picture = readPicture(params);
            const QMutexLocker lock(&mutex_);
            std::optional<Picture>& place = pictures_[static_cast<std::size_t>(picture.view)];
            place = std::move(picture);
        } catch (const std::exception& error) {
            const QMutexLocker lock(&mutex_);
            mailbox_.push_back({{"method", "log"},
                                {"params", {{"severity", "warning"}, {"message", error.what()}}}});
        }
        send(QByteArray::fromStdString(
            Json{{"jsonrpc", "2.0"}, {"method", "view.shown"}, {"params", {{"sequence", sequence}}}}
                .dump()));
    } else {
        const QMutexLocker lock(&mutex_);
        mailbox_.push_back(std::move(parsed));
    }
    announce();
}

void Connection::announce()
{
    {
        const QMutexLocker lock(&mutex_);
        if (std::exchange(announced_, true))
            return;
    }
    emit mail();
}

} // namespace floe::client
