"""Floe from Python: graphs, sessions, frames as NumPy arrays, sweeps.

    import floe

    scene = floe.Graph.open("graphs/first_snow.floe.json")
    scene["snow"].youngModulus = 2e5
    with floe.Session() as session:
        for frame in session.run(scene, frames=48):
            print(frame.particles["x"].mean(axis=0))
"""

from .avatar import pose_values
from .contacts import HeatMap, contact_map, footprint, force_map
from .driven import Driven, recorded
from .errors import (Fault, FloeError, GraphError, ProgramNotFound, RequestError, RunError,
                     ServerDied)
from .graph import Difference, Graph, Node
from .manifest import NodeType, NodeTypes, Parameter, node_types
from .picture import Picture
from .session import Frame, Particles, Session, Watch
from .sweeps import Sweep, sweep
from .variants import Range
from .worlds import Worlds

__version__ = "0.1.0"

__all__ = ["Difference", "Driven", "Fault", "FloeError", "Frame", "Graph", "GraphError", "HeatMap", "Node", "NodeType",
           "NodeTypes", "Parameter", "Particles", "Picture", "ProgramNotFound", "Range",
           "RequestError", "RunError", "ServerDied", "Session", "Sweep", "Watch", "Worlds", "contact_map", "footprint",
           "force_map", "node_types", "pose_values", "recorded", "sweep"]
