#include "app/live_advice.hpp"

#include "app/cost_estimate.hpp"
#include "document/document.hpp"
#include "shell/notice.hpp"

#include <QLocale>
#include <QPointer>

#include <cmath>
#include <map>
#include <string>

namespace floe::editor {

namespace {

constexpr double kEnough = 0.95; // nobody sees the difference

/// Two digits, not below the number.
double roundedUp(double number)
{
    const double digit = std::pow(10.0, std::floor(std::log10(number)) - 1);
    return digit * std::ceil(number / digit - 1e-9);
}

} // namespace

CellSizes cellSizes(const Document& document, double times)
{
    CellSizes sizes;
    for (const graph::Node& node : document.content().graph.nodes) {
        const graph::NodeType* type = document.typeOf("", node.name);
        const std::string parameter = type ? followedParameter(document.types(), *type) : "";
        if (parameter.empty())
            continue;
        const Json value = document.value("", node.name, parameter);
        if (!value.is_number() || !(value.get<double>() > 0))
            continue;
        // As a decimal number: what is stored is what is read.
        sizes[parameter][node.name] =
            times == 1 ? value.get<double>()
                       : QString::number(roundedUp(times * value.get<double>()), 'g', 2).toDouble();
    }
    return sizes;
}

QString cellText(const Document& document, double times)
{
    const CellSizes sizes = cellSizes(document, times);
    return sizes.empty()
               ? QString()
               : QLocale().toString(sizes.begin()->second.begin()->second.get<double>(), 'g', 3);
}

void LiveAdvice::offer(Document& document, Notice& notice, double speed, double times)
{
    const bool slow = speed < kEnough && speed > 0;
    if (!slow && times == 1)
        return;
    // n times as large cells: n^3 times fewer particles, n times fewer steps.
    const double larger = slow ? times * std::pow(speed, -0.25) : times;
    const CellSizes sizes = cellSizes(document, larger);
    const QString what =
        slow ? tr("Time ran at %1 of its speed, because frames took longer than the scene's rate "
                  "allows.")
                   .arg(QLocale().toString(speed, 'f', 2))
             : tr("Cells of %1 m kept the rate; those of the scene are %2 m.")
                   .arg(cellText(document, times), cellText(document, 1));
    if (sizes.empty()) {
        notice.say(Notice::Severity::Info, what);
        return;
    }
    const bool one = sizes.size() == 1 && sizes.begin()->second.size() == 1;
    notice.say(Notice::Severity::Info, what,
               one ? tr("Use cells of %1 m").arg(cellText(document, larger))
                   : tr("Use larger cells"),
               [sizes, document = QPointer(&document)] {
                   if (!document)
                       return;
                   document->begin(tr("Larger cells"));
                   for (const auto& [parameter, values] : sizes)
                       document->setParameter("", values, parameter);
                   document->end();
               });
}

} // namespace floe::editor
