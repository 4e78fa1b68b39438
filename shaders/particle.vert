#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

layout(set = 0, binding = 9) uniform sampler2D covered; // see cover_reduce.frag
layout(location = 0) flat out vec4 sphere; // relative centre, radius
layout(location = 1) flat out vec3 colour;
layout(location = 2) flat out vec4 surface;
layout(location = 3) flat out vec3 grains; // diameter [m], 0: none; share that glints; number, 0..1

const float kTexel = 16.0; // side of a texel of `covered` [samples]

// Whether other particles surely hide this one.
bool hidden(vec3 centre, float d, float r)
{
    float distance = dot(centre, frame.forward.xyz);
    float nearest = distance - r;
    if (nearest <= frame.eye.w)
        return false;
    // No point of the sphere is seen farther than this from its centre [samples].
    float reach = frame.forward.w * r * d / (distance * nearest) + 0.5;
    if (reach >= kTexel)
        return false; // too many texels to look at
    vec4 clip = frame.projection * vec4(centre, 1.0);
    vec2 middle = (0.5 + 0.5 * clip.xy / clip.w) * frame.size.xy;
    ivec2 last = textureSize(covered, 0) - 1;
    ivec2 low = clamp(ivec2(floor((middle - reach) / kTexel)), ivec2(0), last);
    ivec2 high = clamp(ivec2(floor((middle + reach) / kTexel)), ivec2(0), last);
    float nearestDepth = depthOf(nearest);
    for (int y = low.y; y <= high.y; ++y)
        for (int x = low.x; x <= high.x; ++x)
            if (nearestDepth >= texelFetch(covered, ivec2(x, y), 0).x)
                return false;
    return true;
}

void main()
{
    uint i = particleOf(gl_VertexIndex);
    vec2 corner = kCorners[uint(gl_VertexIndex) % 3u];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside: all three, so nothing is drawn
    sphere = vec4(0.0);
    colour = vec3(0.0);
    surface = vec4(0.0);
    grains = vec3(0.0);
    vec3 centre;
    if (!particlePosition(i, centre))
        return;
    Look look = looks[lookOf(i)];
    if (!isDrawn(i))
        return;
    float d = length(centre);
    float r = radiusOf(look);
    if (d <= r)
        return; // the eye is inside
    if (hidden(centre, d, r))
        return;

    sphere = vec4(centre, r);
    gl_Position = sphereCorner(sphere, corner);

    colour = look.colour.rgb;
    if (set.colourBy == 2u) {
        float t = (scalars[i] - set.low) * set.scale;
        t = t >= 0.0 ? min(t, 1.0) : 0.0; // NaN counts as low
        float place = t * 255.0;
        int cell = min(int(place), 254);
        colour = mix(map[cell].rgb, map[cell + 1].rgb, place - float(cell));
    }
    uint id = (set.flags & kHasIds) != 0u ? ids[i] : set.first + i;
    colour = clamp(colour * (1.0 + look.colour.w * (2.0 * randomOf(id) - 1.0)), 0.0, 1.0);
    surface = look.surface;
    grains = vec3(look.medium.xy, randomOf(id ^ 0x9e3779b9u));
}
