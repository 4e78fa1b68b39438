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

void LiveAdvice::offer(Document& document, Notice& notice, double speed)
{
    if (!(speed < kEnough) || !(speed > 0))
        return;
    // n times as large cells: n^3 times fewer particles, n times fewer steps.
    const double larger = std::pow(speed, -0.25);
    std::map<std::string, std::map<std::string, Json>> sizes; // by parameter, by node
    QString size;
    for (const graph::Node& node : document.content().graph.nodes) {
        const graph::NodeType* type = document.typeOf("", node.name);
        const std::string parameter = type ? followedParameter(document.types(), *type) : "";
        if (parameter.empty())
            continue;
        const Json value = document.value("", node.name, parameter);
        if (!value.is_number() || !(value.get<double>() > 0))
            continue;
        // As a decimal number: what is stored is what is read.
        size = QString::number(roundedUp(larger * value.get<double>()), 'g', 2);
        sizes[parameter][node.name] = size.toDouble();
    }
    const QString what =
        tr("Time ran at %1 of its speed, because frames took longer than the scene's rate allows.")
            .arg(QLocale().toString(speed, 'f', 2));
    if (sizes.empty()) {
        notice.say(Notice::Severity::Info, what);
        return;
    }
    const bool one = sizes.size() == 1 && sizes.begin()->second.size() == 1;
    notice.say(Notice::Severity::Info, what,
               one ? tr("Use cells of %1 m").arg(QLocale().toString(size.toDouble(), 'g', 2))
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
