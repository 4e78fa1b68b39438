#pragma once

/// The steps of cloth and ropes on a device.

#include "launch.cuh"
#include "sheet_kernels.cuh"

#include "solver/solver.hpp"

#include "floe/sdk/device_memory.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;

class DeviceSheets {
public:
    explicit DeviceSheets(Device& device) : device_(device) {}

    /// Matter was brought to the device.
    void begin(const Solver& solver, const Matter& matter)
    {
        const Scene& scene = solver.scene;
        bodies_.clear();
        levels_.clear();
        edgeGroup_.clear();
        rowBlocks_ = partBlocks_ = 0;
        ties_ = {};
        systems_.resize(scene.bodies.size());
        for (std::size_t b = 0; b < scene.bodies.size(); ++b)
            if (scene.bodies[b].sheet)
                systems_[b].make(scene.bodies[b]);
            else
                systems_[b] = {};
        const std::vector<std::uint32_t> level = levelsOf(scene, solver.joints);
        for (std::uint32_t b = 0; b < scene.bodies.size(); ++b)
            if (scene.bodies[b].sheet)
                bodies_.push_back(b);
        if (!any())
            return;
        std::stable_sort(bodies_.begin(), bodies_.end(), [&](std::uint32_t l, std::uint32_t r) {
            return level[l] != level[r] ? level[l] < level[r] : isRope(scene, l) < isRope(scene, r);
        });
        bringTies(scene, solver.joints);
        bringSheets(scene, matter);
        bringBlocks(scene, level);
    }
    bool any() const { return !bodies_.empty(); }

    /// Wind on cloth. @param change  of each particle's velocity, were it carried along
    void blow(const Matter& matter, const Vec3f* change)
    {
        FLOE_PBD_LAUNCH_BLOCKS(blowOnFaces, rowBlocks_, matter, rows(0), change);
    }
    /// Before the iterations of a substep.
    void beginStep()
    {
        first_ = true;
        FLOE_PBD_LAUNCH_BLOCKS(beginSheets, rowBlocks_, rows(0));
    }
    /// As Sheets::project(). @param ropes  these alone
    void project(const Matter& matter, const DeviceJoints& joints, const SurfaceContacts& contacts,
                 bool ropes, double dt)
    {
        if (!any())
            return;
        FLOE_PBD_LAUNCH(findTies, ties_.count, matter, joints, ties_);
        touches_.need(std::size_t{contacts.room} * ropeRows_);
        for (const Level& level : levels_) {
            const std::size_t from = ropes ? 1 : 0;
            const std::uint32_t rowCount = level.rows[2] - level.rows[from],
                                partCount = level.parts[2] - level.parts[from],
                                sheetCount = level.sheets[2] - level.sheets[from];
            const SheetBlocks own = rows(level.rows[from]);
            FLOE_PBD_LAUNCH_BLOCKS(beginRows, rowCount, matter, own, first_);
            FLOE_PBD_LAUNCH_BLOCKS(findPulls, partCount, parts(level.parts[from]));
            FLOE_PBD_LAUNCH_BLOCKS(assembleRows, rowCount, own, dt);
            if (!ropes)
                solveCloths(level);
            FLOE_PBD_LAUNCH_BLOCKS(solveRopes, level.sheets[2] - level.sheets[1], matter, contacts,
                                   sheets_.data() + level.sheets[1], touches_.data());
            FLOE_PBD_LAUNCH_BLOCKS(findShifts, sheetCount, sheets_.data() + level.sheets[from]);
            FLOE_PBD_LAUNCH_BLOCKS(takeMoves, rowCount, matter, own);
            if (level.ties[1] > level.ties[0])
                FLOE_PBD_LAUNCH_BLOCKS(passTies, 1, matter, joints, ties_, sheets_.data(),
                                       level.ties[0], level.ties[1], ropes);
        }
        first_ = false;
    }
    /// After a substep. @param counts  on the device
    void finish(const Matter& matter, double dt, Counts* counts)
    {
        FLOE_PBD_LAUNCH_BLOCKS(findCentres, bodies_.size(), matter, sheets_.data(), dt);
        for (std::size_t group = 0; group + 1 < edgeGroup_.size(); ++group)
            FLOE_PBD_LAUNCH_BLOCKS(dampEdges, edgeGroup_[group + 1] - edgeGroup_[group], matter,
                                   edges(edgeGroup_[group]), edge_.data(), dt);
        FLOE_PBD_LAUNCH_BLOCKS(tearParts, partBlocks_, matter, parts(0), counts);
    }
    /// Something tore.
    void tear(Scene& scene)
    {
        readTorn(scene);
        std::vector<double> bend;
        for (const std::uint32_t b : bodies_) {
            systems_[b].make(scene.bodies[b]);
            append(bend, systems_[b].bend);
        }
        bend_.upload(bend.data(), bend.size());
    }
    /// What tore, and how well cloth was solved.
    void bringBack(Solver& solver)
    {
        if (!any())
            return;
        readTorn(solver.scene);
        std::vector<ClothSolve> solves = solve_.download(bodies_.size());
        for (std::size_t s = 0; s < solves.size(); ++s) {
            Sheets::Solves told{solves[s].all, solves[s].left};
            if (told.left > 0)
                told.body = bodies_[s];
            solver.sheets().add(told);
            solves[s].all = solves[s].left = 0;
        }
        solve_.upload(solves.data(), solves.size());
    }

private:
    /// Sheets that are solved at once: cloths, then ropes.
    struct Level {
        std::array<std::uint32_t, 3> sheets, rows, parts; ///< rows and parts: their blocks
        std::array<std::uint32_t, 2> ties;
    };
    static bool isRope(const Scene& scene, std::uint32_t body)
    {
        return scene.bodies[body].sheet->rope;
    }
    template <class T>
    static std::size_t append(std::vector<T>& to, const std::vector<T>& values)
    {
        const std::size_t at = to.size();
        to.insert(to.end(), values.begin(), values.end());
        return at;
    }
    template <class T>
    static T* given(DeviceArray<T>& array, const std::vector<T>& values)
    {
        array.need(values.size());
        array.upload(values.data(), values.size());
        return array.data();
    }
    template <class T>
    static T* room(DeviceArray<T>& array, std::size_t count)
    {
        array.need(count);
        return array.data();
    }

