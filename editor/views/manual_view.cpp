#include "views/manual_view.hpp"

#include "views/colours.hpp"

#include <QCollator>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <vector>

namespace floe::views {

namespace {

constexpr int kId = Qt::UserRole;
constexpr qint64 kLargestPage = 4 << 20;

/// The file of a page in the language of the editor, in English where it is not translated.
QString fileOf(const QString& page)
{
    const QString place = ManualView::folder() + QLatin1Char('/') + page;
    for (QString language : QLocale().uiLanguages()) { // "fr-FR", "fr"
        const QString file = QStringLiteral("%1.%2.md").arg(place, language.replace('-', '_'));
        if (QFile::exists(file))
            return file;
        if (language == QLatin1String("en")) // wanted more than those that follow
            break;
    }
    return place + QStringLiteral(".md");
}

/// First line "# Title" of a page.
QString titleOf(const QString& page)
{
    QFile file(fileOf(page));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString line = QString::fromUtf8(file.readLine(500)).trimmed();
    return line.startsWith(QLatin1String("# ")) ? line.mid(2) : QString();
}

} // namespace

ManualView::ManualView(QWidget* parent)
    : QWidget(parent), search_(new QLineEdit(this)), contents_(new QTreeWidget(this)),
      browser_(new QTextBrowser(this))
{
    search_->setPlaceholderText(tr("Search"));
    search_->setClearButtonEnabled(true);
    contents_->setHeaderHidden(true);
    contents_->setFrameShape(QFrame::NoFrame);
    contents_->setAccessibleName(tr("Contents"));
    browser_->setFrameShape(QFrame::NoFrame);
    browser_->setOpenLinks(false);
    browser_->document()->setDocumentMargin(24);
    if (!folder().isEmpty())
        browser_->setSearchPaths({folder()});

    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(8, 8, 4, 8);
    column->addWidget(search_);
    column->addWidget(contents_, 1);
    auto* split = new QSplitter(this);
    split->addWidget(left);
    split->addWidget(browser_);
    split->setStretchFactor(1, 1);
    split->setSizes({240, 640});
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins({});
    all->addWidget(split);

    connect(search_, &QLineEdit::textChanged, this, &ManualView::filter);
    connect(contents_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (!item)
            return;
        const QString id = item->data(0, kId).toString();
        if (!id.isEmpty() && id != current_ && !showNode(id))
            showPage(id);
    });
    connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.scheme() == QLatin1String("http") || link.scheme() == QLatin1String("https")) {
            QDesktopServices::openUrl(link);
            return;
        }
        const QString target = link.toString();
        if (target.startsWith(QLatin1String("node:")))
            showNode(target.mid(5));
        else if (target.endsWith(QLatin1String(".md")))
            showPage(QString(target).chopped(3));
    });
    fillContents();
    showPage(QStringLiteral("index"));
}

QString ManualView::folder()
{
    const QDir program(QCoreApplication::applicationDirPath());
    for (const char* place : {"../share/floe/manual", "../../share/floe/manual"}) {
        const QString path = program.filePath(QLatin1String(place));
        if (QFile::exists(path + QStringLiteral("/index.md")))
            return QDir::cleanPath(path);
    }
    return {};
}

graph::ReferenceWords ManualView::referenceWords()
{
    graph::ReferenceWords words;
    const auto set = [](std::string& word, const QString& text) {
        word = text.toStdString();
    };
    set(words.other, tr("Other"));
    set(words.origin, tr("%1, version %2, plugin %3"));
    set(words.solver, tr("solver"));
    set(words.sink, tr("sink"));
    set(words.onBoth, tr("CPU and CUDA"));
    set(words.needsCuda, tr("needs CUDA"));
    set(words.alsoFoundAs, tr("Also found as: %1."));
    set(words.socket, tr("socket"));
    set(words.kind, tr("kind"));
    set(words.input, tr("input"));
    set(words.output, tr("output"));
    set(words.required, tr("required"));
    set(words.several, tr("several"));
    set(words.parameter, tr("parameter"));
    set(words.type, tr("type"));
    set(words.defaultValue, tr("default"));
    set(words.range, tr("range"));
    set(words.unit, tr("unit"));
    set(words.preset, tr("preset"));
    set(words.values, tr("values"));
    set(words.fromTo, tr("%1 to %2"));
    set(words.either, tr("%1 or %2"));
    set(words.both, tr("%1 and %2"));
    set(words.usedWhen, tr("Used when %1."));
    set(words.is, tr("%1 is %2"));
    set(words.constant, tr("Constant over time."));
    return words;
}

