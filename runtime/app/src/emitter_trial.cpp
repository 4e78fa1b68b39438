#include "trial.hpp"

#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace floe::app {

namespace {

class EmitterTrial : public Trial {
public:
    using Trial::Trial;

    void run(const RecordValue& record)
    {
        void* self = nullptr;
        const auto* table =
            tableOf<floe_emitter_interface>(record, "source", FLOE_EMITTER_INTERFACE, self);
        if (!table)
            return error("emitter-source",
                         "an emitter needs a 'source' of " + std::string(FLOE_EMITTER_INTERFACE));
        const ValueRef first = emit(*table, self, true), again = emit(*table, self, true);
        if (first && again && bytesOf(*first) != bytesOf(*again))
            error("not-repeatable", "emit gives other particles for the same request");
        emit(*table, self, false);
        if (first)
            checkRegion(*table, self, expect<ParticlesValue>(first.get()));
    }

private:
    /// Two halves of space, as one of two ranks asks for its own.
    static const floe_emission_region& half()
    {
        static const auto holds = [](double x) {
            return x < 0.05;
        };
        static const floe_emission_region region = {
            sizeof region, 0, nullptr,
            [](const void*, const double* low, const double*) -> int32_t { return holds(low[0]); },
            [](const void*, const float* x, uint64_t count, uint8_t* inside) {
                for (uint64_t i = 0; i < count; ++i)
                    inside[i] = holds(x[3 * i]);
            }};
        return region;
    }

    /// Where a region is given: all particles as ever, or those of the region, with their places.
    void checkRegion(const floe_emitter_interface& table, void* self, const ParticlesValue& whole)
    {
        const ValueRef given = emit(table, self, true, &half());
        const auto x = whole.get<float>("x", 3);
        if (x.empty())
            return;
        const auto* part = given ? as<ParticlesValue>(given) : nullptr;
        const auto place =
            part ? part->get<std::uint64_t>("place", 1) : std::span<const std::uint64_t>();
        if (part && !part->find("place")) {
            if (bytesOf(*part) != bytesOf(whole))
                error("emitter-region", "emit gives other particles for a region, without 'place'");
            return;
        }
        std::vector<float> expected, found;
        for (std::size_t i = 0; i < whole.count(); ++i)
            if (std::uint8_t inside = 0; half().find(nullptr, &x[3 * i], 1, &inside), inside)
                expected.insert(expected.end(), &x[3 * i], &x[3 * i] + 3);
        if (part)
            found.assign(part->get<float>("x", 3).begin(), part->get<float>("x", 3).end());
        if (found != expected)
            error("emitter-region",
                  "emit gives other particles for a region than those of all that lie in it");
        if (std::adjacent_find(place.begin(), place.end(), std::greater_equal<>()) != place.end())
            error("emitter-region", "'place' does not ascend");
    }

    ValueRef emit(const floe_emitter_interface& table, void* self, bool start,
                  const floe_emission_region* region = nullptr)
    {
        floe_emission request{};
        request.struct_size = sizeof request;
        request.start = start;
        request.cell_size = 0.1;
        request.frame = start ? settings_.frame : settings_.frame + 1;
        request.fps = settings_.fps;
        request.region = region;
        floe_value* made = nullptr;
        const bool good = call("emit", [&](plugin::CookContext& context) {
            return table.emit(self, context.raw(), &request, &made);
        });
        const ValueRef value = ValueRef::own(plugin::fromInterface(made));
        if (!good || !value)
            return {};
        const ParticlesValue* particles = as<ParticlesValue>(value);
        if (!particles) {
            error("emitter-particles", "emit gives a value that is not particles");
            return {};
        }
        if (particles->count() == 0)
            return value;
        check(*particles, "x", 3, true, false);
        check(*particles, "v", 3, true, false);
        check(*particles, "volume", 1, true, true);
        check(*particles, "stiffnessScale", 1, false, true);
        check(*particles, "densityScale", 1, false, true);
        return value;
    }

    void check(const ParticlesValue& particles, const char* name, std::uint32_t components,
               bool required, bool positive)
    {
        const Attribute* attribute = particles.find(name);
        if (!attribute) {
            if (required)
                error("attribute-missing",
                      std::string("emit gives particles without '") + name + "'");
            return;
        }
        const auto values = particles.get<float>(name, components);
        if (values.empty())
            return error("attribute-type", std::string("'") + name + "' must be " +
                                               std::to_string(components) +
                                               " float32 a particle, in host memory");
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool wrong = positive && !(values[i] > 0);
            if (std::isfinite(values[i]) && !wrong)
                continue;
            return error(wrong && std::isfinite(values[i]) ? "out-of-range" : "not-finite",
                         std::string("emit gives ") + shortNumber(values[i]) + " in '" + name +
                             "' of particle " + std::to_string(i / components) +
                             (wrong ? ", must be above 0" : ""));
        }
    }

    static std::string bytesOf(const Value& value)
    {
        std::string bytes;
        for (const Attribute& attribute : expect<ParticlesValue>(&value).attributes())
            if (attribute.space() == compute::Space::host)
                bytes.append(attribute.name)
                    .append(static_cast<const char*>(attribute.data.data()),
                            attribute.data.bytes());
        return bytes;
    }
};

} // namespace

std::vector<Finding> tryEmitter(const RecordValue& record, const Subject& subject)
{
    EmitterTrial trial(subject);
    trial.run(record);
    return trial.findings;
}

} // namespace floe::app
