#include "app/connect_dialog.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace floe::editor {

std::optional<std::pair<QString, quint16>> parseAddress(const QString& text)
{
    const qsizetype colon = text.lastIndexOf(':');
    bool isNumber = false;
    const uint port = text.mid(colon + 1).trimmed().toUInt(&isNumber);
    QString host = text.left(colon).trimmed();
    if (host.startsWith('[') && host.endsWith(']'))
        host = host.mid(1, host.size() - 2);
    if (colon < 1 || host.isEmpty() || !isNumber || port < 1 || port > 65535)
        return std::nullopt;
    return std::pair(host, quint16(port));
}

ConnectDialog::ConnectDialog(const QString& address, QWidget* parent)
    : QDialog(parent), address_(new QLineEdit(address, this)), token_(new QLineEdit(this)),
      fault_(new QLabel(this))
{
    setWindowTitle(tr("Connect to a runtime"));
    auto* lead =
        new QLabel(tr("Simulate on another computer. Run there <code>floe serve --listen HOST:PORT "
                      "--keep</code>; it prints its address and a token."),
                   this);
    lead->setWordWrap(true);
    lead->setTextInteractionFlags(Qt::TextSelectableByMouse);
    address_->setObjectName("address");
    address_->setPlaceholderText(tr("host:port"));
    address_->setToolTip(tr("Where the runtime listens, such as render-7:7000"));
    token_->setObjectName("token");
    token_->setPlaceholderText(tr("what it printed after 'token'"));
    token_->setToolTip(tr("Shows the runtime that you may use it"));
    auto* form = new QFormLayout;
    form->addRow(tr("Address"), address_);
    form->addRow(tr("Token"), token_);
    auto* note =
        new QLabel(tr("Files that the scene names are read and written there. What is sent is not "
                      "encrypted: use a network that you trust, or a tunnel."),
                   this);
    note->setObjectName("zoom"); // quiet
    note->setWordWrap(true);
    fault_->setObjectName("connectFault");
    fault_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    connect_ = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
    connect_->setObjectName("connect");
    connect_->setDefault(true);
    auto* own = buttons->addButton(tr("Use this computer"), QDialogButtonBox::ResetRole);
    own->setToolTip(tr("Leave the other computer and simulate here"));
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    column->setContentsMargins(18, 16, 18, 14);
    column->addWidget(lead);
    column->addLayout(form);
    column->addWidget(fault_);
    column->addWidget(note);
    column->addWidget(buttons);
    setMinimumWidth(460);
    connect(address_, &QLineEdit::textChanged, this, &ConnectDialog::check);
    connect(token_, &QLineEdit::textChanged, this, &ConnectDialog::check);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(own, &QPushButton::clicked, this, [this] {
        emit ownWanted();
        reject();
    });
    check();
}

void ConnectDialog::check()
{
    const bool known = parseAddress(address_->text()).has_value();
    fault_->setText(tr("An address is a name or number, a colon and a port: 192.168.1.7:7000"));
    fault_->setVisible(!known && !address_->text().isEmpty());
    connect_->setEnabled(known && !token().isEmpty());
}

QString ConnectDialog::address() const
{
    return address_->text().trimmed();
}

QString ConnectDialog::token() const
{
    return token_->text().trimmed();
}

} // namespace floe::editor
