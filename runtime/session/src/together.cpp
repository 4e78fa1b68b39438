#include "together.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"
#include "floe/ranks/ranks.hpp"

#include <string>

namespace floe::session {

void doTogether(const std::atomic<bool>& stop, const std::function<void()>& action)
{
    if (!ranks::several()) {
        action();
        return;
    }
    std::string own;
    try {
        action();
    } catch (const IoError& error) {
        own = dumpJson({{"file", error.place().file},
                        {"node", error.place().node},
                        {"cause", error.cause()},
                        {"cure", error.cure()}});
    }
    for (const std::string& text : ranks::share(own, &stop)) {
        if (text.empty())
            continue;
        const Json failure = parseJson(text, "a rank's answer");
        const auto field = [&](const char* name) {
            return failure.at(name).get<std::string>();
        };
        throw IoError({.file = field("file"), .node = field("node")}, field("cause"),
                      field("cure"));
    }
}

} // namespace floe::session
