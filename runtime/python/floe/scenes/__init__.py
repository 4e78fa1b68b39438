"""Scenes by grammar: random simulations with text that says what happens, validated, as a data set.

    floe scenes --count 500 --seed 1 --jobs 4 -o out/scenes

A scene is drawn from an attributed grammar (floe.scenes.grammar), made to show one of seven verbs by constraints and
their repair (verbs, constraints), put into sentences (sentences), simulated (simulation), held against what it says
(validation), and stored (dataset).
"""

from .command import main
from .constraints import ConflictError, Constraint
from .dataset import Settings, generate, read_instance
from .grammar import Object, Scene, Shape, sample
from .sentences import Sentence, sentences
from .simulation import graph
from .validation import Check, Motion, judge
from .verbs import VERBS, act

__all__ = ["VERBS", "Check", "ConflictError", "Constraint", "Motion", "Object", "Scene", "Sentence",
           "Settings", "Shape", "act", "generate", "graph", "judge", "main", "read_instance", "sample",
           "sentences"]
