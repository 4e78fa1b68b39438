#include "cpu_backend.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace floe::mpm {

CpuBackend::CpuBackend(const SolverSettings& settings, Executor& executor, MemorySource& memory,
                       Ownership ownership)
    : memory_(&memory), grid_(state_, memory),
      halo_(ownership.alone() ? nullptr : std::make_unique<Halo>(state_, grid_)), coupled_(state_),
      contact_(state_, grid_, coupled_, record_), rest_(state_, grid_, memory),
      walls_(state_, grid_),
      transfers_(state_, grid_, contact_, halo_.get(), rest_, walls_, memory),
      boundary_(state_, grid_, transfers_)
{
    state_.ownership = std::move(ownership);
    state_.settings = settings;
    state_.executor = &executor;
    state_.kernelSet = &chooseKernels();
}

std::optional<std::string> CpuBackend::refusal(const SolverSettings& settings) const
{
    if (settings.bodiesMeet && settings.integrator != Integrator::explicitEuler)
        return "the semi-implicit integrator moves all bodies as one; choose the explicit one, or "
               "let 'bodies' move together";
    if (settings.volumeByPosition && settings.integrator != Integrator::explicitEuler)
        return "the semi-implicit integrator moves liquids by their velocities alone; choose the "
               "explicit integrator, or switch 'volumeByPosition' off";
    if (settings.integrator != Integrator::explicitEuler && state_.materials.anyTense())
        return "the semi-implicit integrator knows no surface tension; choose the explicit one, "
               "or set 'surfaceTension' to 0";
    if (settings.integrator != Integrator::explicitEuler && state_.materials.anyWhole())
        return "the semi-implicit integrator knows no bodies that stay whole; choose the explicit "
               "one, or let every material tear";
    return {};
}

std::optional<std::string> CpuBackend::refusal(std::span<const SolverMaterial> materials) const
{
    for (const SolverMaterial& material : materials) {
        if (isTense(material) && state_.settings.integrator != Integrator::explicitEuler)
            return "material '" + material.name +
                   "' has surface tension, which the semi-implicit integrator does not know; "
                   "choose the explicit one, or set 'surfaceTension' to 0";
        if (!material.staysWhole)
            continue;
        const std::string begin = "material '" + material.name + "' stays whole, ";
        if (halo_)
            return begin + "which only one processor alone computes; run on one rank, or let it "
                           "tear";
        if (state_.settings.integrator != Integrator::explicitEuler)
            return begin + "which the semi-implicit integrator does not know; choose the explicit "
                           "one, or let it tear";
    }
    return {};
}

void CpuBackend::setSettings(const SolverSettings& settings)
{
    if (settings.transfer != state_.settings.transfer ||
        settings.bodiesMeet != state_.settings.bodiesMeet ||
        settings.integrator != state_.settings.integrator)
        state_.scatteredStep = 0;
    transfers_.growLiquids(state_.dropsAffineWith(settings));
    state_.settings = settings;
}

void CpuBackend::setMaterials(std::span<const SolverMaterial> materials)
{
    state_.materials.set(materials);
    state_.scatteredStep = 0;
    transfers_.growLiquids(state_.dropsAffine());
    for (Block& block : grid_.blocks)
        block.cached.reset();
    boundary_.forget();
    // A first estimate of the time step; the first scatter measures.
    for (std::size_t m = 0; m < materials.size() && state_.nextId == 0; ++m)
        if (state_.materials.soundSpeed(m) > state_.bounds.signalSpeed) {
            state_.bounds.signalSpeed = state_.materials.soundSpeed(m);
            state_.bounds.signalMaterial = static_cast<std::uint32_t>(m);
        }
}

void CpuBackend::setDomain(const Domain& domain)
{
    const Period period(domain, state_.settings.cellSize);
    if (period != state_.period() && !grid_.blocks.empty())
        throw std::invalid_argument(kPeriodMoved);
    state_.ownership.period = period;
    contact_.forgetWalls(domain);
    ghostsStale_ = ghostsStale_ || !domain.sameAs(state_.surroundings.domain);
    state_.surroundings.domain = domain;
}

