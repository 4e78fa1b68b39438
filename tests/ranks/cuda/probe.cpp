// probe FILE: simulates a small scene on the emulated CUDA device, with the other processes where a
// launcher has started several, and writes where its particles are and how they move.

#include "alike.hpp"

#include "floe/base/file.hpp"
#include "floe/ranks/ranks.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

namespace {

void simulate(const char* file)
{
    using namespace floe;
    const mpm::Ranks ranks(floe::ranks::join());
    mpm::Ownership ownership;
    if (floe::ranks::several())
        ownership = {&ranks, sdk::grid::divideCurve, nullptr, false};
    mpm::SerialExecutor serial;
    const auto solver = mpm::makeStepper(mpm::settings(), serial, ownership);
    mpm::Result result;
    solver->setDomain(mpm::box(mpm::Contact::separate, mpm::Contact::slip));
    mpm::pour(*solver);
    mpm::frames(*solver, result, ranks.rank() == 0, 2);
    if (ranks.rank() == 0) {
        std::vector<float> all;
        for (const auto* values : {&result.x, &result.v, &result.F, &result.C})
            all.insert(all.end(), values->begin(), values->end());
        writeFileAtomically(
            file, {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)});
    }
    floe::ranks::leave();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    try {
        simulate(argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