    /// Of bodies. Who is tied to a sheet before him is solved after it.
    static std::vector<std::uint32_t> levelsOf(const Scene& scene, const std::vector<Joint>& joints)
    {
        std::vector<std::uint32_t> level(scene.bodies.size());
        std::vector<std::array<std::uint32_t, 2>> tied; // the later, the earlier
        for (const Joint& joint : joints)
            if (joint.a.particle != kNoBody && joint.b.particle != kNoBody) {
                const std::uint32_t a = scene.particles.body[joint.a.particle],
                                    b = scene.particles.body[joint.b.particle];
                if (a != b)
                    tied.push_back({std::max(a, b), std::min(a, b)});
            }
        std::sort(tied.begin(), tied.end());
        for (const auto& [later, earlier] : tied)
            level[later] = std::max(level[later], level[earlier] + 1);
        return level;
    }

    /// Particles that joints hold, and all numbers of ties.
    void bringTies(const Scene& scene, const std::vector<Joint>& joints)
    {
        std::vector<std::uint32_t> begin(scene.bodies.size()), tieOf;
        for (const std::uint32_t b : bodies_) {
            begin[b] = static_cast<std::uint32_t>(tieOf.size());
            tieOf.resize(tieOf.size() + scene.bodies[b].rest->particles.size(), kNoTie);
        }
        given(tieOf_, tieOf);
        std::map<std::uint32_t, std::vector<std::uint32_t>> candidates; // by place in tieOf
        for (std::uint32_t k = 0; k < joints.size(); ++k)
            for (const std::uint32_t second : {0u, 1u}) {
                const std::uint32_t i = (second ? joints[k].b : joints[k].a).particle;
                if (i == kNoBody)
                    continue;
                const std::uint32_t b = scene.particles.body[i];
                candidates[begin[b] + i - scene.bodies[b].first].push_back(2 * k + second);
            }
        std::vector<std::uint32_t> sheet, row, first{0}, candidate, place;
        tieSheet_.clear();
        auto own = bodies_.begin();
        for (const auto& [at, some] : candidates) {
            while (at - begin[*own] >= scene.bodies[*own].rest->particles.size())
                ++own;
            sheet.push_back(static_cast<std::uint32_t>(own - bodies_.begin()));
            row.push_back(at - begin[*own]);
            append(candidate, some);
            first.push_back(static_cast<std::uint32_t>(candidate.size()));
            place.push_back(at);
        }
        tieSheet_ = sheet;
        ties_ = {.count = static_cast<std::uint32_t>(sheet.size()),
                 .tie = room(tie_, sheet.size()),
                 .sheet = given(sheetOfTie_, sheet),
                 .row = given(rowOfTie_, row),
                 .begin = given(firstOfTie_, first),
                 .candidate = given(candidate_, candidate),
                 .tieOf = tieOf_.data(),
                 .place = given(placeOfTie_, place)};
    }

