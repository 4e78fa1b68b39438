// What all shaders of a picture share. Positions are in metres relative to the camera's eye, along
// the world's axes, so that precision does not depend on the distance from the world's origin.
// Depth is reversed: 1 at the near plane, 0 far away (Lapidous and Jiao 1999).

layout(set = 0, binding = 0, std140) uniform Frame
{
    mat4 projection;       // relative position to clip space
    mat4 shadow;           // relative position to shadow map: x, y in 0..1, z depth in 0..1
    vec4 right;            // of the camera, times tan(half field of view) * aspect
    vec4 up;               // times tan(half field of view)
    vec4 forward;          // w: focal length [pixels]
    // World position; w: nothing nearer is known to hide anything, infinite when nothing is known. (A
    // condition of this block's numbers alone makes llvmpipe compile the shader anew for every draw.)
    vec4 eye;
    vec4 size;             // of the sample buffers, and its inverse
    // Of the picture: x, y in halves of its width and height, y down; z: of noise [pixels]; w: what sizes
    // derived from the view go by, over the distance from eye to target; 1 unless it is orthographic.
    vec4 shift;
    vec4 depthTerms;       // depth = x + y / distance along forward; z: largest radius, w: near plane [m]
    vec4 sunDirection;     // to the sun; w: tangent of its angular radius
    vec4 sunColour;        // w: 1 when it throws a shadow
    vec4 shadowSize;       // texels a side, its inverse, side of a texel [m], depth range [m]
    vec4 skyZenith;
    vec4 skyHorizon;
    vec4 skyGround;
    vec4 backgroundTop;    // w: 1 when transparent
    vec4 backgroundHorizon;
    // Height relative to the eye, or distance of the grid across the line of sight; spacing of lines; fade
    // distance; 1: it is seen, -1: that grid is.
    vec4 ground;
    vec4 groundColour;     // w: radius of the faded circle's centre, relative x
    vec4 lineColour;       // w: relative z of that centre
    vec4 occlusion;        // strength, radius [m], sample count, side of a pixel of it [samples]
    vec4 tone;             // exposure factor, tone mapping, samples a side, point light count
    vec4 clear;            // largest radius of clear particles [m], samples a pixel of their surface and
                           // of their volume; w: 1 when there are any
    vec4 gaussians;        // variance of their filter [samples^2]; y: 1 when it keeps their weight; z: 1
                           // when there are any
    vec4 cut;              // normal of a plane and its distance from the eye: what lies beyond is not drawn
    vec4 environment;      // width and height [pixels], 0: there is none; its rotation [turns]; brightness
    vec4 irradiance[9];    // of it, as spherical harmonics
    vec4 pointPosition[16]; // relative
    vec4 pointColour[16];
} frame;

// Kinds of surface, kept in the alpha of the colour buffer.
const float kNothing = 0.0;
const float kParticle = 0.25;
const float kMesh = 0.5;
const float kGround = 0.75;

// Direction through a point of the picture (0..1, y down), 1 m long along the viewing direction.
vec3 rayThrough(vec2 uv)
{
    vec2 place = 2.0 * uv - 1.0 - frame.shift.xy;
    return frame.forward.xyz + place.x * frame.right.xyz - place.y * frame.up.xyz;
}

// How far the plane that cuts the scene is from a relative position [m]; below 0: it is cut away.
float beforeCut(vec3 position)
{
    return frame.cut.w - dot(frame.cut.xyz, position);
}

float distanceOf(float depth)
{
    return frame.depthTerms.y / max(depth - frame.depthTerms.x, 1e-30);
}

float depthOf(float distance)
{
    return frame.depthTerms.x + frame.depthTerms.y / distance;
}

// Interleaved gradient noise (Jimenez 2014): any 3x3 pixels cover 0..1 evenly.
float noise(vec2 pixel)
{
    return fract(52.9829189 * fract(dot(floor(pixel) + frame.shift.z, vec2(0.06711056, 0.00583715))));
}
