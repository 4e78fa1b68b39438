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
typedef std::int32_t I4 __attribute__((vector_size(16)));

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
FLOE_HD F4 lowHalf(F8 a)
{
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
FLOE_HD F4 highHalf(F8 a)
{
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

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

/// Four attributes of N particles become N vectors of four.
FLOE_HD void storeByParticle(Real a, Real b, Real c, Real d, float (*to)[4])
{
    alignas(64) float rows[4][N];
    a.store(rows[0]);
    b.store(rows[1]);
    c.store(rows[2]);
    d.store(rows[3]);
    for (int first = 0; first < N; first += 4) {
        F4 p = load4(rows[0] + first), q = load4(rows[1] + first);
        F4 r = load4(rows[2] + first), s = load4(rows[3] + first);
        transpose4(p, q, r, s);
        store4(to[first], p);
        store4(to[first + 1], q);
        store4(to[first + 2], r);
        store4(to[first + 3], s);
    }
}
/// The first three attributes of N vectors of four.
FLOE_HD Vec3<Real> loadByAttribute(const float (*from)[4])
{
    alignas(64) float rows[3][N];
    for (int first = 0; first < N; first += 4) {
        F4 p = load4(from[first]), q = load4(from[first + 1]);
        F4 r = load4(from[first + 2]), s = load4(from[first + 3]);
        transpose4(p, q, r, s);
        store4(rows[0] + first, p);
        store4(rows[1] + first, q);
        store4(rows[2] + first, r);
    }
    return {Real::load(rows[0]), Real::load(rows[1]), Real::load(rows[2])};
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
    float xy[kSupport * kSupport][N]; ///< products of the weights along x and y
    float x[kSupport][N], y[kSupport][N], z[kSupport][N];
    std::int32_t first[N]; ///< offset of the first node in an arena [floats]
};

/// @return distance to the first node along each axis [cells]
FLOE_HD Vec3<Real> computeStencils(const Vec3<Real>& position, Stencils& s)
{
#if FLOE_MPM_SUPPORT == 3
    const auto wx = quadraticSpline(position.x), wy = quadraticSpline(position.y),
               wz = quadraticSpline(position.z);
#else
    const auto wx = cubicSpline(position.x), wy = cubicSpline(position.y),
               wz = cubicSpline(position.z);
#endif
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) {
        wx.w[i].store(s.x[i]);
        wy.w[i].store(s.y[i]);
        wz.w[i].store(s.z[i]);
        FLOE_UNROLL
        for (int j = 0; j < kSupport; ++j)
            (wx.w[i] * wy.w[j]).store(s.xy[kSupport * i + j]);
    }
    // Limited so that not even a particle with a broken position writes outside the arena.
    const Real least(-1.0f), most(kArenaEdge - 1.0f - kSupport);
    const Int bx = toInt(clamp(wx.base, least, most)), by = toInt(clamp(wy.base, least, most)),
              bz = toInt(clamp(wz.base, least, most));
    const Int node = ((bx + Int(1)) << 6) + ((by + Int(1)) << 3) + (bz + Int(1));
    (node << 2).store(s.first);
    return {wx.f, wy.f, wz.f};
}

constexpr int kStrideX = kArenaEdge * kArenaEdge * kNodeFloats;
constexpr int kStrideY = kArenaEdge * kNodeFloats;

/// N particles of a bin.
struct Group {
    float* data; ///< their lanes of the bin's first row
    int count;   ///< particles among them; they come first
};

/// Momentum, mass and their linear variation over the stencil, one vector of four for each
/// particle.
struct alignas(64) Affine {
    float atFirst[N][4], alongX[N][4], alongY[N][4], alongZ[N][4];
};

#if FLOE_MPM_SUPPORT == 3
FLOE_HD void scatterParticles(const Stencils& s, const Affine& a, int count, float* arena)
{
    for (int p = 0; p < count; ++p) {
        const F4 value = load4(a.atFirst[p]), dx = load4(a.alongX[p]), dy = load4(a.alongY[p]),
                 dz = load4(a.alongZ[p]);
        if (value[3] == 0.0f) // deleted
            continue;
        // Nodes are read back by the next particle, one node further on as likely as not, before
        // they have left the store buffer. That is fast only when it reads what was written as a
        // whole: one node at a time.
        const F4 w0 = s.z[0][p] - F4{}, w1 = s.z[1][p] - F4{}, w2 = s.z[2][p] - F4{};
        F4 row0 = w0 * value, row1 = w1 * (value + dz), row2 = w2 * (value + dz + dz);
        const F4 dx0 = w0 * dx, dx1 = w1 * dx, dx2 = w2 * dx;
        const F4 dy0 = w0 * dy, dy1 = w1 * dy, dy2 = w2 * dy;
        float* node = arena + s.first[p];
        FLOE_UNROLL
        for (int i = 0; i < 3; ++i) {
            F4 r0 = row0, r1 = row1, r2 = row2;
            FLOE_UNROLL
            for (int j = 0; j < 3; ++j) {
                const float w = s.xy[3 * i + j][p];
                float* to = node + i * kStrideX + j * kStrideY;
                store4(to, load4(to) + w * r0);
                store4(to + 4, load4(to + 4) + w * r1);
                store4(to + 8, load4(to + 8) + w * r2);
                r0 += dy0;
                r1 += dy1;
                r2 += dy2;
            }
            row0 += dx0;
            row1 += dx1;
            row2 += dx2;
        }
    }
}

#else
FLOE_HD void scatterParticles(const Stencils& s, const Affine& a, int count, float* arena)
{
    for (int p = 0; p < count; ++p) {
        const F4 value = load4(a.atFirst[p]), dx = load4(a.alongX[p]), dy = load4(a.alongY[p]),
                 dz = load4(a.alongZ[p]);
        if (value[3] == 0.0f) // deleted
            continue;
        F4 w[4], row[4], rowX[4], rowY[4];
        F4 along = value;
        FLOE_UNROLL
        for (int k = 0; k < 4; ++k) {
            w[k] = s.z[k][p] - F4{};
            row[k] = w[k] * along;
            rowX[k] = w[k] * dx;
            rowY[k] = w[k] * dy;
            along += dz;
        }
        float* node = arena + s.first[p];
        for (int i = 0; i < 4; ++i) {
            F4 r[4] = {row[0], row[1], row[2], row[3]};
            FLOE_UNROLL
            for (int j = 0; j < 4; ++j) {
                const float wxy = s.xy[4 * i + j][p];
                float* to = node + i * kStrideX + j * kStrideY;
                FLOE_UNROLL
                for (int k = 0; k < 4; ++k) {
                    store4(to + 4 * k, load4(to + 4 * k) + wxy * r[k]);
                    r[k] += rowY[k];
                }
            }
            FLOE_UNROLL
            for (int k = 0; k < 4; ++k)
                row[k] += rowX[k];
        }
    }
}
#endif

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

/// Weighted sums of node velocities over one particle's stencil: the mean, and the first moments.
#if FLOE_MPM_SUPPORT == 3
FLOE_HD void gatherParticle(const Stencils& s, int p, const float* arena, float* mean,
                            float* alongX, float* alongY, float* alongZ)
{
    const float* node = arena + s.first[p];
    const float y0 = s.y[0][p], y1 = s.y[1][p], y2 = s.y[2][p];
    F8 sum01 = {}, x01 = {}, dy01 = {};
    F4 sum2 = {}, x2 = {}, dy2 = {};
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const float* from = node + i * kStrideX;
        const F8 b01 = y1 * load8(from + kStrideY), c01 = y2 * load8(from + 2 * kStrideY);
        const F4 b2 = y1 * load4(from + kStrideY + 8), c2 = y2 * load4(from + 2 * kStrideY + 8);
        const float wx = s.x[i][p];
        const F8 t01 = wx * (y0 * load8(from) + b01 + c01);
        const F4 t2 = wx * (y0 * load4(from + 8) + b2 + c2);
        sum01 += t01;
        sum2 += t2;
        dy01 += wx * (b01 + c01 + c01);
        dy2 += wx * (b2 + c2 + c2);
        if (i > 0) {
            x01 += static_cast<float>(i) * t01;
            x2 += static_cast<float>(i) * t2;
        }
    }
    const float z0 = s.z[0][p], z1 = s.z[1][p], z2 = s.z[2][p];
    const F4 m1 = z1 * highHalf(sum01), m2 = z2 * sum2;
    store4(mean, z0 * lowHalf(sum01) + m1 + m2);
    store4(alongX, z0 * lowHalf(x01) + z1 * highHalf(x01) + z2 * x2);
    store4(alongY, z0 * lowHalf(dy01) + z1 * highHalf(dy01) + z2 * dy2);
    store4(alongZ, m1 + m2 + m2);
}

