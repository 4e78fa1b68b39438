// Particles and their nodes: what kernels of both integrators are made of. Included within the
// unnamed namespace of a translation unit compiled for one instruction set and one spline:
// FLOE_MPM_SUPPORT is 3 for quadratic splines, 4 for cubic ones.

using namespace floe::physics;

constexpr int N = kNativeLanes;
constexpr int kSupport = FLOE_MPM_SUPPORT; ///< nodes of a stencil along one axis
/// One over the second moment of the weights [1/dx^2]: APIC's D is dx^2/4 or dx^2/3 (Jiang et al.
/// 2015).
constexpr float kInverseMoment = kSupport == 3 ? 4.0f : 3.0f;
using Real = Pack<float, N>;
using Int = Pack<std::int32_t, N>;

typedef float F4 __attribute__((vector_size(16)));
typedef float F8 __attribute__((vector_size(32)));

FLOE_HD F4 load4(const float* from)
{
    F4 a;
    memcpy(&a, from, sizeof a);
    return a;
}
FLOE_HD void store4(float* to, F4 a)
{
    memcpy(to, &a, sizeof a);
}
FLOE_HD Vec3<Real> loadVector(const float* data, int firstRow)
{
    return {Real::load(data + firstRow * kLanes), Real::load(data + (firstRow + 1) * kLanes),
            Real::load(data + (firstRow + 2) * kLanes)};
}
FLOE_HD void storeVector(float* data, int firstRow, const Vec3<Real>& a)
{
    a.x.store(data + firstRow * kLanes);
    a.y.store(data + (firstRow + 1) * kLanes);
    a.z.store(data + (firstRow + 2) * kLanes);
}
FLOE_HD Mat3<Real> loadMatrix(const float* data, int firstRow)
{
    Mat3<Real> a;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j] = Real::load(data + (firstRow + 3 * i + j) * kLanes);
    return a;
}
FLOE_HD void storeMatrix(float* data, int firstRow, const Mat3<Real>& a)
{
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j].store(data + (firstRow + 3 * i + j) * kLanes);
}

/// Weights of a group of N particles, laid out for reading one particle at a time.
struct alignas(64) Stencils {
    float x[kSupport][N], y[kSupport][N], z[kSupport][N];
    std::int32_t first[N + 1]; ///< offset of the first node in an arena [floats]; -1: no more
};

FLOE_HD auto axisWeights(Real x)
{
#if FLOE_MPM_SUPPORT == 3
    return quadraticSpline(x);
#else
    return cubicSpline(x);
#endif
}

/// A stencil's first node, by its number in an arena, from its place [cells]. Limited so that not
/// even a particle with a broken position writes outside the arena.
FLOE_HD Int arenaNode(Real x, Real y, Real z)
{
    const Real least(-1.0f), most(kArenaEdge - 1.0f - kSupport);
    const Int bx = toInt(clamp(x, least, most)), by = toInt(clamp(y, least, most)),
              bz = toInt(clamp(z, least, most));
    return ((bx + Int(1)) << 6) + ((by + Int(1)) << 3) + (bz + Int(1));
}

/// @param count  how many of the particles there are; they come first
/// @return distance to the first node along each axis [cells]
FLOE_HD Vec3<Real> computeStencils(const Vec3<Real>& position, int count, Stencils& s)
{
    const auto wx = axisWeights(position.x), wy = axisWeights(position.y),
               wz = axisWeights(position.z);
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) {
        wx.w[i].store(s.x[i]);
        wy.w[i].store(s.y[i]);
        wz.w[i].store(s.z[i]);
    }
    (arenaNode(wx.base, wy.base, wz.base) << 2).store(s.first);
    s.first[count] = -1;
    return {wx.f, wy.f, wz.f};
}

constexpr int kStrideX = kArenaEdge * kArenaEdge * kNodeFloats;
constexpr int kStrideY = kArenaEdge * kNodeFloats;

/// N particles of a bin.
struct Group {
    float* data; ///< their lanes of the bin's first row
    int count;   ///< particles among them; they come first
};

