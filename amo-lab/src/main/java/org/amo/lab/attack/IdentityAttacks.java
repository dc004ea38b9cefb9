package org.amo.lab.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/** Clients that use the right format and break the rules: numbers, acknowledgements, times, copies. */
final class IdentityAttacks {
    private static final long LARGEST_NUMBER = 1L << 60;
    private static final long CENTURY_MILLIS = 3_155_760_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final int MILLION = 1_000_000;
    private static final int RECORDED = 500;

    /** Of the group whose calls are replayed. Shorter than the default, so that the attack outlasts it. */
    private static final long RETENTION_MILLIS = 10_000;

    /** From the last replay until the group has forgotten the client: the retention, and room for a slow machine. */
    private static final long FORGOTTEN_MILLIS = RETENTION_MILLIS + 5_000;

    private static final long PATIENT_MILLIS = 300_000;

    private IdentityAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                        "forged-sacks",
                        "acknowledgements in the name of another client, before and after its calls run, 200 a second",
                        IdentityAttacks::forged),
                Attack.onBank(
                        "absurd-ranges",
                        "acknowledgements of 2^60 numbers, of 2,000 ranges, of numbers never sent, 500 a second",
                        IdentityAttacks::absurd),
                Attack.onBank(
                                "million-ids",
                                "one client acknowledges a million numbers, every other one, so that nothing merges",
                                IdentityAttacks::millionIds)
                        .thatLeaves("as many ranges as members keep of one client"),
                Attack.onBank(
                                "many-clients",
                                "100,000 clients with one call each, 2,000 a second",
                                (target, pace) -> manyClients(target, pace, RawClient.LIFE_MILLIS))
                        .thatLeaves("100,000 clients, kept for the retention"),
                Attack.onBank(
                                "patient-clients",
                                "100,000 clients with one call each, with deadlines in five minutes, 2,000 a second",
                                (target, pace) -> manyClients(target, pace, PATIENT_MILLIS))
                        .thatLeaves("the replies of as many as members take, for five minutes"),
                Attack.onBank(
                                "never-acknowledges",
                                "one client makes 60,000 calls and acknowledges none, 1,500 a second",
                                IdentityAttacks::neverAcknowledges)
                        .thatLeaves("60,000 replies, kept for the retention"),
                Attack.onBank(
                        "times",
                        "calls stamped an hour to centuries ahead and behind, with deadlines of zero to centuries, 500 a second",
                        IdentityAttacks::times),
                Attack.onBank(
                                "replay-day",
                                "500 calls are recorded and replayed to all members, 1,000 a second: ten times while the group keeps"
                                        + " their ids, and again when its retention, 10 s in place of 5 min, has passed",
                                IdentityAttacks::replay)
                        .onMembersWith(
                                "-Damo.retentionMillis=" + RETENTION_MILLIS,
                                "-Damo.defaultDeadlineMillis=" + RETENTION_MILLIS / 2),
                Attack.onBank(
                        "retry-storm",
                        "1,000 attempts of each request at once, to all members, 2,000 a second",
                        IdentityAttacks::storm),
                Attack.onBank(
                        "id-reuse", "ids of executed calls with other bodies, 500 a second", IdentityAttacks::reuse),
                Attack.onBank("many-oneways", "oneway calls without an id, 2,000 a second", IdentityAttacks::oneways));
    }

    private static byte[] key(Target target) throws IOException {
        return Giop.objectKey(target.reference());
    }

    /** The victim's calls are answered one by one while others acknowledge them too early. */
    private static void forged(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        RawClient victim = new RawClient(key(target), target.random());
        RawClient forger = new RawClient(key(target), victim.id());
        long[] answered = new long[1];
        int[] sent = new int[1];
        try (Wire own = target.client(0);
                Wire other = target.client(1)) {
            victim.learn(own);
            pace.each(Integer.MAX_VALUE, 200, i -> {
                RequestContext.Call call = victim.next();
                if (i % 2 == 0) {
                    // Seldom the next calls too: of most of the others the acknowledgement comes after they ran.
                    long last = call.number() + (i % 20 == 0 ? 4 : 0);
                    other.send(forger.acknowledge(only(call.number(), last)));
                }
                sent[0]++;
                own.send(victim.deposit(call, account));
                other.send(forger.acknowledge(only(call.number(), call.number())));
                other.drain();
                if (victim.answer(own).isResult()) {
                    answered[0]++;
                }
            });
        } finally {
            target.expectSome(account, answered[0], sent[0]);
        }
    }

    /** These numbers and no others; the first number of all begins the floor. */
    private static FinishedNumbers only(long first, long last) {
        return first == 1 ? FinishedNumbers.of(last) : FinishedNumbers.of(0, first, last);
    }

    private static void absurd(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        long[] ranges = new long[2 * FinishedNumbers.MAX_RANGES];
        for (int i = 0; i < ranges.length; i += 2) {
            ranges[i] = 10 + i * 1_000_000L;
            ranges[i + 1] = ranges[i] + 999_999;
        }
        byte[] key = key(target);
        Wire[] wires = new Wire[3];
        pace.each(Integer.MAX_VALUE, 500, i -> {
            RawClient client = new RawClient(key, new ClientId(random.nextLong(), i % 20));
            FinishedNumbers finished =
                    switch (i % 4) {
                        case 0 -> FinishedNumbers.of(LARGEST_NUMBER);
                        case 1 -> FinishedNumbers.of(0, ranges);
                        case 2 -> FinishedNumbers.of(0, LARGEST_NUMBER, LARGEST_NUMBER);
                        default -> FinishedNumbers.of(1_000_000_000, 2_000_000_000, LARGEST_NUMBER - 1);
                    };
            int at = i % wires.length;
            if (wires[at] == null) {
                wires[at] = target.client(at);
            }
            try {
                wires[at].send(client.acknowledge(finished)).drain();
            } catch (IOException e) {
                wires[at].close();
                wires[at] = null;
                throw e;
            }
        });
    }

    private static void millionIds(Target target, AttackRate pace) throws IOException, InterruptedException {
        RawClient client = new RawClient(key(target), target.random());
        String account = target.account();
        int perMessage = 1_600;
        try (Wire wire = target.client(0)) {
            client.learn(wire);
            // The members keep ranges of clients that they know.
            wire.send(client.deposit(client.next(), account));
            client.answer(wire);
            pace.each(MILLION / perMessage, 50, i -> {
                long[] ranges = new long[2 * perMessage];
                for (int r = 0; r < perMessage; r++) {
                    ranges[2 * r] = 2L * ((long) i * perMessage + r) + 4;
                    ranges[2 * r + 1] = ranges[2 * r];
                }
                wire.send(client.acknowledge(FinishedNumbers.of(0, ranges)));
                wire.drain();
            });
            pace.hold();
        }
        target.expectSome(account, 0, 1);
    }

    /** Calls of one client, many under way at once, every third of them after a gap; answers are counted. */
    private static void neverAcknowledges(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        RawClient client = new RawClient(key(target), target.random());
        Answers answers = new Answers();
        int[] sent = new int[1];
        try (Wire wire = target.client(0)) {
            client.learn(wire);
            answers.read(wire);
            pace.each(60_000, 1_500, i -> {
                sent[0]++;
                wire.send(client.deposit(client.call(1 + i + i / 3), account));
            });
            pace.hold();
        } finally {
            answers.end();
            target.expectSome(account, answers.results(), sent[0]);
        }
    }

    private static void manyClients(Target target, AttackRate pace, long lifeMillis)
            throws IOException, InterruptedException {
        String account = target.account();
        Random random = target.random();
        byte[] key = key(target);
        List<Answers> answers = new ArrayList<>();
        int[] sent = new int[1];
        try {
            List<Wire> wires = new ArrayList<>();
            RawClient clock = new RawClient(key, random);
            for (int i = 0; i < 3; i++) {
                Wire wire = target.client(i);
                clock.learn(wire);
                Answers reader = new Answers();
                reader.read(wire);
                answers.add(reader);
                wires.add(wire);
            }
            pace.each(100_000, 2_000, i -> {
                RawClient client = new RawClient(key, random);
                sent[0]++;
                wires.get(i % wires.size()).send(client.deposit(clock.call(1, lifeMillis), account));
            });
            pace.hold();
        } finally {
            answers.forEach(Answers::end);
            target.expectSome(
                    account, answers.stream().mapToLong(Answers::results).sum(), sent[0]);
        }
    }

    private static void times(Target target, AttackRate pace) throws IOException, InterruptedException {
        long[] shifts = {
            0, HOUR_MILLIS, -HOUR_MILLIS, CENTURY_MILLIS, -CENTURY_MILLIS, 1_900, -290_000, 2_100, -310_000, 86_400_000
        };
        long[] lives = {RawClient.LIFE_MILLIS, 0, 1, CENTURY_MILLIS, 60 * CENTURY_MILLIS, 600_000, 10};
        String account = target.account();
        byte[] key = key(target);
        RawClient clock = new RawClient(key, target.random());
        try (Wire first = target.client(0)) {
            clock.learn(first);
        }
        AtomicLong sent = new AtomicLong();
        try {
            GiopAttacks.flood(target, pace, key, 500, (same, i) -> {
                RawClient client = new RawClient(same, new ClientId(7, i % 200));
                long timestamp = Math.min(1L << 48, Math.max(0, clock.now() + shifts[i % shifts.length]));
                long life = Math.min((1L << 48) - timestamp, lives[i / shifts.length % lives.length]);
                sent.incrementAndGet();
                return client.deposit(new RequestContext.Call(1 + i / 200, timestamp, timestamp + life), account);
            });
        } finally {
            target.expectSome(account, 0, sent.get());
        }
    }

    private static void replay(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        byte[] key = key(target);
        RawClient client = new RawClient(key, target.random());
        List<byte[]> recorded = new ArrayList<>();
        long[] answered = new long[1];
        try {
            try (Wire wire = target.client(0)) {
                client.learn(wire);
                pace.each(RECORDED, 500, i -> {
                    RequestContext.Call call = client.next();
                    FinishedNumbers finished =
                            call.number() > 1 ? FinishedNumbers.of(call.number() - 1) : FinishedNumbers.NONE;
                    byte[] request = client.deposit(call, finished, account);
                    recorded.add(request);
                    wire.send(request);
                    if (client.answer(wire).isResult()) {
                        answered[0]++;
                    }
                });
            }
            GiopAttacks.Message next = (same, i) -> recorded.get(i % recorded.size());
            GiopAttacks.flood(target, pace, key, 10 * RECORDED, 1_000, next);
            // A record that hears nothing for the retention goes. From then on only the bound refuses its numbers.
            pace.hold(FORGOTTEN_MILLIS);
            replayForgotten(target, pace, recorded);
            GiopAttacks.flood(target, pace, key, 1_000, next);
        } finally {
            target.expectSome(account, answered[0], recorded.size());
        }
    }

    /** Each call once more, all of them older than the retention. */
    private static void replayForgotten(Target target, AttackRate pace, List<byte[]> recorded)
            throws IOException, InterruptedException {
        if (!pace.goesOn()) {
            target.fail("the attack ended before the group had forgotten the calls; give it --duration 30s");
            return;
        }
        LateReplays replays = new LateReplays(recorded.size());
        Wire[] wires = new Wire[target.members().size()];
        pace.each(recorded.size(), 1_000, i -> {
            int at = i % wires.length;
            Wire wire = wires[at] == null ? target.client(at) : wires[at];
            wires[at] = wire;
            try {
                wire.send(recorded.get(i));
                replays.answered(Giop.readReply(wire.in()));
            } catch (IOException e) {
                wires[at] = null; // an answer that comes late would be taken for that of the next call
                wire.close();
                throw e;
            }
        });
        for (Wire wire : wires) {
            if (wire != null) {
                wire.close();
            }
        }
        target.note(replays.summary());
        replays.faults(pace.goesOn()).forEach(target::fail);
    }

    private static void storm(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        RawClient client = new RawClient(key(target), target.random());
        try (Wire first = target.client(0)) {
            client.learn(first);
        }
        List<byte[]> requests = new ArrayList<>();
        try {
            for (int round = 0; pace.goesOn(); round++) {
                byte[] request = client.deposit(client.call(round + 1), account);
                requests.add(request);
                Wire[] wires = new Wire[12];
                pace.crew(3, 1_000, 2_000, i -> {
                    int at = i % wires.length;
                    if (wires[at] == null) {
                        wires[at] = target.client(at);
                    }
                    wires[at].send(request);
                    wires[at].drain();
                });
                for (Wire wire : wires) {
                    if (wire != null) {
                        wire.close();
                    }
                }
            }
        } finally {
            target.expectSome(account, 0, requests.size());
        }
    }

    private static void reuse(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        String other = target.account("other");
        RawClient client = new RawClient(key(target), target.random());
        long[] answered = new long[1];
        int[] sent = new int[1];
        try (Wire wire = target.client(0)) {
            client.learn(wire);
            pace.each(Integer.MAX_VALUE, 100, i -> {
                RequestContext.Call call = client.next();
                sent[0]++;
                wire.send(client.deposit(call, account));
                if (client.answer(wire).isResult()) {
                    answered[0]++;
                    for (int again = 0; again < 4; again++) {
                        wire.send(client.deposit(call, other));
                        client.answer(wire);
                    }
                }
            });
        } finally {
            target.expectSome(account, answered[0], sent[0]);
            target.expect(other, 0, 0);
        }
    }

    private static void oneways(Target target, AttackRate pace) throws IOException, InterruptedException {
        String account = target.account();
        GiopAttacks.flood(
                target,
                pace,
                2_000,
                (key, i) -> Giop.message(Giop.REQUEST, false, out -> out.uLong(i)
                        .octet(0)
                        .octet(0)
                        .octet(0)
                        .octet(0)
                        .uShort(0)
                        .octets(key)
                        .string("note")
                        .uLong(0)
                        .align(8)
                        .string(account)));
    }
}