    /// Where a sheet's share of each array begins.
    struct Begins {
        std::size_t row, rowEnd, dense, light, share, entry, part, edge, triangle;
    };
    void bringSheets(const Scene& scene, const Matter& matter)
    {
        std::vector<std::uint32_t> denseBegin, denseColumn, lightBegin, lightColumn, begin, entry;
        std::vector<SheetShare> shares;
        std::vector<SheetEdge> edges;
        std::vector<SheetTriangle> triangles;
        std::vector<std::uint32_t> torn;
        std::vector<double> bend;
        std::vector<Begins> begins;
        std::size_t count = 0;
        for (const std::uint32_t b : bodies_) {
            const Sheets::System& system = systems_[b];
            Begins& own = begins.emplace_back();
            own.row = count;
            own.rowEnd = append(denseBegin, system.matrix.dense.begin);
            own.dense = append(denseColumn, system.matrix.dense.column);
            append(lightBegin, system.matrix.light.begin);
            own.light = append(lightColumn, system.matrix.light.column);
            append(begin, system.begin);
            own.share = append(shares, system.shares);
            own.entry = append(entry, system.entry);
            own.part = append(torn, system.torn);
            own.edge = append(edges, system.rest->edges);
            own.triangle = append(triangles, system.rest->triangles);
            append(bend, system.bend);
            count += scene.bodies[b].rest->particles.size();
        }
        given(denseBegin_, denseBegin);
        given(denseColumn_, denseColumn);
        given(lightBegin_, lightBegin);
        given(lightColumn_, lightColumn);
        given(begin_, begin);
        given(entry_, entry);
        given(shares_, shares);
        given(edges_, edges);
        given(triangles_, triangles);
        given(torn_, torn);
        given(bend_, bend);
        block_.need(denseColumn.size());
        number_.need(lightColumn.size());
        pulls_.need(torn.size());
        held_.need(count);
        inverse_.need(count);
        vectors_.need(kVectors * count);
        sums_.need(count); // far more than there are parts
        given(solve_, std::vector<ClothSolve>(bodies_.size()));
        ropeRows_ = 0;
        for (const std::uint32_t b : bodies_)
            if (isRope(scene, b))
                ropeRows_ += static_cast<std::uint32_t>(scene.bodies[b].rest->particles.size());
        banded_.need(std::size_t{BandedSolve::kNumbers} * ropeRows_);
        std::vector<DeviceSheet> sheets;
        std::uint32_t rope = 0;
        for (std::size_t s = 0; s < bodies_.size(); ++s) {
            const Body& body = scene.bodies[bodies_[s]];
            DeviceSheet& sheet = sheets.emplace_back(describe(body, begins[s], count, matter));
            sheet.body = bodies_[s];
            sheet.solve = solve_.data() + s;
            if (!sheet.rows.rope)
                continue;
            sheet.touchBegin = rope;
            sheet.banded = banded_.data() + std::size_t{BandedSolve::kNumbers} * rope;
            rope += sheet.rows.A.count;
        }
        given(sheets_, sheets);
    }
    DeviceSheet describe(const Body& body, const Begins& at, std::size_t count,
                         const Matter& matter) const
    {
        const auto vector = [&](std::size_t number) {
            return vectors_.data() + number * count + at.row;
        };
        DeviceSheet sheet{};
        sheet.rows = {.A = {static_cast<std::uint32_t>(body.rest->particles.size()),
                            {denseBegin_.data() + at.rowEnd, denseColumn_.data() + at.dense},
                            {lightBegin_.data() + at.rowEnd, lightColumn_.data() + at.light},
                            block_.data() + at.dense,
                            number_.data() + at.light},
                      .parts = static_cast<std::uint32_t>(body.sheet->parts()),
                      .rope = body.sheet->rope,
                      .edges = edges_.data() + at.edge,
                      .triangles = triangles_.data() + at.triangle,
                      .torn = torn_.data() + at.part,
                      .bend = bend_.data() + at.light,
                      .begin = begin_.data() + at.rowEnd,
                      .shares = shares_.data() + at.share,
                      .entry = entry_.data() + at.entry,
                      .pulls = pulls_.data() + at.part,
                      .place = vector(0),
                      .ahead = vector(1),
                      .right = vector(2),
                      .move = vector(3),
                      .exerted = vector(4),
                      .tie = tieOf_.data() + at.row,
                      .ties = tie_.data(),
                      .held = held_.data() + at.row,
                      .weight = matter.weight + body.first};
        sheet.first = body.first;
        sheet.damping = body.damping;
        sheet.tear = body.tear;
        sheet.torn = torn_.data() + at.part;
        sheet.area = areaOf(*body.sheet);
        sheet.residual = vector(5);
        sheet.direction = vector(6);
        sheet.product = vector(7);
        sheet.scaled = vector(8);
        sheet.inverse = inverse_.data() + at.row;
        sheet.sums = sums_.data() + at.row;
        return sheet;
    }

