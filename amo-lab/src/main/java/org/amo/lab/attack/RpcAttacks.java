package org.amo.lab.attack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/** The port of Java clients: strangers, and clients that know the secret and mean no good. */
final class RpcAttacks {
    private static final byte[] PREAMBLE = {'A', 'M', 'O', 'R', 4};
    private static final int MAGIC = 0xA1;

    /** A handshake record of TLS 1.0. */
    private static final byte[] TLS_GREETING = {22, 3, 1};

    private static final int LONG_NAMES = 100;
    private static final int LONG_NAME = 100;
    private static final int UNREAD_CONNECTIONS = 60;
    private static final int UNREAD_REPLY_BYTES = 200_000;

    private RpcAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onCounter(
                        "hello-churn",
                        "connections that greet with the right proof, that of another secret or none, 200 a second",
                        RpcAttacks::churn),
                Attack.onCounter(
                        "frame-lengths",
                        "1,000 strangers that claim frames of 0 to 2^32 - 1 bytes",
                        RpcAttacks::lengths),
                Attack.onCounter(
                        "frame-lengths-inside",
                        "200 clients with the secret claim frames of 64 MB, send 64 kB of them and stop",
                        RpcAttacks::lengthsInside),
                Attack.onCounter(
                        "frame-rubbish",
                        "frames of unknown kinds and random bytes of a client with the secret, and TLS greetings of strangers,"
                                + " 400 a second",
                        RpcAttacks::rubbish),
                Attack.onCounter(
                        "replay-sealed",
                        "sealed frames of one connection are sent again on it and on others, 200 a second",
                        RpcAttacks::replaySealed),
                Attack.onCounter(
                        "bad-calls",
                        "a client with the secret calls unknown methods, or with unreadable arguments, 500 a"
                                + " second",
                        (target, pace) ->
                                bodies(target, pace, 500, i -> i % 2 == 0 ? unknownMethod(i) : badArguments(i / 2))),
                Attack.onCounter(
                        "java-large-requests", "40 requests of 8 MB of a client with the secret", (target, pace) -> {
                            byte[] body = new byte[8 << 20];
                            bodies(target, pace, 10, i -> i < 40 ? body : new byte[1]);
                        }),
                Attack.onCounter(
                                "java-unread-replies",
                                "a client with the secret makes 100 counters with long names, asks for all counters, 500 a second, and"
                                        + " reads no reply",
                                RpcAttacks::unread)
                        .thatLeaves("counters with long names, so that a reply with all counters is long"),
                Attack.onCounter(
                        "java-unread-large-replies",
                        "60 connections with the secret to one member ask for 200 kB a time, 150 a second, acknowledge each call from"
                                + " another connection and read no reply",
                        RpcAttacks::unreadLarge),
                Attack.onCounter(
                                "java-never-acknowledges",
                                "a client with the secret makes 60,000 calls and acknowledges none, 1,500 a second",
                                RpcAttacks::neverAcknowledges)
                        .thatLeaves("60,000 replies, kept for the retention"),
                Attack.onCounter(
                        "ask-flood", "questions to members, beside the order, 2,000 a second", RpcAttacks::asks));
    }

    /** The body of one request. */
    @FunctionalInterface
    private interface Body {
        byte[] of(int index);
    }

    private static byte[] salt(Random random) {
        byte[] salt = new byte[RpcWire.SALT_BYTES];
        random.nextBytes(salt);
        return salt;
    }

    private static void churn(Target target, AttackRate pace) throws InterruptedException {
        Random random = target.random();
        byte[] right = RpcWire.key(target);
        byte[] wrong = RpcWire.key(target.group(), "the secret of another group");
        pace.each(Integer.MAX_VALUE, 200, i -> {
            try (Wire wire = target.client(i / 3)) {
                byte[] salt = salt(random);
                if (i % 3 == 0) {
                    RpcWire.greet(target, right, salt, wire);
                } else {
                    byte[] proof = i % 3 == 1 ? RpcWire.proof(wrong, salt) : new byte[salt.length];
                    wire.send(RpcWire.hello(target, salt, proof));
                    wire.drain();
                }
            }
        });
    }

    private static void lengths(Target target, AttackRate pace) throws InterruptedException {
        int[] claims = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1_025, 64 << 20, 1_024};
        pace.each(1_000, 200, i -> target.client(i)
                .send(ByteBuffer.allocate(20)
                        .put(PREAMBLE)
                        .putInt(claims[i % claims.length])
                        .array()));
        pace.hold();
    }

    private static void lengthsInside(Target target, AttackRate pace) throws InterruptedException {
        Random random = target.random();
        byte[] key = RpcWire.key(target);
        pace.each(200, 50, i -> {
            RpcWire client = RpcWire.greet(target, key, salt(random), target.client(i));
            client.wire().send(ByteBuffer.allocate(4).putInt(64 << 20).array()).send(new byte[64 << 10]);
        });
        pace.hold();
    }

    private static void rubbish(Target target, AttackRate pace) throws InterruptedException {
        Random random = target.random();
        byte[] key = RpcWire.key(target);
        pace.each(Integer.MAX_VALUE, 400, i -> {
            byte[] bytes = new byte[5 + random.nextInt(400)];
            random.nextBytes(bytes);
            try (Wire wire = target.client(i)) {
                if (i % 2 == 0) {
                    bytes[0] = (byte) (i / 2 % 16);
                    RpcWire.greet(target, key, salt(random), wire).send(bytes);
                } else {
                    System.arraycopy(TLS_GREETING, 0, bytes, 0, TLS_GREETING.length);
                    wire.send(bytes);
                }
                wire.drain();
            }
        });
    }

    private static void replaySealed(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        Random random = target.random();
        byte[] key = RpcWire.key(target);
        byte[] add = RpcWire.add(account);
        long[] answered = new long[1];
        long[] sent = new long[1];
        try {
            pace.each(Integer.MAX_VALUE, 50, i -> {
                try (Wire one = target.client(i);
                        Wire other = target.client(i + 1)) {
                    RpcWire client = RpcWire.greet(target, key, salt(random), one);
                    RpcWire second = RpcWire.greet(target, key, salt(random), other);
                    long stamp = Math.max(client.receiveBound() + 1, System.currentTimeMillis());
                    byte[] sealed = client.seal(RpcWire.request(
                            1,
                            new ClientId(random.nextLong(), i),
                            new RequestContext.Call(1, stamp, stamp + 10_000),
                            FinishedNumbers.NONE,
                            add));
                    sent[0]++;
                    one.send(sealed);
                    second.wire().send(sealed);
                    if (client.receiveReply()) {
                        answered[0]++;
                    }
                    one.send(sealed);
                    one.drain();
                }
            });
        } finally {
            target.expectSome(account, answered[0], sent[0]);
        }
    }

    /** Requests of one client with the secret; answers are read and thrown away. */
    private static void bodies(Target target, AttackRate pace, double perSecond, Body body)
            throws InterruptedException {
        Random random = target.random();
        byte[] key = RpcWire.key(target);
        ClientId id = new ClientId(random.nextLong(), random.nextLong());
        RpcWire[] clients = new RpcWire[3];
        pace.each(Integer.MAX_VALUE, perSecond, i -> {
            int at = i % clients.length;
            RpcWire client = clients[at];
            if (client == null) {
                client = RpcWire.greet(target, key, salt(random), target.client(at));
                client.receiveBound();
                clients[at] = client;
            }
            long stamp = Math.max(1, System.currentTimeMillis());
            try {
                client.send(RpcWire.request(
                        i + 1L,
                        id,
                        new RequestContext.Call(i + 1L, stamp, stamp + 10_000),
                        i > 50 ? FinishedNumbers.of(i - 50) : FinishedNumbers.NONE,
                        body.of(i)));
                client.wire().drain();
            } catch (IOException e) {
                clients[at] = null;
                client.wire().close();
                throw e;
            }
        });
    }

    private static byte[] unknownMethod(int index) {
        WireWriter writer = new WireWriter(64);
        writer.u8(MAGIC);
        writer.text("method" + index);
        writer.i64(index);
        return writer.toBytes();
    }

    private static byte[] badArguments(int index) {
        WireWriter writer = new WireWriter(64);
        writer.u8(index % 3 == 0 ? 0 : MAGIC);
        writer.varint(index % 2 == 0 ? 3 : 1L << 40);
        writer.raw("add".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, 3);
        writer.i64(index);
        writer.varint(Long.MAX_VALUE);
        return writer.toBytes();
    }

    private static void unread(Target target, AttackRate pace) throws InterruptedException {
        RpcWire[] clients = new RpcWire[6];
        byte[] key = RpcWire.key(target);
        Random random = target.random();
        ClientId id = new ClientId(random.nextLong(), random.nextLong());
        String name = target.account("x".repeat(LONG_NAME));
        byte[] all = RpcWire.call("all", "all:map String to Long", arguments -> {});
        pace.each(Integer.MAX_VALUE, 500, i -> {
            int at = i % clients.length;
            if (clients[at] == null) {
                clients[at] = RpcWire.greet(target, key, salt(random), target.client(at));
            }
            long stamp = System.currentTimeMillis();
            try {
                clients[at].send(RpcWire.request(
                        i + 1L,
                        id,
                        new RequestContext.Call(i + 1L, stamp, stamp + 10_000),
                        FinishedNumbers.NONE,
                        i < LONG_NAMES ? RpcWire.add(name + i) : all));
            } catch (IOException e) {
                clients[at].wire().close();
                clients[at] = null;
                throw e;
            }
        });
    }

    private static void unreadLarge(Target target, AttackRate pace) throws InterruptedException {
        byte[] key = RpcWire.key(target);
        byte[] body = RpcWire.call("bulk", "bulk,int:byte[]", arguments -> arguments.i32(UNREAD_REPLY_BYTES));
        ClientId[] ids = new ClientId[UNREAD_CONNECTIONS];
        RpcWire[] askers = new RpcWire[ids.length];
        RpcWire[] acknowledgers = new RpcWire[ids.length];
        pace.crew(ids.length, Integer.MAX_VALUE, 150, i -> {
            int at = i % ids.length;
            if (askers[at] == null) {
                Random random = target.random();
                ids[at] = new ClientId(random.nextLong(), at);
                askers[at] = RpcWire.greet(target, key, salt(random), target.client(0));
                acknowledgers[at] = RpcWire.greet(target, key, salt(random), target.client(0));
            }
            long number = i / ids.length + 1L;
            long stamp = System.currentTimeMillis();
            try {
                askers[at].send(RpcWire.request(
                        number,
                        ids[at],
                        new RequestContext.Call(number, stamp, stamp + 10_000),
                        FinishedNumbers.NONE,
                        body));
                acknowledgers[at].send(RpcWire.finished(ids[at], FinishedNumbers.of(number - 1)));
                acknowledgers[at].wire().drain();
            } catch (IOException e) {
                askers[at].wire().close();
                acknowledgers[at].wire().close();
                askers[at] = null;
                throw e;
            }
        });
    }

    private static void neverAcknowledges(Target target, AttackRate pace) throws InterruptedException {
        byte[] key = RpcWire.key(target);
        Random random = target.random();
        ClientId id = new ClientId(random.nextLong(), random.nextLong());
        String account = target.account();
        byte[] add = RpcWire.add(account);
        long[] sent = new long[1];
        RpcWire[] clients = new RpcWire[1];
        try {
            pace.each(60_000, 1_500, i -> {
                if (clients[0] == null) {
                    clients[0] = RpcWire.greet(target, key, salt(random), target.client(i));
                }
                long stamp = System.currentTimeMillis();
                byte[] request = RpcWire.request(
                        i + 1L, id, new RequestContext.Call(i + 1L, stamp, stamp + 60_000), FinishedNumbers.NONE, add);
                sent[0]++;
                send(clients, request);
            });
            pace.hold();
        } finally {
            target.expectSome(account, 0, sent[0]);
        }
    }

    /** Sends over the only connection, whose answers are not read; one that the member has ended is given up. */
    private static void send(RpcWire[] clients, byte[] frame) throws IOException {
        try {
            clients[0].send(frame).wire().drain();
        } catch (IOException e) {
            clients[0].wire().close();
            clients[0] = null;
            throw e;
        }
    }

    private static void asks(Target target, AttackRate pace) throws InterruptedException {
        byte[] key = RpcWire.key(target);
        Random random = target.random();
        RpcWire[] clients = new RpcWire[1];
        pace.each(Integer.MAX_VALUE, 2_000, i -> {
            if (clients[0] == null) {
                clients[0] = RpcWire.greet(target, key, salt(random), target.client(i));
            }
            WireWriter writer = new WireWriter(64);
            writer.u8(RpcWire.ASK);
            writer.varint(i + 1L);
            writer.raw(new byte[40], 0, 40);
            send(clients, writer.toBytes());
        });
    }
}
