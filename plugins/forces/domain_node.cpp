#include "domain_node.hpp"

namespace floe::forces {

void DomainNode::cook(sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("domain");
    record.set("bounded", sdk::makeBoolean(context.boolean("bounded")));
    for (const char* name : {"center", "size", "rotation"})
        record.set(name, sdk::makeVector(context.vector(name)));
    for (const char* face : {"xMin", "xMax", "yMin", "yMax", "zMin", "zMax"})
        record.set(face, sdk::makeString(context.string(face)));
    for (const char* axis : {"periodicX", "periodicY", "periodicZ"})
        record.set(axis, sdk::makeBoolean(context.boolean(axis)));
    record.set("friction", sdk::makeNumber(context.number("friction")));
    context.setOutput("domain", record);
}

} // namespace floe::forces
