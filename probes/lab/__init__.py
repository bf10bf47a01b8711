"""A scripted provider on loopback whose every send time is known: the truth that the meter is held against."""

from probes.lab.server import Lab

__all__ = ["Lab"]