#else
FLOE_HD void gatherParticle(const Stencils& s, int p, const float* arena, float* mean,
                            float* alongX, float* alongY, float* alongZ)
{
    const float* node = arena + s.first[p];
    F8 sum[2] = {}, x[2] = {}, y[2] = {}; // two nodes along z each
    FLOE_UNROLL
    for (int i = 0; i < 4; ++i) {
        F8 t[2] = {}, ty[2] = {};
        FLOE_UNROLL
        for (int j = 0; j < 4; ++j) {
            const float* from = node + i * kStrideX + j * kStrideY;
            const float wxy = s.xy[4 * i + j][p];
            const F8 low = wxy * load8(from), high = wxy * load8(from + 8);
            t[0] += low;
            t[1] += high;
            ty[0] += static_cast<float>(j) * low;
            ty[1] += static_cast<float>(j) * high;
        }
        for (int half = 0; half < 2; ++half) {
            sum[half] += t[half];
            x[half] += static_cast<float>(i) * t[half];
            y[half] += ty[half];
        }
    }
    const float z0 = s.z[0][p], z1 = s.z[1][p], z2 = s.z[2][p], z3 = s.z[3][p];
    const auto across = [&](const F8(&a)[2]) __attribute__((always_inline))
    {
        return z0 * lowHalf(a[0]) + z1 * highHalf(a[0]) + z2 * lowHalf(a[1]) + z3 * highHalf(a[1]);
    };
    store4(mean, across(sum));
    store4(alongX, across(x));
    store4(alongY, across(y));
    store4(alongZ,
           z1 * highHalf(sum[0]) + (2.0f * z2) * lowHalf(sum[1]) + (3.0f * z3) * highHalf(sum[1]));
}
#endif

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
