#version 450

layout(location = 0) in vec2 place;

void main()
{
    if (dot(place, place) > 1.0)
        discard;
}
