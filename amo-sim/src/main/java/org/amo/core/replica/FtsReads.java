package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.core.order.ReadRounds;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.sim.SimViolationException;

/**
 * Reads beside the order, by read indexes. A linearizable read must see every call that was answered, and every state that an earlier
 * linearizable read saw, before it began; a stale one those from before its age. Drawn apart from the world, so that the rest of a run is the
 * same with and without them.
 */
final class FtsReads {
    private static final double STALE = 0.5;
    private static final long MOST_AGE_MILLIS = 400;
    private static final long SHORTEST_MILLIS = 200;
    private static final long LONGEST_MILLIS = 3_000;
    private static final long MOST_PAUSE_MICROS = 240_000;
    private static final int READS_OF_NEW_LEADER = 4;

    /** So many calls are looked for in the state itself, older ones by their position. */
    private static final int LATEST = 20;

    private static final double LOST = 0.06;
    private static final double SLOW = 0.10;

    /** Reads that find an index too early, or run too early. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(
                plant = "read-before-apply",
                is = "a member runs a read before the entries up to the read index are delivered to it")
        BEFORE_APPLY,
        @Bug(plant = "read-before-execution", is = "a member runs a read in front of delivered requests that wait")
        BEFORE_EXECUTION,
        @Bug(plant = "read-unconfirmed", is = "a leader names a read index without a round of confirmations")
        UNCONFIRMED,
        @Bug(
                plant = "read-index-of-old-term",
                is = "a new leader names a read index before an entry of its term is committed")
        OLDER_TERM,
        @Bug(plant = "stale-from-answer", is = "a stale read counts its age from the answer instead of the question")
        AGE_FROM_ANSWER;

        ReplicaReads reads(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
            return new ReplicaReads(options.incarnation(), effects, group) {
                @Override
                long freshSince(long askedMillis, long answeredMillis) {
                    return Mutant.this == AGE_FROM_ANSWER
                            ? answeredMillis
                            : super.freshSince(askedMillis, answeredMillis);
                }

                @Override
                boolean isReady(long position) {
                    return super.isReady(position) || Mutant.this == BEFORE_APPLY;
                }
            };
        }

        <A> ReadRounds<A> rounds(ReadRounds.Leader<A> leader) {
            return new ReadRounds<>(leader) {
                @Override
                protected boolean mayName() {
                    return super.mayName()
                            || (Mutant.this == OLDER_TERM && leader.term().isPresent());
                }

                @Override
                protected boolean isConfirmed(int members) {
                    return super.isConfirmed(members) || Mutant.this == UNCONFIRMED;
                }
            };
        }
    }

    private final SplittableRandom random;
    private final boolean on;
    private final Mutant mutant;
    private final Map<Long, Started> open = new HashMap<>();

    /** Of this life of the group, in the order of time: calls that were answered, and states that were read. */
    private final List<Known> known = new ArrayList<>();

    private int knownLife;
    private long lastRead;
    private long results;

    /**
     * @param call 0 for a read
     * @param position the largest up to here
     */
    private record Known(long micros, long call, long position) {}

    private record Started(int life, long fromMicros, boolean linearizable, String member) {}

    FtsReads(long seed, boolean on, Mutant mutant) {
        // Other numbers than those that the world draws from this seed.
        this.random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L + 29);
        this.on = on;
        this.mutant = mutant;
    }

    boolean isOn() {
        return on;
    }

    Mutant mutant() {
        return mutant;
    }

    long results() {
        return results;
    }

    // ------------------------------------------------- the way of the log's messages

    boolean loses() {
        return random.nextDouble() < LOST;
    }

    long latency() {
        return random.nextDouble() < SLOW ? random.nextLong(5_000, 150_000) : random.nextLong(50, 1_500);
    }

    // ------------------------------------------------- reads

    /** Reads at some member now and then, as long as clients call. */
    void start(FtsGroup group) {
        if (on && !group.isQuiet()) {
            group.world().after(random.nextLong(1, MOST_PAUSE_MICROS), () -> {
                read(group, group.node(random.nextInt(group.size())));
                start(group);
            });
        }
    }

    /** A new leader knows least. */
    void onLeader(FtsGroup group, FtsNode node) {
        for (int i = 0; on && i < READS_OF_NEW_LEADER; i++) {
            group.world().after(random.nextLong(1, 3_000), () -> read(group, node));
        }
    }

    private void read(FtsGroup group, FtsNode node) {
        if (!node.process().isRunning() || group.isQuiet()) {
            return;
        }
        long age = random.nextDouble() < STALE ? random.nextLong(1, MOST_AGE_MILLIS) : 0;
        long number = ++lastRead;
        long now = group.world().nowMicros();
        open.put(
                number,
                new Started(
                        group.life(),
                        now - age * 1_000,
                        age == 0,
                        node.process().name()));
        byte[] body = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        node.onRead(new Read(
                body, age, 0, random.nextLong(SHORTEST_MILLIS, LONGEST_MILLIS), answer -> onAnswer(number, answer)));
    }

    private void onAnswer(long number, ReadAnswer answer) {
        Started started = open.remove(number);
        if (started == null) {
            throw new SimViolationException(FtsLedger.UNANSWERED, "read " + number + " is answered twice");
        }
        if (answer.kind() == ReadAnswer.Kind.RESULT) {
            results++;
        }
    }

    /** The servant of this member is read, with everything up to the position in its state. */
    void check(FtsGroup group, Read read, FtsServant servant, long position) {
        Started started = open.get(ByteBuffer.wrap(read.body()).getLong());
        int life = group.life();
        if (started == null || started.life != life) {
            return;
        }
        if (knownLife == life) {
            int count = countBefore(started.fromMicros);
            for (Known each : known.subList(Math.max(0, count - LATEST), count)) {
                if (each.call > 0 && !servant.hasRun(each.call)) {
                    throw new SimViolationException(
                            FtsLedger.STALE_READ,
                            "a read at " + started.member + " of position " + position + " does not see call "
                                    + each.call + ", which was answered before");
                }
            }
            if (count > 0 && known.get(count - 1).position > position) {
                throw new SimViolationException(
                        FtsLedger.STALE_READ,
                        "a read at " + started.member + " saw position " + position + ", and "
                                + known.get(count - 1).position + " was known before");
            }
        }
        if (started.linearizable) {
            know(group, life, 0, position);
        }
    }

    private int countBefore(long micros) {
        int low = 0;
        int high = known.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (known.get(middle).micros < micros) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** A client took the reply to this call, which ran in that life of the group. */
    void answered(FtsGroup group, int life, long call, long position) {
        if (on && life == group.life()) {
            know(group, life, call, position);
        }
    }

    private void know(FtsGroup group, int life, long call, long position) {
        if (knownLife != life) {
            known.clear();
            knownLife = life;
        }
        long before = known.isEmpty() ? 0 : known.get(known.size() - 1).position;
        known.add(new Known(group.world().nowMicros(), call, Math.max(before, position)));
    }
}