/// Particles that follow each other in one cell share their nodes: a run of lanes [begin, end).
FLOE_HD int endOfRun(const Stencils& s, int begin)
{
    int end = begin + 1;
    while (s.first[end] == s.first[begin])
        ++end;
    return end;
}

/// The nodes of a stencil that lie behind each other along z.
struct Column {
    F8 a;
#if FLOE_MPM_SUPPORT == 3
    F4 b;
#else
    F8 b;
#endif
};
FLOE_HD Column loadColumn(const float* from)
{
    Column c;
    memcpy(&c.a, from, sizeof c.a);
    memcpy(&c.b, from + 8, sizeof c.b);
    return c;
}
FLOE_HD void storeColumn(float* to, const Column& c)
{
    memcpy(to, &c.a, sizeof c.a);
    memcpy(to + 8, &c.b, sizeof c.b);
}
FLOE_HD Column operator+(const Column& p, const Column& q)
{
    return {p.a + q.a, p.b + q.b};
}
FLOE_HD F8 broadcast(float w)
{
    return w - F8{};
}
FLOE_HD Column operator*(F8 w, const Column& c)
{
#if FLOE_MPM_SUPPORT == 3
    return {w * c.a, __builtin_shufflevector(w, w, 0, 1, 2, 3) * c.b};
#else
    return {w * c.a, w * c.b};
#endif
}

/// What each particle of a group brings to the columns of its stencil, weighted along z: on the
/// first column, and how it grows from one column to the next along x and y.
struct alignas(64) Columns {
    static constexpr int kFloats = kSupport == 3 ? 12 : 16;
    float first[N][kFloats], alongX[N][kFloats], alongY[N][kFloats];
};

#if !defined(__AVX2__)
FLOE_HD void transpose4(F4& a, F4& b, F4& c, F4& d)
{
    const F4 ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const F4 ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const F4 cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const F4 cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
#endif

/// Four attributes of N particles become four consecutive floats of N columns.
FLOE_HD void storeNode(Real a, Real b, Real c, Real d, float (*to)[Columns::kFloats], int k)
{
#if defined(__AVX2__)
    F8 rows[4][N / 8];
    memcpy(rows[0], &a.v, sizeof a.v);
    memcpy(rows[1], &b.v, sizeof b.v);
    memcpy(rows[2], &c.v, sizeof c.v);
    memcpy(rows[3], &d.v, sizeof d.v);
    FLOE_UNROLL
    for (int eight = 0; eight < N / 8; ++eight) {
        const F8 p = rows[0][eight], q = rows[1][eight], r = rows[2][eight], s = rows[3][eight];
        const F8 pq0 = __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13);
        const F8 pq1 = __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
        const F8 rs0 = __builtin_shufflevector(r, s, 0, 8, 1, 9, 4, 12, 5, 13);
        const F8 rs1 = __builtin_shufflevector(r, s, 2, 10, 3, 11, 6, 14, 7, 15);
        const F8 particles[4] = {__builtin_shufflevector(pq0, rs0, 0, 1, 8, 9, 4, 5, 12, 13),
                                 __builtin_shufflevector(pq0, rs0, 2, 3, 10, 11, 6, 7, 14, 15),
                                 __builtin_shufflevector(pq1, rs1, 0, 1, 8, 9, 4, 5, 12, 13),
                                 __builtin_shufflevector(pq1, rs1, 2, 3, 10, 11, 6, 7, 14, 15)};
        FLOE_UNROLL
        for (int n = 0; n < 4; ++n) {
            const F8 both = particles[n]; // n and n + 4
            store4(to[8 * eight + n] + 4 * k, __builtin_shufflevector(both, both, 0, 1, 2, 3));
            store4(to[8 * eight + n + 4] + 4 * k, __builtin_shufflevector(both, both, 4, 5, 6, 7));
        }
    }
#else
    static_assert(N == 4);
    F4 p = a.v, q = b.v, r = c.v, s = d.v;
    transpose4(p, q, r, s);
    store4(to[0] + 4 * k, p);
    store4(to[1] + 4 * k, q);
    store4(to[2] + 4 * k, r);
    store4(to[3] + 4 * k, s);
#endif
}

