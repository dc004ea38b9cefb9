package org.amo.lab.attack;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;

/** Requests that are right, for operations that should never have been offered. */
final class MisuseAttacks {
    private static final int REPLY_BYTES = 1 << 20;
    private static final int UNREAD_REPLY_BYTES = 200_000;
    private static final String UNACKNOWLEDGED =
            "large replies without an acknowledgement, for which members keep all the room that they give to replies";

    /** Each one ends all members that run it, so that the group stands still for some 10 s: two starts, and the verdict to skip it. */
    private static final double POISON_A_SECOND = 1 / 90.0;

    private MisuseAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                                "poison-stack",
                                "an operation that calls itself without end, every 90 s",
                                (target, pace) -> victim(target, pace, POISON_A_SECOND, Integer.MAX_VALUE, "descend"))
                        .thatMayEndMembers(),
                Attack.onBank(
                                "poison-heap",
                                "an operation that allocates without bound, every 90 s",
                                (target, pace) -> victim(target, pace, POISON_A_SECOND, Integer.MAX_VALUE, "allocate"))
                        .thatMayEndMembers(),
                Attack.onBank(
                        "poison-assertion",
                        "an operation that ends in an AssertionError, 10 a second",
                        (target, pace) -> victim(target, pace, 10, Integer.MAX_VALUE, "fail")),
                Attack.onBank(
                                "reply-bombs",
                                "400 calls with a reply of 1 MB each, none of them acknowledged",
                                (target, pace) -> victim(target, pace, 40, 400, "bulk"))
                        .thatLeaves(UNACKNOWLEDGED),
                Attack.onBank(
                                "reply-burst",
                                "64 calls at once with a reply of 1 MB each, every 15 s, none of them read or acknowledged",
                                MisuseAttacks::burst)
                        .thatLeaves(UNACKNOWLEDGED),
                Attack.onBank(
                                "unread-large-replies",
                                "20 connections ask for 200 kB a time, 150 a second, half of them with amo's numbers, and read no reply",
                                MisuseAttacks::unread)
                        .thatLeaves(UNACKNOWLEDGED),
                Attack.onCounter(
                                "java-poison",
                                "methods that end in an AssertionError, every 5 s, and every 90 s one that calls itself without"
                                        + " end",
                                (target, pace) -> call(target, pace, 1 / 5.0, Integer.MAX_VALUE, MisuseAttacks::misuse))
                        .thatMayEndMembers(),
                Attack.onCounter(
                                "java-poison-heap",
                                "a method that allocates without bound, every 90 s",
                                (target, pace) -> call(
                                        target,
                                        pace,
                                        POISON_A_SECOND,
                                        Integer.MAX_VALUE,
                                        (counters, i) -> counters.allocate()))
                        .thatMayEndMembers(),
                Attack.onCounter(
                        "java-reply-bombs",
                        "400 calls with a reply of 1 MB each",
                        (target, pace) -> call(target, pace, 40, 400, (counters, i) -> counters.bulk(REPLY_BYTES))));
    }

    /** A client that has heard the group's time, from an object that tells it. */
    private static RawClient clock(Target target) throws IOException {
        RawClient clock = new RawClient(Giop.objectKey(target.reference()), target.random());
        try (Wire wire = target.client(0)) {
            return clock.learn(wire);
        }
    }

    private static void victim(Target target, AttackRate pace, double perSecond, long most, String operation)
            throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.victim());
        RawClient clock = clock(target);
        RawClient client = new RawClient(key, clock.id());
        pace.each(most, perSecond, i -> {
            try (Wire wire = target.client(i)) {
                clock.learn(wire);
                wire.send(client.request(
                        clock.call(i + 2L), FinishedNumbers.NONE, operation, out -> out.uLong(REPLY_BYTES)));
                Giop.readReply(wire.in());
            }
        });
        pace.hold();
    }

    /** They are ordered before the first of them has run, so that no member knows how long their replies will be. */
    private static void burst(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.victim());
        RawClient clock = new RawClient(Giop.objectKey(target.reference()), target.random());
        RawClient client = new RawClient(key, clock.id());
        pace.each(Integer.MAX_VALUE, 1 / 15.0, burst -> {
            for (int member = 0; member < 4; member++) {
                try (Wire wire = target.client(member)) {
                    clock.learn(wire);
                    for (int i = 0; i < 16; i++) {
                        wire.send(client.request(
                                clock.call(2L + 64L * burst + 16L * member + i),
                                FinishedNumbers.NONE,
                                "bulk",
                                out -> out.uLong(REPLY_BYTES)));
                    }
                }
            }
        });
    }

    private static void unread(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.victim());
        RawClient clock = clock(target);
        RawClient client = new RawClient(key, clock.id());
        Wire[] wires = new Wire[20];
        pace.crew(wires.length, Integer.MAX_VALUE, 150, i -> {
            int at = i % wires.length;
            if (wires[at] == null) {
                wires[at] = target.client(at);
            }
            Consumer<Cdr> arguments = out -> out.uLong(UNREAD_REPLY_BYTES);
            try {
                wires[at].send(
                        at % 2 == 0
                                ? Giop.request(i, key, "bulk", arguments)
                                : client.request(clock.call(i + 2L), FinishedNumbers.NONE, "bulk", arguments));
            } catch (IOException e) {
                wires[at].close();
                wires[at] = null;
                throw e;
            }
        });
    }

    @FunctionalInterface
    private interface Misused {
        Object call(AttackedCounters counters, int index);
    }

    private static Object misuse(AttackedCounters counters, int index) {
        return index % 18 == 0 ? counters.descend() : counters.fail();
    }

    private static void call(Target target, AttackRate pace, double perSecond, long most, Misused misused)
            throws InterruptedException {
        try (AmoClient client = AmoClient.builder(target.group())
                .members(org.amo.core.order.Member.format(target.members()))
                .secretFile(target.secretFile())
                .deadline(Duration.ofSeconds(5))
                .build()) {
            AttackedCounters counters = client.proxy(AttackedCounters.class);
            pace.each(most, perSecond, i -> {
                try {
                    misused.call(counters, i);
                } catch (AmoException e) {
                    throw new IOException(e);
                }
            });
            pace.hold();
        }
    }
}
