#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// The nearer of what is opaque and the surface of clear matter.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 9) uniform sampler2D distances; // see clear_skin.frag; one a pixel

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    float distance = texelFetch(distances, at / int(frame.clear.y), 0).x;
    gl_FragDepth = max(texelFetch(depths, at, 0).x, distance > 0.0 ? depthOf(distance) : 0.0);
}
