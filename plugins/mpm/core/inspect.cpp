// Looking at a solver's state: snapshots, sums, saving and loading.

#include "implicit.hpp"

#include <floe/sdk/physics/stretch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace floe::mpm {

namespace {

using physics::Mat3;

template <class Real>
Mat3<Real> matrixAt(const BinRef& bin, int firstRow, int lane)
{
    Mat3<Real> a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = bin.rowAt(firstRow + 3 * i + j)[lane];
    return a;
}

/// @param affine  of the bins that keep no C
Mat3<double> affineAt(const Block& block, std::size_t b, int lane, const AffineRows* affine)
{
    const BinRef& bin = block.bins[b];
    if (keepsAffine(bin.layout))
        return matrixAt<double>(bin, row::C, lane);
    Mat3<double> C;
    for (int i = 0; i < 9; ++i)
        C[i / 3][i % 3] = affine[b].C[i * kLanes + lane];
    return C;
}

/// F - I with the strain of the last step, which the next scatter would apply.
Mat3<double> currentGradient(const BinRef& bin, int lane, double strainStep)
{
    return physics::advanceGradient(matrixAt<double>(bin, row::H, lane),
                                    matrixAt<double>(bin, row::C, lane), strainStep);
}

// The last sign is the version: 4 keeps no C of liquids, but the nodes that it came from; 3 kept
// all; 2 kept F and J instead of F - I and J - 1.
constexpr char kMagic[8] = {'f', 'l', 'o', 'e', 'm', 'p', 'm', '4'};

struct Header {
    char magic[8];
    double cellSize, time, strainStep, lastStep, drift, topComponent, topSpeed, topGradient,
        signalSpeed;
    std::uint64_t emitted, alive, leftDomain, deletedByCollider, blocks;
    std::uint32_t signalMaterial, nextId;
    std::uint32_t needsRegroup, newFrom;
    std::uint64_t nodeBlocks;
};
struct BlockHeader {
    std::int32_t coordinate[3];
    std::uint32_t state;
    float speed, restTime, pushSpeed, gain[3];
    std::uint32_t bins;
};
struct BinHeader {
    std::uint16_t material;
    std::uint8_t layout, count;
};
/// The nodes of a block after the last step, from which liquids may have to gather C again.
struct KeptNodes {
    std::int32_t coordinate[3];
    float nodes[kBlockNodes * kNodeFloats];
};

class Writer {
public:
    std::vector<unsigned char> bytes;
    void put(const void* data, std::size_t size)
    {
        const auto* from = static_cast<const unsigned char*>(data);
        bytes.insert(bytes.end(), from, from + size);
    }
};
class Reader {
public:
    explicit Reader(std::span<const unsigned char> bytes) : left_(bytes) {}
    void get(void* data, std::size_t size)
    {
        if (size > left_.size())
            throw std::runtime_error("the solver's saved state is cut short");
        std::memcpy(data, left_.data(), size);
        left_ = left_.subspan(size);
    }
    bool empty() const { return left_.empty(); }

private:
    std::span<const unsigned char> left_;
};

} // namespace

Counts Solver::counts() const
{
    Counts c = counts_;
    for (const Block& block : blocks_) {
        if (block.particles == 0)
            continue;
        ++c.blocks;
        if (block.state == BlockState::active) {
            ++c.activeBlocks;
            c.activeParticles += block.particles;
        }
        c.boundaryBlocks += block.state == BlockState::boundary;
    }
    return c;
}

std::size_t Solver::bytes() const
{
    return pool_.bytes() + frozenPool_.bytes() + contactPool_.bytes() + arenas_.bytes() +
           nodes_.bytes() + keptNodes_.bytes() + before_.bytes() +
           (implicit_ ? implicit_->bytes() : 0) + blocks_.capacity() * sizeof(Block);
}

void Solver::storeStress(const BinRef& bin, int lane, const Mat3<double>& C, double strainStep,
                         float* stress) const
{
    std::fill(stress, stress + 6, 0.0f);
    const SolverMaterial& material = materials_[bin.material];
    if (material.custom)
        return;
    double state = bin.rowAt(row::state)[lane];
    physics::Sym3<double> tau{};
    double J = 0;
    physics::visitLaw(material.law, [&](const auto& law) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(law)>, physics::Liquid>) {
            tau = physics::respond(law, state, C).tau;
            J = 1 + state;
        } else {
            Mat3<double> H = currentGradient(bin, lane, strainStep);
            tau = physics::respondToGradient(law, H, state, strainStep).tau;
            if (physics::isDamped(law))
                physics::addDamping(law, C, tau);
            J = 1 + physics::volumeChange(H);
        }
    });
    const double stiffness =
        bin.layout == Layout::liquid ? 1.0 : static_cast<double>(bin.rowAt(row::stiffness)[lane]);
    const double scale = stiffness / std::max(J, 1e-6);
    const double all[6] = {tau.xx, tau.yy, tau.zz, tau.xy, tau.xz, tau.yz};
    for (int k = 0; k < 6; ++k)
        stress[k] = static_cast<float>(scale * all[k]);
}

