#include "client/messages.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace floe::client {

namespace {

template <class Value>
Value wordOf(const Json& object, const char* key,
             std::span<const std::pair<std::string_view, Value>> words, Value fallback)
{
    const Json* found = member(object, key);
    if (!found || !found->is_string())
        return fallback;
    for (const auto& [word, value] : words)
        if (found->get_ref<const std::string&>() == word)
            return value;
    return fallback;
}

constexpr std::pair<std::string_view, FrameState> kFrameStates[] = {
    {"empty", FrameState::Empty},
    {"running", FrameState::Running},
    {"cached", FrameState::Cached},
    {"stale", FrameState::Stale},
    {"broken", FrameState::Broken}};

constexpr std::pair<std::string_view, RunState> kRunStates[] = {
    {"idle", RunState::Idle},         {"running", RunState::Running},
    {"stopping", RunState::Stopping}, {"finished", RunState::Finished},
    {"failed", RunState::Failed},     {"cancelled", RunState::Cancelled}};

constexpr std::pair<std::string_view, NodeMark> kNodeMarks[] = {
    {"fine", NodeMark::Fine},       {"warning", NodeMark::Warning}, {"error", NodeMark::Error},
    {"cooking", NodeMark::Cooking}, {"cached", NodeMark::Cached},   {"missing", NodeMark::Missing}};

constexpr std::pair<std::string_view, LogLine::Severity> kSeverities[] = {
    {"info", LogLine::Severity::Info},
    {"warning", LogLine::Severity::Warning},
    {"error", LogLine::Severity::Error}};

template <class Value, std::size_t N>
Value word(const Json& object, const char* key,
           const std::pair<std::string_view, Value> (&words)[N], Value fallback)
{
    return wordOf(object, key, std::span<const std::pair<std::string_view, Value>>(words),
                  fallback);
}

/// What a screen is sent for linear light (IEC 61966-2-1).
float encoded(double linear)
{
    const double v = std::isfinite(linear) ? std::clamp(linear, 0.0, 1.0) : 0.0;
    return static_cast<float>(v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055);
}

constexpr qsizetype kMaxCharacters = 20'000; // of one text that a person is to read

} // namespace

