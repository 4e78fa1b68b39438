#include "handed_out.hpp"

#include "trial.hpp"

namespace floe::app {

std::string Finding::line() const
{
    return std::string(error ? "error: " : "warning: ") + text + " [" + name + "]";
}

std::vector<Finding> tryOutput(const std::string& socket, const ValueRef& value,
                               const plugin::CookSettings& settings,
                               plugin::Environment& environment,
                               const std::function<void(const std::string&)>& doing)
{
    const RecordValue* record = as<RecordValue>(value);
    if (!record)
        return {};
    const Subject subject{socket, settings, environment, doing};
    const std::string& schema = record->schema();
    if (schema == "material")
        return tryMaterial(*record, subject);
    if (schema == "emitter")
        return tryEmitter(*record, subject);
    if (schema == "activation")
        return tryActivation(*record, subject);
    if (schema == "force" || schema == "collider" || schema == "domain")
        return tryWorld(*record, subject);
    return {};
}

} // namespace floe::app
