"""What must not change a result: threads, restarts, frame rate; and what a collision conserves."""

import shutil

import numpy as np

from .case import case


@case("C1", "Momentum in a collision",
      "Without outer forces the momentum of jelly and snow together stays.")
def collision(simulator, case, fine):
    run = simulator.run("collision")
    density = np.array([1000, 400])
    times, momentum = [], []
    for number in run.numbers():
        frame = run.frame(number)
        mass = frame["volume"].astype(float) * density[frame["material"]]
        momentum.append(mass @ frame["v"])
        times.append(run.time(number))
        size = np.sum(mass * np.linalg.norm(frame["v"], axis=1)) if number == 1 else size
    drift = np.abs(np.array(momentum) - momentum[0]).max(axis=1) / size
    axes = case.figure("Change of momentum, share of the sum of m |v|.")
    axes.plot(times, drift, ".-")
    axes.set(xlabel="t [s]", ylabel="drift")
    # Single precision: sums of some thousand numbers over a hundred steps.
    case.below("change of momentum", drift.max(), 2e-6)


def same_bits(one, other, numbers):
    return all(one.file(n).read_bytes() == other.file(n).read_bytes() for n in numbers)


@case("C2", "Threads", "One thread and several give the same bits.")
def threads(simulator, case, fine):
    one = simulator.run("collision", options=["--threads", "1"], folder="threads-1")
    many = simulator.run("collision", options=["--threads", "3"], folder="threads-3")
    case.true("every particle file is the same, bit for bit",
              same_bits(one, many, one.numbers()), "same" if same_bits(one, many, one.numbers())
              else "different", "same")


@case("C3", "Restart", "A run that was stopped and resumed gives the same bits as one in one go.")
def restart(simulator, case, fine):
    whole = simulator.run("collision", options=["--checkpoint-every", "5"], folder="whole")
    shutil.rmtree(simulator.folder / "halves", ignore_errors=True)
    simulator.run("collision", options=["--checkpoint-every", "5", "--end", "12"], folder="halves")
    halves = simulator.run("collision", options=["--checkpoint-every", "5", "--resume"],
                           folder="halves", fresh=False)
    same = same_bits(whole, halves, whole.numbers())
    case.true("every particle file is the same, bit for bit", same,
              "same" if same else "different", "same")


@case("C4", "Frame rate", "24 and 48 frames a second show the same motion at the same times.")
def frame_rate(simulator, case, fine):
    fast = simulator.run("collision")
    slow = simulator.run("collision", fps=24)
    start = fast.frame(1)["x"]
    differences, ways, times = [], [], []
    for number in slow.numbers():
        one, other = slow.frame(number)["x"], fast.frame(2 * number - 1)["x"]
        differences.append(np.sqrt(np.mean(np.sum((one - other) ** 2, axis=1))))
        ways.append(np.sqrt(np.mean(np.sum((one - start) ** 2, axis=1))))
        times.append(slow.time(number))
    axes = case.figure("Rms distance between the same particles at both rates, and their way.")
    axes.semilogy(times[1:], differences[1:], ".-", label="distance between rates")
    axes.semilogy(times[1:], ways[1:], ".-", label="way from the start")
    axes.set(xlabel="t [s]", ylabel="[m]")
    axes.legend()
    # Steps are cut to fill frames, so that they differ by a little; snow that breaks amplifies it.
    case.below("distance at the end, share of the way", differences[-1] / ways[-1], 0.02)
