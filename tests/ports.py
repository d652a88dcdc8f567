"""A port for a server that a test starts later, in another process."""

from __future__ import annotations

from socket import create_connection, create_server


def free_port() -> int:
    """Return a port of this computer that nobody listens at, and that the system gives to nobody else for a while.

    A connection to it is closed first by the server, which leaves the port in the state TIME_WAIT: for a minute Linux
    chooses it for no other program, while a server that asks for it by number gets it.
    """
    with create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        with create_connection(("127.0.0.1", port)) as there:
            listening.accept()[0].close()
            there.recv(1)
    return port