/// Adds to an arena what particles bring to their nodes: mass, and momentum that is `atFirst` at
/// the first node and changes by the columns of A from node to node.
FLOE_HD void scatterParticles(const Stencils& s, const Vec3<Real>& atFirst, const Mat3<Real>& A,
                              Real mass, int count, float* arena)
{
    Columns columns;
    const Real zero(0.0f);
    Vec3<Real> along = atFirst;
    FLOE_UNROLL
    for (int k = 0; k < kSupport; ++k) {
        const Real w = Real::load(s.z[k]);
        storeNode(w * along.x, w * along.y, w * along.z, w * mass, columns.first, k);
        storeNode(w * A[0][0], w * A[1][0], w * A[2][0], zero, columns.alongX, k);
        storeNode(w * A[0][1], w * A[1][1], w * A[2][1], zero, columns.alongY, k);
        along = along + A.column(2);
    }
    // The sums of a run's nodes stay in registers, a few columns at a time.
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = endOfRun(s, begin);
        float* const node = arena + s.first[begin];
        FLOE_UNROLL
        for (int i = 0; i < kSupport; ++i) {
            float* const to = node + i * kStrideX;
            Column sum[kSupport];
            FLOE_UNROLL
            for (int j = 0; j < kSupport; ++j)
                sum[j] = loadColumn(to + j * kStrideY);
            int p = begin;
            do {
                Column c = loadColumn(columns.first[p]);
                if (i == 1)
                    c = c + loadColumn(columns.alongX[p]);
                else if (i > 1)
                    c = c + broadcast(static_cast<float>(i)) * loadColumn(columns.alongX[p]);
                const F8 wx = broadcast(s.x[i][p]);
                c = wx * c;
                const Column dy = wx * loadColumn(columns.alongY[p]);
                FLOE_UNROLL
                for (int j = 0; j < kSupport; ++j) {
                    sum[j] = sum[j] + broadcast(s.y[j][p]) * c;
                    c = c + dy;
                }
            } while (++p < end);
            FLOE_UNROLL
            for (int j = 0; j < kSupport; ++j)
                storeColumn(to + j * kStrideY, sum[j]);
        }
    }
}

/// Nodes [begin, end) of a block that lie in the arena of its neighbour at `offset`, and where
/// there.
struct Overlap {
    int begin, end, shift;
};
constexpr Overlap kOverlaps[3] = {{0, 3, 5}, {0, 4, 1}, {3, 4, -3}};

/// Adds up what arenas hold of a block's nodes.
FLOE_HD void sumArenas(const float* const (&arenas)[27], float* sum)
{
    memset(sum, 0, sizeof(float) * kBlockNodes * kNodeFloats);
    for (int o = 0; o < 27; ++o) {
        const float* arena = arenas[o];
        if (!arena)
            continue;
        const Overlap x = kOverlaps[o / 9], y = kOverlaps[o / 3 % 3], z = kOverlaps[o % 3];
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j) {
                const float* from =
                    arena + (((i + x.shift) * 8 + j + y.shift) * 8 + z.shift) * kNodeFloats;
                float* to = sum + (i * 4 + j) * 4 * kNodeFloats;
                for (int k = z.begin; k < z.end; ++k)
                    store4(to + 4 * k, load4(to + 4 * k) + load4(from + 4 * k));
            }
    }
}

/// Weighted sums of node velocities over each particle's stencil: the mean, and the first moments
/// about the first node.
struct Moments {
    Vec3<Real> mean, alongX, alongY, alongZ;
};

