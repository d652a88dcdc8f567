"""Online play: two people on two machines, and who watches them. The server is the referee."""
