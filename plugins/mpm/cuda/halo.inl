// Included by halo.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline Report Halo::share(Report own)
{
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    const floe_context* context = ranks().context;
    std::int64_t most[] = {
        own.maxNodeComponent,
        own.badNodes,
        own.maxComponent,
        own.maxGradient,
        static_cast<std::int64_t>(own.maxSpeed), // of positive floats: below 2^63
        static_cast<std::int64_t>(own.maxWave),
        own.maxMomentum,
        own.maxForce,
        own.maxMass,
        own.minMass > 0 ? -std::int64_t{own.minMass} : -kNone,
        own.tooFar,
        own.forceFaults,
        own.notFinite == ~0ull ? -kNone : -static_cast<std::int64_t>(own.notFinite),
        context && context->cancelled(context) ? 1 : 0};
    std::int64_t sums[] = {own.left,   own.taken,    own.particleBlocks,
                           own.active, own.boundary, own.pushed};
    auto first = ranks().beginReduce(FLOE_RANKS_MAX, std::span<std::int64_t>(most));
    auto second = ranks().beginReduce(FLOE_RANKS_SUM, std::span<std::int64_t>(sums));
    first.finish(context);
    second.finish(context);
    if (most[13] > 0)
        throw sdk::parallel::RanksFailure(FLOE_CANCELLED);
    own.maxNodeComponent = static_cast<int>(most[0]);
    own.badNodes = static_cast<unsigned>(most[1]);
    own.maxComponent = static_cast<int>(most[2]);
    own.maxGradient = static_cast<int>(most[3]);
    own.maxSpeed = static_cast<unsigned long long>(most[4]);
    own.maxWave = static_cast<unsigned long long>(most[5]);
    own.maxMomentum = static_cast<int>(most[6]);
    own.maxForce = static_cast<int>(most[7]);
    own.maxMass = static_cast<int>(most[8]);
    own.minMass = most[9] == -kNone ? 0 : static_cast<int>(-most[9]);
    own.tooFar = static_cast<unsigned>(most[10]);
    own.forceFaults = static_cast<unsigned>(most[11]);
    own.notFinite = most[12] == -kNone ? ~0ull : static_cast<unsigned long long>(-most[12]);
    const auto sum = [&](int i) {
        return static_cast<std::uint64_t>(sums[i]);
    };
    totals_ = {sum(0), sum(1), sum(2), sum(3), sum(4), sum(5)};
    return own;
}

// --------------------------------------------------------------------------------------- blocks

/// Returns a block within reach of another, by its number among those.
inline BlockCoordinate Halo::blockAt(const BlockCoordinate& from, int n) const
{
    int step[3];
    reach_.step(n, step);
    return ownership_.period.wrapped({from[0] + step[0], from[1] + step[1], from[2] + step[2]});
}

/// Returns the index of what is around a block.
inline std::int32_t Halo::around(const BlockCoordinate& block)
{
    if (const std::int32_t known = aroundOf_.find(block); known >= 0)
        return known;
    Around found;
    const int self = rank();
    for (int o = 0; o < kOffsets; ++o)
        found.owner[static_cast<std::size_t>(o)] = ownership_.ownerOf(neighbourOf(block, o));
    for (int n = 0; n < reach_.count(); ++n)
        if (const int owner = ownership_.ownerOf(blockAt(block, n)); owner != self)
            found.peers.push_back(owner);
    if (ownership_.byParticles) // whoever holds some there
        for (int other = 0; other < ranks().size(); ++other)
            if (other != self)
                found.peers.push_back(other);
    std::sort(found.peers.begin(), found.peers.end());
    found.peers.erase(std::unique(found.peers.begin(), found.peers.end()), found.peers.end());
    const auto index = static_cast<std::int32_t>(around_.size());
    around_.push_back(std::move(found));
    aroundOf_.insert(block, index);
    return index;
}

inline bool Halo::isAtBorder(const BlockCoordinate& block)
{
    for (int n = 0; n < reach_.count(); ++n)
        if (!around_[static_cast<std::size_t>(around(blockAt(block, n)))].peers.empty())
            return true;
    return false;
}

/// Returns the blocks that are not interior.
inline std::vector<BorderBlock> Halo::list(const Blocks& blocks, std::uint32_t count)
{
    std::uint32_t listed = 0;
    if (count == 0)
        return {};
    do {
        listed_.need(std::max<std::size_t>(listed, 64));
        counter_.fill(0, 1);
        FLOE_LAUNCH(listBorder, groups(count), 128, 0, device_.stream(), blocks, count, reach_,
                    listed_.data(), static_cast<std::uint32_t>(listed_.capacity()),
                    counter_.data());
        device_.checkLaunch("listBorder");
        device_.download(&listed, counter_.data(), sizeof listed);
    } while (listed > listed_.capacity());
    return listed_.download(listed);
}

