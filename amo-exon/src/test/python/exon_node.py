#!/usr/bin/env python3
"""A node of Exon that follows docs/wire/exon.md, and shares no code with the Java one.

It sends numbered messages, takes messages and answers requests with their own bytes. One line of its log for each event:
"up", "got NUMBER", "asked HEX" and "outcome NUMBER WORD". Standard library only; sealed datagrams, not encrypted ones.
"""

import argparse
import hashlib
import hmac
import os
import select
import socket
import time

NAMED, SHORT = 0xE1, 0xEA
SEAL = 16
SEEN, REQSLOTS, SLOTS, TOKENS, PIECE, ACK, UNKNOWN, ARRIVED, REFUSED = range(1, 10)
MESSAGE, REQUEST, REPLY = 0, 1, 2
EPOCH = 1_767_225_600
RANGE = 1 << 24
STANDBY = 64          # slots that are asked for
MOST_OPEN = 256       # slots that one peer gets
PIECE_BYTES = 1_000
DATAGRAM = 1_400      # all of a datagram, at most
RETRY = 0.05
LONGEST_RETRY = 1.0
IDLE = 5.0
MOST_HOLES = 64
SEEN_TOLD = 4         # datagrams that repeat a SEEN


class Malformed(Exception):
    """Bytes that are no datagram of Exon."""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left():
            raise Malformed("ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self):
        return self.take(1)[0]

    def varint(self, least=0, most=(1 << 63) - 1):
        number = shift = 0
        while True:
            byte = self.u8()
            number |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
            if shift > 56:
                raise Malformed("varint of over nine bytes")
        if byte == 0 and shift > 0 or not least <= number <= most:
            raise Malformed("varint %d" % number)
        return number


class Clock:
    """The node's clock, whose bound is on disk before a value below it is used."""

    def __init__(self, path):
        self.path = path
        stored = 0
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                stored = int(file.read())
        self.first = self.value = max(stored, int((time.time() - EPOCH) * 1_000_000), 1)
        self.bound = 0
        self.reserve(self.value)

    def reserve(self, used):
        if used + RANGE // 2 < self.bound:
            return
        self.bound = used + RANGE
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.write(str(self.bound))
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)

    def take(self):
        self.reserve(self.value)
        self.value += 1
        return self.value - 1

    def pass_by(self, value):
        self.reserve(value)
        self.value = max(self.value, value)


class Message:
    def __init__(self, name, body):
        self.name = name
        self.pieces = [body[i:i + PIECE_BYTES] for i in range(0, len(body), PIECE_BYTES)] or [b""]
        self.open = len(self.pieces)


class Token:
    def __init__(self, message, index, incarnation):
        self.message = message
        self.index = index
        self.incarnation = incarnation
        self.due = 0.0
        self.wait = RETRY


class Sending:
    """The send record: envelopes are the slots from next to end."""

    def __init__(self, start):
        self.end = self.next = start
        self.incarnation = 0
        self.queue = []
        self.tokens = {}
        self.ask_due = 0.0
        self.ask_wait = RETRY

    def frontier(self):
        return min(self.tokens, default=self.next)


class Receiving:
    """The receive record: open slots, and pieces of messages that are not whole."""

    def __init__(self, start, incarnation):
        self.end = start
        self.incarnation = incarnation
        self.open = set()
        self.consumed = 0
        self.parts = {}


