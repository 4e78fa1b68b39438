#version 450

layout(location = 0) in vec2 place;
layout(location = 1) flat in vec4 look;
layout(location = 0) out vec4 outColour; // as on a screen, times opacity; opacity

void main()
{
    float opacity = min(look.a * exp(-0.5 * dot(place, place)), 0.99);
    if (opacity < 1.0 / 255.0)
        discard;
    outColour = vec4(look.rgb * opacity, opacity);
}
