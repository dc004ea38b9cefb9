package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;

/**
 * Takes the reads that arrive at a {@link Replica}. A read runs once every entry up to its read index has been given to the servant; the
 * shell runs it behind them. Reads that come while the question for an index is under way share the next question.
 *
 * <p>A stale read takes the latest index that was found here, if the question for it left within the read's age. So its age counts from
 * this member's own question, by its monotonic clock alone.
 *
 * <p>A read is refused by a member that has diverged or is still behind, without an index within the read's time, and if the
 * entries up to the index do not come in time. The owner of the replica owns it.
 */
public class ReplicaReads {
    /** A question or its answer may have been lost, or the leader been a new one. */
    private static final long ASK_AGAIN_MILLIS = 100;

    private static final String NO_INDEX = "no leader confirmed in time that it leads";

    private final ReplicaEffects effects;
    private final GroupState group;

    /** They share the next question. */
    private List<Waiting> next = new ArrayList<>();

    private Optional<Question> asked = Optional.empty();
    private long lastQuestion;

    /** They have an index that is not delivered here yet. */
    private final PriorityQueue<Indexed> indexed = new PriorityQueue<>(Comparator.comparingLong(Indexed::position));

    /** Of the latest index that was found: its question left at that time. */
    private Optional<Fresh> fresh = Optional.empty();

    private record Waiting(Read read, long endMillis) {}

    private record Indexed(Waiting waiting, long position) {}

    private record Fresh(long sinceMillis, long position) {}

    private static final class Question {
        private final long number;
        private final long sinceMillis;
        private final List<Waiting> reads;
        private long againMillis;

        private Question(long number, long sinceMillis, List<Waiting> reads) {
            this.number = number;
            this.sinceMillis = sinceMillis;
            this.reads = reads;
            this.againMillis = sinceMillis + ASK_AGAIN_MILLIS;
        }
    }

    /** @param incarnation random: no earlier process of this member has asked under the numbers of this one */
    ReplicaReads(long incarnation, ReplicaEffects effects, GroupState group) {
        this.lastQuestion = incarnation;
        this.effects = effects;
        this.group = group;
    }

    /** A read has arrived. */
    public void onRead(Read read, long nowMillis) {
        Waiting waiting = new Waiting(read, nowMillis + read.leftMillis());
        Optional<Fresh> known = fresh.filter(last -> nowMillis - last.sinceMillis < read.mostAgeMillis());
        if (known.isPresent()) {
            onIndex(waiting, known.get().position);
            runReady();
            return;
        }
        next.add(waiting);
        ask(nowMillis);
    }

    private void ask(long nowMillis) {
        if (asked.isEmpty() && !next.isEmpty()) {
            Question question = new Question(++lastQuestion, nowMillis, next);
            next = new ArrayList<>();
            asked = Optional.of(question);
            effects.askReadIndex(question.number);
        }
    }

    /** Everything that any member had delivered before the question is at this position or before it. */
    public void onIndex(long question, long position, long nowMillis) {
        asked.filter(open -> open.number == question).ifPresent(open -> {
            asked = Optional.empty();
            fresh = Optional.of(new Fresh(freshSince(open.sinceMillis, nowMillis), position));
            open.reads.forEach(waiting -> onIndex(waiting, position));
            runReady();
            ask(nowMillis);
        });
    }

    private void onIndex(Waiting waiting, long position) {
        indexed.add(new Indexed(waiting, Math.max(position, waiting.read.after())));
    }

    /** Entries have been delivered, or a snapshot is in place. */
    void onDelivered() {
        if (!indexed.isEmpty()) {
            runReady();
        }
    }

    /** No index is to be had for this question now; it is asked again. */
    public void onNoIndex(long question, long nowMillis) {
        asked.filter(open -> open.number == question)
                .ifPresent(open -> open.againMillis = nowMillis + ASK_AGAIN_MILLIS);
    }

    void onTick(long nowMillis) {
        refuseOverdue(next, nowMillis);
        asked.ifPresent(open -> {
            refuseOverdue(open.reads, nowMillis);
            if (open.reads.isEmpty()) {
                asked = Optional.empty();
            } else if (nowMillis >= open.againMillis) {
                open.againMillis = nowMillis + ASK_AGAIN_MILLIS;
                effects.askReadIndex(open.number);
            }
        });
        indexed.removeIf(each -> isOverdue(
                each.waiting,
                "this member has not executed up to position " + each.position + " in time; it is at "
                        + group.position(),
                nowMillis));
        ask(nowMillis);
    }

    private void refuseOverdue(List<Waiting> reads, long nowMillis) {
        reads.removeIf(waiting -> isOverdue(waiting, NO_INDEX, nowMillis));
    }

    private boolean isOverdue(Waiting waiting, String why, long nowMillis) {
        boolean overdue = nowMillis >= waiting.endMillis;
        if (overdue) {
            effects.answerRead(waiting.read, ReadAnswer.refused(why));
        }
        return overdue;
    }

    private void runReady() {
        List<Read> ready = new ArrayList<>();
        for (Indexed first = indexed.peek(); first != null && isReady(first.position); first = indexed.peek()) {
            ready.add(first.waiting.read);
            indexed.remove();
        }
        if (ready.isEmpty()) {
            return;
        }
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            ready.forEach(read -> effects.answerRead(read, ReadAnswer.refused(obstacle.get())));
        } else {
            effects.runReads(ready, group.position(), group.table().orderedTimeMillis());
        }
    }

    /** From when on the age of an index counts: calls may have been answered while its question was on the way. */
    long freshSince(long askedMillis, long answeredMillis) {
        return askedMillis;
    }

    /** Whether every entry up to there has been given to the servant. */
    boolean isReady(long position) {
        return group.position() >= position;
    }

    private Optional<String> obstacle() {
        if (!group.isStarted()) {
            return Optional.of("the group has not begun");
        }
        if (group.isSuspended()) {
            return Optional.of("the state of this member differs from that of the majority");
        }
        return group.isCaughtUp() ? Optional.empty() : Optional.of("this member is not up to date yet");
    }

    /** The shell is closing. */
    void close() {
        List<Waiting> all = new ArrayList<>(next);
        asked.ifPresent(open -> all.addAll(open.reads));
        indexed.forEach(each -> all.add(each.waiting));
        next.clear();
        asked = Optional.empty();
        indexed.clear();
        all.forEach(waiting -> effects.answerRead(waiting.read, ReadAnswer.refused("this member stops")));
    }
}
