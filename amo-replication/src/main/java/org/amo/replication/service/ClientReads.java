package org.amo.replication.service;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.net.Inbox;
import org.amo.net.LoopErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of a client, over connections of their own: a read has no number and no effect, so it is asked again at other members
 * until its deadline, and the first result counts. A linearizable read goes to the leader, if one is known; a stale read to the member
 * that this client was given.
 *
 * <p>If a member of an older version is reached, or the group finds no read indexes, the caller is told to order the read.
 */
final class ClientReads {
    private static final Logger LOG = LoggerFactory.getLogger(ClientReads.class);
    private static final long TICK_MILLIS = 50;

    /** A member that does not answer for so long may be gone. Doubled with each attempt: the read itself may be long. */
    private static final long SILENCE_MILLIS = 1_000;

    private static final int MOST_DOUBLINGS = 6;

    /** Between two rounds over all members. */
    private static final long PAUSE_MILLIS = 50;

    private enum State {
        DOWN,
        CONNECTING,
        READS,
        ORDERS
    }

    private enum Step {
        PAUSES,
        WAITS_FOR_CONNECTION,
        IS_SENT
    }

    private final String group;
    private final ScheduledExecutorService owner;
    private final MemberLinks links;
    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final Inbox<PendingRead> arrived = new Inbox<>(this::refuse);
    private final int first;

    // The owner's.
    private final List<String> members;
    private final List<State> states = new ArrayList<>();
    private final Set<Integer> removed = new HashSet<>();
    private final Set<PendingRead> open = new LinkedHashSet<>();
    private int leader = -1;
    private long membersVersion;
    private long latestPosition;
    private boolean ticks;
    private String trouble = "no member answered";

    /** A read of the application. The owner changes it. */
    static final class PendingRead {
        private final byte[] body;
        private final long mostAgeMillis;
        private final long endMillis;
        /** Ends empty if the read has to be ordered. */
        private final CompletableFuture<Optional<byte[]>> outcome = new CompletableFuture<>();

        private int tries;
        private int member = -1;
        private Step step = Step.PAUSES;
        /** When the pause ends, or the member is taken for silent. */
        private long dueMillis;

        /** @param mostAgeMillis 0 for a linearizable read */
        PendingRead(byte[] body, long mostAgeMillis, long endMillis) {
            this.body = body;
            this.mostAgeMillis = mostAgeMillis;
            this.endMillis = endMillis;
        }

        CompletableFuture<Optional<byte[]>> outcome() {
            return outcome;
        }

        long endMillis() {
            return endMillis;
        }
    }

    /** @param first the member of stale reads */
    ClientReads(String group, List<String> members, int first, ScheduledExecutorService owner, MemberLinks links) {
        this.group = group;
        this.members = new ArrayList<>(members);
        this.first = first;
        this.owner = owner;
        this.links = links;
        members.forEach(member -> states.add(State.DOWN));
    }

    /** Any thread. */
    void read(PendingRead read) {
        arrived.put(read);
        if (!arrived.hasEnded() && arrived.wake()) {
            try {
                owner.execute(() -> errors.run(this::takeArrived));
            } catch (RejectedExecutionException e) {
                arrived.end();
            } catch (RuntimeException | Error e) {
                // The first read starts the thread, and there may be no thread to be had. The next read tries again.
                arrived.awake();
                for (PendingRead next = arrived.poll(); next != null; next = arrived.poll()) {
                    end(next, "it has no thread: " + e);
                }
            }
        }
    }

    private void refuse(PendingRead read) {
        end(read, "this client is closed");
    }

    private void takeArrived() {
        arrived.awake();
        if (arrived.hasEnded()) {
            return;
        }
        for (PendingRead next = arrived.poll(); next != null; next = arrived.poll()) {
            open.add(next);
            go(next);
        }
        endBatch();
    }

    private void endBatch() {
        errors.run(links::flush);
        tickLater();
    }

    private void fail(PendingRead read, String why) {
        open.remove(read);
        end(read, why);
    }

    /** Any thread. */
    private void end(PendingRead read, String why) {
        read.outcome.completeExceptionally(new AmoReadException(
                "a read of group " + group + " has no result: " + why + "; it may be called again"));
    }

    private void tickLater() {
        if (!ticks && !open.isEmpty() && !arrived.hasEnded()) {
            var unused = owner.schedule(() -> errors.run(this::onTick), TICK_MILLIS, TimeUnit.MILLISECONDS);
            ticks = true;
        }
    }

    private void onTick() {
        ticks = false;
        long now = ClientLoop.now();
        for (PendingRead read : List.copyOf(open)) {
            if (read.outcome.isDone()) {
                open.remove(read);
            } else if (now >= read.endMillis) {
                fail(read, trouble);
            } else if (now >= read.dueMillis) {
                if (read.step == Step.PAUSES) {
                    go(read);
                } else {
                    trouble = "member " + members.get(read.member) + " does not answer";
                    again(read);
                }
            }
        }
        endBatch();
    }

