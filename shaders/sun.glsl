// The sun's light at a point; wants `shadowMap`.
vec2 spiral(int i, int count, float turn)
{
    float angle = turn + 2.3999632 * float(i);
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Share of the sun that reaches a point (percentage-closer soft shadows, Fernando 2005).
// pixel: chooses the samples
float sunShare(vec3 position, vec3 n, float smoothing, vec2 pixel)
{
    if (frame.sunColour.w == 0.0)
        return 1.0;
    float texel = frame.shadowSize.z;
    float grazing = 1.0 - max(dot(n, frame.sunDirection.xyz), 0.0);
    vec3 lifted = position + n * (texel * (1.0 + 2.0 * grazing)) +
                  (frame.sunDirection.xyz + n) * smoothing;
    vec3 map = (frame.shadow * vec4(lifted, 1.0)).xyz;
    if (any(lessThan(map.xy, vec2(0.0))) || any(greaterThan(map.xy, vec2(1.0))))
        return 1.0;
    float perDepth = frame.shadowSize.w;
    float side = texel * frame.shadowSize.x; // of the whole map [m]
    float spread = frame.sunDirection.w;
    float turn = 6.2831853 * noise(pixel);
    float search = clamp(spread * min(map.z * perDepth, 0.12 * side), 2.0 * texel, 0.06 * side) / side;
    float bias = 1.5 * texel / perDepth;
    // Samples of a pixel look at different points, and share the work.
    int blockerTaps = frame.tone.z > 1.0 ? 5 : 8;
    int shadowTaps = frame.tone.z > 1.0 ? 9 : 16;
    float blockers = 0.0;
    float blockerDepth = 0.0;
    for (int i = 0; i < blockerTaps; ++i) {
        float d = textureLod(shadowMap, map.xy + search * spiral(i, blockerTaps, turn), 0.0).x;
        if (d < min(map.z - bias, 1.0)) {
            blockers += 1.0;
            blockerDepth += d;
        }
    }
    if (blockers == 0.0)
        return 1.0;
    float gap = (map.z - blockerDepth / blockers) * perDepth;
    float width = clamp(spread * gap, 1.5 * texel, 0.06 * side) / side;
    float lit = 0.0;
    for (int i = 0; i < shadowTaps; ++i) {
        float d = textureLod(shadowMap, map.xy + width * spiral(i, shadowTaps, turn), 0.0).x;
        lit += d < min(map.z - bias, 1.0) ? 0.0 : 1.0;
    }
    return lit / float(shadowTaps);
}
