#!/usr/bin/env python3
"""Joins two network namespaces by an IPv4 link with delay, jitter and loss, each direction on its own.

    lossy-link.py NAMESPACE_A ADDRESS_A/PREFIX NAMESPACE_B ADDRESS_B/PREFIX

A namespace is a name below /run/netns, or "-" for the one this program is started in. Each gets a TUN device with its
address; what one sends comes out at the other. The program needs root and ends, and its devices with it, when its
standard input is closed. It prints "UP" once packets flow. Commands, a line each, on standard input:

    a-to-b LOSS_PERCENT DELAY_MS JITTER_MS MEAN_BURST ORDER KBPS QUEUE_MS   how packets from A to B fare from now on
    b-to-a LOSS_PERCENT DELAY_MS JITTER_MS MEAN_BURST ORDER KBPS QUEUE_MS
    statistics          prints "STATISTICS" and packets sent and lost, A to B then B to A

MEAN_BURST is how many packets are lost in a row on average (Gilbert's model); with 1 each is lost on its own. ORDER is
"kept" where a packet never overtakes another, as in one queue, or "free" where jitter reorders them, as on several paths.
KBPS is the rate in kbit/s of a bottleneck before the delay, or 0 for none; a packet that would wait there for longer than
QUEUE_MS is lost. Kernels without sch_netem (tc netem) need nothing else.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
LARGEST_PACKET = 65536
PACKETS_PER_TURN = 64
"""Bounds the time between two looks at the queue."""


class Direction:
    """Packets that come in at one device and go out at the other."""

    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.loss_percent = 0.0
        self.delay_s = 0.0
        self.jitter_s = 0.0
        self.mean_burst = 1.0
        self.keeps_order = True
        self.bits_per_s = 0.0
        self.longest_queue_s = 0.0
        self.free_at = 0.0
        self.in_burst = False
        self.last_due = 0.0
        self.sent = 0
        self.lost = 0

    def due(self, now, size):
        """When the next packet, of so many bytes, comes out, or None if it is lost."""
        self.sent += 1
        if self.loses() or not self.passes_bottleneck(now, size):
            self.lost += 1
            return None
        due = max(now, self.free_at) + max(0.0, self.delay_s + random.uniform(-self.jitter_s, self.jitter_s))
        self.last_due = max(due, self.last_due)
        return self.last_due if self.keeps_order else due

    def passes_bottleneck(self, now, size):
        if self.bits_per_s == 0:
            return True
        if self.free_at - now > self.longest_queue_s:
            return False
        self.free_at = max(now, self.free_at) + 8 * size / self.bits_per_s
        return True

    def loses(self):
        """Whether the next packet is lost: always within a burst, which begins as often as the share of losses needs."""
        share = self.loss_percent / 100
        if self.mean_burst <= 1:
            return random.random() < share
        begins = share / (self.mean_burst * (1 - share)) if share < 1 else 1.0
        self.in_burst = random.random() < (1 - 1 / self.mean_burst if self.in_burst else begins)
        return self.in_burst


def enter_namespace(path):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {path}")
    finally:
        os.close(descriptor)


def open_tun(namespace, address, home):
    """Makes a TUN device with that address in that namespace."""
    enter_namespace(home if namespace == "-" else f"/run/netns/{namespace}")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", b"parley%d", IFF_TUN | IFF_NO_PI)
    name = fcntl.ioctl(device, TUNSETIFF, request)[:16].rstrip(b"\0").decode()
    subprocess.check_call(["ip", "address", "add", address, "dev", name])
    subprocess.check_call(["ip", "link", "set", name, "up"])
    subprocess.check_call(["ip", "link", "set", "lo", "up"])
    return device


def obey(line, directions):
    words = line.split()
    if words[:1] == ["statistics"]:
        print("STATISTICS", *(f"{each.sent} {each.lost}" for each in directions.values()), flush=True)
    elif len(words) == 8 and words[0] in directions:
        direction = directions[words[0]]
        direction.loss_percent = float(words[1])
        direction.delay_s = float(words[2]) / 1000
        direction.jitter_s = float(words[3]) / 1000
        direction.mean_burst = float(words[4])
        direction.keeps_order = words[5] == "kept"
        direction.bits_per_s = 1000 * float(words[6])
        direction.longest_queue_s = float(words[7]) / 1000
    elif words:
        print(f"not understood: {line}", file=sys.stderr, flush=True)


def take_packets(direction, queue, number):
    """Reads what has come in at a device and puts it in the queue; returns the next packet's number."""
    for _ in range(PACKETS_PER_TURN):
        try:
            packet = os.read(direction.source, LARGEST_PACKET)
        except BlockingIOError:
            break
        due = direction.due(time.monotonic(), len(packet))
        if due is not None:
            heapq.heappush(queue, (due, number, direction.target, packet))
            number += 1
    return number


def deliver(queue):
    now = time.monotonic()
    while queue and queue[0][0] <= now:
        _, _, target, packet = heapq.heappop(queue)
        try:
            os.write(target, packet)
        except OSError:
            # The device's queue is full: a link drops then, too.
            pass


def run(directions):
    commands = sys.stdin.fileno()
    os.set_blocking(commands, False)
    by_source = {each.source: each for each in directions.values()}
    queue, number, unread = [], 0, ""
    while True:
        wait = max(0.0, queue[0][0] - time.monotonic()) if queue else None
        readable, _, _ = select.select([*by_source, commands], [], [], wait)
        for descriptor in readable:
            if descriptor != commands:
                number = take_packets(by_source[descriptor], queue, number)
                continue
            text = os.read(commands, 4096).decode()
            if text == "":
                return
            *lines, unread = (unread + text).split("\n")
            for line in lines:
                obey(line, directions)
        deliver(queue)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    namespace_a, address_a, namespace_b, address_b = sys.argv[1:]
    home = f"/proc/{os.getpid()}/fd/{os.open('/proc/self/ns/net', os.O_RDONLY)}"
    a = open_tun(namespace_a, address_a, home)
    b = open_tun(namespace_b, address_b, home)
    print("UP", flush=True)
    run({"a-to-b": Direction(a, b), "b-to-a": Direction(b, a)})


if __name__ == "__main__":
    main()
