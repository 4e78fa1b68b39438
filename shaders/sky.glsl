// Light from all around: a gradient, or a picture of the environment.

// The environment's picture, and below it from the left its halves, quarters and so on.
layout(set = 0, binding = 10) uniform sampler2D surroundingsPicture;

vec3 environmentTexel(ivec2 at, ivec2 corner, ivec2 size)
{
    at.x = at.x < 0 ? at.x + size.x : at.x >= size.x ? at.x - size.x : at.x; // around
    at.y = clamp(at.y, 0, size.y - 1);
    return texelFetch(surroundingsPicture, corner + at, 0).rgb;
}

vec3 environmentLevel(vec2 uv, int level)
{
    ivec2 whole = ivec2(frame.environment.xy);
    ivec2 corner = level == 0 ? ivec2(0) : ivec2(whole.x - (whole.x >> (level - 1)), whole.y);
    ivec2 size = max(whole >> level, ivec2(1));
    vec2 place = uv * vec2(size) - 0.5;
    ivec2 low = ivec2(floor(place));
    vec2 share = place - vec2(low);
    return mix(mix(environmentTexel(low, corner, size), environmentTexel(low + ivec2(1, 0), corner, size), share.x),
               mix(environmentTexel(low + ivec2(0, 1), corner, size),
                   environmentTexel(low + ivec2(1, 1), corner, size), share.x),
               share.y);
}

// What arrives from a direction, blurred over 2^level pixels.
vec3 environmentAt(vec3 direction, float level)
{
    vec3 d = normalize(direction);
    vec2 uv = vec2(fract(0.5 + atan(d.x, -d.z) / 6.2831853 + frame.environment.z),
                   acos(clamp(d.y, -1.0, 1.0)) / 3.14159265);
    level = clamp(level, 0.0, max(log2(min(frame.environment.x, frame.environment.y)) - 1.0, 0.0));
    int fine = int(level);
    vec3 seen = environmentLevel(uv, fine);
    if (level > float(fine))
        seen = mix(seen, environmentLevel(uv, fine + 1), level - float(fine));
    return frame.environment.w * seen;
}

// What is seen in a direction where there is nothing.
vec3 background(vec3 direction)
{
    if (frame.environment.x > 0.0)
        return environmentAt(direction, 0.0);
    float h = max(normalize(direction).y, 0.0);
    return mix(frame.backgroundHorizon.rgb, frame.backgroundTop.rgb, 1.0 - exp(-3.5 * h));
}

// Light arriving from the sky around a normal.
vec3 skyLight(vec3 n)
{
    if (frame.environment.x > 0.0) {
        // Ramamoorthi and Hanrahan 2001.
        float angle = 6.2831853 * frame.environment.z;
        vec3 d = vec3(cos(angle) * n.x - sin(angle) * n.z, n.y, sin(angle) * n.x + cos(angle) * n.z);
        vec3 sum = frame.irradiance[0].rgb + frame.irradiance[1].rgb * d.y + frame.irradiance[2].rgb * d.z +
                   frame.irradiance[3].rgb * d.x + frame.irradiance[4].rgb * (d.x * d.y) +
                   frame.irradiance[5].rgb * (d.y * d.z) + frame.irradiance[6].rgb * (3.0 * d.z * d.z - 1.0) +
                   frame.irradiance[7].rgb * (d.x * d.z) + frame.irradiance[8].rgb * (d.x * d.x - d.y * d.y);
        return frame.environment.w * max(sum, vec3(0.0));
    }
    vec3 side = mix(frame.skyHorizon.rgb, n.y > 0.0 ? frame.skyZenith.rgb : frame.skyGround.rgb,
                    abs(n.y));
    return side;
}

// What a smooth surface mirrors from a direction: a sky brighter than the background's at its horizon
// and around the sun, as skies are, and the lit ground.
vec3 surroundings(vec3 direction)
{
    if (frame.environment.x > 0.0) {
        vec3 lit = frame.groundColour.rgb *
                   (frame.sunColour.rgb * max(frame.sunDirection.y, 0.0) + skyLight(vec3(0.0, 1.0, 0.0)));
        return mix(environmentAt(direction, 0.0), lit,
                   frame.ground.w > 0.0 ? smoothstep(0.0, 0.12, -direction.y) : 0.0);
    }
    float toSun = max(dot(direction, frame.sunDirection.xyz), 0.0);
    vec3 sky = background(direction) * (1.2 + 0.6 * exp(-5.0 * abs(direction.y))) +
               0.3 * frame.sunColour.rgb * pow(toSun, 8.0);
    vec3 lit = frame.groundColour.rgb *
               (frame.sunColour.rgb * max(frame.sunDirection.y, 0.0) + frame.skyZenith.rgb);
    return mix(sky, frame.ground.w > 0.0 ? lit : frame.skyGround.rgb,
               smoothstep(0.0, 0.12, -direction.y));
}