void ManualView::setTypes(std::shared_ptr<const graph::TypeLibrary> types)
{
    types_ = std::move(types);
    reference_.clear();
    if (types_) {
        std::ostringstream out;
        graph::writeNodeReference(*types_, out, {}, referenceWords());
        // "### Label", then "`type`, version ..." of each node.
        const QStringList parts = QString::fromStdString(out.str()).split(QStringLiteral("\n### "));
        for (qsizetype i = 1; i < parts.size(); ++i) {
            const QString text = parts[i].section(QStringLiteral("\n## "), 0, 0);
            const QString type = text.section(QLatin1Char('`'), 1, 1);
            reference_.insert(type, QStringLiteral("# ") + text);
        }
    }
    fillContents();
    if (reference_.contains(current_))
        showNode(current_);
}

void ManualView::fillContents()
{
    const QSignalBlocker blocker(contents_);
    contents_->clear();
    const auto item = [](QTreeWidgetItem* under, const QString& text, const QString& id) {
        auto* made = new QTreeWidgetItem(under, {text});
        made->setData(0, kId, id);
        return made;
    };
    auto* root = contents_->invisibleRootItem();
    if (!folder().isEmpty()) {
        item(root, titleOf(QStringLiteral("index")), QStringLiteral("index"));
        auto* tutorials = item(root, tr("Tutorials"), {});
        for (const char* page :
             {"snow_on_a_collider", "mixing_materials", "your_own_capture", "writing_a_plugin"})
            item(tutorials, titleOf(QLatin1String(page)), QLatin1String(page));
        tutorials->setExpanded(true);
        auto* using_ = item(root, tr("Using the editor"), {});
        for (const char* page : {"parameters", "time_and_pictures", "keys"})
            item(using_, titleOf(QLatin1String(page)), QLatin1String(page));
        using_->setExpanded(true);
    }
    if (!types_)
        return;
    auto* nodes = item(root, tr("Node reference"), {});
    nodes->setExpanded(true);
    const QCollator order{QLocale()};
    const auto before = [&](const QString& a, const QString& b) {
        return order.compare(a, b) < 0;
    };
    std::vector<std::array<QString, 3>> entries; // category, label, type
    for (const graph::NodeType* type : types_->all())
        entries.push_back({QString::fromStdString(type->categoryLabel),
                           QString::fromStdString(type->label),
                           QString::fromStdString(type->type)});
    std::sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
        return a[0] == b[0] ? before(a[1], b[1]) : before(a[0], b[0]);
    });
    QTreeWidgetItem* category = nullptr;
    for (const auto& [group, label, type] : entries) {
        if (!category || category->text(0) != group)
            category = item(nodes, group, {});
        item(category, label, type);
    }
}

void ManualView::filter(const QString& words)
{
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const std::function<bool(QTreeWidgetItem*)> visit = [&](QTreeWidgetItem* item) {
        const QString id = item->data(0, kId).toString();
        const QString text = item->text(0) + QLatin1Char(' ') + reference_.value(id);
        bool shown =
            !id.isEmpty() && std::all_of(wanted.begin(), wanted.end(), [&](const QString& w) {
                return text.contains(w, Qt::CaseInsensitive);
            });
        for (int i = 0; i < item->childCount(); ++i)
            shown = visit(item->child(i)) || shown;
        item->setHidden(!shown);
        if (!wanted.isEmpty() && item->childCount() > 0)
            item->setExpanded(true);
        return shown;
    };
    for (int i = 0; i < contents_->topLevelItemCount(); ++i)
        visit(contents_->topLevelItem(i));
}

void ManualView::select(const QString& id)
{
    current_ = id;
    const QSignalBlocker blocker(contents_);
    for (QTreeWidgetItem* item :
         contents_->findItems(QString(), Qt::MatchContains | Qt::MatchRecursive))
        if (item->data(0, kId).toString() == id)
            contents_->setCurrentItem(item);
}