inline void Halo::setAll(std::uint32_t* to, const std::vector<std::uint32_t>& index,
                         const std::vector<std::uint32_t>& values)
{
    if (index.empty())
        return;
    index_.need(index.size());
    values_.need(index.size());
    index_.upload(index.data(), index.size());
    values_.upload(values.data(), values.size());
    FLOE_LAUNCH(setWords, groups(index.size()), 128, 0, device_.stream(), to, index_.data(),
                values_.data(), static_cast<std::uint32_t>(index.size()));
    device_.checkLaunch("setWords");
}

inline std::vector<std::uint32_t> Halo::getAll(const std::uint32_t* from,
                                               const std::vector<std::uint32_t>& index)
{
    if (index.empty())
        return {};
    index_.need(index.size());
    values_.need(index.size());
    index_.upload(index.data(), index.size());
    FLOE_LAUNCH(takeValues<std::uint32_t>, groups(index.size()), 128, 0, device_.stream(), from,
                values_.data(), index_.data(), static_cast<std::uint32_t>(index.size()));
    device_.checkLaunch("takeValues");
    return values_.download(index.size());
}

inline void Halo::plan(const Blocks& blocks, std::uint32_t count)
{
    constexpr std::size_t kRemembered = 1 << 20; // places; more have been left long ago
    if (around_.size() > kRemembered)
        forget();
    knowsNothing_ = false;
    const auto size = static_cast<std::size_t>(ranks().size());
    std::vector<std::uint32_t> found, border;
    std::vector<Exits> exits;
    std::vector<std::vector<Node>> shared(size);
    nodeOf_.clear();
    beside_.clear();
    for (const BorderBlock& b : list(blocks, count)) {
        const BlockCoordinate c{b.coordinate[0], b.coordinate[1], b.coordinate[2]};
        const bool isBorder = b.border == kAtBorder || isAtBorder(c);
        if (b.border == kUnknown) {
            found.push_back(b.block);
            border.push_back(isBorder ? kAtBorder : kInterior);
        }
        if (!isBorder)
            continue;
        const std::int32_t place = around(c);
        const Around& here = around_[static_cast<std::size_t>(place)];
        if (!ownership_.byParticles && !here.peers.empty()) {
            beside_.push_back({c, b.block, place});
            Exits& exit = exits.emplace_back();
            exit.block = b.block;
            std::copy(here.owner.begin(), here.owner.end(), exit.owner);
        }
        for (int n = 0; n < reach_.count(); ++n) {
            const BlockCoordinate node = blockAt(c, n);
            if (nodeOf_.find(node) >= 0)
                continue;
            const std::uint32_t index = b.around[n];
            nodeOf_.insert(node, static_cast<std::int32_t>(index));
            for (const int peer : around_[static_cast<std::size_t>(around(node))].peers)
                shared[static_cast<std::size_t>(peer)].push_back({node, index});
        }
    }
    setAll(blocks.border, found, border);
    exitCount_ = static_cast<std::uint32_t>(exits.size());
    exits_.need(exits.size());
    exits_.upload(exits.data(), exits.size());
    planNodes(shared);
    ghostsKnown_ = false;
    ghosts_.clear();
    ghostOf_.clear();
}

/// Keeps of the nodes that others may reach those that they do.
inline void Halo::planNodes(std::vector<std::vector<Node>>& shared)
{
    const auto before = [](const BlockCoordinate& a, const BlockCoordinate& b) {
        return mortonOrder(a) < mortonOrder(b);
    };
    std::vector<sdk::parallel::BytesOut> out(shared.size());
    for (std::size_t peer = 0; peer < shared.size(); ++peer) {
        std::sort(shared[peer].begin(), shared[peer].end(),
                  [&](const Node& a, const Node& b) { return before(a.block, b.block); });
        for (const Node& node : shared[peer])
            out[peer].put(node.block);
    }
    std::vector<std::span<const std::byte>> toEach;
    for (const auto& bytes : out)
        toEach.emplace_back(bytes.bytes);
    const auto fromEach = ranks().exchange(toEach);
    peers_.clear();
    std::vector<std::uint32_t> all;
    for (std::size_t peer = 0; peer < shared.size(); ++peer) {
        const auto first = static_cast<std::uint32_t>(all.size());
        auto own = shared[peer].begin();
        for (sdk::parallel::BytesIn in(fromEach[peer]);
             !in.empty() && peer != static_cast<std::size_t>(rank());) {
            const auto theirs = in.get<BlockCoordinate>();
            while (own != shared[peer].end() && before(own->block, theirs))
                ++own;
            if (own != shared[peer].end() && own->block == theirs)
                all.push_back(own->index);
        }
        const auto count = static_cast<std::uint32_t>(all.size()) - first;
        if (count > 0)
            peers_.push_back({static_cast<int>(peer), first, count});
    }
    shared_ = static_cast<std::uint32_t>(all.size());
    nodes_.need(shared_);
    nodes_.upload(all.data(), shared_);
}

