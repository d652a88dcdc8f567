"""Has a program run in a fork (``tests/forked.py``), and ends as that does. ``python -I -S fork.py SOCKET WORDS…``.

It imports only what is built in, so that it takes a hundredth of a second.
"""

import marshal
import posix
import sys
from _signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, signal
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket

server = socket(AF_UNIX, SOCK_SEQPACKET)
server.connect(b"\0" + sys.argv[1].encode())
request = marshal.dumps((0, sys.argv[2:], posix.getcwd(), dict(posix.environ)))
rights = b"".join(descriptor.to_bytes(4, sys.byteorder) for descriptor in range(3))
server.sendmsg([request], [(SOL_SOCKET, SCM_RIGHTS, rights)])
for number in (SIGHUP, SIGINT, SIGTERM):
    signal(number, lambda number, _frame: server.send(b"%d" % number))
posix.closerange(0, 3)
status = int(server.recv(100) or b"-9")
if status < 0:
    if status != -9:
        signal(-status, SIG_DFL)
    posix.kill(posix.getpid(), -status)
posix._exit(status)
