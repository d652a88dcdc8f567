"""Online play: two players on two machines, and spectators. The server is the referee."""
