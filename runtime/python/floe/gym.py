"""Environments of Gymnasium over Floe's simulations: `pip install gymnasium` (1.1 or later).

    import gymnasium
    import floe.gym

    env = gymnasium.make("floe/PushSand-v0")
    observation, info = env.reset(seed=1)

    worlds = gymnasium.make_vec("floe/PushSand-v0", num_envs=16)

Tasks are floe/PushSand-v0 (floe.push_sand.Episode), floe/PourWater-v0 (floe.pour_water.PourWater) and
floe/DriveRover-v0 (floe.drive_rover.DriveRover), which say what actions, observations and rewards are.

An environment has an engine of its own, in a process of its own; a vector environment has one engine for all its worlds. A
reset goes back to a checkpoint. The same seed and actions give the same observations, bit for bit, on one machine, alone
or among others.
"""

import functools
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from .drive_rover import DriveRover
from .driven import Driven
from .errors import FloeError
from .pour_water import PourWater
from .push_sand import Episode
from .tasks import Task, actions_of
from .worlds import Worlds

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as missing:
    raise FloeError(f"floe.gym needs Gymnasium: {missing}", cure="pip install 'gymnasium>=1.1'"
                    ) from missing

#: By name, as in floe/NAME-v0.
TASKS: Dict[str, Type[Task]] = {"PushSand": Episode, "PourWater": PourWater, "DriveRover": DriveRover}

_MODES = ("rgb_array",)


def _checked_mode(mode: Optional[str]) -> Optional[str]:
    if mode is not None and mode not in _MODES:
        raise FloeError(f"there is no render mode '{mode}'", cure="take rgb_array or None")
    return mode


def _task(given: Union[str, Type[Task]]) -> Type[Task]:
    if not isinstance(given, str):
        return given
    if given not in TASKS:
        raise FloeError(f"there is no task '{given}'", cure="take one of " + ", ".join(TASKS))
    return TASKS[given]


def _action_space(task: Type[Task]) -> Any:
    return spaces.Box(-1.0, 1.0, (task.ACTIONS,), np.float32)


def _observation_space(task: Type[Task]) -> Any:
    return spaces.Box(-10.0, 10.0, (task.size(),), np.float32)


class TaskEnv(gymnasium.Env):  # type: ignore[misc]
    """A task in an engine of its own; it is cut off after `max_steps` actions, or as many as the task says.

    Args:
        task: a name in TASKS, or a subclass of floe.tasks.Task.
        render_mode: None or "rgb_array".
        program: as of floe.Session.
    """

    metadata = {"render_modes": list(_MODES), "render_fps": 12}

    def __init__(self, task: Union[str, Type[Task]], render_mode: Optional[str] = None,
                 max_steps: Optional[int] = None, program: Optional[str] = None) -> None:
        task = _task(task)
        self.metadata = {"render_modes": list(_MODES), "render_fps": 24 / task.FRAMES}
        self.render_mode = _checked_mode(render_mode)
        self.action_space = _action_space(task)
        self.observation_space = _observation_space(task)
        self._max_steps = task.STEPS if max_steps is None else max_steps
        self._program = program
        self._world: Optional[Driven] = None
        self._episode = task()

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
              ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        if self._world is None:
            self._world = Driven(self._episode.scene(), self._episode.SETTLE,
                                 self._max_steps * self._episode.FRAMES, program=self._program)
        frame = self._world.reset(self._episode.begin(self.np_random))
        self._episode.look(frame.value, first=True)
        return self._episode.observation(), self._episode.info()

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        if self._world is None:
            raise FloeError("the environment was not reset", cure="reset() first")
        episode = self._episode
        frame = self._world.step(episode.act(actions_of(action, episode.ACTIONS)), episode.FRAMES)
        episode.look(frame.value)
        return (episode.observation(), episode.reward, episode.done,
                episode.steps >= self._max_steps, episode.info())

    def render(self) -> Optional[np.ndarray]:
        if self.render_mode is None or self._world is None:
            return None
        return self._episode.picture(self._world.frame)

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
            self._world = None


