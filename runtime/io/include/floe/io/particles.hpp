#pragma once

#include "floe/data/particles.hpp"

#include <filesystem>
#include <functional>

namespace floe::io {

/// Reads particles by extension. Attributes have Floe's names (P is x), in host memory, sealed.
///
/// .vdb: the points of the first OpenVDB point grid; their order is the file's, by voxel.
/// .ply: any PLY with x, y and z; columns become attributes, vx vy vz become v, name_0 name_1 ...
/// one attribute. .bgeo: Houdini's classic format, version 5, as Houdini 11 and Partio write it.
/// .floe: lossless. .parts.json: what several ranks wrote in parts (floe.output.particles), as one;
/// also where `path` is not there, but an index of its name is: snow.0010.parts.json for
/// snow.0010.vdb.
/// @param cancelled  asked now and then while a .vdb, .ply or .bgeo is read; may be empty
/// @throws IoError         no such file, unknown extension, damaged contents
/// @throws MemoryError, CancelledError
Ref<const ParticlesValue> readParticles(const std::filesystem::path& path,
                                        std::function<bool()> cancelled = {});

// clang-format off
/// Writes particles; the file appears whole or not at all.
///
/// | format | keeps                                                       | read by               |
/// |--------|-------------------------------------------------------------|-----------------------|
/// | .floe  | everything: every bit, fields, order                        | Floe                  |
/// | .vdb   | all attributes, x rounded within its voxel; id tells order  | Houdini, Blender      |
/// | .ply   | all attributes, every bit; uint64 as two columns            | MeshLab, Blender, ... |
/// | .bgeo  | all attributes, every bit of 32; uint8 widened              | Houdini, Partio       |
/// | .npz   | all attributes, every bit; fields that are numbers, vectors | NumPy; not Floe       |
/// | .json  | all attributes, every bit of numbers that are finite        | everything; not Floe  |
///
/// In .vdb and .bgeo, particles with a volume also get `pscale`, the radius of a sphere of that
/// volume, for drawing in other programs. Particles in a device's memory are copied first.
/// @throws IoError     unknown extension, the file cannot be written, too many particles for it
/// @throws InputError  no positions, or one that is not finite (.vdb)
// clang-format on
void writeParticles(const std::filesystem::path& path, const Ref<const ParticlesValue>& particles);

} // namespace floe::io
