#include "app/cost_estimate.hpp"

#include "document/document.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {

constexpr int kRest = 600; // how long a size has to stay before it is tried [ms]

/// "40 s", "12 min", "3.5 h"
QString duration(double seconds)
{
    const QLocale locale;
    if (seconds < 90)
        return CostEstimate::tr("%1 s").arg(locale.toString(seconds, 'f', seconds < 10 ? 1 : 0));
    if (seconds < 5400)
        return CostEstimate::tr("%1 min").arg(locale.toString(seconds / 60, 'f', 0));
    return CostEstimate::tr("%1 h").arg(locale.toString(seconds / 3600, 'f', 1));
}

QString memory(double bytes)
{
    const QLocale locale;
    const double mebibytes = bytes / (1 << 20);
    if (mebibytes < 10'000)
        return CostEstimate::tr("%1 MiB").arg(
            locale.toString(mebibytes, 'f', mebibytes < 10 ? 1 : 0));
    return CostEstimate::tr("%1 GiB").arg(locale.toString(mebibytes / 1024, 'f', 1));
}

/// Three digits, so that what is scaled does not look exact.
QString rounded(double number)
{
    if (number >= 1000) {
        const double digits = std::pow(10.0, std::floor(std::log10(number)) - 2);
        number = std::round(number / digits) * digits;
    }
    return QLocale().toString(number, 'f', 0);
}

} // namespace

std::string followedParameter(const graph::TypeLibrary& types, const graph::NodeType& solver)
{
    if (solver.role != graph::Role::Solver)
        return {};
    for (const graph::NodeType* type : types.all())
        for (const graph::ParameterSpec& spec : type->parameters)
            if (spec.automatic && solver.parameter(spec.automatic->follows))
                return spec.automatic->follows;
    return {};
}

CostEstimate::CostEstimate(const Document& document, panels::ParameterPanel* panel,
                           std::function<QString()> program, QObject* parent)
    : QObject(parent), document_(document), panel_(panel), program_(std::move(program))
{
    rest_.setSingleShot(true);
    rest_.setInterval(kRest);
    connect(&rest_, &QTimer::timeout, this, &CostEstimate::measure);
    connect(&document_, &Document::edited, this, [this](bool content) {
        if (content)
            edited();
    });
    connect(&trial_, &RunCost::measured, this, &CostEstimate::take);
    // The scene's faults are shown where they are.
    connect(&trial_, &RunCost::failed, this, &CostEstimate::show);
}

void CostEstimate::follow(const std::string& scope, const std::string& node, const QString& path)
{
    scope_ = scope;
    node_ = node;
    path_ = path;
    const graph::NodeType* type = node.empty() ? nullptr : document_.typeOf(scope, node);
    parameter_ = type ? followedParameter(document_.types(), *type) : std::string();
    known_ = size();
    show();
}

std::optional<double> CostEstimate::size() const
{
    if (parameter_.empty() || !document_.node(scope_, node_))
        return std::nullopt;
    const Json value = document_.value(scope_, node_, parameter_);
    if (!value.is_number() || !(value.get<double>() > 0))
        return std::nullopt;
    return value.get<double>();
}

void CostEstimate::edited()
{
    const std::optional<double> now = size();
    if (now == known_)
        return;
    known_ = now;
    trial_.stop();
    if (now)
        rest_.start();
    else
        rest_.stop();
    show();
}

void CostEstimate::measure()
{
    const std::optional<double> now = size();
    if (!now)
        return;
    tried_ = *now;
    trial_.start(program_(), document_);
    show();
}

void CostEstimate::take(const Json& cost)
{
    const Json& nodes = cost.at("nodes");
    const auto found = nodes.find(path_.toStdString());
    if (found == nodes.end() || !found->contains("particles") ||
        !cost.at("frameSeconds").is_number())
        return show();
    measured_ = Measured{.node = path_,
                         .size = tried_,
                         .particles = found->value("particles", 0.0),
                         .bytes = found->value("bytes", 0.0),
                         .steps = found->value("substeps", 0.0),
                         .firstSeconds = cost.at("firstFrameSeconds").get<double>(),
                         .frameSeconds = cost.at("frameSeconds").get<double>(),
                         .growth = cost.value("growth", 0.0),
                         .frames = cost.at("frames").get<int>()};
    show();
}

void CostEstimate::show()
{
    panels::ParameterRow* row = parameter_.empty() ? nullptr : panel_->row(parameter_);
    if (!row)
        return;
    const std::optional<double> now = size();
    QString words;
    if (now && measured_ && measured_->node == path_)
        words = text(*measured_, *now);
    else if (trial_.isBusy())
        words = tr("Trying the first frames…");
    row->setRemark(words);
}

QString CostEstimate::text(const Measured& measured, double size) const
{
    const double finer = measured.size / size;
    const double volume = finer * finer * finer;
    const double seconds = measured.firstSeconds * volume +
                           (measured.frames - 1) * measured.frameSeconds * volume * finer;
    const bool exact = size == measured.size;
    QString words = (exact ? tr("%1 particles, %2") : tr("About %1 particles, %2"))
                        .arg(exact ? QLocale().toString(measured.particles, 'f', 0)
                                   : rounded(measured.particles * volume),
                             memory(measured.bytes * volume));
    if (measured.steps > 0)
        words += QLatin1Char('\n') +
                 tr("%1 steps a frame").arg(rounded(std::ceil(measured.steps * finer)));
    words += QLatin1Char('\n') + // a line each: the panel may be narrow
             tr("%n frames in %1", nullptr, measured.frames).arg(duration(seconds));
    if (measured.growth > 0 && measured.frames > 2)
        words += QLatin1Char('\n') +
                 tr("%1 if emitters go on to the end")
                     .arg(duration(seconds * (1 + 0.5 * measured.growth * (measured.frames - 2))));
    return words;
}

} // namespace floe::editor
