#include "rpc.hpp"

#include "transport.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace floe::serve {

Params::Params(const Json& params, std::string name) : params_(&params), name_(std::move(name))
{
    if (!params.is_object() && !params.is_null())
        throw RpcError(RpcCode::InvalidParams,
                       (name_.empty() ? "params" : "'" + name_ + "'") +
                           std::string(" must be an object with named members"));
}

void Params::refuse(const char* name, const std::string& what) const
{
    const std::string full = (name_.empty() ? "" : name_ + ".") + name;
    throw RpcError(RpcCode::InvalidParams, "'" + full + "' " + what);
}

const Json* Params::find(const char* name) const
{
    if (!params_->is_object())
        return nullptr;
    const auto found = params_->find(name);
    return found == params_->end() || found->is_null() ? nullptr : &*found;
}

const Params& Params::only(std::initializer_list<std::string_view> names) const
{
    if (params_->is_object())
        for (const auto& entry : params_->items())
            if (std::find(names.begin(), names.end(), entry.key()) == names.end())
                refuse(entry.key().substr(0, 100).c_str(), "is not known here");
    return *this;
}

bool Params::has(const char* name) const
{
    return find(name) != nullptr;
}

const Json& Params::member(const char* name) const
{
    const Json* found = find(name);
    if (!found)
        refuse(name, "is missing");
    return *found;
}

std::string Params::text(const char* name, std::size_t maxBytes) const
{
    const Json& value = member(name);
    if (!value.is_string())
        refuse(name, "must be a text");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > maxBytes || text.find('\0') != std::string::npos)
        refuse(name, "is too long, or holds a zero");
    return text;
}

std::string Params::text(const char* name, const char* otherwise) const
{
    return has(name) ? text(name, std::size_t(4096)) : std::string(otherwise);
}

bool Params::boolean(const char* name, bool otherwise) const
{
    const Json* found = find(name);
    if (!found)
        return otherwise;
    if (!found->is_boolean())
        refuse(name, "must be true or false");
    return found->get<bool>();
}

long long Params::integer(const char* name, long long low, long long high) const
{
    const double value = number(name, static_cast<double>(low), static_cast<double>(high));
    if (value != std::floor(value))
        refuse(name, "must be a whole number");
    return static_cast<long long>(value);
}

long long Params::integer(const char* name, long long low, long long high,
                          long long otherwise) const
{
    return has(name) ? integer(name, low, high) : otherwise;
}

double Params::number(const char* name, double low, double high) const
{
    const Json& value = member(name);
    if (!value.is_number())
        refuse(name, "must be a number");
    const double number = value.get<double>();
    if (!(number >= low && number <= high))
        refuse(name, "is " + dumpJson(value) + ", must be between " + Json(low).dump() + " and " +
                         Json(high).dump());
    return number;
}

double Params::number(const char* name, double low, double high, double otherwise) const
{
    return has(name) ? number(name, low, high) : otherwise;
}

Params Params::object(const char* name) const
{
    static const Json kNone;
    const Json* found = find(name);
    return Params(found ? *found : kNone, (name_.empty() ? "" : name_ + ".") + name);
}

Request parseRequest(std::string_view line)
{
    Json message;
    try {
        message = parseJson(line, "message", {.bytes = Transport::kMaxLine});
    } catch (const Error& error) {
        throw RpcError(RpcCode::Parse, error.what());
    }
    const auto refuse = [](const char* what) {
        throw RpcError(RpcCode::InvalidRequest, what);
    };
    if (!message.is_object())
        refuse("a message must be one JSON object; there are no batches");
    if (const auto version = message.find("jsonrpc");
        version == message.end() || *version != Json("2.0"))
        refuse("'jsonrpc' must be \"2.0\"");
    Request request;
    const auto method = message.find("method");
    if (method == message.end() || !method->is_string() ||
        method->get_ref<const std::string&>().size() > 100)
        refuse("'method' must be a text of at most 100 bytes");
    request.method = method->get<std::string>();
    if (const auto id = message.find("id"); id != message.end()) {
        const bool usable = id->is_number_integer() ||
                            (id->is_string() && id->get_ref<const std::string&>().size() <= 100);
        if (!usable)
            refuse("'id' must be a whole number or a text of at most 100 bytes");
        request.id = *id;
    }
    if (const auto params = message.find("params"); params != message.end())
        request.params = std::move(*params);
    return request;
}

std::string resultLine(const Json& id, Json result)
{
    if (result.is_null())
        result = Json::object();
    return dumpJson({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string errorLine(const Json& id, RpcCode code, const std::string& message, Json data)
{
    Json error = {{"code", static_cast<int>(code)}, {"message", message}};
    if (!data.is_null())
        error["data"] = std::move(data);
    return dumpJson({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::string errorLine(const Json& id, const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const RpcError& error) {
        return errorLine(id, error.code, error.what());
    } catch (const Error& error) {
        Json data = Json::object();
        const Place& place = error.place();
        for (const auto& [name, value] :
             {std::pair<const char*, const std::string&>{"file", place.file},
              {"node", place.node},
              {"field", place.parameter},
              {"cure", error.cure()}})
            if (!value.empty())
                data[name] = value;
        return errorLine(id, RpcCode::Failed, error.what(), std::move(data));
    } catch (const std::bad_alloc&) {
        return errorLine(id, RpcCode::Failed, "memory ran out");
    } catch (const std::exception& error) {
        return errorLine(id, RpcCode::Internal, error.what());
    } catch (...) {
        return errorLine(id, RpcCode::Internal, "unknown failure");
    }
}

std::string notificationLine(const char* method, Json params)
{
    return dumpJson({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

} // namespace floe::serve