const Json* member(const Json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

QString textOf(const Json& object, const char* key)
{
    const Json* found = member(object, key);
    if (!found || !found->is_string())
        return {};
    return QString::fromStdString(found->get_ref<const std::string&>()).left(kMaxCharacters);
}

double numberOf(const Json& object, const char* key, double fallback)
{
    const Json* found = member(object, key);
    if (!found || !found->is_number())
        return fallback;
    const double value = found->get<double>();
    return std::isfinite(value) ? value : fallback;
}

qint64 integerOf(const Json& object, const char* key, qint64 fallback, qint64 low, qint64 high)
{
    const Json* found = member(object, key);
    if (!found || !found->is_number())
        return fallback;
    const double value = found->get<double>();
    if (!std::isfinite(value))
        return fallback;
    return static_cast<qint64>(
        std::clamp(value, static_cast<double>(low), static_cast<double>(high)));
}

QVector<FrameSpan> frameSpans(const Json& object, const char* key)
{
    QVector<FrameSpan> spans;
    const Json* list = member(object, key);
    if (!list || !list->is_array())
        return spans;
    for (const Json& entry : *list) {
        if (spans.size() >= 100'000)
            break;
        FrameSpan span;
        span.first = static_cast<int>(integerOf(entry, "first", 0));
        span.last = static_cast<int>(integerOf(entry, "last", span.first));
        span.state = word(entry, "state", kFrameStates, FrameState::Empty);
        if (entry.is_object() && span.last >= span.first)
            spans.append(span);
    }
    return spans;
}

QMap<QString, QVector<FrameSpan>> keptFrames(const Json& object, const char* key)
{
    QMap<QString, QVector<FrameSpan>> kept;
    const Json* nodes = member(object, key);
    if (!nodes || !nodes->is_object())
        return kept;
    for (const auto& [node, spans] : nodes->items())
        if (kept.size() < 10'000)
            kept.insert(QString::fromStdString(node), frameSpans(*nodes, node.c_str()));
    return kept;
}

/// What a fault says: its translatable text, if that is the text's.
static graph::TranslatableText translatableOf(const Json& object, const char* key,
                                              const QString& text)
{
    if (const Json* found = member(object, key))
        if (graph::TranslatableText message = graph::translatableTextFrom(*found);
            QString::fromStdString(message.text()) == text)
            return message;
    return graph::TranslatableText::verbatim(text.toStdString());
}

std::vector<graph::Fault> faults(const Json& object, const char* key)
{
    std::vector<graph::Fault> all;
    const Json* list = member(object, key);
    if (!list || !list->is_array())
        return all;
    for (const Json& entry : *list) {
        if (!entry.is_object() || all.size() >= 10'000)
            continue;
        graph::Fault fault;
        fault.severity = textOf(entry, "severity") == QLatin1String("warning")
                             ? graph::Severity::Warning
                             : graph::Severity::Error;
        fault.code = textOf(entry, "code").toStdString();
        fault.file = textOf(entry, "file").toStdString();
        fault.node = textOf(entry, "node").toStdString();
        fault.type = textOf(entry, "type").toStdString();
        fault.field = textOf(entry, "field").toStdString();
        const QString cause = textOf(entry, "cause"); // `message` names node and cure too
        fault.cause =
            translatableOf(entry, "causeText", cause.isEmpty() ? textOf(entry, "message") : cause);
        fault.cure = translatableOf(entry, "cureText", textOf(entry, "cure"));
        all.push_back(std::move(fault));
    }
    return all;
}

RunState runState(const Json& params)
{
    return word(params, "state", kRunStates, RunState::Idle);
}

NodeStatus nodeStatus(const Json& params)
{
    return {textOf(params, "node"), word(params, "state", kNodeMarks, NodeMark::Fine),
            textOf(params, "message"), std::clamp(numberOf(params, "progress", -1), -1.0, 1.0)};
}

LogLine logLine(const Json& params)
{
    return {word(params, "severity", kSeverities, LogLine::Severity::Info), textOf(params, "node"),
            textOf(params, "message"), QDateTime::currentDateTime()};
}

Progress progress(const Json& params)
{
    return {static_cast<int>(integerOf(params, "frame", 0)), textOf(params, "node"),
            std::clamp(numberOf(params, "fraction", 0), 0.0, 1.0)};
}

/// "0.9, 0.5, 0.1"
static QString numbersText(const Json& array)
{
    QStringList texts;
    for (const Json& number : array)
        if (number.is_number() && texts.size() < 16)
            texts.append(QString::number(number.get<double>(), 'g', 7));
    return texts.join(QStringLiteral(", "));
}

TablePage tablePage(const Json& result)
{
    TablePage page;
    if (const Json* columns = member(result, "columns"); columns && columns->is_array())
        for (const Json& column : *columns) {
            if (page.columns.size() >= 1000)
                break;
            page.columns.append(column.is_string()
                                    ? QString::fromStdString(column.get<std::string>()).left(200)
                                    : textOf(column, "name").left(200));
        }
    page.total = integerOf(result, "total", 0, 0, 1'000'000'000'000);
    const Json* rows = member(result, "rows");
    if (!rows || !rows->is_array())
        return page;
    for (const Json& row : *rows) {
        if (!row.is_array() || page.rows.size() >= 100'000)
            continue;
        QVector<QVariant> values(page.columns.size());
        const auto count =
            std::min<std::size_t>(row.size(), static_cast<std::size_t>(values.size()));
        for (std::size_t i = 0; i < count; ++i) {
            QVariant& value = values[static_cast<qsizetype>(i)];
            if (row[i].is_number())
                value = row[i].get<double>();
            else if (row[i].is_string())
                value = QString::fromStdString(row[i].get_ref<const std::string&>()).left(1000);
            else if (row[i].is_boolean())
                value = row[i].get<bool>() ? QStringLiteral("true") : QStringLiteral("false");
            else if (row[i].is_array())
                value = numbersText(row[i]);
        }
        page.rows.append(std::move(values));
    }
    return page;
}

std::optional<std::array<double, 3>> triple(const Json& value)
{
    if (!value.is_array() || value.size() != 3)
        return std::nullopt;
    std::array<double, 3> triple{};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!value[i].is_number() || !std::isfinite(value[i].get<double>()))
            return std::nullopt;
        triple[i] = value[i].get<double>();
    }
    return triple;
}

std::optional<Camera> camera(const Json& object, const char* key)
{
    const Json* found = member(object, key);
    const Json* eye = found ? member(*found, "eye") : nullptr;
    const Json* target = found ? member(*found, "target") : nullptr;
    const auto from = eye ? triple(*eye) : std::nullopt;
    const auto to = target ? triple(*target) : std::nullopt;
    if (!from || !to || *from == *to)
        return std::nullopt;
    Camera camera;
    camera.eye = *from;
    camera.target = *to;
    if (const Json* up = member(*found, "up"))
        camera.up = triple(*up).value_or(camera.up);
    camera.fieldOfView = std::clamp(numberOf(*found, "fov", camera.fieldOfView), 1.0, 170.0);
    const Json* orthographic = member(*found, "orthographic");
    camera.orthographic = orthographic && *orthographic == true;
    return camera;
}

Legend legend(const Json& object, const char* key)
{
    Legend legend;
    const Json* found = member(object, key);
    if (!found || !found->is_object())
        return legend;
    legend.title = textOf(*found, "title").left(100);
    legend.map = textOf(*found, "map").left(40);
    if (const Json* range = member(*found, "range");
        range && range->is_array() && range->size() == 2 && (*range)[0].is_number() &&
        (*range)[1].is_number()) {
        legend.low = (*range)[0].get<double>();
        legend.high = (*range)[1].get<double>();
    }
    const Json* entries = member(*found, "entries");
    if (!entries || !entries->is_array())
        return legend;
    for (const Json& entry : *entries) {
        if (legend.entries.size() >= 64)
            break;
        float rgb[3] = {0.5f, 0.5f, 0.5f};
        if (const Json* colour = member(entry, "colour"); colour && colour->is_array())
            for (std::size_t i = 0; i < std::min<std::size_t>(3, colour->size()); ++i)
                if ((*colour)[i].is_number()) // linear, as everywhere in the protocol
                    rgb[i] = encoded((*colour)[i].get<double>());
        legend.entries.append(
            {textOf(entry, "label").left(60), QColor::fromRgbF(rgb[0], rgb[1], rgb[2])});
    }
    return legend;
}

QString label(FrameState state)
{
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("FrameState", text);
    };
    switch (state) {
    case FrameState::Empty:
        return tr(QT_TRANSLATE_NOOP("FrameState", "Not simulated"));
    case FrameState::Running:
        return tr(QT_TRANSLATE_NOOP("FrameState", "Simulating"));
    case FrameState::Cached:
        return tr(QT_TRANSLATE_NOOP("FrameState", "Simulated"));
    case FrameState::Stale:
        return tr(QT_TRANSLATE_NOOP("FrameState", "Out of date"));
    case FrameState::Broken:
        return tr(QT_TRANSLATE_NOOP("FrameState", "Failed"));
    }
    return {};
}

} // namespace floe::client
