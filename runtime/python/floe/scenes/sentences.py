"""Sentences about a scene: in several orders and tenses, with more or fewer descriptors.

    text     -> sentence | sentence joint detail
    sentence -> place? subject verb object? relations direction? speed?     (and other orders)
    phrase   -> article size? density? colour? material? noun clause?

What is random is which of it is said; all of it is true of the scene's labels, and a phrase always tells its object
from every other one. Stiffness is too technical to be said.
"""

import dataclasses
import random
from typing import Any, Dict, List, Set, Tuple

from .grammar import FRICTIONS, SPEEDS, WINDS, Object, Scene, label_of

TENSES = ("present", "past", "progressive", "future")
ORDERS = ("subject first", "place first", "relation first", "passive")

#: Third person, past, participle, progressive form.
_FORMS = {"jump": ("jumps", "jumped", "jumped", "jumping"),
          "drop": ("drops", "dropped", "dropped", "dropping"),
          "throw": ("throws", "threw", "thrown", "throwing"),
          "push": ("pushes", "pushed", "pushed", "pushing"),
          "strike": ("strikes", "struck", "struck", "striking"),
          "fly": ("flies", "flew", "flown", "flying"),
          "slide": ("slides", "slid", "slid", "sliding")}
_RELATIONS = {"jump": {"from": "off {}", "to": "toward {}"},
              "drop": {"from": "off the side of {}", "to": "onto {}"},
              "throw": {"from": "from {}", "to": "at {}"},
              "push": {"from": "away from {}", "to": "toward {}"},
              "strike": {"to": "next to {}"},
              "fly": {"from": "from {}", "to": "toward {}"},
              "slide": {"from": "off the top of {}", "to": "toward {}"}}
_WAYS = {"right": "to the right", "left": "to the left", "up": "upward", "down": "down",
         "away from the viewer": "away from the viewer", "toward the viewer": "toward the viewer"}
#: Where the floor is of what happens in the air.
_OVER = {"throw": "over", "fly": "over", "drop": "above"}
_ADJECTIVES = {"wood": "wooden"}
_WIND_WORDS = {"light": "a light wind", "strong": "a strong wind"}


@dataclasses.dataclass
class Sentence:
    """A sentence with what decided about it."""

    text: str
    order: str
    tense: str

    def as_json(self) -> Dict[str, str]:
        return dataclasses.asdict(self)


class _Speaker:
    """Says one sentence; what was mentioned has the definite article from then on."""

    def __init__(self, scene: Scene, source: random.Random, tense: str) -> None:
        self.scene = scene
        self.source = source
        self.tense = tense
        self.definite = source.random() < 0.6
        self.mentioned: List[str] = []
        self.said: Set[Tuple[str, str]] = set()  # of which object which features

    def chance(self, share: float) -> bool:
        return self.source.random() < share

    def phrase(self, thing: Object) -> str:
        """A noun phrase that means this object and no other."""
        said = {"noun"}
        for name, share in (("size", 0.4), ("density", 0.15), ("colour", 0.6), ("material", 0.45)):
            if self.chance(share):
                said.add(name)
        labels = thing.labels()
        others = [other.labels() for other in self.scene.objects if other is not thing]
        spoken = said - {name for name in ("size", "density") if labels[name] == "medium"}
        if any(all(labels[name] == other[name] for name in spoken) for other in others):
            said.add("colour")  # which no two objects share
        clause = ""
        words = set(said)
        if "material" in said and self.chance(0.3):
            words.discard("material")
            clause = f" that is made of {labels['material']}"
        elif "colour" in said and self.chance(0.15):
            words.discard("colour")
            clause = f", which is {labels['colour']},"
        adjectives = [labels["size"] if "size" in words and labels["size"] != "medium" else "",
                      labels["density"] if "density" in words and labels["density"] != "medium" else "",
                      labels["colour"] if "colour" in words else "",
                      _ADJECTIVES.get(labels["material"], labels["material"])
                      if "material" in words else "", labels["noun"]]
        text = " ".join(word for word in adjectives if word)
        if self.definite or thing.name in self.mentioned:
            article = "the"
        else:
            article = "an" if text[0] in "aeiou" else "a"
        self.mentioned.append(thing.name)
        self.said.update((thing.name, name) for name in said)
        return f"{article} {text}{clause}"

    def active(self, verb: str) -> str:
        third, past, _, progressive = _FORMS[verb]
        return {"present": third, "past": past, "progressive": f"is {progressive}",
                "future": f"will {verb}"}[self.tense]

    def passive(self, verb: str) -> str:
        return {"present": "is", "past": "was", "progressive": "is being",
                "future": "will be"}[self.tense] + " " + _FORMS[verb][2]

    def coming(self) -> str:
        """Where a striker comes from, beside whom it is said."""
        base = self.scene.of_role("from")
        return (f", coming from {self.phrase(base).rstrip(',')},"
                if base is not None and self.scene.verb == "strike" else "")

    def relations(self) -> List[str]:
        found = []
        for role in self.scene.relations:
            if self.scene.verb == "strike" and role == "from":
                continue
            thing = self.scene.of_role(role)
            assert thing is not None
            found.append(_RELATIONS[self.scene.verb][role].format(self.phrase(thing)))
        return found

    def manner(self) -> str:
        """Speed and direction of what has no object, perhaps."""
        subject = self.scene.of_role("subject")
        assert subject is not None
        words = []
        if self.scene.verb in ("jump", "fly", "slide"):
            adverb = {"slow": "slowly", "fast": "fast"}.get(label_of(subject.speed, SPEEDS), "")
            if adverb and self.chance(0.5):
                words.append(adverb)
        if self.scene.verb != "strike" and not self.scene.relations and self.chance(0.7):
            words.append(_WAYS[way_of(self.scene)])
        return " ".join(words)

    def place(self) -> str:
        """Where it happens; perhaps nothing."""
        scene = self.scene
        parts = []
        if self.chance(0.6):
            friction = label_of(scene.friction, FRICTIONS)
            ground = "sticky" if scene.contact == "sticky" else friction
            where = _OVER.get(scene.verb, "on")
            if scene.verb == "drop" and not scene.relations:
                where = "onto"
            parts.append(f"{where} {'an' if ground[0] in 'aeiou' else 'a'} {ground} floor")
        if scene.boundary == "box" and self.chance(0.4):
            parts.append("within four walls")
        wind = _WIND_WORDS.get(label_of(scene.wind, WINDS))
        if wind and self.chance(0.6):
            parts.append(f"in {wind} from the {'right' if scene.wind_direction == 'left' else 'left'}")
        if self.chance(0.15):
            parts.append(f"in front of a {scene.background} background")
        return " ".join(parts)

    def detail(self) -> str:
        """Another fact, about who was mentioned."""
        names = [thing for thing in self.scene.objects if thing.name in self.mentioned]
        thing = self.source.choice(names)
        labels = thing.labels()
        be = {"past": "was"}.get(self.tense, "is")
        # Only what the sentence has said already tells the reader which one is meant.
        alone = sum(other.noun == thing.noun for other in names) == 1
        facts = {"material": f"made of {labels['material']}", "colour": labels["colour"],
                 "density": labels["density"], "size": labels["size"]}
        known = {name for who, name in self.said if who == thing.name}
        if not alone and "colour" not in known:
            return ""
        new = [facts[name] for name in sorted(facts) if name not in known and
               facts[name] != "medium" and (alone or name != "colour")]
        if not new:
            return ""
        name = labels["noun"] if alone else f"{labels['colour']} {labels['noun']}"
        return f"the {name} {be} {self.source.choice(new)}"


