#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gaussians.glsl"

// A rectangle around each ellipse, the farthest first.
layout(location = 0) out vec2 place; // along the ellipse's axes [standard deviations]
layout(location = 1) flat out vec4 look; // colour; opacity

const vec2 kCorners[6] = vec2[](vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0),
                                vec2(-1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0));

void main()
{
    Splat splat = splats[unsorted[uint(gl_VertexIndex) / 6u].y];
    vec2 corner = kCorners[uint(gl_VertexIndex) % 6u];
    look = vec4(unpackHalf2x16(splat.look.z), unpackHalf2x16(splat.look.w));
    vec2 longAxis = uintBitsToFloat(splat.look.xy);
    vec2 shortAxis = splat.place.w * normalize(vec2(-longAxis.y, longAxis.x));
    place = sqrt(2.0 * log(max(look.a / kFaintest, 1.0))) * corner;
    vec2 at = splat.place.xy + corner.x * longAxis + corner.y * shortAxis;
    gl_Position = vec4(2.0 * at * frame.size.zw - 1.0, depthOf(splat.place.z), 1.0);
}
