#version 450

// What clear matter takes from the sun's light on the way to a point.
layout(location = 0) in vec2 place;
layout(location = 1) flat in vec4 medium; // what is absorbed through the middle of the particle; depth
layout(location = 0) out vec4 outMatter;  // exponents, added up; 1 - depth, the largest counts

void main()
{
    float outside = dot(place, place);
    if (outside > 1.0)
        discard;
    outMatter = vec4(medium.rgb * sqrt(1.0 - outside), 1.0 - medium.w);
}