FLOE_HD Moments gatherParticles(const Stencils& s, int count, const float* arena)
{
    alignas(64) float laneNumbers[N];
    FLOE_UNROLL
    for (int lane = 0; lane < N; ++lane)
        laneNumbers[lane] = static_cast<float>(lane);
    const Real lanes = Real::load(laneNumbers), zero(0.0f);
    Real wz[kSupport];
    FLOE_UNROLL
    for (int k = 0; k < kSupport; ++k)
        wz[k] = Real::load(s.z[k]);
    Real sums[4][3];
    FLOE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
        sums[0][axis] = sums[1][axis] = sums[2][axis] = sums[3][axis] = zero;
    // One run after the other, all lanes at once: those of other runs have no weight. First moments
    // w1 a1 + 2 w2 a2 + .. are sums of partial sums: (w2 a2) + (w2 a2 + w1 a1).
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = endOfRun(s, begin);
        const MaskOf<Real> mine =
            (lanes >= Real(static_cast<float>(begin))) & (lanes < Real(static_cast<float>(end)));
        alignas(64) float wx[kSupport][N];
        FLOE_UNROLL
        for (int i = 0; i < kSupport; ++i)
            select(mine, Real::load(s.x[i]), zero).store(wx[i]);
        const float* const node = arena + s.first[begin];
        FLOE_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
            Real mean = zero, alongX = zero, alongY = zero, alongZ = zero;
            FLOE_UNROLL
            for (int i = kSupport - 1; i >= 0; --i) {
                Real plane = zero, planeY = zero, planeZ = zero;
                FLOE_UNROLL
                for (int j = kSupport - 1; j >= 0; --j) {
                    const float* from = node + i * kStrideX + j * kStrideY + axis;
                    Real row = wz[kSupport - 1] * Real(from[kNodeFloats * (kSupport - 1)]);
                    Real rowZ = row;
                    FLOE_UNROLL
                    for (int k = kSupport - 2; k > 0; --k) {
                        row = wz[k] * Real(from[kNodeFloats * k]) + row;
                        rowZ = rowZ + row;
                    }
                    row = wz[0] * Real(from[0]) + row;
                    const Real w = Real::load(s.y[j]);
                    if (j == kSupport - 1) {
                        plane = planeY = w * row;
                        planeZ = w * rowZ;
                    } else {
                        plane = w * row + plane;
                        planeZ = w * rowZ + planeZ;
                        if (j > 0)
                            planeY = planeY + plane;
                    }
                }
                const Real w = Real::load(wx[i]);
                if (i == kSupport - 1) {
                    mean = alongX = w * plane;
                    alongY = w * planeY;
                    alongZ = w * planeZ;
                } else {
                    mean = w * plane + mean;
                    alongY = w * planeY + alongY;
                    alongZ = w * planeZ + alongZ;
                    if (i > 0)
                        alongX = alongX + mean;
                }
            }
            sums[0][axis] += mean;
            sums[1][axis] += alongX;
            sums[2][axis] += alongY;
            sums[3][axis] += alongZ;
        }
    }
    return {{sums[0][0], sums[0][1], sums[0][2]},
            {sums[1][0], sums[1][1], sums[1][2]},
            {sums[2][0], sums[2][1], sums[2][2]},
            {sums[3][0], sums[3][1], sums[3][2]}};
}

/// The nodes that a block's particles touch, from the blocks that own them.
FLOE_HD void fillArena(const float* const (&blocks)[27], float* arena)
{
    for (int o = 0; o < 27; ++o) {
        const Overlap x = kOverlaps[2 - o / 9], y = kOverlaps[2 - o / 3 % 3],
                      z = kOverlaps[2 - o % 3];
        // The neighbour's nodes seen from this block's arena: the overlap of the opposite offset
        // mirrored.
        const float* nodes = blocks[o];
        const int ox = o / 9 - 1, oy = o / 3 % 3 - 1, oz = o % 3 - 1;
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j) {
                float* to = arena + (((i + 4 * ox + 1) * 8 + j + 4 * oy + 1) * 8 + 4 * oz + 1) *
                                        kNodeFloats;
                for (int k = z.begin; k < z.end; ++k)
                    store4(to + 4 * k,
                           nodes ? load4(nodes + ((i * 4 + j) * 4 + k) * kNodeFloats) : F4{});
            }
    }
}