/// Finds out which blocks that others hold lie beside this rank's.
inline void Halo::planGhosts()
{
    const auto size = static_cast<std::size_t>(ranks().size());
    std::vector<sdk::parallel::BytesOut> out(size);
    ghostsOut_.assign(size, {});
    ghostsIn_.assign(size, {});
    for (const Beside& block : beside_)
        for (const int peer : around_[static_cast<std::size_t>(block.around)].peers) {
            ghostsOut_[static_cast<std::size_t>(peer)].push_back(block.index);
            out[static_cast<std::size_t>(peer)].put(block.block);
        }
    std::vector<std::span<const std::byte>> toEach;
    for (const auto& bytes : out)
        toEach.emplace_back(bytes.bytes);
    const auto fromEach = ranks().exchange(toEach);
    for (std::size_t peer = 0; peer < size; ++peer)
        for (sdk::parallel::BytesIn in(fromEach[peer]); !in.empty();) {
            const std::int32_t index = nodeOf_.find(in.get<BlockCoordinate>());
            ghostsIn_[peer].push_back(index < 0 ? kNoBlock : static_cast<std::uint32_t>(index));
            if (index >= 0)
                ghosts_.push_back(static_cast<std::uint32_t>(index));
        }
    ghostsKnown_ = true;
}

/// Sends a value of each block that others have beside theirs.
/// @param read   returns it, by its place among those of all peers
/// @param write  takes that of a ghost, by its place in ghosts()
template <class Value, class Read, class Write>
void Halo::exchangeOfGhosts(const Read& read, const Write& write)
{
    std::vector<std::vector<Value>> out(ghostsOut_.size()), in(ghostsIn_.size());
    std::vector<floe_ranks_part> sends, receives;
    std::size_t place = 0;
    for (std::size_t peer = 0; peer < out.size(); ++peer) {
        for (std::size_t i = 0; i < ghostsOut_[peer].size(); ++i)
            out[peer].push_back(read(place++));
        in[peer].resize(ghostsIn_[peer].size());
        if (!out[peer].empty())
            sends.push_back(Ranks::part(peer, out[peer].data(), out[peer].size() * sizeof(Value)));
        if (!in[peer].empty())
            receives.push_back(Ranks::part(peer, in[peer].data(), in[peer].size() * sizeof(Value)));
    }
    ranks().beginExchange(sends, receives).finish(ranks().context);
    std::size_t ghost = 0;
    for (std::size_t peer = 0; peer < in.size(); ++peer)
        for (std::size_t i = 0; i < in[peer].size(); ++i)
            if (ghostsIn_[peer][i] != kNoBlock)
                write(ghost++, in[peer][i]);
}

inline void Halo::shareStates(const Blocks& blocks)
{
    if (!ghostsKnown_)
        planGhosts();
    std::vector<std::uint32_t> index;
    for (const auto& of : ghostsOut_)
        index.insert(index.end(), of.begin(), of.end());
    const std::vector<std::uint32_t> own = getAll(blocks.state, index);
    std::vector<std::uint32_t> states(ghosts_.size());
    exchangeOfGhosts<std::uint32_t>([&](std::size_t i) { return own[i]; },
                                    [&](std::size_t i, std::uint32_t state) { states[i] = state; });
    setAll(blocks.state, ghosts_, states);
}

inline std::vector<std::uint32_t> Halo::ghostStates(const Blocks& blocks)
{
    return getAll(blocks.state, ghosts_);
}

inline bool Halo::shareMarks(std::span<std::uint8_t> marks, std::uint32_t particleBlocks)
{
    std::vector<std::uint32_t> index;
    for (const auto& of : ghostsOut_)
        index.insert(index.end(), of.begin(), of.end());
    bool isNew = false;
    exchangeOfGhosts<std::uint8_t>([&](std::size_t i) { return marks[index[i]]; },
                                   [&](std::size_t i, std::uint8_t mark) {
                                       std::uint8_t& here = marks[particleBlocks + i];
                                       isNew = isNew || mark != here;
                                       here = mark;
                                   });
    return anywhere(ownership_.ranks, isNew);
}

// ---------------------------------------------------------------------------------------- nodes

