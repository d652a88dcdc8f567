"""The computer player: playouts, neural networks, tree search over either, and the child process it runs in."""
