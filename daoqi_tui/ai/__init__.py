"""The computer player: playouts, neural networks, tree search with either, and the child process it runs in."""
