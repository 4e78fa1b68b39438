#pragma once

#include "floe/data/value.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace floe::session {

/// Solvers' outputs on disk, one file per frame, node and socket, in the lossless value format:
/// `folder/solver.particles.0012.floe`; slashes in node names become dots.
class FrameCache {
public:
    explicit FrameCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path path(const std::string& node, const std::string& socket, int frame) const;

    /// Writes a value atomically. Values that hold functions are left out. @throws IoError
    void write(const std::string& node, const std::string& socket, int frame,
               const ValueRef& value) const;

    /// Reads a value. @return nothing when there is no such file  @throws IoError it is damaged
    ValueRef read(const std::string& node, const std::string& socket, int frame) const;

    /// For the end of a run: that all frames of a solver are there, those of an earlier process
    /// included, of every output that was written.
    /// @param sockets  the solver's outputs
    /// @throws IoError  some are not; the first is named
    void requireFrames(const std::string& node, std::span<const std::string> sockets, int first,
                       int last) const;

private:
    std::filesystem::path folder_;
};

} // namespace floe::session