void Solver::snapshot(const Snapshot& to) const
{
    std::vector<std::size_t> first(blocks_.size() + 1, 0);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        std::size_t live = 0;
        for (const BinRef& bin : blocks_[b].bins)
            for (int lane = 0; lane < bin.count; ++lane)
                live += bin.rowAt(row::mass)[lane] > 0;
        first[b + 1] = first[b] + live;
    }
    executor_->parallelFor(blocks_.size(), 16, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t at = begin; at < end; ++at) {
            const Block& block = blocks_[at];
            if (to.stress)
                gatherAffine(block, affine);
            const Vec3d corner = cornerOf(block);
            const double strain = block.state == BlockState::active ? strainStep_ : 0;
            std::size_t i = first[at];
            for (std::size_t b = 0; b < block.bins.size(); ++b) {
                const BinRef& bin = block.bins[b];
                for (int lane = 0; lane < bin.count; ++lane) {
                    if (!(bin.rowAt(row::mass)[lane] > 0))
                        continue;
                    for (int axis = 0; axis < 3; ++axis) {
                        if (to.x)
                            to.x[3 * i + axis] = static_cast<float>(
                                corner[axis] + settings_.cellSize * bin.rowAt(row::x + axis)[lane]);
                        if (to.v)
                            to.v[3 * i + axis] = bin.rowAt(row::v + axis)[lane];
                    }
                    if (to.stress)
                        storeStress(bin, lane, affineAt(block, b, lane, affine.data()), strain,
                                    to.stress + 6 * i);
                    if (to.F || to.J) {
                        Mat3<double> F = Mat3<double>::identity();
                        double J = 0;
                        if (isLiquid(bin.layout)) {
                            J = 1 + static_cast<double>(bin.rowAt(row::state)[lane]);
                            if (to.F)
                                F = std::cbrt(J) * F;
                        } else {
                            const Mat3<double> H = currentGradient(bin, lane, strain);
                            F = F + H;
                            J = 1 + physics::volumeChange(H);
                        }
                        if (to.J)
                            to.J[i] = static_cast<float>(J);
                        for (int k = 0; k < 9 && to.F; ++k)
                            to.F[9 * i + k] = static_cast<float>(F[k / 3][k % 3]);
                    }
                    if (to.state)
                        to.state[i] =
                            bin.rowAt(row::state)[lane] + (isLiquid(bin.layout) ? 1.0f : 0.0f);
                    if (to.volume)
                        to.volume[i] = bin.rowAt(row::volume)[lane];
                    if (to.mass)
                        to.mass[i] = bin.rowAt(row::mass)[lane];
                    if (to.material)
                        to.material[i] = bin.material;
                    if (to.id)
                        to.id[i] = std::bit_cast<std::uint32_t>(bin.rowAt(row::id)[lane]);
                    if (to.activation)
                        to.activation[i] = static_cast<std::uint8_t>(block.state);
                    ++i;
                }
            }
        }
    });
}

Totals Solver::totals() const
{
    Totals t;
    const double h = settings_.cellSize;
    AffineScratch affine;
    for (const Block& block : blocks_) {
        gatherAffine(block, affine);
        const Vec3d corner = cornerOf(block);
        const double strain = block.state == BlockState::active ? strainStep_ : 0;
        for (std::size_t b = 0; b < block.bins.size(); ++b) {
            const BinRef& bin = block.bins[b];
            for (int lane = 0; lane < bin.count; ++lane) {
                const double m = bin.rowAt(row::mass)[lane];
                if (!(m > 0))
                    continue;
                Vec3d x, v;
                for (int axis = 0; axis < 3; ++axis) {
                    x[axis] = corner[axis] + h * bin.rowAt(row::x + axis)[lane];
                    v[axis] = bin.rowAt(row::v + axis)[lane];
                }
                // B = C D with D = h^2/4 carries rotation and kinetic energy of its own
                // (Jiang et al. 2015, section 5.3).
                const Mat3<double> C = affineAt(block, b, lane, affine.data());
                const double moment = settings_.spline == Spline::cubic ? h * h / 3 : h * h / 4;
                const double D = settings_.transfer == Transfer::apic ? moment : 0;
                const Vec3d spin{C[2][1] - C[1][2], C[0][2] - C[2][0], C[1][0] - C[0][1]};
                t.mass += m;
                t.momentum = t.momentum + m * v;
                t.angularMomentum = t.angularMomentum + m * physics::cross(x, v) + (m * D) * spin;
                t.kineticEnergy += 0.5 * m * (physics::dot(v, v) + D * physics::squaredNorm(C));
                const SolverMaterial& material = materials_[bin.material];
                if (material.custom)
                    continue;
                double volume = bin.rowAt(row::volume)[lane];
                if (bin.layout != Layout::liquid)
                    volume *= bin.rowAt(row::stiffness)[lane];
                t.elasticEnergy +=
                    volume * physics::visitLaw(material.law, [&](const auto& law) -> double {
                        if constexpr (requires { law.energy(1.0); })
                            return law.energy(static_cast<double>(bin.rowAt(row::state)[lane]));
                        else
                            return law.energy(
                                physics::stretching(currentGradient(bin, lane, strain)).extension,
                                static_cast<double>(bin.rowAt(row::state)[lane]));
                    });
            }
        }
    }
    return t;
}

