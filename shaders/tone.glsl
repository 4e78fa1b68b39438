// From light to colours on a screen and back; after frame.glsl.

// ACES reference and output transform, fit by Stephen Hill.
const mat3 kIntoFilm = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566,
                            0.83777);
const mat3 kFromFilm = mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367,
                            -0.00605, 1.07602);
vec3 filmic(vec3 c)
{
    c = kIntoFilm * c;
    c = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081);
    return kFromFilm * c;
}

// The light that filmic() shows as c: the positive root of its quadratic equation.
vec3 unfilmic(vec3 c)
{
    c = clamp(inverse(kFromFilm) * c, 0.0, 0.98);
    vec3 two = 0.983729 * c - 1.0, one = 0.4329510 * c - 0.0245786, none = 0.238081 * c + 0.000090537;
    c = (-one - sqrt(one * one - 4.0 * two * none)) / (2.0 * two);
    return max(inverse(kIntoFilm) * c, 0.0);
}

// A sample's light as it is shown, in linear colours.
vec3 shown(vec3 light)
{
    vec3 c = light * frame.tone.x;
    return clamp(frame.tone.y > 0.5 ? filmic(c) : c, 0.0, 1.0);
}

vec3 encode(vec3 c)
{
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055,
               greaterThan(c, vec3(0.0031308)));
}

vec3 decode(vec3 c)
{
    return mix(c / 12.92, pow(max((c + 0.055) / 1.055, vec3(1e-6)), vec3(2.4)),
               greaterThan(c, vec3(0.04045)));
}