    /** Sends the read, or has it wait for a connection. An error, such as want of memory for its frame, ends this read alone. */
    private void go(PendingRead read) {
        if (!errors.run(() -> go(read, member(read)))) {
            fail(read, "an error in this program");
        }
    }

    private void go(PendingRead read, int member) {
        read.member = member;
        switch (states.get(member)) {
            case DOWN -> {
                awaitConnection(read);
                states.set(member, State.CONNECTING);
                links.connect(member, new Events());
            }
            case CONNECTING -> awaitConnection(read);
            case ORDERS -> order(read);
            case READS -> send(read, member);
        }
    }

    private void awaitConnection(PendingRead read) {
        read.step = Step.WAITS_FOR_CONNECTION;
        read.dueMillis = ClientLoop.now() + SILENCE_MILLIS;
    }

    private int member(PendingRead read) {
        boolean stale = read.mostAgeMillis > 0;
        int begin = !stale && leader >= 0 ? leader : first;
        for (int step = 0; step < members.size(); step++) {
            int number = (begin + read.tries + step) % members.size();
            if (!removed.contains(number)) {
                return number;
            }
        }
        return begin;
    }

    private void send(PendingRead read, int member) {
        long now = ClientLoop.now();
        read.step = Step.IS_SENT;
        long patience = SILENCE_MILLIS << Math.min(read.tries, MOST_DOUBLINGS);
        read.dueMillis = now + patience;
        int attempt = read.tries;
        Read frame = new Read(
                read.body,
                read.mostAgeMillis,
                read.mostAgeMillis > 0 ? latestPosition : 0,
                // Beyond that the member would keep an attempt for which this client has others.
                Math.max(1, Math.min(2 * patience, read.endMillis - now)),
                answer -> {});
        links.read(member, frame, answer -> onAnswer(read, attempt, answer));
    }

    private void onAnswer(PendingRead read, int attempt, Optional<ReadAnswer> answer) {
        boolean present = answer.isPresent();
        if (present && answer.get().kind() == ReadAnswer.Kind.RESULT) {
            latestPosition = Math.max(latestPosition, answer.get().position());
            open.remove(read);
            read.outcome.complete(Optional.of(answer.get().result()));
        } else if (present && answer.get().kind() == ReadAnswer.Kind.TO_BE_ORDERED) {
            order(read);
        } else if (read.step == Step.IS_SENT && read.tries == attempt) {
            answer.ifPresent(refused -> trouble = "member " + members.get(read.member) + ": " + refused.why());
            again(read);
        }
    }

    private void order(PendingRead read) {
        open.remove(read);
        read.outcome.complete(Optional.empty());
    }

    /** At the next member, at once unless all of them had their turn. */
    private void again(PendingRead read) {
        pause(read);
        if (read.tries % members.size() != 0 && open.contains(read) && !arrived.hasEnded()) {
            go(read);
        }
    }

    private void pause(PendingRead read) {
        read.step = Step.PAUSES;
        read.tries++;
        read.dueMillis = ClientLoop.now() + PAUSE_MILLIS;
    }

    /** Gives the open reads up. Any thread; the future says when. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        try {
            owner.execute(() -> {
                arrived.end();
                open.forEach(this::refuse);
                open.clear();
                links.close();
                done.complete(null);
            });
        } catch (RejectedExecutionException e) {
            arrived.end();
            done.complete(null);
        }
        return done;
    }

    private final class Events implements MemberLinks.Events {
        @Override
        public void onConnected(int member, long upperMillis) {
            links.takesReads(member, takes -> {
                states.set(member, takes ? State.READS : State.ORDERS);
                waitingFor(member).forEach(ClientReads.this::go);
            });
            links.flush();
        }

        private List<PendingRead> waitingFor(int member) {
            return open.stream()
                    .filter(read -> read.step == Step.WAITS_FOR_CONNECTION && read.member == member)
                    .filter(read -> !read.outcome.isDone())
                    .toList();
        }

        @Override
        public void onAnswer(int member, long copy, Answer answer) {
            throw new IllegalStateException("no request left over this connection");
        }

        @Override
        public void onLeader(String member) {
            leader = members.indexOf(member);
        }

        @Override
        public void onMembers(GroupMembers told) {
            if (told.version() < membersVersion) {
                return;
            }
            membersVersion = told.version();
            List<String> ids = told.members().stream().map(Member::id).toList();
            for (Member member : told.members()) {
                if (!members.contains(member.id())) {
                    links.place(members.size(), member);
                    members.add(member.id());
                    states.add(State.DOWN);
                }
            }
            for (int number = 0; number < members.size(); number++) {
                boolean unused = ids.contains(members.get(number)) ? removed.remove(number) : removed.add(number);
            }
        }

        @Override
        public void onDraining(int member) {
            // Its reads are answered; the next ones find another member when it has ended.
        }

        @Override
        public void onBatchEnd() {
            links.flush();
        }

        @Override
        public void onDisconnected(int member, boolean lasting, String why) {
            states.set(member, State.DOWN);
            trouble = why;
            if (leader == member) {
                leader = -1;
            }
            waitingFor(member).forEach(ClientReads.this::pause);
        }
    }
}
