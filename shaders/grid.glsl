// Share of a line of this width within a pixel of this size, for lines 1 apart
// (box-filtered grid, after Quilez 2017).
float lineShare(vec2 place, vec2 pixel, float width)
{
    vec2 w = max(pixel, vec2(1e-6));
    vec2 a = place + 0.5 * w + 0.5 * width;
    vec2 b = place - 0.5 * w + 0.5 * width;
    vec2 share = (floor(a) + min(fract(a) / width, 1.0) - floor(b) - min(fract(b) / width, 1.0)) *
                 width / w;
    share = clamp(share, 0.0, 1.0);
    return share.x + share.y - share.x * share.y;
}

// Share of lines 1 apart, of which every tenth is stronger.
float gridShare(vec2 place, vec2 pixel)
{
    float fine = lineShare(place, pixel, 0.02);
    float strong = lineShare(0.1 * place, 0.1 * pixel, 0.004);
    return max(0.55 * fine, strong);
}
