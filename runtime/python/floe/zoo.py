"""Environments of PettingZoo, several agents in one world: `pip install pettingzoo`.

    import floe.zoo

    env = floe.zoo.push_sand(agents=2)
    observations, infos = env.reset(seed=1)
    while env.agents:
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .driven import Driven
from .errors import FloeError
from .push_sand import Episode, sand_and_blades
from .tasks import actions_of

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped,unused-ignore]
except ImportError as missing:
    raise FloeError(f"floe.zoo needs PettingZoo: {missing}", cure="pip install pettingzoo") from missing

Each = Dict[str, Any]


class PushSandTogether(ParallelEnv):  # type: ignore[misc]
    """Push a heap of sand to a goal with several blades, each an agent: blade_1, blade_2, ...

    Actions, observations and rewards are those of floe.push_sand.Episode; the reward is the same for all, and all end
    together. Goals are as far away as for one. Blades do not collide with each other.

    Args:
        agents: 1 to 8.
        render_mode: None or "rgb_array".
        max_steps: actions, after which it is cut off.
        program: as of floe.Session.
    """

    metadata = {"name": "floe_push_sand_v0", "render_modes": ["rgb_array"], "render_fps": 24 / Episode.FRAMES,
                "is_parallelizable": True}

    def __init__(self, agents: int = 2, render_mode: Optional[str] = None, max_steps: int = 60,
                 program: Optional[str] = None) -> None:
        if render_mode not in (None, "rgb_array"):
            raise FloeError(f"there is no render mode '{render_mode}'", cure="take rgb_array or None")
        if not 1 <= agents <= 8:
            raise FloeError(f"there would be {agents} agents", cure="take 1 to 8")
        self.render_mode = render_mode
        self.possible_agents = [f"blade_{number}" for number in range(1, agents + 1)]
        self.agents: List[str] = []
        self.action_spaces = {agent: spaces.Box(-1.0, 1.0, (3,), np.float32)
                              for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Box(-10.0, 10.0, (Episode.size(agents),), np.float32)
            for agent in self.possible_agents}
        self._max_steps = max_steps
        self._program = program
        self._world: Optional[Driven] = None
        self._episode = Episode(agents)
        self._random: Optional[np.random.Generator] = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
              ) -> Tuple[Each, Each]:
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        if self._world is None:
            self._world = Driven(sand_and_blades(len(self.possible_agents)), Episode.SETTLE,
                                 self._max_steps * Episode.FRAMES, program=self._program)
        self.agents = list(self.possible_agents)
        frame = self._world.reset(self._episode.begin(self._random))
        self._episode.look(frame.value, first=True)
        return self._observations(), self._each(self._episode.info())

    def step(self, actions: Each) -> Tuple[Each, Each, Each, Each, Each]:
        if self._world is None or not self.agents:
            raise FloeError("no agent acts any more", cure="reset() first")
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise FloeError(f"there is no action for {', '.join(missing)}", cure="give one for each agent")
        episode = self._episode
        wanted = actions_of([actions[agent] for agent in self.agents], (len(self.agents), 3))
        frame = self._world.step(episode.act(wanted), Episode.FRAMES)
        episode.look(frame.value)
        done, cut = episode.done, episode.steps >= self._max_steps
        result = (self._observations(), self._each(episode.reward), self._each(done), self._each(cut),
                  self._each(episode.info()))
        if done or cut:
            self.agents = []
        return result

    def state(self) -> np.ndarray:
        """All that is observed: what the first agent sees, which has the other blades too."""
        return self._episode.observation()

    def render(self) -> Optional[np.ndarray]:
        if self.render_mode is None or self._world is None:
            return None
        return self._episode.picture(self._world.frame)

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
            self._world = None

    def _observations(self) -> Each:
        return {agent: self._episode.observation(number)
                for number, agent in enumerate(self.possible_agents)}

    def _each(self, value: Any) -> Each:
        return {agent: dict(value) if isinstance(value, dict) else value
                for agent in self.possible_agents}


def push_sand(**settings: Any) -> PushSandTogether:
    """A PushSandTogether, as PettingZoo's own environments are made (`parallel_env`)."""
    return PushSandTogether(**settings)