    /// What each block takes, of all levels.
    void bringBlocks(const Scene& scene, const std::vector<std::uint32_t>& level)
    {
        std::vector<SheetBlock> rows, parts, edges;
        std::vector<std::uint32_t> edge;
        const auto cut = [](std::vector<SheetBlock>& to, std::size_t sheet, std::size_t first,
                            std::size_t last) {
            for (; first < last; first += kThreads)
                to.push_back({static_cast<std::uint32_t>(sheet), static_cast<std::uint32_t>(first),
                              static_cast<std::uint32_t>(std::min(last, first + kThreads))});
        };
        const auto note = [&](Level& one, std::size_t kind, std::size_t sheet) {
            one.sheets[kind] = static_cast<std::uint32_t>(sheet);
            one.rows[kind] = static_cast<std::uint32_t>(rows.size());
            one.parts[kind] = static_cast<std::uint32_t>(parts.size());
        };
        std::size_t groups = 0;
        for (std::size_t s = 0; s < bodies_.size();) {
            Level& one = levels_.emplace_back();
            const std::uint32_t number = level[bodies_[s]];
            const auto place = [&](std::uint32_t sheet) {
                return static_cast<std::uint32_t>(
                    std::lower_bound(tieSheet_.begin(), tieSheet_.end(), sheet) -
                    tieSheet_.begin());
            };
            one.ties[0] = place(static_cast<std::uint32_t>(s));
            for (const bool rope : {false, true}) {
                note(one, rope, s);
                for (; s < bodies_.size() && level[bodies_[s]] == number &&
                       isRope(scene, bodies_[s]) == rope;
                     ++s) {
                    const Body& body = scene.bodies[bodies_[s]];
                    cut(rows, s, 0, body.rest->particles.size());
                    cut(parts, s, 0, body.sheet->parts());
                    if (body.damping > 0)
                        groups = std::max(groups, body.sheet->edgeGroups.size());
                }
            }
            note(one, 2, s);
            one.ties[1] = place(static_cast<std::uint32_t>(s));
        }
        edgeGroup_ = {0};
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::size_t s = 0; s < bodies_.size(); ++s) {
                const Body& body = scene.bodies[bodies_[s]];
                if (!(body.damping > 0) || group >= body.sheet->edgeGroups.size())
                    continue;
                const std::size_t first = append(edge, body.sheet->edgeGroups[group]);
                cut(edges, s, first, edge.size());
            }
            edgeGroup_.push_back(static_cast<std::uint32_t>(edges.size()));
        }
        rowBlocks_ = static_cast<std::uint32_t>(rows.size());
        partBlocks_ = static_cast<std::uint32_t>(parts.size());
        given(rowBlock_, rows);
        given(partBlock_, parts);
        given(edgeBlock_, edges);
        given(edge_, edge);
    }
    SheetBlocks rows(std::uint32_t first) const
    {
        return {rowBlock_.data() + first, sheets_.data()};
    }
    SheetBlocks parts(std::uint32_t first) const
    {
        return {partBlock_.data() + first, sheets_.data()};
    }
    SheetBlocks edges(std::uint32_t first) const
    {
        return {edgeBlock_.data() + first, sheets_.data()};
    }

    /// Conjugate gradients, as on the CPU; the host asks now and then whether they are done.
    void solveCloths(const Level& level)
    {
        constexpr std::size_t kSteps = 8; // before the host asks
        const std::uint32_t count = level.sheets[1] - level.sheets[0],
                            blocks = level.rows[1] - level.rows[0];
        if (count == 0)
            return;
        DeviceSheet* cloths = sheets_.data() + level.sheets[0];
        const SheetBlocks own = rows(level.rows[0]);
        FLOE_PBD_LAUNCH_BLOCKS(beginGradients, blocks, own);
        FLOE_PBD_LAUNCH_BLOCKS(beginSteps, count, cloths);
        std::vector<ClothSolve> solves(count);
        for (std::size_t k = 0; k < kMaxGradientSteps; ++k) {
            if (k % kSteps == 0) {
                device_.download(solves.data(), solve_.data() + level.sheets[0],
                                 count * sizeof(ClothSolve));
                if (std::all_of(solves.begin(), solves.end(),
                                [](const ClothSolve& solve) { return solve.done != 0; }))
                    break;
            }
            FLOE_PBD_LAUNCH_BLOCKS(turnDirections, blocks, own);
            FLOE_PBD_LAUNCH_BLOCKS(findProducts, blocks, own);
            FLOE_PBD_LAUNCH_BLOCKS(findSteps, count, cloths);
            FLOE_PBD_LAUNCH_BLOCKS(takeSteps, blocks, own);
            FLOE_PBD_LAUNCH_BLOCKS(endSteps, count, cloths);
        }
        FLOE_PBD_LAUNCH(endGradients, count, cloths, count);
    }

    void readTorn(Scene& scene) const
    {
        std::size_t all = 0;
        for (const std::uint32_t b : bodies_)
            all += scene.bodies[b].torn.size();
        const std::vector<std::uint32_t> torn = torn_.download(all);
        auto next = torn.begin();
        for (const std::uint32_t b : bodies_) {
            std::vector<std::uint8_t>& own = scene.bodies[b].torn;
            for (std::uint8_t& one : own)
                one = *next++ != 0;
        }
    }

    static constexpr std::size_t kVectors = 9; ///< of Vec3d, a row each

    Device& device_;
    std::vector<std::uint32_t> bodies_;    ///< cloths and ropes, as they are solved
    std::vector<Sheets::System> systems_;  ///< one a body
    std::vector<Level> levels_;            ///< one after the other
    std::vector<std::uint32_t> tieSheet_;  ///< of ties
    std::vector<std::uint32_t> edgeGroup_; ///< first blocks, and the end
    std::uint32_t rowBlocks_ = 0, partBlocks_ = 0, ropeRows_ = 0;
    bool first_ = true; ///< the next solve is the first of the substep
    SheetTies ties_{};
    DeviceArray<std::uint32_t> denseBegin_{device_}, denseColumn_{device_}, lightBegin_{device_},
        lightColumn_{device_}, begin_{device_}, entry_{device_}, tieOf_{device_}, edge_{device_},
        sheetOfTie_{device_}, rowOfTie_{device_}, firstOfTie_{device_}, candidate_{device_},
        placeOfTie_{device_}, torn_{device_}, held_{device_};
    DeviceArray<SheetShare> shares_{device_};
    DeviceArray<SheetEdge> edges_{device_};
    DeviceArray<SheetTriangle> triangles_{device_};
    DeviceArray<double> bend_{device_}, number_{device_}, sums_{device_}, banded_{device_};
    DeviceArray<Mat3d> block_{device_}, inverse_{device_};
    DeviceArray<Vec3d> vectors_{device_};
    DeviceArray<SheetPull> pulls_{device_};
    DeviceArray<JointTie> tie_{device_};
    DeviceArray<RopeTouch> touches_{device_};
    DeviceArray<ClothSolve> solve_{device_};
    DeviceArray<DeviceSheet> sheets_{device_};
    DeviceArray<SheetBlock> rowBlock_{device_}, partBlock_{device_}, edgeBlock_{device_};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
