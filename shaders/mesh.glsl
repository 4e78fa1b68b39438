layout(push_constant) uniform Mesh
{
    mat4 model;   // to relative positions
    vec4 colour;
    vec4 surface; // roughness, specular, 0, translucency
} mesh;
