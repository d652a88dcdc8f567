"""The computer player: neural networks, tree search, and the child process it runs in."""