std::vector<unsigned char> Solver::save() const
{
    Writer out;
    std::size_t full = 0, bins = 0;
    for (const Block& block : blocks_) {
        full += block.particles > 0;
        bins += block.bins.size();
    }
    out.bytes.reserve(sizeof(Header) + full * sizeof(BlockHeader) +
                      bins * (sizeof(BinHeader) + kMostRows * kLanes * sizeof(float)));
    Header h{};
    std::memcpy(h.magic, kMagic, sizeof kMagic);
    h.cellSize = settings_.cellSize;
    h.time = time_;
    h.strainStep = strainStep_;
    h.lastStep = lastStep_;
    h.drift = drift_;
    h.topComponent = topComponent_;
    h.topSpeed = topSpeed_;
    h.topGradient = topGradient_;
    h.signalSpeed = signalSpeed_;
    h.emitted = counts_.emitted;
    h.alive = counts_.alive;
    h.leftDomain = counts_.leftDomain;
    h.deletedByCollider = counts_.deletedByCollider;
    h.blocks = full;
    h.signalMaterial = signalMaterial_;
    h.nextId = nextId_;
    h.needsRegroup = needsRegroup_;
    h.newFrom = newFrom_;
    const auto isNeeded = [this](const Block& block) { // by a liquid that keeps no C
        return block.keptNodes >= 0 &&
               std::any_of(block.neighbour.begin(), block.neighbour.end(), [this](std::int32_t n) {
                   return n >= 0 &&
                          std::any_of(blocks_[n].bins.begin(), blocks_[n].bins.end(),
                                      [](const BinRef& b) { return !keepsAffine(b.layout); });
               });
    };
    h.nodeBlocks =
        static_cast<std::uint64_t>(std::count_if(blocks_.begin(), blocks_.end(), isNeeded));
    out.put(&h, sizeof h);
    for (const Block& block : blocks_) {
        if (block.particles == 0)
            continue;
        BlockHeader b{};
        std::copy(block.coordinate.begin(), block.coordinate.end(), b.coordinate);
        b.state = static_cast<std::uint32_t>(block.state);
        b.speed = block.speed;
        b.restTime = block.restTime;
        b.pushSpeed = block.pushSpeed;
        std::copy(block.gain.begin(), block.gain.end(), b.gain);
        b.bins = static_cast<std::uint32_t>(block.bins.size());
        out.put(&b, sizeof b);
        for (const BinRef& bin : block.bins) {
            const BinHeader n{bin.material, static_cast<std::uint8_t>(bin.layout), bin.count};
            out.put(&n, sizeof n);
            out.put(bin.data, sizeof(float) * kLanes * rowsOf(bin.layout));
        }
    }
    for (const Block& block : blocks_) {
        if (!isNeeded(block))
            continue;
        KeptNodes k;
        std::copy(block.coordinate.begin(), block.coordinate.end(), k.coordinate);
        std::memcpy(k.nodes, keptNodes_.data() + block.keptNodes * (sizeof k.nodes / sizeof(float)),
                    sizeof k.nodes);
        out.put(&k, sizeof k);
    }
    return std::move(out.bytes);
}