void CpuBackend::setForces(std::span<const std::shared_ptr<const Force>> forces)
{
    state_.surroundings.forces.assign(forces.begin(), forces.end());
}

void CpuBackend::setColliders(std::span<const std::shared_ptr<Collider>> colliders)
{
    const auto mirroring = [&] { // where; 0: anywhere
        std::vector<std::uint64_t> ids;
        for (const auto& collider : state_.surroundings.colliders)
            if (state_.mirrors(*collider))
                ids.push_back(collider->rests() ? collider->id : 0);
        return ids;
    };
    const auto before = mirroring();
    state_.surroundings.colliders.assign(colliders.begin(), colliders.end());
    coupled_.setColliders(colliders);
    if (walls_.set(colliders))
        state_.scatteredStep = 0;
    ghostsStale_ = ghostsStale_ || mirroring() != before; // BlockGrid::reachOf()
    transfers_.growLiquids(state_.dropsAffine());
}

void CpuBackend::scatter(double dt)
{
    if (halo_ && ghostsStale_)
        updateGhosts();
    grid_.updateLists();
    transfers_.scatter(dt, arrivals_);
    if (migrating_)
        grid_.closeBuffers();
    arrivals_ = {};
    migrating_ = false;
    state_.scatteredStep = dt;
    state_.scatteredWhole = 0;
    boundsOfOwn_ = halo_ != nullptr;
}

void CpuBackend::updateGrid(double time, double dt)
{
    transfers_.updateGrid(time, dt);
    boundsOfOwn_ = halo_ != nullptr;
}

void CpuBackend::gather(const GatherRequest& request)
{
    if (request.rebins)
        arrivals_ = grid_.openBuffers();
    migrating_ = request.rebins;
    GatherRequest own = request;
    // Bodies that stay whole come between the gather of all blocks and the scatter of any, and
    // walls that move come to other blocks.
    if (rest_.any() || !walls_.rest())
        own.next = 0;
    transfers_.gather(own, request.rebins ? &arrivals_ : nullptr);
    if (own.next != request.next)
        transfers_.scatter(request.next, {});
    state_.scatteredStep = request.next;
    state_.scatteredWhole = 0;
    if (!halo_) {
        state_.drift += state_.bounds.component * request.dt / state_.settings.cellSize;
        return;
    }
    boundsOfOwn_ = true;
    stepToDrift_ = request.dt;
    deletedOfOwn_ = contact_.removesParticles();
    if (deletedOfOwn_) // their number decides when particles are rebinned
        bounds();
}

std::optional<std::string> CpuBackend::localRefusal() const
{
    const SolverSettings& settings = state_.settings;
    if (halo_)
        return "several ranks take all steps together";
    if (settings.integrator != Integrator::explicitEuler)
        return "the semi-implicit integrator takes long steps by itself";
    if (settings.transfer != Transfer::apic)
        return "PIC/FLIP takes all steps";
    if (settings.bodiesMeet)
        return "'bodies' that meet take all steps";
    if (settings.volumeByPosition && state_.materials.anyLiquid())
        return "liquids with 'volumeByPosition' take all steps";
    if (state_.materials.anyTense())
        return "liquids with surface tension take all steps";
    if (state_.materials.anyWhole())
        return "bodies that stay whole take all steps";
    if (walls_.any() || coupled_.any())
        return "Mesh colliders, and bodies that matter pushes, need all steps";
    if (record_.isOn())
        return "'contactLog' records all steps";
    return {};
}

void CpuBackend::scatterSplit(double dt, double whole)
{
    grid_.updateLists();
    transfers_.scatterSplit(dt, whole);
    state_.scatteredStep = dt;
    state_.scatteredWhole = whole;
}

void CpuBackend::dropSplit()
{
    state_.scatteredStep = state_.scatteredWhole = 0;
}