class TaskVector(VectorEnv):  # type: ignore[misc]
    """A task many times in one engine, each by itself: gymnasium.make_vec("floe/PushSand-v0", num_envs=N).

    Args:
        task, max_steps, program: as of TaskEnv.
        num_envs: worlds.
        autoreset_mode: of Gymnasium: "NextStep", "SameStep" or "Disabled"; with the last, reset those that have ended by
            reset(options={"reset_mask": array of booleans}).
        threads: of the engine; 0: all.
        render_mode: None; a world is drawn by TaskEnv.
    """

    def __init__(self, task: Union[str, Type[Task]], num_envs: int = 1, max_steps: Optional[int] = None,
                 autoreset_mode: Union[str, Any] = "NextStep", threads: int = 0,
                 render_mode: Optional[str] = None, program: Optional[str] = None) -> None:
        if render_mode is not None:
            raise FloeError("a vector environment draws nothing", cure="make a single one to look at")
        self._task = task = _task(task)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self.single_action_space, self.single_observation_space = (
            _action_space(task), _observation_space(task))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._max_steps = task.STEPS if max_steps is None else max_steps
        self._worlds = Worlds(task.scene(), num_envs, task.SETTLE, threads=threads, program=program)
        self._episodes = [task() for _ in range(num_envs)]
        self._randoms: List[Optional[np.random.Generator]] = [None] * num_envs
        self._ended = np.zeros(num_envs, bool)
        self._begun = False

    def reset(self, *, seed: Union[None, int, Sequence[Optional[int]]] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[np.ndarray, Dict[str, Any]]:
        mask = np.ones(self.num_envs, bool)
        if options is not None and "reset_mask" in options:
            mask = options["reset_mask"]
            if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or \
                    mask.dtype != np.bool_ or not mask.any():
                raise FloeError("'reset_mask' is unusable",
                                cure=f"give an array of {self.num_envs} booleans, one of them true")
        seeds: Sequence[Optional[int]]
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        else:
            seeds = seed
        if len(seeds) != self.num_envs:
            raise FloeError(f"there are {len(seeds)} seeds", cure=f"give {self.num_envs}")
        for k in map(int, np.flatnonzero(mask)):
            if seeds[k] is not None or self._randoms[k] is None:
                self._randoms[k], _ = seeding.np_random(seeds[k])
        self._begin(mask)
        return self._observations(), self._infos(mask)

    def step(self, actions: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        if not self._begun:
            raise FloeError("the environment was not reset", cure="reset() first")
        wanted = actions_of(actions, (self.num_envs, self._task.ACTIONS))
        waiting = self._ended.copy()
        if waiting.any():
            if self.autoreset_mode == AutoresetMode.DISABLED:
                raise FloeError(f"world {int(np.flatnonzero(waiting)[0])} has ended",
                                cure="reset(options={'reset_mask': ...}) those that have")
            self._begin(waiting)  # those that ended begin anew, instead of a step
        self._worlds.step([None if waiting[k] else episode.act(wanted[k])
                           for k, episode in enumerate(self._episodes)], self._task.FRAMES)
        for k in map(int, np.flatnonzero(~waiting)):
            self._episodes[k].look(functools.partial(self._worlds.value, k))
        rewards = np.array([0.0 if waiting[k] else episode.reward
                            for k, episode in enumerate(self._episodes)])
        terminated = np.array([episode.done for episode in self._episodes]) & ~waiting
        truncated = np.array([e.steps >= self._max_steps for e in self._episodes]) & ~waiting
        infos = self._infos(np.ones(self.num_envs, bool))
        self._ended = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            last: Dict[str, Any] = {}
            for k in map(int, np.flatnonzero(self._ended)):
                last = self._add_info(last, {"final_obs": self._episodes[k].observation(),
                                             "final_info": self._episodes[k].info()}, k)
            self._begin(self._ended.copy())
            infos = {**self._infos(np.ones(self.num_envs, bool)), **last}
        return self._observations(), rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        self._worlds.close()

    def _begin(self, mask: np.ndarray) -> None:
        values: List[Optional[Dict[str, Any]]] = [None] * self.num_envs
        for k in map(int, np.flatnonzero(mask)):
            random = self._randoms[k]
            assert random is not None
            values[k] = self._episodes[k].begin(random)
        self._worlds.reset(values, mask)
        for k in map(int, np.flatnonzero(mask)):
            self._episodes[k].look(functools.partial(self._worlds.value, k), first=True)
        self._ended[mask] = False
        self._begun = True

    def _observations(self) -> np.ndarray:
        return np.stack([episode.observation() for episode in self._episodes])

    def _infos(self, mask: np.ndarray) -> Dict[str, Any]:
        infos: Dict[str, Any] = {}
        for k in map(int, np.flatnonzero(mask)):
            infos = self._add_info(infos, self._episodes[k].info(), k)
        return infos


for _name in TASKS:
    gymnasium.register(id=f"floe/{_name}-v0", entry_point="floe.gym:TaskEnv",
                       vector_entry_point="floe.gym:TaskVector", kwargs={"task": _name})
