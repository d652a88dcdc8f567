"""What the computer finds out about a position: best moves, mistakes, ladders and territory."""
