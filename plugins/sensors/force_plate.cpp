#include "nodes.hpp"

#include "floe/sdk/contacts.hpp"

#include <cmath>

namespace floe::sensors {

namespace {

using sdk::Vector;

/// What `aKind` and `bKind` of particles "contacts" say.
uint8_t kindNamed(const std::string& name)
{
    using enum sdk::ContactKind;
    return static_cast<uint8_t>(name == "body" ? body : name == "collider" ? collider : wall);
}

Vector cross(const Vector& a, const Vector& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Sums up what one thing got within a frame.
struct Plate {
    uint8_t kind;
    uint32_t number;
    Vector center; ///< that the moment is about [m]
    Vector size;   ///< of the box around it in which contacts count [m]; 0: unbounded
    Vector impulse{}, moment{}, pressed{};
    double weight = 0; ///< of `pressed`

    void add(const sdk::Value& contacts)
    {
        const auto x = contacts.attribute<float>("x", 3),
                   normal = contacts.attribute<float>("normal", 3),
                   pushed = contacts.attribute<float>("impulse", 3),
                   couple = contacts.attribute<float>("couple", 3);
        const auto a = contacts.attribute<uint32_t>("a", 1),
                   b = contacts.attribute<uint32_t>("b", 1);
        const auto aKind = contacts.attribute<uint8_t>("aKind", 1),
                   bKind = contacts.attribute<uint8_t>("bKind", 1);
        const uint64_t count = contacts.particleCount();
        if (x.size() != 3 * count || normal.size() != x.size() || pushed.size() != x.size() ||
            couple.size() != x.size() || a.size() != count || b.size() != count ||
            aKind.size() != count || bKind.size() != count)
            throw sdk::Failure("what is linked to 'contacts' is no contacts; link the output "
                               "Contacts of a solver",
                               FLOE_BAD_ARGUMENT);
        for (std::size_t i = 0; i < count; ++i) {
            const bool first = aKind[i] == kind && a[i] == number;
            if (!first && !(bKind[i] == kind && b[i] == number))
                continue;
            const double sign = first ? 1 : -1;
            Vector arm, got;
            double hard = 0;
            bool inside = true;
            for (std::size_t k = 0; k < 3; ++k) {
                arm[k] = x[3 * i + k] - center[k];
                inside = inside && (size[k] == 0 || std::abs(arm[k]) <= size[k] / 2);
                got[k] = sign * pushed[3 * i + k];
                hard += double{normal[3 * i + k]} * pushed[3 * i + k];
            }
            if (!inside)
                continue;
            const Vector turn = cross(arm, got);
            weight += hard;
            for (std::size_t k = 0; k < 3; ++k) {
                impulse[k] += got[k];
                moment[k] += turn[k] + sign * couple[3 * i + k];
                pressed[k] += hard * x[3 * i + k];
            }
        }
    }
};

/// @throws sdk::Failure  the solver does not record what is measured, or has no such
void checkThatThereIs(const sdk::Context& context, const sdk::Value& contacts)
{
    const std::string of = context.string("of");
    const sdk::Value there = contacts.field(of == "body"       ? "bodies"
                                            : of == "collider" ? "colliders"
                                                               : "walls");
    if (!there) // of another program, which does not say
        return;
    const auto count = static_cast<int64_t>(there.number());
    if (count == 0)
        throw sdk::Failure("the solver has no " + of +
                               " whose contacts it records; choose something else for 'of', or "
                               "link another solver",
                           FLOE_BAD_ARGUMENT);
    if (context.integer("number") >= count)
        throw sdk::Failure("parameter 'number' is " + std::to_string(context.integer("number")) +
                               "; the solver has " + std::to_string(count) +
                               " of them, numbered from 0 on",
                           FLOE_BAD_ARGUMENT);
}

void put(sdk::Value& reading, const char* name, const Vector& value)
{
    const auto to = reading.addAttribute<float>(name, 3);
    for (std::size_t k = 0; k < 3; ++k)
        to[k] = static_cast<float>(value[k]);
}

} // namespace

void ForcePlate::cook(sdk::Context& context)
{
    Plate plate{.kind = kindNamed(context.string("of")),
                .number = static_cast<uint32_t>(context.integer("number")),
                .center = context.vector("center"),
                .size = context.vector("size")};
    const sdk::Value contacts = context.input("contacts");
    const sdk::Value seconds = contacts.field("seconds");
    if (!seconds)
        throw sdk::Failure("the solver records no contacts; switch its 'Contact log' on",
                           FLOE_BAD_ARGUMENT);
    checkThatThereIs(context, contacts);
    const sdk::Value cell = contacts.field("cell");
    if (plate.size != Vector{} && cell && cell.number() == 0)
        throw sdk::Failure("the solver sums up all that two things push each other, wherever they "
                           "touch; give its 'Contact cell' a length, or 'size' 0 0 0",
                           FLOE_BAD_ARGUMENT);
    plate.add(contacts);
    const double duration = seconds.number();
    Vector force{}, torque{}, pressure = plate.center;
    for (std::size_t k = 0; k < 3; ++k) {
        if (duration > 0) { // the first frame takes no time
            force[k] = plate.impulse[k] / duration;
            torque[k] = plate.moment[k] / duration;
        }
        if (plate.weight > 0)
            pressure[k] = plate.pressed[k] / plate.weight;
    }
    sdk::Value reading = sdk::makeParticles(1);
    put(reading, "x", pressure);
    put(reading, "force", force);
    put(reading, "torque", torque);
    context.setOutput("reading", reading);
    context.setOutput("force", sdk::makeVector(force));
    context.setOutput("torque", sdk::makeVector(torque));
    context.statistic("force", std::hypot(force[0], force[1], force[2]));
}

} // namespace floe::sensors
