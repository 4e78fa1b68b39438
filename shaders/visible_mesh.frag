#version 450
#extension GL_GOOGLE_include_directive : require
#include "mesh.glsl"

layout(location = 0) flat in uint element;
layout(location = 0) out uvec2 outVisible; // number of the object, of its triangle

void main()
{
    outVisible = uvec2(uint(mesh.colour.x), element);
}
