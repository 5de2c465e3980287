"""``nstar watch``, ``nstar watch race``, and ``nstar watch votes``."""

from nstar.cli.watch.racing import watch_race_command
from nstar.cli.watch.two_models import watch_command
from nstar.cli.watch.votes import watch_votes_command

__all__ = ["watch_command", "watch_race_command", "watch_votes_command"]
