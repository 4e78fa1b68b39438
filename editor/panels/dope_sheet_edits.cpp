#include "document/document.hpp"
#include "panels/dope_sheet.hpp"
#include "panels/key_times.hpp"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <cmath>

namespace floe::panels {

namespace {
constexpr const char* kClipboard = "floe.keys";
} // namespace

Json DopeSheet::valueOf(const Row& row) const
{
    return document_->value(row.scope, row.node, row.parameter);
}

/// In one step of undo; the keys that each edit names are selected afterwards.
void DopeSheet::edit(const QString& text, const std::vector<Edit>& edits)
{
    if (edits.empty())
        return;
    document_->begin(text);
    for (const Edit& each : edits)
        document_->setParameter(each.row.scope, each.row.node, each.row.parameter, each.value);
    document_->end();
    refresh();
    selected_.clear();
    for (int i = 0; i < int(rows_.size()); ++i)
        for (const Edit& each : edits)
            if (rows_[std::size_t(i)].isOf(each.row))
                for (const double frame : each.chosen)
                    if (std::binary_search(rows_[std::size_t(i)].frames.begin(),
                                           rows_[std::size_t(i)].frames.end(), frame))
                        selected_[i].insert(frame);
    area_->update();
}

void DopeSheet::moveSelected(double by)
{
    std::vector<Edit> edits;
    for (const auto& [index, frames] : selected_) {
        const Row& row = rows_[std::size_t(index)];
        std::set<double> there;
        for (const double frame : frames)
            there.insert(frame + by);
        edits.push_back({row, withKeysMoved(valueOf(row), frames, by), std::move(there)});
    }
    edit(tr("Move keys"), edits);
}

void DopeSheet::removeSelected()
{
    std::vector<Edit> edits;
    for (const auto& [index, frames] : selected_) {
        const Row& row = rows_[std::size_t(index)];
        edits.push_back({row, withoutKeys(valueOf(row), frames), {}});
    }
    edit(tr("Remove keys"), edits);
}

void DopeSheet::copySelected() const
{
    Json list = Json::array();
    double first = INFINITY;
    for (const auto& [index, frames] : selected_) {
        const Row& row = rows_[std::size_t(index)];
        list.push_back({{"scope", row.scope},
                        {"node", row.node},
                        {"parameter", row.parameter},
                        {"value", onlyKeys(valueOf(row), frames)}});
        first = std::min(first, *frames.begin());
    }
    if (!list.empty())
        QApplication::clipboard()->setText(
            QString::fromStdString(Json{{kClipboard, list}, {"first", first}}.dump()));
}

void DopeSheet::paste()
{
    const Json json = Json::parse(QApplication::clipboard()->text().toStdString(), nullptr, false);
    if (!json.is_object() || !json.contains(kClipboard) || !json[kClipboard].is_array() ||
        !json.contains("first") || !json["first"].is_number())
        return;
    const double by = frame_ - std::round(json["first"].get<double>());
    std::vector<Edit> edits;
    for (const Json& entry : json[kClipboard]) {
        const auto named = [&](const char* key) {
            const auto it = entry.is_object() ? entry.find(key) : entry.end();
            return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
        };
        Row row{named("scope"), named("node"), named("parameter"), {}, {}};
        if (json[kClipboard].size() == 1 && current_ >= 0) // those of one go where one wants them
            row = rows_[std::size_t(current_)];
        if (!entry.is_object() || !entry.contains("value") ||
            !document_->typeOf(row.scope, row.node) ||
            !document_->typeOf(row.scope, row.node)->parameter(row.parameter))
            continue;
        const Json before = valueOf(row);
        Json after = withKeysPasted(before, entry["value"], by);
        if (after == before)
            continue;
        std::set<double> pasted;
        for (const double frame : keyFrames(entry["value"]))
            pasted.insert(frame + by);
        edits.push_back({std::move(row), std::move(after), std::move(pasted)});
    }
    edit(tr("Paste keys"), edits);
}

void DopeSheet::selectAll()
{
    for (int row = 0; row < int(rows_.size()); ++row)
        selected_[row] = {rows_[std::size_t(row)].frames.begin(),
                          rows_[std::size_t(row)].frames.end()};
    area_->update();
}

} // namespace floe::panels
