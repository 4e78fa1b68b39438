#include "views/spreadsheet.hpp"

#include "document/document.hpp"
#include "views/colours.hpp"
#include "views/table_model.hpp"

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace floe::views {

Spreadsheet::Spreadsheet(client::Runtime* runtime, editor::Document* document, QWidget* parent)
    : QWidget(parent), runtime_(runtime), document_(document),
      model_(new TableModel(runtime, this)), sockets_(new QComboBox(this)),
      summary_(new QLabel(this)), table_(new QTableView(this))
{
    sockets_->setToolTip(tr("Value shown"));
    sockets_->setAccessibleName(tr("Value shown"));
    sockets_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    sockets_->setMinimumContentsLength(18);
    table_->setModel(model_);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->horizontalHeader()->setDefaultSectionSize(
        fontMetrics().horizontalAdvance(QStringLiteral("-0.000000e-00")) + 16);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->setAlternatingRowColors(true);
    QFont numbers = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    numbers.setPointSizeF(QFontInfo(font()).pointSizeF() * 0.95);
    table_->setFont(numbers);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->setSpacing(10);
    bar->addWidget(sockets_);
    bar->addWidget(summary_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(table_, 1);

    wait_.setSingleShot(true);
    wait_.setInterval(60);
    connect(&wait_, &QTimer::timeout, this, &Spreadsheet::renew);
    connect(sockets_, &QComboBox::activated, this, [this] { renew(); });
    connect(model_, &TableModel::refreshed, this, &Spreadsheet::refreshSummary);
    // A document was checked, or there is another runtime: values may be others.
    const auto later = [this] {
        if (isVisible())
            wait_.start();
    };
    connect(runtime_, &client::Runtime::faultsChanged, this, later);
    connect(runtime_, &client::Runtime::stateChanged, this, later);
    connect(runtime_, &client::Runtime::frameFinished, this, [this](int frame) {
        if (frame == frame_)
            wait_.start();
    });
    connect(document_, &editor::Document::replaced, this, &Spreadsheet::refreshSockets);
    connect(document_, &editor::Document::nodeAdded, this, &Spreadsheet::refreshSockets);
    connect(document_, &editor::Document::nodeRemoved, this, &Spreadsheet::refreshSockets);
    connect(document_, &editor::Document::nodeRenamed, this, &Spreadsheet::refreshSockets);
    refreshSockets();
}

void Spreadsheet::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    wait_.start();
}

QString Spreadsheet::summary() const
{
    return summary_->text();
}

void Spreadsheet::refreshSummary()
{
    const bool facts = model_->columnCount() <= 2; // names and values: texts of all lengths
    if (facts != table_->horizontalHeader()->stretchLastSection()) {
        table_->horizontalHeader()->setStretchLastSection(facts);
        table_->setColumnWidth(0, facts ? fontMetrics().averageCharWidth() * 32
                                        : table_->horizontalHeader()->defaultSectionSize());
    }
    const auto number = [](qint64 n) {
        return QLocale().toString(n);
    };
    const bool running = runtime_->state() == client::Runtime::State::Ready;
    QString text = !running ? tr("The runtime is not running.")
                   : !model_->failure().isEmpty() && isToBeSimulated()
                       ? tr("Frame %1 is not simulated yet.").arg(frame_)
                   : !model_->failure().isEmpty() ? model_->failure()
                   : model_->total() > TableModel::kMaxRows
                       ? tr("%1 rows, the first %2 are shown")
                             .arg(number(model_->total()), number(TableModel::kMaxRows))
                       : tr("%Ln row(s)", nullptr, int(model_->total()));
    const auto& faults = runtime_->faults();
    if (running && model_->failure().isEmpty() &&
        std::any_of(faults.begin(), faults.end(), [](const graph::Fault& fault) {
            return fault.severity == graph::Severity::Error;
        }))
        text += QStringLiteral("  ·  ") + tr("of the scene as it was before its errors");
    summary_->setText(text);
}

/// The frame of the solver that is shown has not been simulated.
bool Spreadsheet::isToBeSimulated() const
{
    const QStringList source = sockets_->currentData().toStringList();
    const graph::NodeType* type =
        source.isEmpty() ? nullptr : document_->typeOf({}, source[0].toStdString());
    const auto& spans = runtime_->frames();
    return type && type->role == graph::Role::Solver &&
           std::none_of(spans.begin(), spans.end(), [this](const client::FrameSpan& span) {
               return span.first <= frame_ && frame_ <= span.last;
           });
}

void Spreadsheet::setFrame(int frame)
{
    frame_ = frame;
    if (isVisible())
        wait_.start();
}

void Spreadsheet::setNode(const QString& node)
{
    for (int i = 0; i < sockets_->count(); ++i)
        if (sockets_->itemText(i).startsWith(node + QLatin1Char('.'))) {
            sockets_->setCurrentIndex(i);
            renew();
            return;
        }
}

void Spreadsheet::refreshSockets()
{
    const QString before = sockets_->currentText();
    const QSignalBlocker blocker(sockets_);
    sockets_->clear();
    int best = -1;
    for (const graph::Node& node : document_->content().graph.nodes) {
        const graph::NodeType* type = document_->typeOf({}, node.name);
        if (!type)
            continue;
        for (const graph::Socket& socket : type->outputs) {
            const QString name = QString::fromStdString(node.name);
            const QString output = QString::fromStdString(socket.name);
            if (best < 0 && type->role == graph::Role::Solver)
                best = sockets_->count();
            sockets_->addItem(name + QLatin1Char('.') + output, QStringList{name, output});
        }
    }
    const int again = sockets_->findText(before);
    sockets_->setCurrentIndex(again >= 0 ? again : std::max(0, best));
    renew();
}

void Spreadsheet::renew()
{
    const QStringList source = sockets_->currentData().toStringList();
    if (source.size() == 2 && runtime_->state() == client::Runtime::State::Ready)
        model_->setSource(source[0], source[1], frame_);
    else
        model_->setSource({}, {}, frame_);
}

} // namespace floe::views
