"""A made-up leaderboard with a story, and the same scores as the harnesses would log them.

Nothing here opens a file: :func:`files` gives names and contents.
"""

from nstar._verbs.demo.claims import Story, story
from nstar._verbs.demo.folder import files
from nstar._verbs.demo.leaderboard import board

__all__ = ["Story", "board", "files", "story"]