def way_of(scene: Scene) -> str:
    """The label of the direction that the text may name: on the ground, unless it is up or down."""
    subject = scene.of_role("subject")
    assert subject is not None
    if scene.verb == "jump":
        return "up"
    if scene.verb == "drop":
        return "down"
    flat = [subject.direction[0], 0.0, subject.direction[2]]
    ways = {"right": flat[0], "left": -flat[0], "toward the viewer": flat[2],
            "away from the viewer": -flat[2]}
    return max(ways, key=lambda name: ways[name])


def say(scene: Scene, source: random.Random, order: str, tense: str) -> Sentence:
    """One sentence (with what is joined to it) in this order and tense."""
    speaker = _Speaker(scene, source, tense)
    subject = scene.of_role("subject")
    assert subject is not None
    verb = scene.verb
    thing = scene.of_role("object")
    place = speaker.place()
    if order == "passive" and thing is not None:
        core = [speaker.phrase(thing), speaker.passive(verb),
                "by " + speaker.phrase(subject) + speaker.coming()]
    elif verb == "throw":  # nobody is seen to throw it
        core = [speaker.phrase(subject), speaker.passive(verb)]
    else:
        core = [speaker.phrase(subject) + speaker.coming(), speaker.active(verb)]
        if thing is not None:
            core.append(speaker.phrase(thing))
    relations = speaker.relations()
    manner = speaker.manner()
    if order == "relation first" and relations:
        lead, relations = relations[0], relations[1:]
        parts = [lead.rstrip(",") + ","] + core + [manner] + relations + [place]
    elif order == "place first" and place:
        parts = [place + ","] + core + [manner] + relations
    else:
        order = order if order == "passive" else "subject first"
        parts = core + [manner] + relations + [place]
    text = " ".join(part for part in parts if part)
    if speaker.chance(0.3):
        joint = source.choice((";", ":", ", and"))
        detail = speaker.detail()
        text = f"{text.rstrip(',')}{joint} {detail}" if detail else text
    text = text.rstrip(",").replace(",,", ",").replace(",;", ";").replace(",:", ":") + "."
    return Sentence(text[0].upper() + text[1:], order, tense)


def sentences(scene: Scene, source: random.Random, count: int = 4) -> List[Sentence]:
    """Several sentences, in different orders and tenses as far as there are any."""
    transitive = scene.of_role("object") is not None
    orders = [order for order in ORDERS if (order != "passive" or transitive) and
              (order != "relation first" or scene.relations)]
    pairs = [(order, tense) for order in orders for tense in TENSES]
    source.shuffle(pairs)
    chosen: List[Any] = []
    for order, tense in pairs:  # each tense and order once before any comes again
        if len(chosen) < min(count, 4) and (order, tense) not in chosen and \
                all(tense != other for _, other in chosen):
            chosen.append((order, tense))
    chosen += [pair for pair in pairs if pair not in chosen]
    return [say(scene, source, *pair) for pair in chosen[:count]]
