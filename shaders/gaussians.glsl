// 3D Gaussians (Kerbl et al. 2023): what they are made of, what is drawn of them, and how they are
// sorted. One set of bindings for all of it.
layout(set = 0, binding = 1, std430) readonly buffer Positions { float positions[]; };
layout(set = 0, binding = 2, std430) readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 3, std430) readonly buffer Rotations { vec4 rotations[]; }; // x, y, z, w
layout(set = 0, binding = 4, std430) readonly buffer Opacities { float opacities[]; };
layout(set = 0, binding = 5, std430) readonly buffer Harmonics { float harmonics[]; };
layout(set = 0, binding = 6, std430) readonly buffer Turns { vec4 turns[]; }; // of the colours

#ifndef ACCESS
#define ACCESS readonly // for shaders of vertices, which may not write everywhere
#endif

// What is drawn of a Gaussian: an ellipse in the picture.
struct Splat {
    vec4 place; // middle [samples], distance along the view [m], shorter half axis [samples]
    uvec4 look; // longer half axis [samples], as floats; colour and opacity, as halfs
};
layout(set = 0, binding = 7, std430) ACCESS buffer Splats { Splat splats[]; };

// Keys and numbers of splats, before and after a pass of the sort.
layout(set = 0, binding = 8, std430) ACCESS buffer Unsorted { uvec2 unsorted[]; };
layout(set = 0, binding = 9, std430) ACCESS buffer Sorted { uvec2 sorted[]; };

layout(set = 0, binding = 10, std430) ACCESS buffer Counts
{
    uvec4 draw;    // vertices, instances, first vertex, first instance
    uint counts[]; // of each digit, in each group of the sort
};

layout(push_constant) uniform Step
{
    uint first;  // number of these buffers' first Gaussian among all
    uint count;  // of Gaussians in these buffers; in the sort, in all
    uint degree; // of their harmonics
    uint turned; // 1: their colours are
    uint groups; // of the sort
    uint shift;  // of the sort's digit
    uint shaded; // 1: other things' shadows fall onto them
} step;

const uint kDigits = 16u;  // values of a digit
const uint kThreads = 128u;
const uint kEach = 16u;    // keys a thread

const float kFaintest = 1.0 / 255.0; // opacity below which nothing is drawn

bool isNumber(float x)
{
    return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
}

mat3 rotationOf(vec4 q)
{
    vec3 d = 2.0 * q.xyz;
    float xx = d.x * q.x, yy = d.y * q.y, zz = d.z * q.z;
    float xy = d.x * q.y, xz = d.x * q.z, yz = d.y * q.z;
    vec3 w = d * q.w;
    return mat3(1.0 - yy - zz, xy + w.z, xz - w.y, // column by column
                xy - w.z, 1.0 - xx - zz, yz + w.x, //
                xz + w.y, yz - w.x, 1.0 - xx - yy);
}

// A Gaussian's own axes in the world, each as long as its standard deviation, and its position
// relative to the eye. False for what is not a number or lies beyond all pictures.
bool gaussian(uint i, vec3 eye, out vec3 position, out mat3 axes)
{
    vec3 world = vec3(positions[3u * i], positions[3u * i + 1u], positions[3u * i + 2u]);
    vec3 scale = vec3(scales[3u * i], scales[3u * i + 1u], scales[3u * i + 2u]);
    vec4 rotation = rotations[i];
    float size = dot(rotation, rotation);
    position = world - eye;
    axes = mat3(0.0);
    float sum = abs(world.x) + abs(world.y) + abs(world.z) + scale.x + scale.y + scale.z + size +
                abs(opacities[i]);
    if (!isNumber(sum) || sum > 1e9 || size < 1e-12)
        return false;
    mat3 turn = rotationOf(rotation * inversesqrt(size));
    axes = mat3(turn[0] * scale.x, turn[1] * scale.y, turn[2] * scale.z);
    return true;
}
