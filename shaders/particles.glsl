// Buffers of a set of particles. Vertices are made from them: three a particle.
layout(set = 1, binding = 0, std430) readonly buffer Positions { float positions[]; };
layout(set = 1, binding = 1, std430) readonly buffer Indices { uint indices[]; }; // four a word
layout(set = 1, binding = 2, std430) readonly buffer Scalars { float scalars[]; };
layout(set = 1, binding = 3, std430) readonly buffer Ids { uint ids[]; };

struct Look {
    vec4 colour;  // w: variation
    vec4 surface; // roughness, specular, smoothing, translucency
    vec4 medium;  // of clear matter: absorption [1/m], else diameter of grains [m] and the share that
                  // glints; opacity, 1 for what light does not enter, 2 for
                  // what is not drawn
};

layout(set = 1, binding = 4, std140) uniform Table
{
    Look looks[256];
    vec4 map[256];
};

layout(push_constant) uniform Set
{
    float radius;
    uint colourBy;   // 0 constant, 1 index, 2 scalar
    uint lastLook;
    uint flags;      // of the draw: see below
    float low;
    float scale;     // 1 / (high - low)
    uint first;      // number of the first particle of these buffers in the whole set
    uint every;      // draws the first of each so many particles
    uint object;     // number of the set among all that is drawn, from 1 on
} set;

const uint kHasIds = 1u;
const uint kOnlyOpaque = 2u; // of a set that has clear particles too
const uint kOnlyClear = 4u;
const uint kSkin = 8u;       // clear particles as large as closes their surface
const uint kVolume = 16u;    // clear particles as blurred as their volume may be

// Number of the particle that a vertex belongs to.
uint particleOf(int vertex)
{
    return uint(vertex) / 3u * set.every;
}

const vec2 kCorners[3] = vec2[](vec2(0.0, 2.0), vec2(-1.7320509, -1.0), vec2(1.7320509, -1.0));

// A corner of the triangle around the circle in which the plane touching a sphere's nearest point
// cuts the cone of sight: all of it is nearer than the sphere, so depth only has to grow.
// sphere: relative centre, radius; the eye is outside of it.
vec4 sphereCorner(vec4 sphere, vec2 corner)
{
    float d = length(sphere.xyz), r = sphere.w;
    vec3 axis = sphere.xyz / d;
    vec3 side = normalize(abs(axis.y) < 0.9 ? cross(axis, vec3(0, 1, 0)) : cross(axis, vec3(1, 0, 0)));
    float reach = r * sqrt((d - r) / (d + r)) * 1.0005;
    vec3 point = axis * (d - r) + reach * (corner.x * side + corner.y * cross(side, axis));
    // A little nearer still, so that rounding never puts the sphere before its triangle.
    return frame.projection * vec4(0.9995 * point, 1.0);
}

// Relative position; false when it is not a number, or cut away.
bool particlePosition(uint i, out vec3 position)
{
    vec3 world = vec3(positions[3u * i], positions[3u * i + 1u], positions[3u * i + 2u]);
    position = world - frame.eye.xyz;
    // Written so that NaN fails, whatever the compiler assumes about them.
    return beforeCut(position) >= 0.0 && abs(world.x) < 1e18 && abs(world.y) < 1e18 && abs(world.z) < 1e18 &&
           (floatBitsToUint(world.x) & 0x7f800000u) != 0x7f800000u &&
           (floatBitsToUint(world.y) & 0x7f800000u) != 0x7f800000u &&
           (floatBitsToUint(world.z) & 0x7f800000u) != 0x7f800000u;
}

// Number of a particle's look.
uint lookOf(uint i)
{
    if (set.colourBy != 1u)
        return 0u;
    return min((indices[i >> 2u] >> (8u * (i & 3u))) & 255u, set.lastLook);
}

// Whether the draw is for this particle.
bool isDrawn(uint i)
{
    float opacity = looks[lookOf(i)].medium.w;
    if (opacity > 1.5)
        return false;
    if ((set.flags & (kOnlyOpaque | kOnlyClear)) == 0u)
        return true;
    return (set.flags & (opacity < 1.0 ? kOnlyOpaque : kOnlyClear)) == 0u;
}

// Particles of matter that is drawn as one smooth body are as large as closes its surface.
float radiusOf(Look look)
{
    return set.radius * (1.0 + 0.35 * smoothstep(0.7, 1.0, look.surface.z));
}

// PCG hash (Jarzynski and Olano 2020), to 0..1.
float randomOf(uint i)
{
    uint state = i * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return float((word >> 22u) ^ word) / 4294967295.0;
}