class Peer:
    def __init__(self, node, name, address):
        self.node = node
        self.name = name
        self.address = address
        self.handle = int.from_bytes(os.urandom(4), "big") or 1
        self.packet = 0
        self.sending = None
        self.receiving = None
        self.pending = []
        self.life = 0
        self.new_life(0)
        self.heard = self.worked = time.monotonic()
        self.probe_due = self.heard + IDLE

    def new_life(self, life):
        former = self.life
        self.life = life
        self.theirs = self.highest = 0
        self.confirmed = False
        self.seen_to_tell = 0
        self.receiving = None
        self.pending = []
        if self.sending is not None and former:
            self.lose(lambda incarnation: incarnation < life)

    def lose(self, is_lost):
        record = self.sending
        if is_lost(record.incarnation):
            record.next = record.end
            record.ask_due = 0.0
        for token in list(record.tokens.values()):
            if is_lost(token.incarnation):
                self.finish(token.message, "UNKNOWN")

    def finish(self, message, outcome):
        if message.open > 0:
            message.open = 0
            if message.name is not None:
                self.node.write("outcome %d %s" % (message.name, outcome))
        # Pieces of a message that has its outcome are not sent any more.
        tokens = self.sending.tokens
        for slot in [slot for slot, token in tokens.items() if token.message is message]:
            del tokens[slot]

    def send(self, message):
        if self.sending is None:
            self.sending = Sending(self.node.clock.value)
        self.sending.queue.append(message)
        self.worked = time.monotonic()

    # Numbers of a short datagram are distances from the first value of a life.

    def number(self, value, base, short):
        if not short:
            return varint(value)
        distance = value - base
        return varint(distance * 2 if distance >= 0 else -distance * 2 - 1)

    def read(self, reader, base, short):
        if not short:
            return reader.varint(1)
        coded = reader.varint()
        value = base + (coded // 2 if coded % 2 == 0 else -(coded + 1) // 2)
        if value < 1:
            raise Malformed("number %d" % value)
        return value

    # Receiving.

    def on_frames(self, reader, short, now):
        """The frames of a datagram with a good seal; all are read before any has an effect."""
        theirs, ours = self.life, self.node.clock.first
        frames = []
        while reader.left() > 0:
            kind = reader.u8()
            if kind == SEEN:
                frames.append((kind, reader.varint(1), reader.varint()))
            elif kind == REQSLOTS:
                start = self.read(reader, theirs, short)
                count = reader.varint()
                frames.append((kind, start, count, start - reader.varint(0, start)))
                reader.varint(0, count)
            elif kind == SLOTS:
                start = self.read(reader, ours, short)
                frames.append((kind, start, self.read(reader, theirs, short), reader.varint()))
            elif kind == TOKENS:
                incarnation = self.read(reader, ours, short)
                slot = self.read(reader, theirs, short)
                for i in range(reader.varint(1, max(1, reader.left()))):
                    frames.append((TOKENS, incarnation, slot + i, 0, 1, reader.take(reader.varint())))
            elif kind == PIECE:
                incarnation = self.read(reader, ours, short)
                slot = self.read(reader, theirs, short)
                index = reader.varint(0, slot - 1)
                pieces = reader.varint(max(2, index + 1))
                frames.append((TOKENS, incarnation, slot, index, pieces, reader.take(reader.varint())))
            elif kind in (ACK, ARRIVED):
                incarnation = self.read(reader, theirs, short)
                end = self.read(reader, ours, short)
                start = end - reader.varint(1, end)
                frames.append((kind, incarnation, start, end, self.read_holes(reader, start, end)))
            elif kind == UNKNOWN:
                frames.append((kind, self.read(reader, theirs, short)))
            elif kind == REFUSED:
                incarnation = self.read(reader, theirs, short)
                frames.append((kind, incarnation, self.read(reader, ours, short), reader.varint(1)))
            else:
                raise Malformed("kind %d" % kind)
        requests = [frame for frame in frames if frame[0] == REQSLOTS]
        for frame in frames:
            if frame[0] != REQSLOTS or frame is requests[-1]:
                self.on_frame(frame, now)
        if requests or any(frame[0] == TOKENS for frame in frames):
            self.answer_at_once()

    def answer_at_once(self):
        self.seen_to_tell = SEEN_TOLD

    @staticmethod
    def read_holes(reader, start, end):
        holes = []
        above = end
        for _ in range(reader.varint(0, MOST_HOLES)):
            high = above - reader.varint(0, above - start)
            low = high - 1 - reader.varint()
            if low < start:
                raise Malformed("hole")
            holes.append((low, high))
            above = low
        return holes

    def on_frame(self, frame, now):
        kind, rest = frame[0], frame[1:]
        if kind == REQSLOTS:
            self.on_request(*rest)
        elif kind == TOKENS:
            self.on_token(*rest)
        elif kind == SLOTS:
            self.on_slots(*rest)
        elif self.sending is not None:
            if kind in (ACK, ARRIVED):
                self.on_told(kind, *rest, now)
            elif kind == UNKNOWN:
                self.lose(lambda incarnation: incarnation == rest[0])
            elif kind == REFUSED:
                for slot in range(rest[1], rest[1] + min(rest[2], MOST_OPEN)):
                    token = self.sending.tokens.get(slot)
                    if token is not None and token.incarnation == rest[0]:
                        self.finish(token.message, "UNKNOWN")

    def on_request(self, start, count, frontier):
        record = self.receiving
        if record is None:
            if count == 0:
                return
            record = self.receiving = Receiving(start, self.node.clock.take())
            self.probe_due = time.monotonic() + IDLE
        record.open = {slot for slot in record.open if slot >= frontier}
        for first in [first for first, (pieces, have) in record.parts.items()
                      if any(i not in have and first + i not in record.open for i in range(pieces))]:
            del record.parts[first]
        end = start + count
        first = max(record.end, start)
        last = min(end, first + MOST_OPEN - len(record.open))
        if last > first:
            record.open.update(range(first, last))
            record.end = last
        if count > 0:
            granted = max(0, min(end, record.end) - start)
            self.pending.append((SLOTS, start, record.incarnation, granted))
        if not record.open:
            self.receiving = None

    def on_token(self, incarnation, slot, index, pieces, body):
        record = self.receiving
        current = record is not None and record.incarnation == incarnation
        if current and slot in record.open:
            if pieces > MOST_OPEN or record.parts.get(slot - index, (pieces,))[0] != pieces:
                return
            record.open.remove(slot)
            record.consumed = max(record.consumed, slot + 1)
            if pieces > 1:
                have = record.parts.setdefault(slot - index, (pieces, {}))[1]
                have[index] = body
                if len(have) == pieces:
                    del record.parts[slot - index]
                    self.node.deliver(self, b"".join(have[i] for i in range(pieces)))
            else:
                self.node.deliver(self, body)
        elif incarnation < self.node.clock.first and not current:
            self.pending.append((UNKNOWN, incarnation))
            return
        # After the delivery, never before it.
        self.pending.append((ACK, incarnation, slot, slot + 1))

    def on_slots(self, start, incarnation, count):
        record = self.sending
        end = start + count
        if record is None:
            self.node.clock.pass_by(end)
            self.pending.append((REQSLOTS, self.node.clock.value, 0, self.node.clock.value))
            return
        if count == 0:
            self.answer_at_once()
        if incarnation < record.incarnation:
            return
        if start == record.end or start < record.end < end and incarnation == record.incarnation:
            if incarnation != record.incarnation:
                record.next = record.end
            record.incarnation = incarnation
            record.end = end
            self.node.clock.reserve(end)
            if count > 0:
                record.ask_due, record.ask_wait = 0.0, RETRY

    def on_told(self, kind, incarnation, start, end, holes, now):
        for slot, token in list(self.sending.tokens.items()):
            if token.incarnation != incarnation or not start <= slot < end:
                continue
            if any(low <= slot < high for low, high in holes):
                continue
            if kind == ARRIVED:
                token.due = max(token.due, now + token.wait)
            elif slot in self.sending.tokens:
                del self.sending.tokens[slot]
                token.message.open -= 1
                if token.message.open == 0 and token.message.name is not None:
                    self.node.write("outcome %d DELIVERED" % token.message.name)
                self.worked = now

    # Sending.

    def frames(self, now):
        """What is to be said now, each with its place in the datagram: a function of the form."""
        out = []
        ours, theirs = self.node.clock.first, self.life
        for frame in self.pending:
            kind = frame[0]
            if kind == SLOTS:
                out.append(lambda short, f=frame: bytes([SLOTS]) + self.number(f[1], theirs, short)
                           + self.number(f[2], ours, short) + varint(f[3]))
            elif kind == REQSLOTS:
                out.append(self.request(frame[1], frame[2], frame[3], 0))
            elif kind == UNKNOWN:
                out.append(lambda short, f=frame: bytes([UNKNOWN]) + self.number(f[1], ours, short))
            else:
                out.append(lambda short, f=frame: bytes([ACK]) + self.number(f[1], ours, short)
                           + self.number(f[3], theirs, short) + varint(f[3] - f[2]) + varint(0))
        self.pending = []
        record = self.sending
        if record is not None:
            self.bind(record)
            need = len(record.queue[0].pieces) - (record.end - record.next) if record.queue else 0
            if record.queue and now >= record.ask_due:
                record.ask_due = now + record.ask_wait
                record.ask_wait = min(2 * record.ask_wait, LONGEST_RETRY)
                count = max(STANDBY, need)
                self.node.clock.reserve(record.end + count)
                out.append(self.request(record.end, count, record.frontier(), min(need, count)))
            for slot, token in record.tokens.items():
                if now >= token.due:
                    token.due = now + token.wait
                    token.wait = min(2 * token.wait, LONGEST_RETRY)
                    out.append(self.token(slot, token))
            if not record.queue and not record.tokens and now - self.worked > IDLE:
                self.node.clock.pass_by(record.end)
                out.append(self.request(record.end, 0, record.end, 0))
                self.sending = None
        if self.receiving is not None and now >= self.probe_due:
            self.probe_due = now + IDLE
            probe = self.receiving
            out.append(lambda short: bytes([SLOTS]) + self.number(probe.end, theirs, short)
                       + self.number(probe.incarnation, ours, short) + varint(0))
        return out

    def bind(self, record):
        while record.queue and record.end - record.next >= len(record.queue[0].pieces):
            message = record.queue.pop(0)
            for index in range(len(message.pieces)):
                record.tokens[record.next] = Token(message, index, record.incarnation)
                record.next += 1

    def request(self, start, count, frontier, need):
        return lambda short: (bytes([REQSLOTS]) + self.number(start, self.node.clock.first, short) + varint(count)
                              + varint(start - frontier) + varint(need))

    def token(self, slot, token):
        def write(short):
            pieces = token.message.pieces
            body = pieces[token.index]
            kind, count = (TOKENS, varint(1)) if len(pieces) == 1 else (PIECE, varint(token.index) + varint(len(pieces)))
            return (bytes([kind]) + self.number(token.incarnation, self.life, short)
                    + self.number(slot, self.node.clock.first, short) + count + varint(len(body)) + body)
        return write

    def flush(self, now):
        if self.address is None:
            return
        silent = now - self.heard > 4 * RETRY
        waiting = self.frames(now)
        while waiting or self.seen_to_tell == SEEN_TOLD:
            short = self.confirmed and self.theirs != 0 and not silent
            self.packet += 1
            clock = self.node.clock
            if short:
                head = bytes([SHORT]) + self.theirs.to_bytes(4, "big") + varint(self.packet)
            else:
                head = (bytes([NAMED]) + self.name + self.node.name + varint(clock.first)
                        + self.handle.to_bytes(4, "big") + self.theirs.to_bytes(4, "big") + varint(self.packet))
            body = b""
            if self.seen_to_tell > 0:
                self.seen_to_tell -= 1
                body = bytes([SEEN]) + varint(self.highest) + varint(int((now - self.highest_at) * 1_000_000))
            while waiting:
                frame = waiting[0](short)
                if body and len(head) + len(body) + len(frame) + SEAL > DATAGRAM:
                    break
                body += frame
                waiting.pop(0)
            key = self.node.key(self.node.name, clock.first, self.name, self.life if short else None)
            self.node.socket.sendto(seal(key, head + body), self.address)


def seal(key, data):
    return data + hmac.new(key, data, hashlib.sha256).digest()[:SEAL]


class Node:
    def __init__(self, name, secret, clock, log, address):
        self.name = name
        self.secret = secret
        self.clock = Clock(clock)
        self.log = open(log, "a", encoding="ascii", buffering=1)
        self.peers = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)
        self.requests = []

    def write(self, line):
        self.log.write(line + "\n")

    def key(self, sender, life, receiver, life_of_receiver=None):
        label = "amo exon 1|%s|%d|%s" % (sender.hex(), life, receiver.hex())
        if life_of_receiver is not None:
            label += "|%d" % life_of_receiver
        return hmac.new(self.secret, label.encode("ascii"), hashlib.sha256).digest()

    def peer(self, name, address=None):
        if name not in self.peers:
            self.peers[name] = Peer(self, name, address)
        return self.peers[name]

    def deliver(self, peer, message):
        if message[0] == MESSAGE:
            self.write("got %d" % int.from_bytes(message[1:5], "big"))
        elif message[0] == REQUEST:
            self.write("asked " + message[9:].hex())
            peer.send(Message(None, bytes([REPLY]) + message[1:]))

    def on_datagram(self, data, address, now):
        if len(data) <= SEAL:
            raise Malformed("too short")
        reader = Reader(data[:-SEAL])
        form = reader.u8()
        if form == NAMED:
            receiver, sender, life = reader.take(16), reader.take(16), reader.varint(1)
            handle, echo = (int.from_bytes(reader.take(4), "big") for _ in range(2))
            peer = self.peers.get(sender)
            key = self.key(sender, life, self.name)
            if receiver != self.name or sender == self.name:
                return
        elif form == SHORT:
            own = int.from_bytes(reader.take(4), "big")
            peer = next((peer for peer in self.peers.values() if peer.handle == own and peer.life), None)
            if peer is None:
                return
            key = self.key(peer.name, peer.life, self.name, self.clock.first)
        else:
            raise Malformed("form %d" % form)
        packet = reader.varint(1)
        if not hmac.compare_digest(seal(key, data[:-SEAL]), data):
            return
        if form == NAMED:
            if peer is None:
                peer = self.peer(sender)
            if life < peer.life:
                return
            if life > peer.life:
                peer.new_life(life)
            peer.theirs = handle
            peer.confirmed |= echo == peer.handle
        else:
            peer.confirmed = True
        if packet > peer.highest:
            peer.highest, peer.highest_at, peer.address = packet, now, address
            peer.heard = now
        peer.on_frames(reader, form == SHORT, now)

    def run(self):
        while True:
            readable, _, _ = select.select([self.socket], [], [], 0.01)
            now = time.monotonic()
            for _ in range(64 if readable else 0):
                try:
                    data, address = self.socket.recvfrom(65_536)
                except BlockingIOError:
                    break
                try:
                    self.on_datagram(data, address, now)
                except Malformed:
                    pass
            for peer in self.peers.values():
                peer.flush(now)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--id", required=True, help="32 hexadecimal digits")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--secret", required=True)
    parser.add_argument("--clock", required=True, help="file of the clock's bound")
    parser.add_argument("--log", required=True)
    parser.add_argument("--peer", help="id of the node that gets the messages")
    parser.add_argument("--peer-port", type=int)
    parser.add_argument("--first", type=int, default=0, help="number of the first message")
    parser.add_argument("--count", type=int, default=0)
    arguments = parser.parse_args()
    node = Node(bytes.fromhex(arguments.id), arguments.secret.encode(), arguments.clock, arguments.log,
                ("127.0.0.1", arguments.port))
    node.write("up")
    if arguments.peer:
        peer = node.peer(bytes.fromhex(arguments.peer), ("127.0.0.1", arguments.peer_port))
        for number in range(arguments.first, arguments.first + arguments.count):
            # Each tenth takes several slots.
            length = 3_500 if number % 10 == 0 else 60
            peer.send(Message(number, bytes([MESSAGE]) + number.to_bytes(4, "big") + bytes(length)))
    node.run()


if __name__ == "__main__":
    main()
