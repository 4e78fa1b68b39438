/// What the ranks of one simulation tell each other so that all decide alike. Every rank calls the
/// same functions in the same order; without others (null) they return what they are given.
#pragma once

#include "activation.hpp"

#include <floe/sdk/parallel/ranks.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace floe::mpm {

using sdk::parallel::Ranks;

/// Returns whether it is so on any rank.
bool anywhere(const Ranks* ranks, bool here);

/// Returns the lowest number that any rank has found.
std::optional<std::uint16_t> firstMaterial(const Ranks* ranks, std::optional<std::uint16_t> own);

/// Returns the blocks of all ranks along Morton's curve, as one rank has them.
ActivationRequest ofAllRanks(const Ranks* ranks, ActivationRequest own);
/// Returns the field of all ranks, ascending by block. Where two have computed a block, it is the
/// same.
SpeedField ofAllRanks(const Ranks* ranks, SpeedField own);

/// The order of what each rank has a part of.
struct Numbering {
    std::uint64_t total = 0;           ///< of all ranks
    std::vector<std::uint64_t> number; ///< of each own one among all, counted from 0
};
/// Numbers what ranks have, without bringing it together: they tell each other how many each has
/// of a group (the upper 32 bits), and the lower bits of those groups alone that several have.
/// @param places  own ones, ascending; no two ranks have the same
Numbering numberTogether(const Ranks& ranks, std::span<const std::uint64_t> places);

/// Asks all ranks about places that others may know of, each about as many as it likes.
/// @param answer  called for those that any rank asks, as bool(const Question&)
/// @return for each own question, whether it is so on any rank
template <class Question, class Answer>
std::vector<std::uint8_t> askAll(const Ranks& ranks, std::span<const Question> own,
                                 const Answer& answer)
{
    sdk::parallel::BytesOut out;
    out.put(own.data(), own.size_bytes());
    std::vector<Ranks::Bytes> answers;
    for (const auto& bytes : ranks.share(out.bytes)) {
        Ranks::Bytes& to = answers.emplace_back();
        for (sdk::parallel::BytesIn in(bytes); !in.empty();)
            to.push_back(static_cast<std::byte>(answer(in.get<Question>()) ? 1 : 0));
    }
    std::vector<std::uint8_t> found(own.size());
    for (const auto& bytes : ranks.exchange(answers))
        for (std::size_t i = 0; i < found.size(); ++i)
            found[i] |= static_cast<std::uint8_t>(bytes[i]);
    return found;
}

} // namespace floe::mpm
