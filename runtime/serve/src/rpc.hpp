#pragma once

#include "floe/base/json.hpp"

#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace floe::serve {

/// Error codes of JSON-RPC 2.0, and Floe's own. @see PROTOCOL.md
enum class RpcCode : int {
    Parse = -32700,
    InvalidRequest = -32600,
    UnknownMethod = -32601,
    InvalidParams = -32602,
    Internal = -32603,
    Failed = -32000,     ///< the request failed; `data` says where
    NotGreeted = -32001, ///< hello must come first
    Refused = -32002,    ///< wrong token or protocol, or another client is connected
    Busy = -32003,       ///< not while another operation runs
};

/// Ends a request with an error.
class RpcError : public std::runtime_error {
public:
    RpcError(RpcCode errorCode, const std::string& message)
        : std::runtime_error(message), code(errorCode)
    {}
    RpcCode code;
};

/// Members of a request's params, read with a check of type and range. Every reader throws
/// RpcError(InvalidParams) with a sentence that names the member.
class Params {
public:
    /// @param params an object, or null for none  @param name in messages: "camera"
    explicit Params(const Json& params, std::string name = {});
    /// Refuses members that the method does not have.
    const Params& only(std::initializer_list<std::string_view> names) const;

    bool has(const char* name) const;
    const Json& member(const char* name) const; ///< required
    std::string text(const char* name, std::size_t maxBytes = 4096) const;
    std::string text(const char* name, const char* otherwise) const;
    bool boolean(const char* name, bool otherwise) const;
    long long integer(const char* name, long long low, long long high) const;
    long long integer(const char* name, long long low, long long high, long long otherwise) const;
    double number(const char* name, double low, double high) const;
    double number(const char* name, double low, double high, double otherwise) const;
    Params object(const char* name) const; ///< empty when missing

private:
    [[noreturn]] void refuse(const char* name, const std::string& what) const;
    const Json* find(const char* name) const;

    const Json* params_;
    std::string name_;
};

/// A request, or a notification when it has no id.
struct Request {
    std::string method;
    Json params;
    std::optional<Json> id;
};

/// Parses a request. @throws RpcError the line is not a JSON-RPC 2.0 request
Request parseRequest(std::string_view line);

// Lines to send. Invalid UTF-8 is replaced; numbers that JSON lacks become null.

std::string resultLine(const Json& id, Json result);
std::string errorLine(const Json& id, RpcCode code, const std::string& message, Json data = {});
/// Makes an error line from an exception: RpcError, Error with its place, or any other.
std::string errorLine(const Json& id, const std::exception_ptr& error);
std::string notificationLine(const char* method, Json params);

} // namespace floe::serve
