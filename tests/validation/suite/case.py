"""What a case says: measured numbers beside references, with tolerances and controls."""

from dataclasses import dataclass, field

CASES = []


def case(identity, title, source):
    """Registers a function (simulator, case, fine) as a case of the suite."""
    def register(function):
        CASES.append((identity, title, source, function))
        return function
    return register


@dataclass
class Check:
    quantity: str
    reference: str
    ours: str
    error: float
    tolerance: float
    control: bool = False     # True: must NOT be met, or the check could not fail
    known_miss: float = None  # the error it is known to have; None: it must be met

    @property
    def met(self):
        return self.error <= self.tolerance

    @property
    def verdict(self):
        if self.control:
            return "control fails, as it must" if not self.met else "CONTROL PASSES"
        return "met" if self.met else "MISSED"

    @property
    def expected(self):
        """Is this what the suite is known to do? A miss may not grow, nor go unnoticed when it is
        gone."""
        if self.control:
            return not self.met
        if self.known_miss is None:
            return self.met
        return not self.met and self.error <= 1.15 * self.known_miss


@dataclass
class Case:
    identity: str
    title: str
    source: str
    checks: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    figures: list = field(default_factory=list)  # (matplotlib figure, caption)
    seconds: float = 0

    def near(self, quantity, ours, reference, tolerance, unit="", known_miss=None, control=False,
             absolute=False):
        """|ours - reference| is at most the tolerance: a share of the reference, unless absolute."""
        error = abs(ours - reference) / (1 if absolute else abs(reference))
        suffix = " " + unit if unit else ""
        self.checks.append(Check(quantity, f"{reference:.5g}{suffix}", f"{ours:.5g}{suffix}", error,
                                 tolerance, control, known_miss))

    def below(self, quantity, ours, most, known_miss=None, control=False):
        """A number that is zero in theory is at most `most`."""
        self.checks.append(Check(quantity, "0", f"{ours:.4g}", abs(ours), most, control, known_miss))

    def within(self, quantity, ours, low, high, known_miss=None, control=False):
        """A number lies in a published band; the error is its distance from the band's middle."""
        middle, half = (low + high) / 2, (high - low) / 2
        self.checks.append(Check(quantity, f"{low:.4g} to {high:.4g}", f"{ours:.4g}",
                                 abs(ours - middle), half, control, known_miss))

    def true(self, quantity, holds, ours, reference="yes", control=False):
        """Something that holds or does not."""
        self.checks.append(Check(quantity, reference, ours, 0 if holds else 1, 0, control))

    def note(self, text):
        self.notes.append(text)

    def figure(self, caption, columns=1):
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(1, columns, figsize=(6.4 * columns, 4.2), squeeze=False)
        self.figures.append((figure, caption))
        return axes[0] if columns > 1 else axes[0][0]

    @property
    def met(self):
        return all(check.met != check.control for check in self.checks)

    @property
    def expected(self):
        return all(check.expected for check in self.checks)
