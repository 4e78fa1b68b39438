#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

// What clear meshes take from the sun's light on the way to a point.
layout(location = 0) in float depth;
layout(location = 0) out vec4 outMatter; // exponents, added up; 1 - depth, the largest counts

void main()
{
    // Scattered light is not lost to what lies below: as in clear_shadow.vert.
    vec3 taken = mesh.surface.rgb * (1.0 + 2.0 * mesh.colour.a);
    float way = depth * frame.shadowSize.w;
    // The map is upside down: what the sun sees is turned away from it here.
    outMatter = vec4(taken * (gl_FrontFacing ? way : -way), 1.0 - clamp(depth, 0.0, 1.0));
}
