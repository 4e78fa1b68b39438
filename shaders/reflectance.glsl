// What surfaces reflect.
vec3 fresnel(vec3 f0, float cosine)
{
    float x = clamp(1.0 - cosine, 0.0, 1.0);
    float x2 = x * x;
    return f0 + (1.0 - f0) * (x2 * x2 * x);
}

// GGX distribution with Smith's visibility (Walter et al. 2007; Hammon 2017's fit), of light whose
// strength is the radiance of a white surface that faces it: pi times as much as of its irradiance.
vec3 specularLobe(vec3 n, vec3 v, vec3 l, float roughness, vec3 f0)
{
    float a = roughness * roughness;
    float nl = max(dot(n, l), 0.0);
    float nv = max(dot(n, v), 1e-3);
    vec3 h = normalize(l + v);
    float nh = max(dot(n, h), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    float distribution = a * a / (d * d);
    float visibility = 0.5 / max(mix(2.0 * nl * nv, nl + nv, a), 1e-4);
    return fresnel(f0, max(dot(h, v), 0.0)) * (distribution * visibility * nl);
}