void CpuBackend::updateSlowOnly(double time, double whole, bool again)
{
    if (again)
        transfers_.shortenSlow(whole);
    transfers_.updateSlowOnly(time, whole);
}

void CpuBackend::gatherFast(const GatherRequest& request)
{
    transfers_.gatherFast(request);
    fastDrift_ += state_.bounds.component * request.dt / state_.settings.cellSize;
}

void CpuBackend::gatherSlow(double time, double whole)
{
    const double slow = transfers_.gatherSlow(time, whole) * whole / state_.settings.cellSize;
    state_.drift += std::max(std::exchange(fastDrift_, 0), slow);
    state_.scatteredStep = state_.scatteredWhole = 0;
}

void CpuBackend::rebin()
{
    bounds();
    rest_.forgetParticles();
    state_.scatteredStep = 0;
    state_.drift = 0;
    if (migrating_) {
        expectArrivals(arrivals_);
        return;
    }
    if (halo_ && ghostsStale_)
        updateGhosts();
    grid_.updateLists();
    std::vector<MigrationBuffer> buffers = grid_.openBuffers();
    state_.executor->parallelFor(buffers.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            buffers[i].take(grid_.blocks[grid_.gatherList[i]], grid_.pool, state_.materials);
    });
    expectArrivals(buffers);
    state_.executor->parallelFor(
        grid_.scatterList.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                grid_.takeArrivals(grid_.blocks[grid_.scatterList[i]], buffers);
        });
    grid_.closeBuffers();
}

void CpuBackend::prepareSolve()
{
    if (!implicit_)
        implicit_ =
            std::make_unique<ImplicitSolve>(state_, grid_, transfers_, contact_, halo_.get());
    implicit_->prepare();
}

bool CpuBackend::solve(double time, double dt)
{
    if (!implicit_->step(time, dt))
        return false;
    transfers_.measureNodes();
    boundsOfOwn_ = halo_ != nullptr;
    return true;
}

std::size_t CpuBackend::activeBlocks()
{
    if (halo_)
        return halo_->active();
    grid_.updateLists();
    return grid_.gatherList.size();
}

std::size_t CpuBackend::sleepingBlocks()
{
    if (halo_)
        return halo_->inactive();
    if (grid_.listsStale)
        state_.scatteredStep = 0;
    grid_.updateLists();
    return grid_.inactive;
}

std::vector<std::int32_t> CpuBackend::findPushed(double dt, double wakeSpeed)
{
    pushedElsewhere_ = false;
    if (halo_ && halo_->inactive() == 0)
        return {};
    return boundary_.findPushed(dt, wakeSpeed, pushedElsewhere_);
}

void CpuBackend::wake(std::span<const std::int32_t> blocks, double time, double dt, bool update)
{
    if (dt > 0) {
        if (halo_)
            wakeOnRanks(blocks, time, dt, update);
        else
            boundary_.wake(blocks, time, dt, update);
        return;
    }
    for (const std::int32_t index : blocks) {
        Block& block = grid_.blocks[static_cast<std::size_t>(index)];
        if (block.state == BlockState::boundary)
            BoundaryBlocks::takeGain(block);
        wakeBlock(block);
    }
    markBoundary();
}

void CpuBackend::setStates(std::span<const std::int32_t> active,
                           std::span<const std::int32_t> passive)
{
    for (const std::int32_t index : active)
        wakeBlock(grid_.blocks[static_cast<std::size_t>(index)]);
    for (const std::int32_t index : passive) {
        Block& block = grid_.blocks[static_cast<std::size_t>(index)];
        wakeBlock(block);
        block.state = BlockState::passive;
        // Set to rest in memory too: scattering, snapshots and waking must agree.
        for (const BinRef& bin : block.bins) {
            std::memset(bin.rowAt(row::v), 0, sizeof(float) * kLanes * 3);
            if (keepsAffine(bin.layout))
                std::memset(bin.rowAt(row::C), 0, sizeof(float) * kLanes * 9);
        }
    }
    state_.scatteredStep = 0;
    markBoundary();
}

