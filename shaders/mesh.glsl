layout(push_constant) uniform Mesh
{
    mat4 model;   // to relative positions
    vec4 colour;  // w: of clear meshes their opacity
    vec4 surface; // roughness, specular, 1 for smooth surfaces of particles, translucency; of clear meshes: absorption [1/m]
    float whole;  // 1: the plane that cuts the scene leaves it as it is
} mesh;
