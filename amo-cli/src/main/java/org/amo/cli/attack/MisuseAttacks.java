package org.amo.cli.attack;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;

/** Requests that are right, for operations that should never have been offered. */
final class MisuseAttacks {
    private static final int REPLY_BYTES = 1 << 20;
    private static final double POISON_A_SECOND = 0.2;

    private MisuseAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                                "poison-stack",
                                "an operation that calls itself without end, every 5 s",
                                (target, pace) -> victim(target, pace, POISON_A_SECOND, Integer.MAX_VALUE, "descend"))
                        .thatMayEndMembers(),
                Attack.onBank(
                                "poison-heap",
                                "an operation that allocates without bound, every 5 s",
                                (target, pace) -> victim(target, pace, POISON_A_SECOND, Integer.MAX_VALUE, "allocate"))
                        .thatMayEndMembers(),
                Attack.onBank(
                        "poison-assertion",
                        "an operation that ends in an AssertionError, 10 a second",
                        (target, pace) -> victim(target, pace, 10, Integer.MAX_VALUE, "fail")),
                Attack.onBank(
                        "reply-bombs",
                        "400 calls with a reply of 1 MB each, none of them acknowledged",
                        (target, pace) -> victim(target, pace, 40, 400, "bulk")),
                Attack.onCounter(
                                "java-poison",
                                "methods that call themselves or allocate without end, every 5 s",
                                (target, pace) -> call(
                                        target,
                                        pace,
                                        POISON_A_SECOND,
                                        Integer.MAX_VALUE,
                                        (counters, i) -> i % 2 == 0 ? counters.descend() : counters.allocate()))
                        .thatMayEndMembers(),
                Attack.onCounter(
                        "java-poison-assertion",
                        "a method that ends in an AssertionError, 10 a second",
                        (target, pace) ->
                                call(target, pace, 10, Integer.MAX_VALUE, (counters, i) -> counters.fail())),
                Attack.onCounter(
                        "java-reply-bombs",
                        "400 calls with a reply of 1 MB each",
                        (target, pace) -> call(target, pace, 40, 400, (counters, i) -> counters.bulk(REPLY_BYTES))));
    }

    private static void victim(Target target, Pace pace, double perSecond, long most, String operation)
            throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.victim());
        RawClient clock = new RawClient(Giop.objectKey(target.reference()), target.random());
        try (Wire wire = target.client(0)) {
            clock.learn(wire);
        }
        RawClient client = new RawClient(key, clock.id());
        pace.each(most, perSecond, i -> {
            try (Wire wire = target.client(i)) {
                clock.learn(wire);
                wire.send(client.request(
                        clock.call(i + 2L),
                        org.amo.core.sack.FinishedNumbers.NONE,
                        operation,
                        out -> out.uLong(REPLY_BYTES)));
                Giop.readReply(wire.in());
            }
        });
        pace.hold();
    }

    @FunctionalInterface
    private interface Misused {
        Object call(AttackedCounters counters, int index);
    }

    private static void call(Target target, Pace pace, double perSecond, long most, Misused misused)
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