/// Call between steps, when other blocks than before are active.
void CpuBackend::markBoundary()
{
    if (halo_) // others' blocks matter
        updateGhosts();
    else
        grid_.markBoundary();
}

void CpuBackend::add(const NewParticles& p, std::uint32_t firstId)
{
    bounds();
    // The first particles decide; or all of them, each in its turn.
    if (undivided()) {
        std::vector<sdk::grid::BlockCost> costs(p.count);
        for (std::size_t i = 0; i < p.count; ++i)
            costs[i] = {blockOfParticle(p.x + 3 * i, state_.settings.cellSize), 1};
        state_.ownership.divideBy(std::move(costs));
    }
    std::vector<std::uint32_t> places;
    if (state_.materials[p.material].staysWhole && p.count > 0)
        places = rest_.add(p, firstId);
    for (std::size_t i = 0; i < p.count; ++i) {
        if (halo_) {
            // Every rank is given all particles, and so knows the fastest; each keeps its own.
            const float* v = p.v ? p.v + 3 * i : nullptr;
            float speed2 = 0;
            for (int axis = 0; v && axis < 3; ++axis) {
                state_.bounds.component =
                    std::max(state_.bounds.component, std::abs(static_cast<double>(v[axis])));
                speed2 += v[axis] * v[axis];
            }
            state_.bounds.speed =
                std::max(state_.bounds.speed, static_cast<double>(std::sqrt(speed2)));
            if (!state_.ownership.isGiven(blockOfParticle(p.x + 3 * i, state_.settings.cellSize)))
                continue;
        }
        put(p, i, firstId + static_cast<std::uint32_t>(i), places.empty() ? 0 : places[i]);
    }
    finishAdd(firstId + static_cast<std::uint32_t>(p.count));
}

void CpuBackend::finishAdd(std::uint32_t nextId)
{
    state_.nextId = nextId;
    rest_.forgetParticles();
    grid_.rebuildTopology();
    markBoundary();
}

/// Adds a particle to its block.
void CpuBackend::put(const NewParticles& p, std::size_t i, std::uint32_t id, std::uint32_t place)
{
    const SolverMaterial& material = state_.materials[p.material];
    const double inverse = 1 / state_.settings.cellSize;
    float local[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
        local[axis] = localPosition(p.x[3 * i + axis] * inverse).local;
    Block& block =
        grid_.at(state_.period().wrapped(blockOfParticle(p.x + 3 * i, state_.settings.cellSize)));
    const float stiffness = p.stiffnessScale ? p.stiffnessScale[i] : 1;
    const Layout layout = state_.materials.layoutOf(p.material, stiffness, state_.dropsAffine());
    const auto [bin, lane] = freeLane(block, grid_.pool, p.material, layout, material.initialState);
    bool moves = !state_.settings.startsPassive || !material.sleeps;
    for (std::size_t axis = 0; axis < 3 && !moves; ++axis)
        moves = p.v && p.v[3 * i + axis] != 0;
    if (block.particles++ == 0)
        block.state = moves ? BlockState::active : BlockState::passive;
    else if (moves)
        block.state = BlockState::active;
    block.restTime = 0;
    block.cached.reset();
    const float density = material.law.density * (p.densityScale ? p.densityScale[i] : 1);
    double top = 0;
    float speed2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        bin->rowAt(row::x + axis)[lane] = local[axis];
        const float v = p.v ? p.v[3 * i + static_cast<std::size_t>(axis)] : 0;
        bin->rowAt(row::v + axis)[lane] = v;
        top = std::max(top, std::abs(static_cast<double>(v)));
        speed2 += v * v;
    }
    block.speed = std::max(block.speed, std::sqrt(speed2));
    bin->rowAt(row::mass)[lane] = density * p.volume[i];
    bin->rowAt(row::volume)[lane] = p.volume[i];
    if (layout != Layout::liquid)
        bin->rowAt(row::stiffness)[lane] = stiffness;
    bin->rowAt(row::id)[lane] = std::bit_cast<float>(id);
    if (layout == Layout::whole)
        bin->rowAt(row::rest)[lane] = std::bit_cast<float>(place);
    if (p.state)
        bin->rowAt(row::state)[lane] = p.state[i];
    for (int k = 0; k < 9 && p.strain && !isLiquid(layout); ++k)
        bin->rowAt(row::H + k)[lane] = p.strain[9 * i + static_cast<std::size_t>(k)];
    state_.bounds.component = std::max(state_.bounds.component, top);
    state_.bounds.speed = std::max(state_.bounds.speed, static_cast<double>(std::sqrt(speed2)));
}

