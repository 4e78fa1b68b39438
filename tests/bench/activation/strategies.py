"""What is compared: activation strategies, and the scenes of graphs/activation with their numbers."""

# Node type and parameters of every column. The common parameters of the scene's own activation node
# (threshold, delay, ...) are passed on where a type has them.
STRATEGIES = {
    "always": ("floe.activation.always", {}),
    "threshold": ("floe.activation.threshold", {"evaluate": "frame"}),
    "impact": ("floe.activation.impact", {}),
    "network": ("floe.activation.network", {"guard": False}),
    "guard": ("floe.activation.network", {"guard": True}),
    "oracle": ("floe.activation.oracle", {}),
    # Always-on with other time steps: how far two runs of one scene drift apart by themselves.
    "control": ("floe.activation.always", {}),
}
LABELS = {
    "always": "always on", "threshold": "speed threshold", "impact": "impact",
    "network": "network", "guard": "network with guard", "oracle": "oracle",
    "control": "control: other time steps",
}
SOLVER = {"control": {"materialLimit": 0.3, "advectionLimit": 0.3}}
REFERENCE = "always"

# scale: cell size [m] at about 0.2 million particles; thesis: that of Sirois-Vigneux 2023, table
# 4.1, whose speed-up stands beside; slider: its signal multiplier; delta [m/s]: the speed that counts
# as moving, the domain's scale / 400 a second; delay [s]: of rest before rules let sleep; settle:
# frames that everything is simulated and nothing moves before frame 1, so that no column has the
# advantage of material that has not sunk yet.
SCENES = {
    "ship_breach": {"scale": 0.6, "thesis": 0.1, "speedup": 3.38, "slider": 0.5,
        "delta": 0.093, "settle": 60, "delay": 0.2},
    "bullet_time": {"scale": 0.005, "thesis": 0.001, "speedup": 1.05, "slider": 0.99,
        "delta": 1.24, "settle": 0, "delay": 0.0002},
    "train_push": {"scale": 0.25, "thesis": 0.05, "speedup": 1.55, "slider": 0.5,
        "delta": 0.064, "settle": 36, "delay": 0.2},
    "avalanche": {"scale": 1.1, "thesis": 0.2, "speedup": 1.53, "slider": 0.5,
        "delta": 0.22, "settle": 0, "delay": 0.2},
    "rally_drift": {"scale": 0.1, "thesis": 0.025, "speedup": 2.0, "slider": 0.5,
        "delta": 0.033, "settle": 24, "delay": 0.2},
    "glacier_collapse": {"scale": 2.9, "thesis": 0.5, "speedup": 1.0, "slider": 0.999,
        "delta": 0.39, "settle": 0, "delay": 0.2},
}

# Scenes of the folder beside this file, on which nothing was tuned; the same numbers.
UNTUNED = {
    "bullet_in_sand": {"scale": 0.03, "slider": 0.5, "delta": 0.02, "settle": 0, "delay": 0.05},
    "slow_tilt": {"scale": 0.03, "slider": 0.5, "delta": 0.007, "settle": 0, "delay": 0.2},
    "pond_ripples": {"scale": 0.035, "slider": 0.5, "delta": 0.005, "settle": 0, "delay": 0.2},
    "jelly_stack": {"scale": 0.03, "slider": 0.5, "delta": 0.005, "settle": 0, "delay": 0.2},
}
