#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gaussians.glsl"

// The ellipse within which a Gaussian takes more than half of the light, in the shadow map.
layout(location = 0) out vec2 place; // in the ellipse, radius 1

const vec2 kCorners[6] = vec2[](vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0),
                                vec2(-1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0));

void main()
{
    uint i = uint(gl_VertexIndex) / 6u;
    place = kCorners[uint(gl_VertexIndex) % 6u];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside: nothing is drawn
    vec3 position;
    mat3 axes;
    if (!gaussian(i, frame.eye.xyz, position, axes) || beforeCut(position) < 0.0)
        return;
    float opacity = clamp(opacities[i], 0.0, 1.0);
    if (opacity <= 0.5)
        return;
    mat3 toMap = mat3(frame.shadow);
    mat3 inMap = toMap * axes;
    vec3 alongX = vec3(inMap[0].x, inMap[1].x, inMap[2].x);
    vec3 alongY = vec3(inMap[0].y, inMap[1].y, inMap[2].y);
    // At least as large as a texel, so that thin ones leave no gaps.
    float texel = 0.5 / frame.shadowSize.x;
    float xx = dot(alongX, alongX) + texel * texel, xy = dot(alongX, alongY),
          yy = dot(alongY, alongY) + texel * texel;
    float mean = 0.5 * (xx + yy);
    float apart = sqrt(max(0.25 * (xx - yy) * (xx - yy) + xy * xy, 0.0));
    vec2 axis = abs(xy) > 1e-6 * mean ? normalize(vec2(xy, mean + apart - xx))
                                      : (xx >= yy ? vec2(1.0, 0.0) : vec2(0.0, 1.0));
    float reach = sqrt(2.0 * log(2.0 * opacity));
    vec2 longAxis = reach * sqrt(mean + apart) * axis;
    vec2 shortAxis = reach * sqrt(max(mean - apart, texel * texel)) * vec2(-axis.y, axis.x);
    vec3 map = (frame.shadow * vec4(position, 1.0)).xyz;
    gl_Position = vec4(2.0 * (map.xy + place.x * longAxis + place.y * shortAxis) - 1.0,
                       clamp(map.z, 0.0, 0.9999), 1.0);
}