void Solver::load(std::span<const unsigned char> bytes)
{
    Reader in(bytes);
    const auto refuse = [](const char* why) {
        throw std::runtime_error(std::string("the solver's saved state ") + why);
    };
    Header h;
    in.get(&h, sizeof h);
    if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0)
        refuse(std::memcmp(h.magic, kMagic, sizeof kMagic - 1) == 0
                   ? "was written by another version of the solver, which kept particles in "
                     "another form; run the simulation from its start"
                   : "is not one, or is of a run on a GPU");
    if (h.cellSize != settings_.cellSize)
        refuse("is of another cell size");
    const double scalars[] = {h.time,     h.strainStep,  h.lastStep,    h.drift,
                              h.topSpeed, h.topGradient, h.signalSpeed, h.topComponent};
    for (const double a : scalars)
        if (!std::isfinite(a) || a < 0)
            refuse("holds numbers that make no sense");

    for (Block& block : blocks_)
        for (const BinRef& bin : block.bins)
            pool_.give(bin.layout, bin.data);
    blocks_.clear();
    map_.clear();
    counts_ = {};
    std::uint64_t alive = 0;
    std::vector<BlockCoordinate> nodesOf;
    try {
        for (std::uint64_t i = 0; i < h.blocks; ++i) {
            BlockHeader b;
            in.get(&b, sizeof b);
            Block block;
            std::copy(b.coordinate, b.coordinate + 3, block.coordinate.begin());
            for (const std::int32_t a : block.coordinate)
                if (a < -kMostCoordinate || a > kMostCoordinate)
                    refuse("holds blocks out of range");
            if (b.state > 2 || map_.find(block.coordinate) >= 0)
                refuse("is damaged");
            block.state = static_cast<BlockState>(b.state);
            block.speed = b.speed;
            block.restTime = b.restTime;
            block.pushSpeed = b.pushSpeed;
            std::copy(b.gain, b.gain + 3, block.gain.begin());
            block.neighbour.fill(-1);
            map_.insert(block.coordinate, static_cast<std::int32_t>(blocks_.size()));
            blocks_.push_back(std::move(block));
            for (std::uint32_t k = 0; k < b.bins; ++k) {
                BinHeader n;
                in.get(&n, sizeof n);
                const auto layout = static_cast<Layout>(n.layout);
                if (n.material >= materials_.size() || n.count < 1 || n.count > kLanes)
                    refuse("is of other materials");
                const Layout usual = layoutOf(n.material, 1);
                if (layout != usual && !(isLiquid(usual) && isLiquid(layout)))
                    refuse("is of other materials");
                float* data = pool_.take(layout);
                blocks_.back().bins.push_back({data, n.material, layout, n.count});
                in.get(data, sizeof(float) * kLanes * rowsOf(layout));
                blocks_.back().particles += n.count;
                for (int lane = 0; lane < n.count; ++lane)
                    alive += data[row::mass * kLanes + lane] > 0;
            }
            if (blocks_.back().particles == 0)
                refuse("holds an empty block");
        }
        for (std::uint64_t i = 0; i < h.nodeBlocks; ++i) {
            KeptNodes k;
            in.get(&k, sizeof k);
            constexpr std::size_t kFloats = sizeof k.nodes / sizeof(float);
            keptNodes_.reserve((i + 1) * kFloats, i * kFloats);
            std::memcpy(keptNodes_.data() + i * kFloats, k.nodes, sizeof k.nodes);
            nodesOf.push_back({k.coordinate[0], k.coordinate[1], k.coordinate[2]});
        }
        if (alive != h.alive || !in.empty())
            refuse("does not add up");
    } catch (...) {
        for (Block& block : blocks_)
            for (const BinRef& bin : block.bins)
                pool_.give(bin.layout, bin.data);
        blocks_.clear();
        map_.clear();
        listsStale_ = true;
        throw;
    }
    time_ = h.time;
    strainStep_ = h.strainStep;
    lastStep_ = h.lastStep;
    drift_ = h.drift;
    topComponent_ = h.topComponent;
    topSpeed_ = h.topSpeed;
    topGradient_ = h.topGradient;
    signalSpeed_ = h.signalSpeed;
    signalMaterial_ = h.signalMaterial < materials_.size() ? h.signalMaterial : 0;
    nextId_ = h.nextId;
    needsRegroup_ = h.needsRegroup != 0 || drift_ > mostDrift();
    counts_.emitted = h.emitted;
    counts_.alive = h.alive;
    counts_.leftDomain = h.leftDomain;
    counts_.deletedByCollider = h.deletedByCollider;
    newFrom_ = h.newFrom;
    rebuildTopology();
    for (std::size_t i = 0; i < nodesOf.size(); ++i)
        if (const std::int32_t block = map_.find(nodesOf[i]); block >= 0)
            blocks_[block].keptNodes = static_cast<std::int32_t>(i);
    if (!dropsAffine(settings_))
        keepAffine();
}

void Solver::continueAs(const Solver& other)
{
    setMaterials(other.materials_);
    domain_ = other.domain_;
    forces_ = other.forces_;
    setColliders(other.colliders_);
    load(other.save());
}

} // namespace floe::mpm
