#pragma once

#include "floe/base/json.hpp"
#include "floe/graph/fault.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace floe::graph {

/// Maximum number of faults listed; whoever fixes so many checks again.
inline constexpr std::size_t kMaxFaults = 1000;

/// Receives faults, and holds what they have in common.
struct FaultSink {
    std::vector<Fault>& faults;
    std::string file;
    std::string node;
    std::string type;

    void add(std::string code, std::string field, TranslatableText cause,
             TranslatableText cure = {}, Severity severity = Severity::Error) const;
};

/// Returns the type of a value for messages: "a number", "an object", ....
TranslatableText kindOf(const Json& value);

/// Reads known keys of a JSON object; wrong types, missing and unread keys become faults.
class ObjectReader {
public:
    /// @param where name of the object for messages: "range", "link 3"; empty: the node itself
    ObjectReader(const Json& value, TranslatableText where, const FaultSink& sink);

    bool isObject() const { return object_ != nullptr; }

    /// @return null when the key is absent (a fault if required) or has another type (a fault)
    const Json* get(const char* key, Json::value_t type, bool required = false);
    /// Reads a value of any type. @return null when absent (a fault if required)
    const Json* any(const char* key, bool required = false);

    std::string text(const char* key, bool required = false);
    std::optional<double> real(const char* key, bool required = false);
    /// Reads an integer from low to high.
    std::optional<std::int64_t> whole(const char* key, std::int64_t low, std::int64_t high,
                                      bool required = false);
    std::optional<bool> boolean(const char* key);
    std::vector<std::string> texts(const char* key);

    /// Call last: keys that were not read are faults. @return them
    Json finish();

    /// Returns whether there was any fault (including unknown keys).
    bool faulty() const { return faulty_; }
    /// Returns whether something could not be read: wrong type or missing.
    bool lost() const { return lost_; }

    /// @param cause names the key
    void fault(const std::string& key, const TranslatableText& cause,
               const TranslatableText& cure = {});

private:
    std::string fieldOf(const std::string& key) const;

    const Json* object_ = nullptr;
    TranslatableText where_;
    const FaultSink& sink_;
    std::vector<std::string> known_;
    bool faulty_ = false;
    bool lost_ = false;
};

} // namespace floe::graph
