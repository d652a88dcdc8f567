"""The ssh server of somebody who lets others pass ports on: python -m tests.play.online.ssh_server ADDRESS PORT."""

from __future__ import annotations

import asyncio
import sys

import asyncssh


class Server(asyncssh.SSHServer):
    """Lets everybody in and has them listen, as sshd does with ``GatewayPorts clientspecified``."""

    def begin_auth(self, _username: str) -> bool:
        return False

    def server_requested(self, _listen_host: str, _listen_port: int) -> bool:
        return True


async def serve(address: str, port: int) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with await asyncssh.create_server(Server, address, port, server_host_keys=[key]) as server:
        print("ready", flush=True)  # noqa: T201 (what the test waits for)
        await server.wait_closed()


asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
