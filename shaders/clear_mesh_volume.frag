#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

// Adds up the way through clear meshes, as far as the nearest opaque thing: each side that the ray
// leaves by counts its distance, each that it enters by takes it away.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 outMatter; // what it absorbs of each colour (exponents); length [m]

// A distance along the ray, moved to where the ray enters or leaves what a cut leaves of the mesh: so
// the sides that it takes away still count.
float kept(float distance)
{
    if (mesh.whole > 0.5)
        return distance;
    float toCut = frame.cut.w;
    float nearing = dot(frame.cut.xyz, position) / length(position);
    if (toCut < 0.0)
        return nearing < 0.0 ? max(distance, toCut / nearing) : 0.0;
    return nearing > 0.0 ? min(distance, toCut / nearing) : distance;
}

void main()
{
    vec2 place = gl_FragCoord.xy * frame.clear.y;
    float depth = texelFetch(depths, min(ivec2(place), ivec2(frame.size.xy) - 1), 0).x;
    float stretch = length(rayThrough(place * frame.size.zw));
    float end = depth > 0.0 ? distanceOf(depth) * stretch : 1e30;
    float distance = min(kept(length(position)), end);
    outMatter = vec4(mesh.surface.rgb, 1.0) * (gl_FrontFacing ? -distance : distance);
}
