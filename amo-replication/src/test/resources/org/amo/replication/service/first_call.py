"""A first call to a group of amo, in one datagram: written from docs/wire/first-call.md, rpc.md and contexts.md alone.

usage: first_call.py HOST PORT GROUP SECRET REQUEST [COPIES]

SECRET has 64 hexadecimal digits or more; "-" for a group without one. COPIES datagrams with the same attempt are sent at
once. Prints one line for each answer: its kind and, for a reply, the application's bytes as text.
"""
import hashlib
import hmac
import os
import socket
import struct
import sys
import time


def aes_tables():
    """The S-box of AES, from the inverses in GF(2^8)."""
    sbox, p, q = [0x63] * 256, 1, 1
    while True:
        p = p ^ (p << 1) & 0xFF ^ (0x1B if p & 0x80 else 0)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        mixed = q
        for turn in (1, 2, 3, 4):
            mixed ^= (q << turn | q >> 8 - turn) & 0xFF
        sbox[p] = mixed ^ 0x63
        if p == 1:
            return sbox


SBOX = aes_tables()


def expand(key):
    """The 15 round keys of AES-256."""
    words, rcon = [list(key[i:i + 4]) for i in range(0, 32, 4)], 1
    for i in range(8, 60):
        word = list(words[-1])
        if i % 8 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = rcon << 1
        elif i % 8 == 4:
            word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - 8], word)])
    return [sum(words[i:i + 4], []) for i in range(0, 60, 4)]


def encrypt(keys, block):
    """One block of AES-256."""
    state = [a ^ b for a, b in zip(block, keys[0])]
    for turn in range(1, 15):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if turn < 14:
            mixed = []
            for column in range(0, 16, 4):
                four = state[column:column + 4]
                every = four[0] ^ four[1] ^ four[2] ^ four[3]
                for i in range(4):
                    two = four[i] ^ four[(i + 1) % 4]
                    mixed.append(four[i] ^ every ^ (two << 1 ^ (0x1B if two & 0x80 else 0)) & 0xFF)
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[turn])]
    return bytes(state)


def ghash(h, data):
    """The hash of GCM over whole blocks."""
    y, h = 0, int.from_bytes(h, "big")
    for i in range(0, len(data), 16):
        x, z, v = y ^ int.from_bytes(data[i:i + 16], "big"), 0, h
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                z ^= v
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, "big")


def padded(data):
    return data + bytes(-len(data) % 16)


def gcm(key, number, head, content, opens):
    """The content sealed with its tag; or opened, None if the tag is not right."""
    keys = expand(key)
    first = bytes(4) + struct.pack(">Q", number)
    tag = b""
    if opens:
        content, tag = content[:-16], content[-16:]
    stream = b"".join(
        encrypt(keys, first + struct.pack(">I", 2 + i)) for i in range((len(content) + 15) // 16))
    out = bytes(a ^ b for a, b in zip(content, stream))
    cipher = content if opens else out
    lengths = struct.pack(">QQ", 8 * len(head), 8 * len(cipher))
    hashed = ghash(encrypt(keys, bytes(16)), padded(head) + padded(cipher) + lengths)
    right = bytes(a ^ b for a, b in zip(hashed, encrypt(keys, first + struct.pack(">I", 1))))
    if not opens:
        return out + right
    return out if hmac.compare_digest(tag, right) else None


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def blob(data):
    return varint(len(data)) + data


def hmac256(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def main():
    host, port, group, secret, request = sys.argv[1:6]
    copies = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    sealed = secret != "-"
    calls = b""
    if sealed:
        calls = hmac256(hmac256(secret.encode(), b"amo rpc ", group.encode()), b"amo call 1")
    client, now = os.urandom(16), int(time.time() * 1000)
    # Kind 1, number 1, 10 s to live, nothing is finished.
    context = b"\x01" + client + varint(1) + struct.pack(">q", now) + varint(10_000) + b"\x00"
    call = blob(group.encode()) + varint(1) + b"\x00" + blob(context) + blob(request.encode())
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.connect((host, int(port)))
    line.settimeout(5)
    for number in range(1, copies + 1):
        head = b"AMOU\x01\x01" + bytes([sealed]) + client + struct.pack(">q", number)
        content = call + bytes(max(0, 400 - len(head) - 16 - len(call)))
        if sealed:
            content = gcm(hmac256(calls, b"to member", client), number, head, content, False)
        line.send(head + content)
    for _ in range(copies):
        answer = line.recv(2_000)
        head, content = answer[:47], answer[47:]
        if head[:7] != b"AMOU\x01\x03" + bytes([sealed]) or head[7:23] != client:
            sys.exit("no answer of this group")
        if sealed:
            number = struct.unpack(">Q", head[23:31])[0]
            content = gcm(hmac256(calls, b"to client", client, head[31:47]), number, head, content, True)
        if content is None:
            sys.exit("the answer was not sealed with this secret")
        if content[0] != 0:
            print(("BY_CONNECTION", "ELSEWHERE")[content[0] - 1])
        else:
            kind = ("REPLY", "REFUSED", "UNKNOWN")[content[2]]
            # Behind form, copy, three codes and two times; a reply begins with its own form.
            print(kind, content[22:].decode() if kind == "REPLY" else content[3])


main()