void ManualView::showPage(const QString& page)
{
    QFile file(fileOf(page));
    const bool plain = !page.contains(QLatin1Char('/')) && !page.contains(QLatin1String(".."));
    if (!plain || folder().isEmpty() || !file.open(QIODevice::ReadOnly)) {
        display(tr("# Not found\n\nThe page '%1' of the manual is not installed.").arg(page));
    } else {
        display(QString::fromUtf8(file.read(kLargestPage)));
    }
    select(page);
}

bool ManualView::showNode(const QString& type)
{
    const auto found = reference_.constFind(type);
    if (found == reference_.cend())
        return false;
    display(*found);
    select(type);
    return true;
}

QString ManualView::text() const
{
    return browser_->toPlainText();
}

void ManualView::display(const QString& markdown)
{
    markdown_ = markdown;
    browser_->document()->setMarkdown(markdown, QTextDocument::MarkdownDialectGitHub);
    style();
    browser_->moveCursor(QTextCursor::Start);
}

void ManualView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::FontChange)
        display(markdown_);
}

void ManualView::style()
{
    const QColor base = palette().color(QPalette::Base), text = palette().color(QPalette::Text);
    const double size = QFontInfo(font()).pointSizeF();
    QTextDocument& document = *browser_->document();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool inTable = cursor.currentTable() != nullptr;
        const int level = format.headingLevel();
        const bool code = format.hasProperty(QTextFormat::BlockCodeFence) ||
                          format.hasProperty(QTextFormat::BlockCodeLanguage);
        if (!inTable && !code) {
            format.setTopMargin(level == 1 ? 4 : level > 1 ? 20 : 4);
            format.setBottomMargin(level > 0 ? 8 : 6);
            const bool picture =
                !block.begin().atEnd() && block.begin().fragment().charFormat().isImageFormat();
            if (!picture) // it would be as much too high as a line of its height
                format.setLineHeight(132, QTextBlockFormat::ProportionalHeight);
        }
        if (code) {
            format.setBackground(blend(base, text, 0.06));
            format.setLeftMargin(8);
        }
        cursor.setBlockFormat(format);
        struct Run {
            int position, length;
            QTextCharFormat format;
        };
        std::vector<Run> runs; // collected first: changing formats changes the fragments
        for (auto it = block.begin(); !it.atEnd(); ++it)
            runs.push_back(
                {it.fragment().position(), it.fragment().length(), it.fragment().charFormat()});
        for (Run& run : runs) {
            QTextCharFormat& characters = run.format;
            if (level > 0) {
                characters.setFontPointSize(size * (level == 1 ? 1.7 : level == 2 ? 1.3 : 1.1));
                characters.setFontWeight(QFont::DemiBold);
            } else if (characters.fontFixedPitch() || code) {
                characters.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont),
                                   QTextCharFormat::FontPropertiesSpecifiedOnly);
                characters.setFontFamilies(
                    {QFontDatabase::systemFont(QFontDatabase::FixedFont).family()});
                characters.setFontPointSize(size * 0.94);
                if (!code)
                    characters.setForeground(blend(text, palette().color(QPalette::Link), 0.55));
            } else if (characters.isAnchor()) {
                characters.setForeground(palette().color(QPalette::Link));
            } else {
                continue;
            }
            QTextCursor part(block);
            part.setPosition(run.position);
            part.setPosition(run.position + run.length, QTextCursor::KeepAnchor);
            part.setCharFormat(characters);
        }
    }
    const QList<QTextFrame*> frames = document.rootFrame()->childFrames();
    for (QTextFrame* frame : frames)
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorder(0);
            format.setCellSpacing(0);
            format.setCellPadding(6);
            format.setTopMargin(6);
            format.setBottomMargin(10);
            format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
            table->setFormat(format);
            for (int row = 0; row < table->rows(); ++row)
                for (int c = 0; c < table->columns(); ++c) {
                    QTextTableCell cell = table->cellAt(row, c);
                    QTextTableCellFormat cellFormat = cell.format().toTableCellFormat();
                    cellFormat.setBottomBorder(1);
                    cellFormat.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
                    cellFormat.setBottomBorderBrush(blend(base, text, row == 0 ? 0.35 : 0.12));
                    cell.setFormat(cellFormat);
                }
        }
}

} // namespace floe::views
