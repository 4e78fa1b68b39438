"""How far a run is from the one in which nothing ever slept."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "validation"))
from suite.simulation import read_ply  # noqa: E402


def frames_of(out):
    return sorted(int(path.stem) for path in (out / "particles").glob("*.ply"))


def load(out, number):
    frame = read_ply(out / "particles" / f"{number:04d}.ply")
    order = np.argsort(frame["id"], kind="stable")
    return {name: frame[name][order] for name in ("id", "x", "v", "state", "material", "volume")}


def gravity_of(document):
    """Acceleration [m/s^2]; the usual one where it is animated: then energies are only compared."""
    usual = [0, -9.81, 0]
    given = document["nodes"]["solver"]["parameters"].get("gravity", usual)
    for node in document["nodes"].values():
        if node["type"] == "floe.force.gravity":
            given = node.get("parameters", {}).get("acceleration", usual)
            break
    is_constant = isinstance(given, list) and all(isinstance(g, (int, float)) for g in given)
    return np.array(given if is_constant else usual, float)


def mechanics(frame, densities, gravity):
    """Kinetic and potential energy [J], momentum [kg m/s], and the sum of its particles' lengths."""
    mass = np.asarray(densities, float)[frame["material"]] * frame["volume"]
    speed2 = (frame["v"] ** 2).sum(axis=1)
    return {"kinetic": 0.5 * (mass * speed2).sum(),
            "potential": -(mass[:, None] * frame["x"] * gravity).sum(),
            "momentum": (mass[:, None] * frame["v"]).sum(axis=0),
            "agitation": (mass * np.sqrt(speed2)).sum()}


def errors(reference_out, out, document, densities, cell, threshold):
    """Series over the frames that both wrote, and numbers of the whole run.

    rms, p99    distance [cells] of each particle to itself in the reference
    far, near   share of the particles that are more than a cell off, and the rms of all others: a
                few grains that fell off a ledge in one run and not in the other are most of an rms
    energy      (kinetic + potential) minus the reference's, over the most that the reference's
                kinetic energy ever was or its potential energy changed by
    momentum    length of the difference, over the most that the particles' momenta ever summed to
    late        of the times that a particle at rest began to move in the reference, the share in
                which it was passive
    lag, lag99  frames until such a sleeper woke: mean, and that which one in a hundred exceeds; a
                sleeper that never woke counts up to the end. As fine as the frames written.
    """
    gravity = gravity_of(document)
    numbers = [n for n in frames_of(reference_out) if n in set(frames_of(out))]
    series = {"frame": [], "rms": [], "p99": [], "far": [], "near": [],
              "energy": [], "momentum": []}
    most = {"kinetic": 0.0, "potential": 0.0, "agitation": 0.0}
    first = None
    onsets = late = 0
    lags, previous = [], None
    waiting, since = np.zeros(0, dtype=np.uint64), np.zeros(0)  # late sleepers, and from when on
    for number in numbers:
        theirs, ours = load(reference_out, number), load(out, number)
        _, a, b = np.intersect1d(theirs["id"], ours["id"], assume_unique=True, return_indices=True)
        distance = np.linalg.norm(theirs["x"][a] - ours["x"][b], axis=1) / cell
        m, n = mechanics(theirs, densities, gravity), mechanics(ours, densities, gravity)
        first = first or m
        most["kinetic"] = max(most["kinetic"], m["kinetic"])
        most["agitation"] = max(most["agitation"], m["agitation"])
        most["potential"] = max(most["potential"], abs(m["potential"] - first["potential"]))
        series["frame"].append(number)
        series["rms"].append(float(np.sqrt((distance ** 2).mean())) if len(a) else 0.0)
        series["p99"].append(float(np.quantile(distance, 0.99)) if len(a) else 0.0)
        far = distance > 1
        series["far"].append(float(far.mean()) if len(a) else 0.0)
        series["near"].append(float(np.sqrt((distance[~far] ** 2).mean())) if not far.all() else 0.0)
        series["energy"].append(n["kinetic"] + n["potential"] - m["kinetic"] - m["potential"])
        series["momentum"].append(float(np.linalg.norm(n["momentum"] - m["momentum"])))

        moving = np.linalg.norm(theirs["v"][a], axis=1) > threshold
        passive = ours["state"][b] == 0
        identity = theirs["id"][a]
        woke = np.isin(waiting, identity[~passive])
        lags += list(number - since[woke])
        waiting, since = waiting[~woke], since[~woke]
        if previous is not None:
            still = np.isin(identity, previous, assume_unique=True)
            begins = moving & still
            onsets += int(begins.sum())
            late += int((begins & passive).sum())
            fresh = np.setdiff1d(identity[begins & passive], waiting)
            waiting = np.concatenate([waiting, fresh])
            since = np.concatenate([since, np.full(len(fresh), float(number))])
        previous = identity[~moving]
    lags += list(numbers[-1] - since) if numbers else []
    scale = max(most["kinetic"], most["potential"], 1e-300)
    series["energy"] = [e / scale for e in series["energy"]]
    series["momentum"] = [p / max(most["agitation"], 1e-300) for p in series["momentum"]]
    return series, {"late": late / onsets if onsets else 0.0,
                    "lag": float(np.mean(lags)) if lags else 0.0,
                    "lag99": float(np.quantile(lags, 0.99)) if lags else 0.0}