inline void Halo::begin(std::span<const NodeValues> arrays)
{
    if (shared_ == 0)
        return;
    const std::uint32_t each = eachOf(arrays);
    const std::size_t count = std::size_t(shared_) * each;
    packed_.need(count);
    received_.need(count);
    std::uint32_t first = 0;
    for (const NodeValues& array : arrays) {
        FLOE_LAUNCH(packNodes, shared_, kBlockNodes, 0, device_.stream(), array.values,
                    nodes_.data(), array.each, packed_.data() + first, each);
        first += array.each;
    }
    device_.checkLaunch("packNodes");
    if (!ranks().takesDeviceMemory()) {
        out_.need(count);
        device_.enqueueDownload(out_.data(), packed_.data(), count * sizeof(unsigned long long));
    }
    packedAll_.record();
}

inline void Halo::finish(std::span<const NodeValues> arrays)
{
    if (shared_ == 0)
        return;
    const std::uint32_t each = eachOf(arrays);
    const std::size_t count = std::size_t(shared_) * each;
    const bool onDevice = ranks().takesDeviceMemory();
    packedAll_.wait(); // earlier copies have ended, too
    if (!onDevice)
        in_.need(count);
    std::vector<floe_ranks_part> sends, receives;
    for (const Peer& peer : peers_) {
        sends.push_back(part(peer, onDevice ? packed_.data() : out_.data(), each));
        receives.push_back(part(peer, onDevice ? received_.data() : in_.data(), each));
    }
    ranks().beginExchange(sends, receives).finish(ranks().context);
    if (!onDevice)
        device_.enqueueUpload(received_.data(), in_.data(), count * sizeof(unsigned long long));
    std::uint32_t first = 0;
    for (const NodeValues& array : arrays) {
        FLOE_LAUNCH(addNodes, shared_, kBlockNodes, 0, device_.stream(), received_.data() + first,
                    each, nodes_.data(), array.each, array.values);
        first += array.each;
    }
    device_.checkLaunch("addNodes");
}

// ------------------------------------------------------------------------------------ particles

inline void Halo::exchangeMovers(const Particles& particles, const Blocks& blocks,
                                 unsigned channels, Report* report)
{
    left_ = 0;
    arrivals_.clear();
    if (ownership_.byParticles)
        return; // they stay on this rank
    std::uint32_t count = 0;
    if (exitCount_ > 0)
        do {
            leavers_.need(std::max<std::size_t>(count, 64));
            counter_.fill(0, 1);
            FLOE_LAUNCH(findLeavers, exitCount_, kThreads, 0, device_.stream(), particles, blocks,
                        exits_.data(), static_cast<std::int32_t>(rank()), leavers_.data(),
                        static_cast<std::uint32_t>(leavers_.capacity()), counter_.data(), report);
            device_.checkLaunch("findLeavers");
            device_.download(&count, counter_.data(), sizeof count);
        } while (count > leavers_.capacity());
    left_ = count;
    std::vector<std::vector<std::uint32_t>> toEach(static_cast<std::size_t>(ranks().size()));
    if (count > 0) {
        records_.need(std::size_t(count) * kRecordWords);
        FLOE_LAUNCH(packLeavers, groups(count), 128, 0, device_.stream(), particles, blocks,
                    channels, exits_.data(), leavers_.data(), count, records_.data());
        device_.checkLaunch("packLeavers");
        const auto records = records_.download(std::size_t(count) * kRecordWords);
        for (auto record = records.begin(); record != records.end(); record += kRecordWords) {
            BlockCoordinate block;
            for (std::size_t axis = 0; axis < 3; ++axis)
                block[axis] = static_cast<std::int32_t>(record[kChannels + axis]);
            auto& to = toEach[static_cast<std::size_t>(ownership_.ownerOf(block))];
            to.insert(to.end(), record, record + kRecordWords);
        }
    }
    std::vector<std::span<const std::byte>> spans;
    for (const auto& of : toEach)
        spans.push_back(std::as_bytes(std::span(of)));
    for (const auto& bytes : ranks().exchange(spans)) {
        const std::size_t before = arrivals_.size();
        arrivals_.resize(before + bytes.size() / (4 * kRecordWords) * kRecordWords);
        if (!bytes.empty())
            std::memcpy(arrivals_.data() + before, bytes.data(), (arrivals_.size() - before) * 4);
    }
}

inline void Halo::place(const Particles& particles, unsigned channels, std::uint32_t first,
                        std::int32_t* coordinates)
{
    if (arrivals_.empty())
        return;
    records_.need(arrivals_.size());
    records_.upload(arrivals_.data(), arrivals_.size());
    FLOE_LAUNCH(takeArrivals, groups(arrived()), 128, 0, device_.stream(), records_.data(),
                arrived(), particles, channels, first, coordinates);
    device_.checkLaunch("takeArrivals");
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
