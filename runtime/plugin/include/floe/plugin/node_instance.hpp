#pragma once

#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/loaded_plugin.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace floe::plugin {

/// The bytes of a solver's state, in memory or in files.
class StateSource {
public:
    virtual ~StateSource() = default;
    virtual std::uint64_t size() const = 0; ///< [bytes]
    /// @pre offset + bytes <= size()  @throws IoError
    virtual void read(std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
};

/// A state in memory. @param bytes  must outlive this
class StateInMemory final : public StateSource {
public:
    explicit StateInMemory(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, void* to, std::uint64_t bytes) override
    {
        bytes_.copy(static_cast<char*>(to), bytes, offset);
    }

private:
    std::string_view bytes_;
};

/// A node object. Calls must not overlap; they may come from different threads.
///
/// Every call throws when the plugin's function fails, with the node, the frame and the last error
/// reported: PluginError in general, else MemoryError, DeviceError, IoError, DivergedError or
/// CancelledError, by its status. Exceptions that escape from a plugin become PluginErrors.
class Node {
public:
    virtual ~Node() = default;

    virtual void cook(CookContext& context) = 0;
    /// Returns everything a solver needs to continue, as bytes.
    virtual std::string save(CookContext& context) = 0;
    /// @param state  returned by save(), of several ranks one behind the other; anything else must
    ///               fail
    virtual void load(CookContext& context, StateSource& state) = 0;
    void load(CookContext& context, std::string_view state)
    {
        StateInMemory source(state);
        load(context, source);
    }
    /// For sinks, after the last frame. No effect on other nodes.
    virtual void finish(CookContext& context) = 0;
};

/// One whose code is in this process.
class NodeInstance final : public Node {
public:
    /// @param node  name in the graph, for messages
    /// @throws PluginError the plugin has no such type; or like a failed call
    NodeInstance(std::shared_ptr<const LoadedPlugin> plugin, const std::string& type,
                 std::string node);
    ~NodeInstance() override;
    NodeInstance(const NodeInstance&) = delete;
    NodeInstance& operator=(const NodeInstance&) = delete;

    const std::string& type() const { return type_; }
    const LoadedPlugin& plugin() const { return *plugin_; }

    void cook(CookContext& context) override;
    std::string save(CookContext& context) override;
    using Node::load;
    void load(CookContext& context, StateSource& state) override;
    void finish(CookContext& context) override;

private:
    std::shared_ptr<const LoadedPlugin> plugin_;
    std::string type_;
    std::string node_;
    const floe_node_class* class_;
    void* object_ = nullptr;
};

/// Migrates parameters saved by an older version of a node type with the plugin's code.
/// @param json  an object
/// @return the new object; `json` itself when the plugin has no code for this
/// @throws like a failed call
std::string migrate(const LoadedPlugin& plugin, const std::string& type, std::uint32_t fromVersion,
                    const std::string& json);

/// Gets the object and table of an interface value. Returns false for another kind, id or revision.
bool interfaceOf(const Value* value, std::string_view id, const void** table, void** self);

/// Converts values to the types of the plugin interface.
inline const floe_value* toInterface(const Value* value)
{
    return reinterpret_cast<const floe_value*>(value);
}
inline const Value* fromInterface(const floe_value* value)
{
    return reinterpret_cast<const Value*>(value);
}

} // namespace floe::plugin
