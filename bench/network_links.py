"""Network namespaces joined by links of a given rate and delay, on one machine (as root).

    with Network(ranks=4, rate="1gbit", delay=0.0005) as network:
        subprocess.Popen(network.inside(rank=0) + ["program"])
        network.address(0)

Without a delay the links are veth pairs on a bridge. The kernel of a small virtual machine often
has no netem, so a delay is made by `relay`, a process that passes the frames of tap devices on;
they come to it in pieces of 64 kB (TSO), as veth pairs pass them. A token bucket filter limits
what each namespace sends.
"""

import collections
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

NAME = "dietmt"
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
TAP, NO_PACKET_INFO, VIRTIO_HEADER = 0x0002, 0x1000, 0x4000
CHECKSUM, SEGMENTS_OF_TCP = 0x01, 0x02
HEADER = 10  # bytes of virtio_net_hdr before the frame
LARGEST_FRAME = 1 << 17
BURST = 1 << 18  # several pieces of 64 kB, which a smaller bucket would make the kernel cut


def run(command):
    subprocess.run(command.split(), check=True)


def open_tap(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    flags = TAP | NO_PACKET_INFO | VIRTIO_HEADER
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
    fcntl.ioctl(device, TUNSETOFFLOAD, CHECKSUM | SEGMENTS_OF_TCP)
    return device


def relay(ranks, delay):
    """Passes frames between taps after `delay` seconds; the last byte of an address is the rank."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # ranks use all cores
    taps = [open_tap(f"{NAME}{rank}") for rank in range(ranks)]
    print("ready", flush=True)
    waiting = collections.deque()  # (when, tap, frame)
    while True:
        left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for tap in select.select(taps, [], [], left)[0]:
            try:
                frame = os.read(tap, LARGEST_FRAME)
            except OSError:  # the device has not moved to its namespace yet
                continue
            broadcast = frame[HEADER] & 1
            to = [other for other in taps if other != tap] if broadcast else []
            if not broadcast and frame[HEADER + 5] < ranks:
                to = [taps[frame[HEADER + 5]]]
            for other in to:
                waiting.append((time.monotonic() + delay, other, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, tap, frame = waiting.popleft()
            try:
                os.write(tap, frame)
            except OSError:  # not up yet, or gone: a lost frame
                pass


class Network:
    """`rate` as tc writes it, None: not limited. `delay`: one way in seconds, None: a bridge."""

    def __init__(self, ranks, rate=None, delay=None):
        self.ranks, self.rate, self.delay = ranks, rate, delay
        self.relay = None

    def address(self, rank):
        return f"10.77.0.{rank + 1}"

    def inside(self, rank):
        return ["ip", "netns", "exec", f"{NAME}{rank}"]

    def __enter__(self):
        try:
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self):
        if self.delay is None:
            run(f"ip link add {NAME} type bridge")
            run(f"ip link set {NAME} up")
        else:
            command = [sys.executable, __file__, str(self.ranks), str(self.delay)]
            self.relay = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self.relay.stdout.readline()
        for rank in range(self.ranks):
            self.connect_rank(f"{NAME}{rank}", rank)

    def connect_rank(self, name, rank):
        run(f"ip netns add {name}")
        if self.delay is None:
            run(f"ip link add {name} type veth peer name eth0 netns {name}")
            run(f"ip link set {name} master {NAME} up")
        else:
            run(f"ip link set {name} netns {name}")
            run(f"ip -n {name} link set {name} name eth0")
        run(f"ip -n {name} link set eth0 address 02:00:00:00:00:{rank:02x}")
        run(f"ip -n {name} addr add {self.address(rank)}/24 dev eth0")
        run(f"ip -n {name} link set lo up")
        run(f"ip -n {name} link set eth0 up")
        if self.rate:
            limit = f"tbf rate {self.rate} burst {BURST} latency 100ms"
            run(f"tc -n {name} qdisc add dev eth0 root {limit}")

    def __exit__(self, *_):
        if self.relay:
            self.relay.terminate()
            self.relay.wait()
        # The kernel takes its time to remove the links of a namespace that is gone.
        names = [f"{NAME}{rank}" for rank in range(self.ranks)]
        for name in [*names, NAME] if self.delay is None else []:
            subprocess.run(["ip", "link", "del", name], stderr=subprocess.DEVNULL)
        for name in names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def probe(network):
    """Bytes a second of one stream and seconds of a round trip from rank 0 to rank 1."""
    code = """
import socket, sys, time
size = 1 << 26
if sys.argv[1] == "serve":
    listener = socket.create_server((sys.argv[2], 9000))
    print("ready", flush=True)
    peer = listener.accept()[0]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(50): peer.send(peer.recv(1))
    while size > 0: size -= len(peer.recv(1 << 20))
    peer.send(b"x")
else:
    peer = socket.create_connection((sys.argv[2], 9000))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    trips = []
    for _ in range(50):
        start = time.monotonic()
        peer.send(b"x"), peer.recv(1)
        trips.append(time.monotonic() - start)
    start = time.monotonic()
    peer.sendall(bytes(size))
    peer.recv(1)
    print(size / (time.monotonic() - start), sorted(trips)[25])
"""
    script = [sys.executable, "-c", code]
    server = subprocess.Popen(
        network.inside(1) + script + ["serve", network.address(1)], stdout=subprocess.PIPE
    )
    server.stdout.readline()
    client = network.inside(0) + script + ["send", network.address(1)]
    text = subprocess.run(client, check=True, capture_output=True, text=True).stdout
    server.wait()
    return tuple(float(number) for number in text.split())


if __name__ == "__main__":
    relay(int(sys.argv[1]), float(sys.argv[2]))
