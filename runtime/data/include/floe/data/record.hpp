#pragma once

#include "floe/data/fields.hpp"
#include "floe/data/value.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace floe {

/// Named fields of a schema ("material", "collider", a third party's "acme.rope");
/// floe/sdk/records.h lists the fields of Floe's schemas.
class RecordValue final : public Value {
public:
    static constexpr Kind kKind = Kind::record;
    /// @throws InputError the schema is not a name
    explicit RecordValue(std::string schema);

    const std::string& schema() const { return schema_; }
    const Fields& fields() const { return fields_; }
    const Value* find(std::string_view name) const { return fields_.find(name); }
    /// @throws InputError  sealed, or what Fields::set refuses
    void setField(std::string_view name, ValueRef value);

    /// Returns fields of scalar kinds, or `otherwise` when there is no such field of that kind.
    double number(std::string_view name, double otherwise) const;
    bool boolean(std::string_view name, bool otherwise) const;
    std::string string(std::string_view name, std::string otherwise = {}) const;

private:
    std::string schema_;
    Fields fields_;
};

/// A versioned table of functions with its object; see floe/sdk/records.h.
class InterfaceValue final : public Value {
public:
    static constexpr Kind kKind = Kind::interface;
    /// @param id       "name/revision"
    /// @param table    must outlive the value
    /// @param destroy  called with `self` when the last reference goes; may be null
    /// @param owner    kept alive with the value; contains `table` and `destroy`
    /// @throws InputError the id is not a name or the table is null; the caller then keeps `self`
    InterfaceValue(std::string id, const void* table, void* self, void (*destroy)(void*),
                   std::shared_ptr<const void> owner = {});
    ~InterfaceValue() override;

    const std::string& id() const { return id_; }
    const void* table() const { return table_; }
    void* self() const { return self_; }

private:
    std::string id_;
    const void* table_;
    void* self_;
    void (*destroy_)(void*);
    std::shared_ptr<const void> owner_; // destroyed last
};

} // namespace floe
