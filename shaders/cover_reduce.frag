#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// The farthest covered depth of 8x8 texels; 0 where any is open.
layout(set = 0, binding = 9) uniform sampler2D covered;
layout(location = 0) out float outDepth;

void main()
{
    ivec2 corner = ivec2(gl_FragCoord.xy) * 8;
    ivec2 end = min(corner + 8, textureSize(covered, 0));
    outDepth = 1.0;
    for (int y = corner.y; y < end.y && outDepth > 0.0; ++y)
        for (int x = corner.x; x < end.x; ++x)
            outDepth = min(outDepth, texelFetch(covered, ivec2(x, y), 0).x);
}
