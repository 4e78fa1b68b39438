// States in parts: taken by any number of ranks, each its own, and refused where they are damaged.

#include "alike.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

using namespace floe::mpm;

namespace {

using PartList = std::vector<std::vector<unsigned char>>;

void begin(Stepper& solver)
{
    solver.setDomain(box(Contact::separate, Contact::slip));
    pour(solver);
}

/// The parts that each rank has saved last.
PartList lastOf(const std::vector<Result>& results)
{
    PartList parts;
    for (const Result& result : results)
        parts.push_back(result.states.back());
    return parts;
}

/// Parts of some ranks after a frame.
PartList partsOf(int count, const SolverSettings& s = settings())
{
    return lastOf(eachOnRanks(count, floe::sdk::grid::divideCurve, s,
                              [](Stepper& solver, Result& result, bool root) {
                                  begin(solver);
                                  frames(solver, result, root, 1);
                              }));
}

/// Goes on for a frame from parts. @param count  1: without ranks
PartList goOn(const PartList& parts, int count, const Partitioner& divide)
{
    const Parts from(parts);
    if (count == 1)
        return {onOneRank(settings(), [&](Stepper& solver, Result& result, bool root) {
                    begin(solver); // whatever it held before
                    solver.load(from.takenBy({}).bytes);
                    frames(solver, result, root, 1);
                }).states.back()};
    return lastOf(
        eachOnRanks(count, divide, settings(), [&](Stepper& solver, Result& result, bool root) {
            begin(solver);
            if (parts.size() == 1) {
                solver.load(parts[0]);
            } else {
                const saved::OwnState own =
                    from.takenBy(Ownership{solver.ranks(), divide, nullptr});
                solver.loadOwn(own);
            }
            frames(solver, result, root, 1);
        }));
}

/// Reads are counted.
class Counting final : public saved::Source {
public:
    explicit Counting(std::span<const unsigned char> bytes) : memory_(bytes) {}
    void read(std::uint64_t offset, void* to, std::uint64_t bytes) override
    {
        memory_.read(offset, to, bytes);
        count += bytes;
    }
    std::uint64_t count = 0; ///< bytes

private:
    saved::SourceInMemory memory_;
};

} // namespace

TEST(SavedParts, GoOnFromThreeToTwoToOneToFourRanks)
{
    using namespace floe::sdk::grid;
    const Result whole = onOneRank(settings(), [](Stepper& solver, Result& result, bool root) {
        begin(solver);
        frames(solver, result, root, 4);
    });
    PartList parts = partsOf(3);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_TRUE(joined(parts) == whole.states[0]);
    parts = goOn(parts, 2, divideBoxes);
    EXPECT_TRUE(joined(parts) == whole.states[1]);
    parts = goOn(parts, 1, divideCurve);
    EXPECT_TRUE(parts[0] == whole.states[2]);
    parts = goOn(parts, 4, divideEvenly);
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_TRUE(joined(parts) == whole.states[3]);
}

// From parts and from one rank's state: nobody reads or holds what others own.
TEST(SavedParts, EachRankTakesItsShareAlone)
{
    const PartList three = partsOf(3);
    const std::vector<unsigned char> one = joined(three);
    for (const PartList& parts : {three, PartList{one}}) {
        const Parts from(parts);
        constexpr int kRanks = 4;
        ThreadRanks group(kRanks);
        std::uint64_t live = 0, all = 0;
        PartList taken;
        for (int rank = 0; rank < kRanks; ++rank) { // no rank needs the others for it
            const Ranks ranks(group.table(rank));
            Counting source(from.all);
            const saved::OwnState own = saved::takeOwn(
                source, from.extents, Ownership{&ranks, floe::sdk::grid::divideCurve, nullptr});
            EXPECT_LT(own.bytes.size(), one.size() / 2);
            EXPECT_TRUE(own.partition);
            if (parts.size() == 3 && !kOnCuda) { // of which all is read, in pieces
                EXPECT_LT(source.count, own.bytes.size() + one.size() / 10); // lists of blocks
            }
            live += own.live;
            all += own.bytes.size();
            EXPECT_EQ(std::find(taken.begin(), taken.end(), own.bytes), taken.end());
            taken.push_back(own.bytes);
        }
        EXPECT_EQ(live, Parts({one}).takenBy({}).live);
        EXPECT_LT(all, one.size() * 3 / 2); // nodes that liquids on both sides of a border need
    }
}

TEST(SavedParts, NotOfOneStateAreRefused)
{
    const PartList good = partsOf(3);
    SolverSettings other = settings();
    other.gravity = {0, -20, 0};
    const PartList shifted = partsOf(3, other); // its steps end elsewhere
    const auto refused = [&](PartList parts) {
        EXPECT_THROW(Parts(parts).takenBy({}), std::runtime_error);
    };
    EXPECT_NO_THROW(Parts(good).takenBy({}));
    refused({good[0], good[2], good[1]});
    refused({good[0], good[1]});
    refused({good[0], good[1], good[1]});
    refused({good[0], good[1], good[2], good[2]});
    refused({good[1], good[0], good[2]});
    refused({good[0]});
    refused({good[0], good[1], joined(good)});
    refused({good[0], good[1], {}});
    refused({joined(good), joined(good)});
    EXPECT_NE(joined(good), joined(shifted));
    refused({good[0], good[1], shifted[2]});
    PartList cut = good;
    cut[1].resize(cut[1].size() / 2);
    refused(cut);
    PartList longer = good;
    longer[2].push_back(0);
    refused(longer);
}

// Whatever byte of a part is wrong: it is refused, by all ranks, or it is a number of a particle.
TEST(SavedParts, DamagedOnesAreRefusedByAllRanks)
{
    const PartList good = partsOf(2);
    std::uint64_t refusals = 0, tried = 0;
    eachOnRanks(2, floe::sdk::grid::divideCurve, settings(),
                [&](Stepper& solver, Result&, bool root) {
                    begin(solver);
                    const std::size_t size = good[1].size();
                    for (std::size_t i = 0; i < 260; ++i) {
                        // Headers, the beginning of the blocks, and the lists at the end.
                        const std::size_t at = i < 130 ? 2 * i : size - 1 - 5 * (i - 130);
                        PartList parts = good;
                        parts[1][at] ^= static_cast<unsigned char>(i % 3 == 0 ? 0x80 : 0x11);
                        bool refused = false;
                        std::optional<saved::OwnState> own;
                        try {
                            own = Parts(parts).takenBy(
                                Ownership{solver.ranks(), floe::sdk::grid::divideCurve, nullptr});
                        } catch (const std::runtime_error&) {
                            refused = true;
                        }
                        // As the host does: all of them, or none.
                        if (!anywhere(solver.ranks(), refused)) {
                            try {
                                solver.loadOwn(*own);
                            } catch (const std::runtime_error&) {
                                refused = true;
                            }
                            EXPECT_EQ(anywhere(solver.ranks(), refused), refused);
                        }
                        if (root) {
                            ++tried;
                            refusals += refused;
                        }
                    }
                    solver.loadOwn(Parts(good).takenBy(
                        Ownership{solver.ranks(), floe::sdk::grid::divideCurve, nullptr}));
                    run(solver, 0.01);
                });
    EXPECT_EQ(tried, 260u);
    EXPECT_GT(refusals, 60u);
}
