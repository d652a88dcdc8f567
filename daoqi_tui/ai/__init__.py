"""The computer player: random playouts, tree search over them, and the child process it thinks in."""
