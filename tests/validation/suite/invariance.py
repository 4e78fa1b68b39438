"""What must not change a result: threads, restarts, frame rate; and what a collision conserves."""

import shutil

import numpy as np

from .case import case


@case("C1", "Momentum in a collision",
      "Without outer forces the momentum of jelly and snow together stays.")
def collision(simulator, case, fine):
    def drift_of(changes):
        run = simulator.run("collision", changes)
        density = np.array([1000, 400])
        times, momentum = [], []
        for number in run.numbers():
            frame = run.frame(number)
            mass = frame["volume"].astype(float) * density[frame["material"]]
            momentum.append(mass @ frame["v"])
            times.append(run.time(number))
            size = np.sum(mass * np.linalg.norm(frame["v"], axis=1)) if number == 1 else size
        return times, np.abs(np.array(momentum) - momentum[0]).max(axis=1) / size
    times, drift = drift_of({})
    axes = case.figure("Change of momentum, share of the sum of m |v|.")
    axes.plot(times, drift, ".-")
    axes.set(xlabel="t [s]", ylabel="drift")
    # Single precision: sums of some thousand numbers over a hundred steps. On a card they are sums of
    # whole numbers, and a contribution has 22 bits.
    case.below("change of momentum", drift.max(), 2e-6 if simulator.device == "cpu" else 6e-6)
    _, pulled = drift_of({"solver.gravity": [0, -1e-4, 0]})
    case.below("under an outer force of 1e-5 of the weight", pulled.max(), 2e-6, control=True)


def same_bits(case, what, one, other, control=False):
    same = all(one.file(n).read_bytes() == other.file(n).read_bytes() for n in one.numbers())
    case.true(what, same, "same" if same else "different", "same", control)


def nudged(simulator):
    """The same collision, in which a body is a millionth faster: what the comparison must see."""
    return simulator.run("collision", {"emit_left.velocity": [1.000001, 0.2, 0]})


@case("C2", "Threads", "One thread and several give the same bits.")
def threads(simulator, case, fine):
    one = simulator.run("collision", options=["--threads", "1"], folder="threads-1")
    many = simulator.run("collision", options=["--threads", "3"], folder="threads-3")
    same_bits(case, "every particle file is the same, bit for bit", one, many)
    same_bits(case, "with a body a millionth faster", one, nudged(simulator), control=True)


@case("C3", "Restart", "A run that was stopped and resumed gives the same bits as one in one go.")
def restart(simulator, case, fine):
    whole = simulator.run("collision", options=["--checkpoint-every", "5"], folder="whole")
    shutil.rmtree(simulator.folder / "halves", ignore_errors=True)
    simulator.run("collision", options=["--checkpoint-every", "5", "--end", "12"], folder="halves")
    halves = simulator.run("collision", options=["--checkpoint-every", "5", "--resume"],
                           folder="halves", fresh=False)
    same_bits(case, "every particle file is the same, bit for bit", whole, halves)
    same_bits(case, "with a body a millionth faster", whole, nudged(simulator), control=True)


@case("C4", "Frame rate", "24 and 48 frames a second show the same motion at the same times.")
def frame_rate(simulator, case, fine):
    fast = simulator.run("collision")
    slow = simulator.run("collision", fps=24)
    start = fast.frame(1)["x"]
    rms = lambda d: np.sqrt(np.mean(np.sum(d ** 2, axis=1)))
    differences, ways, times = [], [], []
    for number in slow.numbers():
        one, other = slow.frame(number)["x"], fast.frame(2 * number - 1)["x"]
        differences.append(rms(one - other))
        ways.append(rms(one - start))
        times.append(slow.time(number))
    axes = case.figure("Rms distance between the same particles at both rates, and their way.")
    axes.semilogy(times[1:], differences[1:], ".-", label="distance between rates")
    axes.semilogy(times[1:], ways[1:], ".-", label="way from the start")
    axes.set(xlabel="t [s]", ylabel="[m]")
    axes.legend()
    # Steps are cut to fill frames, so that they differ by a little; snow that breaks amplifies it.
    case.below("distance at the end, share of the way", differences[-1] / ways[-1], 0.02)
    late = rms(slow.last()["x"] - fast.frame(2 * slow.numbers()[-1] - 2)["x"])
    case.below("against a frame of 1/48 s before", late / ways[-1], 0.02, control=True)
