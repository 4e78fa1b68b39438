// Targets of the geometry pass.
layout(location = 0) out vec4 outColour;  // reflectance; kind of surface
layout(location = 1) out vec4 outNormal;  // normal; smoothing length over the largest one
layout(location = 2) out vec4 outSurface; // roughness, specular, smoothing, translucency
