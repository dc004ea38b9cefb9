package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.amo.core.order.ReadRounds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds read indexes among the members of a RAFT log ({@link ReadRounds}), as positions of the log: RAFT's own entries have an
 * index and no position. A member asks its leader; the leader asks all others to confirm its term, and answers once a majority
 * has, and it has itself delivered what it knew to be committed. Messages may be lost; the asker asks again.
 *
 * <p>RAFT's thread owns it, between two messages.
 */
final class ReadIndexes {
    private static final Logger LOG = LoggerFactory.getLogger(ReadIndexes.class);

    /** The log around it. */
    interface Group {
        String self();

        /** Of this member's configuration. */
        List<String> members();

        /** Of the last entry that was delivered here. */
        long position();

        void send(String member, byte kind, byte[] message);

        /** To this member's own listener. */
        void found(long question, long position);

        void refused(long question);
    }

    /** A member and its question. */
    private record Asker(String member, long question) {}

    /** A found index, behind which the leader's own deliveries are. */
    private record Found(Asker asker, long term, long index) {}

    private final GuardedRaft raft;
    private final Group group;
    private final ReadRounds<Asker> rounds = new ReadRounds<>(new Leading());
    private final List<Found> undelivered = new ArrayList<>();

    ReadIndexes(GuardedRaft raft, Group group) {
        this.raft = raft;
        this.group = group;
    }

    /** This member asks, and leads, as far as it knew. */
    void onAsked(String member, long question) {
        rounds.ask(new Asker(member, question));
    }

    void onAsked(String member, byte[] message) {
        read(message, 1, fields -> onAsked(member, fields[0]));
    }

    /** A leader asks whether this member knows a later term. */
    void onConfirmationAsked(String leader, byte[] message) {
        read(message, 2, fields -> {
            if (raft.confirms(fields[0])) {
                group.send(leader, RaftLog.CONFIRMED, message);
            }
        });
    }

    void onConfirmed(String member, byte[] message) {
        read(message, 2, fields -> rounds.onConfirmed(member, fields[0], fields[1]));
    }

    /** The leader's answer to a question of this member. */
    void onAnswered(String leader, byte[] message) {
        read(message, 4, fields -> {
            // It may know of no later commit for a while, if no entry follows.
            raft.onCommitted(leader, fields[1], fields[2]);
            group.found(fields[0], fields[3]);
        });
    }

    void onRefused(byte[] message) {
        read(message, 1, fields -> group.refused(fields[0]));
    }

    /** Whether ticks are needed. */
    boolean isBusy() {
        return rounds.isBusy() || !undelivered.isEmpty();
    }

    void onTick() {
        rounds.onTick();
        onDelivered();
    }

    /** An entry was delivered here. */
    void onDelivered() {
        if (!undelivered.isEmpty()) {
            List<Found> ready = undelivered.stream()
                    .filter(found -> raft.hasDelivered(found.index))
                    .toList();
            undelivered.removeAll(ready);
            ready.forEach(this::answer);
        }
    }

    private void answer(Found found) {
        long position = group.position();
        if (found.asker.member.equals(group.self())) {
            group.found(found.asker.question, position);
        } else {
            group.send(
                    found.asker.member,
                    RaftLog.READ_INDEX,
                    message(found.asker.question, found.term, found.index, position));
        }
    }

    static byte[] message(long... fields) {
        ByteBuffer bytes = ByteBuffer.allocate(fields.length * Long.BYTES);
        for (long field : fields) {
            bytes.putLong(field);
        }
        return bytes.array();
    }

    private static void read(byte[] message, int count, Consumer<long[]> taken) {
        if (message.length != count * Long.BYTES) {
            LOG.debug("a message about read indexes with {} bytes dropped", message.length);
            return;
        }
        long[] fields = new long[count];
        ByteBuffer.wrap(message).asLongBuffer().get(fields);
        taken.accept(fields);
    }

    private final class Leading implements ReadRounds.Leader<Asker> {
        @Override
        public OptionalLong term() {
            return raft.leadingTerm();
        }

        @Override
        public boolean hasCommittedInTerm() {
            return raft.leadingTerm().equals(OptionalLong.of(raft.committedTerm()));
        }

        @Override
        public long committed() {
            return raft.known();
        }

        @Override
        public int majority() {
            return group.members().size() / 2 + 1;
        }

        @Override
        public boolean isMember(String member) {
            return group.members().contains(member);
        }

        @Override
        public String self() {
            return group.self();
        }

        @Override
        public void askToConfirm(long term, long round) {
            byte[] message = message(term, round);
            for (String member : group.members()) {
                if (!member.equals(group.self())) {
                    group.send(member, RaftLog.CONFIRM, message);
                }
            }
        }

        @Override
        public void found(Asker asker, long term, long index) {
            Found found = new Found(asker, term, index);
            if (raft.hasDelivered(index)) {
                answer(found);
            } else {
                undelivered.add(found);
            }
        }

        @Override
        public void refused(Asker asker) {
            if (asker.member.equals(group.self())) {
                group.refused(asker.question);
            } else {
                group.send(asker.member, RaftLog.NO_READ_INDEX, message(asker.question));
            }
        }
    }
}