void CpuBackend::findOccupied(CellSet& cells)
{
    for (const Block& block : grid_.blocks)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; lane < bin.count; ++lane) {
                if (!(bin.rowAt(row::mass)[lane] > 0))
                    continue;
                std::int64_t c[3];
                for (int axis = 0; axis < 3; ++axis)
                    c[axis] = state_.period().wrappedCell(
                        static_cast<std::size_t>(axis),
                        std::int64_t{kBlockEdge} *
                                block.coordinate[static_cast<std::size_t>(axis)] +
                            static_cast<std::int64_t>(std::floor(bin.rowAt(row::x + axis)[lane])));
                cells.add(c[0], c[1], c[2]);
            }
}

std::optional<std::uint16_t> CpuBackend::findNotFinite()
{
    const auto find = [this]() -> std::optional<std::uint16_t> {
        for (const Block& block : grid_.blocks)
            for (const BinRef& bin : block.bins)
                for (int lane = 0; lane < bin.count; ++lane)
                    for (int r = 0; r < rowsOf(bin.layout); ++r)
                        if (r != row::id && !std::isfinite(bin.rowAt(r)[lane]))
                            return bin.material;
        return {};
    };
    return firstMaterial(state_.ownership.ranks, find());
}

std::pair<std::uint16_t, double> CpuBackend::findFastest()
{
    float fastest = -1;
    std::uint16_t material = 0;
    for (const Block& block : grid_.blocks)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; lane < bin.count; ++lane) {
                float speed2 = 0;
                for (int axis = 0; axis < 3; ++axis)
                    speed2 += bin.rowAt(row::v + axis)[lane] * bin.rowAt(row::v + axis)[lane];
                if (speed2 > fastest) {
                    fastest = speed2;
                    material = bin.material;
                }
            }
    fastest = std::max(fastest, 0.0f);
    if (halo_) { // the bits of positive floats are in their order
        std::int64_t most[] = {
            static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(fastest)) << 16 | material};
        state_.ownership.ranks->reduce(FLOE_RANKS_MAX, std::span<std::int64_t>(most));
        fastest = std::bit_cast<float>(static_cast<std::uint32_t>(most[0] >> 16));
        material = static_cast<std::uint16_t>(most[0] & 0xffff);
    }
    return {material, std::sqrt(static_cast<double>(fastest))};
}

std::unique_ptr<Backend> CpuBackend::makeEmpty(const SolverSettings& settings) const
{
    auto other = std::make_unique<CpuBackend>(settings, *state_.executor, *memory_);
    other->setKernels(*state_.kernelSet);
    return other;
}

std::size_t CpuBackend::bytes() const
{
    return grid_.bytes() + transfers_.bytes() + rest_.bytes() +
           (implicit_ ? implicit_->bytes() : 0);
}

std::unique_ptr<Stepper> makeCpuStepper(const SolverSettings& settings, Executor& executor,
                                        MemorySource& memory, Ownership ownership)
{
    return std::make_unique<Stepper>(
        settings, std::make_unique<CpuBackend>(settings, executor, memory, std::move(ownership)),
        executor);
}

} // namespace floe::mpm
