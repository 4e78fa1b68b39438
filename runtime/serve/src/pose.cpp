#include "pose.hpp"

#include "rpc.hpp"

#include <algorithm>
#include <cmath>

namespace floe::serve {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what)
{
    throw RpcError(RpcCode::InvalidParams, "'poses." + name + "' " + what);
}

template <std::size_t N>
std::array<double, N> numbers(const Json& value, const std::string& name)
{
    if (!value.is_array() || value.size() != N)
        refuse(name, "must be " + std::to_string(N) + " numbers");
    std::array<double, N> read{};
    for (std::size_t k = 0; k < N; ++k) {
        if (!value[k].is_number() || !std::isfinite(value[k].get<double>()))
            refuse(name, "must be " + std::to_string(N) + " numbers");
        read[k] = value[k].get<double>();
    }
    return read;
}

} // namespace

std::map<std::string, Pose> readPoses(const Json& poses)
{
    if (!poses.is_object() || poses.empty() || poses.size() > kMaxPoses)
        throw RpcError(RpcCode::InvalidParams,
                       "'poses' must be an object of 1 to " + std::to_string(kMaxPoses) + " poses");
    std::map<std::string, Pose> read;
    for (const auto& [name, value] : poses.items()) {
        if (name.empty() || name.size() > kMaxPoseName)
            throw RpcError(RpcCode::InvalidParams, "a name in 'poses' must have 1 to " +
                                                       std::to_string(kMaxPoseName) + " bytes");
        const Params pose(value, "poses." + name);
        pose.only({"position", "orientation"});
        Pose made;
        made.position = numbers<3>(pose.member("position"), name + ".position");
        if (std::any_of(made.position.begin(), made.position.end(),
                        [](double x) { return std::abs(x) > kMaxPosePlace; }))
            refuse(name + ".position", "must be within 1e6 m of the origin");
        if (pose.has("orientation")) {
            made.orientation = numbers<4>(pose.member("orientation"), name + ".orientation");
            double norm = 0;
            for (const double q : made.orientation)
                norm += q * q;
            norm = std::sqrt(norm);
            if (!(norm > 0.5 && norm < 2))
                refuse(name + ".orientation", "must be a unit quaternion x, y, z, w");
            for (double& q : made.orientation)
                q /= norm;
        }
        read.emplace(name, made);
    }
    return read;
}

bool isConstantVector(const Json& value)
{
    return value.is_array() && value.size() == 3 &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number(); });
}

} // namespace floe::serve
