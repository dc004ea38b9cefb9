package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;

/**
 * Changes the members at the leader, one at a time.
 *
 * <p>jgroups-raft counts by the members that a process has applied, not by those in its log. Two sets of members that
 * are one change apart share a member in any two majorities, two changes apart they need not. So a change is put into
 * the log only when every other member has applied the one before: then no two processes that take part are ever more
 * than one change apart. A change has ended when all have applied it, or the next leader could be one that still counts
 * by the members before. One that is removed may be away; its votes do not count any more ({@link ConfiguredElection}).
 *
 * <p>One thread owns it.
 */
final class MemberChanges {

    /** The actions that it asks for. */
    interface Effects {
        /** Asks a member which members it has applied. */
        void ask(String member);

        /** Whether this member leads, knows all changes before, and these are the members. */
        boolean isCurrent(Configuration before);

        /** Orders the change; {@link #onMade} follows, or {@code which} fails. */
        void order(CompletableFuture<GroupMembers> which, MemberChange change, Configuration before);
    }

    private static final String UNKNOWN =
            "it is not known whether the change was made; run './amo member' again: it makes"
                    + " the change, or says that it was made";

    private final String self;
    private final Effects effects;
    private final Map<String, Long> applied = new HashMap<>();
    private Optional<Open> open = Optional.empty();

    private record Open(
            MemberChange change,
            Configuration before,
            List<String> needed,
            CompletableFuture<GroupMembers> done,
            boolean ordered,
            Optional<GroupMembers> made) {
        Open next(boolean isOrdered, Optional<GroupMembers> isMade) {
            return new Open(change, before, needed, done, isOrdered, isMade);
        }
    }

    MemberChanges(String self, Effects effects) {
        this.self = self;
        this.effects = effects;
    }

    CompletableFuture<GroupMembers> change(MemberChange wanted, Configuration now) {
        Member member = wanted.member();
        if (open.isPresent()) {
            return refused(Fault.ENVIRONMENT, "another change of members is in progress; try again when it has ended");
        }
        if (wanted.version() != now.version()) {
            return refused(
                    Fault.ENVIRONMENT,
                    "the members have changed since they were read; run './amo member' again, which reads them anew");
        }
        if (wanted.add() && now.has(member.id())) {
            return refused("there is a member '" + member.id() + "' already: " + Member.format(now.members()));
        }
        // A process under such an id may meet its removal in the log and end, and counts as a member meanwhile.
        if (wanted.add() && now.gone().contains(member.id())) {
            return refused("member '" + member.id()
                    + "' was removed from the group, and its id cannot come back; add the member under a new id");
        }
        Optional<String> unreadable = wanted.add() ? unreadable(now.members(), member) : Optional.empty();
        if (unreadable.isPresent()) {
            return refused(unreadable.get());
        }
        if (!wanted.add() && !now.has(member.id())) {
            return refused("there is no member '" + member.id() + "': " + Member.format(now.members()));
        }
        if (!wanted.add() && now.members().size() == 1) {
            return refused("'" + member.id() + "' is the last member; stop it instead");
        }
        List<String> needed = new ArrayList<>(now.ids());
        needed.remove(self);
        if (!wanted.add()) {
            needed.remove(member.id());
        }
        CompletableFuture<GroupMembers> done = new CompletableFuture<>();
        applied.clear();
        open = Optional.of(new Open(wanted, now, List.copyOf(needed), done, false, Optional.empty()));
        onTick();
        goOn();
        return done;
    }

    void onApplied(String member, byte[] frame) {
        if (frame.length == Long.BYTES) {
            applied.put(member, ByteBuffer.wrap(frame).getLong());
            goOn();
        }
    }

    /** Asks those that lag, again. */
    void onTick() {
        open.ifPresent(now -> lagging(now).forEach(effects::ask));
    }

    /** The change was applied here. */
    void onMade(CompletableFuture<GroupMembers> which, GroupMembers members) {
        if (open.isPresent() && open.get().done == which) {
            open = Optional.of(open.get().next(true, Optional.of(members)));
            onTick();
            goOn();
        }
    }

    /** The time for a change is up. */
    void giveUp(CompletableFuture<GroupMembers> which) {
        if (open.isEmpty() || open.get().done != which) {
            return;
        }
        Open ended = open.get();
        open = Optional.empty();
        if (ended.made.isPresent()) {
            ended.done.complete(ended.made.get());
            return;
        }
        ended.done.completeExceptionally(new OrderedLogException(
                Fault.ENVIRONMENT,
                ended.ordered
                        ? UNKNOWN
                        : "members " + lagging(ended) + " are not there or lag, and a change needs all but the one that"
                                + " is removed; start them or remove one of them first"));
    }

    private void goOn() {
        if (open.isEmpty() || !lagging(open.get()).isEmpty()) {
            return;
        }
        Open now = open.get();
        if (now.made.isPresent()) {
            now.done.complete(now.made.get());
        } else if (!now.ordered && !effects.isCurrent(now.before)) {
            open = Optional.empty();
            now.done.completeExceptionally(new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "the leader or the members have changed since the change was asked for, and it was not"
                            + " made; run './amo member' again"));
        } else if (!now.ordered) {
            open = Optional.of(now.next(true, Optional.empty()));
            effects.order(now.done, now.change, now.before);
        }
    }

    /** Those that are behind the change before this one, or behind this one once it was made. */
    private List<String> lagging(Open now) {
        long version = now.before.version() + (now.made.isPresent() ? 1 : 0);
        return now.needed.stream().filter(id -> !hasApplied(id, version)).toList();
    }

    /** The outcome of the change has been told. */
    void ended(CompletableFuture<GroupMembers> which) {
        if (open.isPresent() && open.get().done == which) {
            open = Optional.empty();
        }
    }

    private boolean hasApplied(String member, long version) {
        return applied.getOrDefault(member, -1L) >= version;
    }

    /** Why the members could not be read with this one among them, from a snapshot for example: then every member would end. */
    private static Optional<String> unreadable(List<Member> now, Member added) {
        try {
            Member.parseList(Member.format(now) + "," + added);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage() + "; the members are " + Member.format(now));
        }
    }

    private static CompletableFuture<GroupMembers> refused(String why) {
        return refused(Fault.USER, why);
    }

    private static CompletableFuture<GroupMembers> refused(Fault fault, String why) {
        return CompletableFuture.failedFuture(new OrderedLogException(fault, why));
    }
}
