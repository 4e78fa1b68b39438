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
FLOE_HD F8 load8(const float* from)
{
    F8 a;
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
    std::int32_t first[N]; ///< offset of the first node in an arena [floats]
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

/// @return distance to the first node along each axis [cells]
FLOE_HD Vec3<Real> computeStencils(const Vec3<Real>& position, Stencils& s)
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
    return {wx.f, wy.f, wz.f};
}

constexpr int kStrideX = kArenaEdge * kArenaEdge * kNodeFloats;
constexpr int kStrideY = kArenaEdge * kNodeFloats;

/// N particles of a bin.
struct Group {
    float* data;            ///< their lanes of the bin's first row
    int count;              ///< particles among them; they come first
    const float* C;         ///< their lanes of its first row
    const float* stiffness; ///< null: 1
};

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
FLOE_HD Column operator*(const Column& p, const Column& q)
{
    return {p.a * q.a, p.b * q.b};
}
FLOE_HD Column operator*(F8 w, const Column& c)
{
#if FLOE_MPM_SUPPORT == 3
    return {w * c.a, __builtin_shufflevector(w, w, 0, 1, 2, 3) * c.b};
#else
    return {w * c.a, w * c.b};
#endif
}

/// The same four numbers, or four times the same number, at each node of a column.
FLOE_HD Column repeated(F4 a)
{
    const F8 twice = __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3);
#if FLOE_MPM_SUPPORT == 3
    return {twice, a};
#else
    return {twice, twice};
#endif
}
FLOE_HD Column column(const F4 (&nodes)[kSupport])
{
    const F8 a = __builtin_shufflevector(nodes[0], nodes[1], 0, 1, 2, 3, 4, 5, 6, 7);
#if FLOE_MPM_SUPPORT == 3
    return {a, nodes[2]};
#else
    return {a, __builtin_shufflevector(nodes[2], nodes[3], 0, 1, 2, 3, 4, 5, 6, 7)};
#endif
}
FLOE_HD void split(const Column& c, F4 (&nodes)[kSupport])
{
    nodes[0] = __builtin_shufflevector(c.a, c.a, 0, 1, 2, 3);
    nodes[1] = __builtin_shufflevector(c.a, c.a, 4, 5, 6, 7);
#if FLOE_MPM_SUPPORT == 3
    nodes[2] = c.b;
#else
    nodes[2] = __builtin_shufflevector(c.b, c.b, 0, 1, 2, 3);
    nodes[3] = __builtin_shufflevector(c.b, c.b, 4, 5, 6, 7);
#endif
}
/// A particle's weights along z.
FLOE_HD Column weightsAlongZ(const Stencils& s, int particle)
{
    F4 w[kSupport];
    FLOE_UNROLL
    for (int k = 0; k < kSupport; ++k)
        w[k] = s.z[k][particle] - F4{};
    return column(w);
}

/// Of each particle of a group, four numbers at its first node and how they grow from node to node
/// along x, y and z; or, gathered, weighted sums over the nodes and first moments about the first.
/// One particle at a time: the order of particles and who shares a cell do not matter.
struct alignas(64) Fields {
    float first[N][4], alongX[N][4], alongY[N][4], alongZ[N][4];
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

/// Four attributes of N particles become four consecutive floats of each.
FLOE_HD void storeFours(Real a, Real b, Real c, Real d, float (*to)[4])
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
            store4(to[8 * eight + n], __builtin_shufflevector(both, both, 0, 1, 2, 3));
            store4(to[8 * eight + n + 4], __builtin_shufflevector(both, both, 4, 5, 6, 7));
        }
    }
#else
    static_assert(N == 4);
    F4 p = a.v, q = b.v, r = c.v, s = d.v;
    transpose4(p, q, r, s);
    store4(to[0], p);
    store4(to[1], q);
    store4(to[2], r);
    store4(to[3], s);
#endif
}

