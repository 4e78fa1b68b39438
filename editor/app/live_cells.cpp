#include "app/live_cells.hpp"

#include "app/live_advice.hpp"
#include "client/runtime.hpp"
#include "document/document.hpp"
#include "views/timeline.hpp"

#include <QAction>
#include <QLocale>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::editor {

namespace {

constexpr double kShare = 0.9;        // of a frame's time that it may take
constexpr double kDifference = 0.1;   // smaller ones change nothing: cells would never rest
constexpr double kMaxTimes = 4;       // larger cells would leave hardly a particle of most things
constexpr std::size_t kMinFrames = 3; // that tell what a run takes
constexpr const char* kSetting = "live/cellsForRate";

} // namespace

LiveCells::LiveCells(const Document& document, client::Runtime* runtime, views::Timeline* timeline,
                     std::function<QString()> program, std::function<void()> send,
                     std::function<bool()> settled, QObject* parent)
    : QObject(parent), document_(document), runtime_(runtime), timeline_(timeline),
      program_(std::move(program)), send_(std::move(send)), settled_(std::move(settled))
{
    timeline_->cellsForRate->setChecked(QSettings().value(kSetting, false).toBool());
    timeline_->setPreparation([this](std::function<void()> start) { prepare(std::move(start)); });
    for (QAction* each : {timeline_->live, timeline_->cellsForRate})
        connect(each, &QAction::toggled, this, [this] {
            QSettings().setValue(kSetting, timeline_->cellsForRate->isChecked());
            if (times_ > 1)
                send_();
            show();
        });
    connect(timeline_->stop, &QAction::triggered, this, &LiveCells::giveUp);
    connect(&document_, &Document::opened, this, [this] {
        giveUp();
        times_ = 1;
        runSize_ = 0;
        seconds_.clear();
        show();
    });
    connect(&document_, &Document::edited, this, &LiveCells::show);
    connect(runtime_, &client::Runtime::faultsChanged, this, &LiveCells::proceed);
    connect(runtime_, &client::Runtime::stateChanged, this, [this](client::Runtime::State state) {
        if (state == client::Runtime::State::Lost)
            giveUp();
    });
    connect(runtime_, &client::Runtime::frameFinished, this, [this](int, const Json& statistics) {
        frameSeconds_ = client::numberOf(statistics, "seconds", 0);
    });
    connect(runtime_, &client::Runtime::paced, this, &LiveCells::take);
    connect(&trial_, &RunCost::measured, this, [this](const Json& cost) {
        if (const auto own = ownSize(); own && cost.at("frameSeconds").is_number())
            choose(*own, cost.at("frameSeconds").get<double>());
        begin();
    });
    connect(&trial_, &RunCost::failed, this, &LiveCells::begin); // the run will say why
    show();
}

bool LiveCells::isOn() const
{
    return timeline_->live->isChecked() && timeline_->cellsForRate->isChecked();
}

std::optional<double> LiveCells::ownSize() const
{
    const CellSizes sizes = cellSizes(document_, 1);
    return sizes.empty() ? std::nullopt
                         : std::optional(sizes.begin()->second.begin()->second.get<double>());
}

graph::Document LiveCells::simulated() const
{
    graph::Document content = document_.content();
    if (times() > 1)
        for (const auto& [parameter, values] : cellSizes(document_, times_))
            for (const auto& [node, size] : values)
                if (graph::Node* found = content.graph.find(node)) {
                    found->parameters[parameter] = size;
                    found->raw.clear();
                }
    return content;
}

void LiveCells::prepare(std::function<void()> start)
{
    start_ = std::move(start);
    if (!isOn() || !ownSize())
        return begin();
    if (seconds_.size() >= kMinFrames && runSize_ > 0) {
        // Most frames are to be in time: where a few are not, time runs slower.
        const auto nearLongest = seconds_.begin() + std::ptrdiff_t(seconds_.size() * 3 / 4);
        std::nth_element(seconds_.begin(), nearLongest, seconds_.end());
        choose(runSize_, *nearLongest);
        return begin();
    }
    if (!trial_.start(program_(), document_))
        return begin();
    timeline_->showCells(tr("trying cells…"),
                         tr("The first frames are simulated, to find cells for the rate"));
}

/// With n times as large cells there are n^3 times fewer particles, and n times fewer steps.
/// @param seconds  that a frame takes with cells of that size
void LiveCells::choose(double size, double seconds)
{
    const double frame = kShare / document_.content().range.fps;
    const double times = std::clamp(
        size * std::pow(seconds / frame, 0.25) / ownSize().value_or(size), 1.0, kMaxTimes);
    if (std::abs(times / times_ - 1) > kDifference)
        times_ = times;
}

void LiveCells::begin()
{
    if (!start_)
        return;
    show();
    const CellSizes sizes = cellSizes(document_, times());
    runSize_ = sizes.empty() ? 0 : sizes.begin()->second.begin()->second.get<double>();
    seconds_.clear();
    isFirst_ = true;
    if (isOn())
        send_();
    proceed();
}

void LiveCells::proceed()
{
    if (start_ && !trial_.isBusy() && settled_())
        std::exchange(start_, {})();
}

void LiveCells::giveUp()
{
    trial_.stop();
    start_ = {};
    show();
}

void LiveCells::take(double speed)
{
    const bool first = std::exchange(isFirst_, false); // it makes things, and takes no steps
    if (!first && speed > 0 && frameSeconds_ > 0)
        seconds_.push_back(frameSeconds_ / speed);
}

void LiveCells::show()
{
    if (trial_.isBusy())
        return;
    const QString size = cellText(document_, times());
    if (!isOn() || size.isEmpty())
        return timeline_->showCells({});
    const QString rate = QLocale().toString(document_.content().range.fps);
    timeline_->showCells(
        tr("cells of %1 m").arg(size),
        tr("Live runs have cells of %1 m, for %2 frames a second").arg(size, rate));
}

} // namespace floe::editor
