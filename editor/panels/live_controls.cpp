#include "panels/live_controls.hpp"

#include "client/runtime.hpp"
#include "document/document.hpp"

namespace floe::panels {

LiveControls::LiveControls(client::Runtime* runtime, editor::Document* document, QObject* parent)
    : QObject(parent)
{
    connect(document, &editor::Document::parameterChanged, this,
            [runtime, document](const std::string& scope, const std::string& node,
                                const std::string& parameter) {
                if (!scope.empty() || runtime->runState() != client::RunState::Running)
                    return; // inside a subgraph: which of its instances is meant is not known
                const graph::NodeType* type = document->typeOf(scope, node);
                const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
                if (spec && spec->live)
                    runtime->control(QString::fromStdString(node),
                                     QString::fromStdString(parameter),
                                     document->value(scope, node, parameter));
            });
}

} // namespace floe::panels