/// The first three of four consecutive floats of each of N particles.
FLOE_HD Vec3<Real> loadThrees(const float (*from)[4])
{
    Vec3<Real> result;
#if defined(__AVX2__)
    F8 rows[3][N / 8];
    FLOE_UNROLL
    for (int eight = 0; eight < N / 8; ++eight) {
        F8 both[4]; // n and n + 4
        FLOE_UNROLL
        for (int n = 0; n < 4; ++n)
            both[n] = __builtin_shufflevector(
                load4(from[8 * eight + n]), load4(from[8 * eight + n + 4]), 0, 1, 2, 3, 4, 5, 6, 7);
        const F8 xy01 = __builtin_shufflevector(both[0], both[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const F8 xy23 = __builtin_shufflevector(both[2], both[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const F8 zw01 = __builtin_shufflevector(both[0], both[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const F8 zw23 = __builtin_shufflevector(both[2], both[3], 2, 10, 3, 11, 6, 14, 7, 15);
        rows[0][eight] = __builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13);
        rows[1][eight] = __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15);
        rows[2][eight] = __builtin_shufflevector(zw01, zw23, 0, 1, 8, 9, 4, 5, 12, 13);
    }
    memcpy(&result.x.v, rows[0], sizeof result.x.v);
    memcpy(&result.y.v, rows[1], sizeof result.y.v);
    memcpy(&result.z.v, rows[2], sizeof result.z.v);
#else
    static_assert(N == 4);
    F4 p = load4(from[0]), q = load4(from[1]), r = load4(from[2]), s = load4(from[3]);
    transpose4(p, q, r, s);
    memcpy(&result.x.v, &p, sizeof p);
    memcpy(&result.y.v, &q, sizeof q);
    memcpy(&result.z.v, &r, sizeof r);
#endif
    return result;
}

/// Adds to an arena what particles bring to their nodes: mass, and momentum that is `atFirst` at
/// the first node and changes by the columns of A from node to node.
/// @param count  how many of the particles there are; they come first
FLOE_HD void scatterParticles(const Stencils& s, const Vec3<Real>& atFirst, const Mat3<Real>& A,
                              Real mass, int count, float* arena)
{
    Fields fields;
    const Real zero(0.0f);
    storeFours(atFirst.x, atFirst.y, atFirst.z, mass, fields.first);
    storeFours(A[0][0], A[1][0], A[2][0], zero, fields.alongX);
    storeFours(A[0][1], A[1][1], A[2][1], zero, fields.alongY);
    storeFours(A[0][2], A[1][2], A[2][2], zero, fields.alongZ);
    for (int p = 0; p < count; ++p) {
        const Column wz = weightsAlongZ(s, p);
        F4 nodes[kSupport];
        nodes[0] = load4(fields.first[p]);
        const F4 dz = load4(fields.alongZ[p]);
        FLOE_UNROLL
        for (int k = 1; k < kSupport; ++k)
            nodes[k] = nodes[k - 1] + dz;
        Column plane = wz * column(nodes);
        const Column dx = wz * repeated(load4(fields.alongX[p]));
        const Column dy = wz * repeated(load4(fields.alongY[p]));
        float* const node = arena + s.first[p];
        FLOE_UNROLL
        for (int i = 0; i < kSupport; ++i) {
            const F8 wx = broadcast(s.x[i][p]);
            Column c = wx * plane;
            const Column step = wx * dy;
            FLOE_UNROLL
            for (int j = 0; j < kSupport; ++j) {
                float* const to = node + i * kStrideX + j * kStrideY;
                storeColumn(to, loadColumn(to) + broadcast(s.y[j][p]) * c);
                c = c + step;
            }
            plane = plane + dx;
        }
    }
}

/// Adds up what arenas hold of a block's nodes. Along each axis nodes 0 to 3 are nodes 1 to 4 of
/// the block's own arena; nodes 0 to 2 are nodes 5 to 7 of the one before, node 3 is node 0 of the
/// next.
FLOE_HD void sumArenas(const float* const (&arenas)[27], float* sum)
{
    for (int i = 0; i < kBlockEdge; ++i)
        for (int j = 0; j < kBlockEdge; ++j) {
            F8 low{}, high{}; // nodes 0 and 1, 2 and 3
            F4 third{}, fourth{};
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 2; ++q) {
                    const int ox = p == 0 ? 1 : i < 3 ? 0 : 2, oy = q == 0 ? 1 : j < 3 ? 0 : 2;
                    const int x = p == 0 ? i + 1 : i < 3 ? i + 5 : 0;
                    const int y = q == 0 ? j + 1 : j < 3 ? j + 5 : 0;
                    const float* const* const from = arenas + 9 * ox + 3 * oy;
                    const int at = x * kStrideX + y * kStrideY;
                    if (from[1]) {
                        low = low + load8(from[1] + at + kNodeFloats);
                        high = high + load8(from[1] + at + 3 * kNodeFloats);
                    }
                    if (from[0]) {
                        low = low + load8(from[0] + at + 5 * kNodeFloats);
                        third = third + load4(from[0] + at + 7 * kNodeFloats);
                    }
                    if (from[2])
                        fourth = fourth + load4(from[2] + at);
                }
            high = high + __builtin_shufflevector(third, fourth, 0, 1, 2, 3, 4, 5, 6, 7);
            float* const to = sum + (i * kBlockEdge + j) * kBlockEdge * kNodeFloats;
            memcpy(to, &low, sizeof low);
            memcpy(to + 8, &high, sizeof high);
        }
}

/// Weighted sums of node velocities over each particle's stencil: the mean, and the first moments
/// about the first node.
struct Moments {
    Vec3<Real> mean, alongX, alongY, alongZ;
};

FLOE_HD Moments gatherParticles(const Stencils& s, int count, const float* arena)
{
    constexpr int kLast = kSupport - 1;
    Fields sums;
    for (int p = 0; p < count; ++p) {
        const float* const node = arena + s.first[p];
        // First moments w1 a1 + 2 w2 a2 + .. are sums of partial sums: (w2 a2) + (w2 a2 + w1 a1).
        Column mean, alongX, alongY;
        FLOE_UNROLL
        for (int i = kLast; i >= 0; --i) {
            const float* const from = node + i * kStrideX;
            Column plane = broadcast(s.y[kLast][p]) * loadColumn(from + kLast * kStrideY);
            Column planeY = plane;
            FLOE_UNROLL
            for (int j = kLast - 1; j >= 0; --j) {
                plane = broadcast(s.y[j][p]) * loadColumn(from + j * kStrideY) + plane;
                if (j > 0)
                    planeY = planeY + plane;
            }
            const F8 wx = broadcast(s.x[i][p]);
            if (i == kLast) {
                mean = alongX = wx * plane;
                alongY = wx * planeY;
            } else {
                mean = wx * plane + mean;
                alongY = wx * planeY + alongY;
                if (i > 0)
                    alongX = alongX + mean;
            }
        }
        const Column wz = weightsAlongZ(s, p);
        F4 nodes[kSupport], nodesX[kSupport], nodesY[kSupport];
        split(wz * mean, nodes);
        split(wz * alongX, nodesX);
        split(wz * alongY, nodesY);
        F4 sum = nodes[kLast], sumX = nodesX[kLast], sumY = nodesY[kLast], sumZ = sum;
        FLOE_UNROLL
        for (int k = kLast - 1; k >= 0; --k) {
            sum = sum + nodes[k];
            sumX = sumX + nodesX[k];
            sumY = sumY + nodesY[k];
            if (k > 0)
                sumZ = sumZ + sum;
        }
        store4(sums.first[p], sum);
        store4(sums.alongX[p], sumX);
        store4(sums.alongY[p], sumY);
        store4(sums.alongZ[p], sumZ);
    }
    for (int p = count; p < N; ++p) {
        store4(sums.first[p], F4{});
        store4(sums.alongX[p], F4{});
        store4(sums.alongY[p], F4{});
        store4(sums.alongZ[p], F4{});
    }
    return {loadThrees(sums.first), loadThrees(sums.alongX), loadThrees(sums.alongY),
            loadThrees(sums.alongZ)};
}

/// The nodes that a block's particles touch, from the blocks that own them: node 3 of the block
/// before is node 0 of the arena, those of the block itself are 1 to 4.
FLOE_HD void fillArena(const float* const (&blocks)[27], float* arena)
{
    static const float none[kBlockNodes * kNodeFloats] = {};
    const float* from[27];
    for (int o = 0; o < 27; ++o)
        from[o] = blocks[o] ? blocks[o] : none;
    for (int x = 0; x < kArenaEdge; ++x)
        for (int y = 0; y < kArenaEdge; ++y) {
            const int ox = (x + 3) / 4, i = (x + 3) % 4, oy = (y + 3) / 4, j = (y + 3) % 4;
            const float* const* const beside = from + 9 * ox + 3 * oy;
            const int at = (i * kBlockEdge + j) * kBlockEdge * kNodeFloats;
            float* const to = arena + x * kStrideX + y * kStrideY;
            memcpy(to, beside[0] + at + 3 * kNodeFloats, kNodeFloats * sizeof(float));
            memcpy(to + kNodeFloats, beside[1] + at, 4 * kNodeFloats * sizeof(float));
            memcpy(to + 5 * kNodeFloats, beside[2] + at, 3 * kNodeFloats * sizeof(float));
        }
}
