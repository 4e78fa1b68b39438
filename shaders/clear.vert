#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

// Spheres of clear matter: for its surface a little larger than the particles, so that they close;
// for its volume blurred to what the picture resolves, with the same content.
layout(location = 0) flat out vec4 sphere; // relative centre, radius
// Of the surface its colour and opacity; of the volume its absorption [1/m] and the share of it that
// the larger sphere keeps.
layout(location = 1) flat out vec4 matter;

void main()
{
    uint i = particleOf(gl_VertexIndex);
    vec2 corner = kCorners[uint(gl_VertexIndex) % 3u];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside: all three, so nothing is drawn
    sphere = vec4(0.0);
    matter = vec4(0.0);
    vec3 centre;
    if (!particlePosition(i, centre))
        return;
    Look look = looks[lookOf(i)];
    if (!isDrawn(i))
        return;
    float d = length(centre);
    float r = 1.25 * set.radius;
    matter = vec4(look.colour.rgb, look.medium.w);
    if ((set.flags & kVolume) != 0u) {
        float pixel = d * frame.clear.z / frame.forward.w; // [m]
        r = min(max(1.5 * set.radius, 1.5 * pixel), 0.5 * d);
        float share = set.radius / r;
        matter = vec4(look.medium.rgb, share * share * share);
    }
    if (d <= r)
        return; // the eye is inside
    // As in particle.vert.
    vec3 axis = centre / d;
    vec3 side = normalize(abs(axis.y) < 0.9 ? cross(axis, vec3(0, 1, 0)) : cross(axis, vec3(1, 0, 0)));
    float reach = r * sqrt((d - r) / (d + r)) * 1.0005;
    vec3 point = axis * (d - r) + reach * (corner.x * side + corner.y * cross(side, axis));
    gl_Position = frame.projection * vec4(0.9995 * point, 1.0);
    sphere = vec4(centre, r);
}
