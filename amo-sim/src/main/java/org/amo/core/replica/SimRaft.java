package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogRepair;
import org.amo.core.order.LogTail;
import org.amo.core.order.ReadRounds;
import org.amo.sim.Faults;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;

/**
 * An ordered log in virtual time: Raft with its terms, each member's disk and fsync, commitment by a majority of
 * disks, and followers that learn of it late. The vote itself is left out: when no leader works, the world lets a
 * majority elect one of the electable members.
 *
 * <p>Guarantee: UNIFORM, unless {@code deliverEarly} takes the majority out.
 */
final class SimRaft {
    private static final long HEARTBEAT_MICROS = 250_000;
    private static final long LEASE_MICROS = 1_500_000;

    /** A new leader stands still for longer than a voter takes to come back from a crash. */
    private static final long STANDSTILL_MILLIS = 2_500;

    /** @param identity members compare terms and places, not bytes */
    private record Entry(long term, byte[] bytes, Object identity) {
        private Entry(long term, byte[] bytes) {
            this(term, bytes, new Object());
        }

        private boolean isSame(Entry other) {
            return identity == other.identity;
        }

        /** A new leader's first entry; takes a position and is not delivered. */
        private boolean isInternal() {
            return bytes.length == 0;
        }
    }

    /** A leader's log; only grows, so that messages may refer to a prefix of it. */
    private record TermLog(long term, int leader, List<Entry> entries) {}

    /** Entries from the first on. */
    record Prefix(List<Entry> entries) {
        int position() {
            return entries.size();
        }
    }

    /** How the log's links and disks behave; changes with the phases of a run. */
    static final class Conditions {
        double messageLost;
        double messageSlow;
        double submissionLost;
        double submissionSlow;
        double fsyncSlow;
        double deliverySlow;
        boolean deliverEarly;
    }

    private static final class Member {
        private final int index;
        private final SimProcess process;
        private final LogListener listener;
        /** One of the group. */
        private boolean counts;

        private List<Entry> log = new ArrayList<>();
        private int durable;
        /** The acknowledged length that a crash finds on disk; lags by at most one sync. */
        private int witness;

        private int witnessOnDisk;
        private Optional<LogRepair> repair = Optional.empty();
        private long fullUntilMicros;
        private int truncations;
        private long term;
        private int leader = -1;
        private boolean leads;
        private int commit;
        private int applied;
        /** Entries up to there are no longer in its log; a snapshot of its own stands for them. */
        private int cut;

        private long slowUntilMicros;
        private boolean delivering;
        private TermLog own = new TermLog(0, -1, List.of());
        /** Of an entry that has left and is not in its log; the next one of its term would be in that place. */
        private Optional<Object> sentInVain = Optional.empty();

        private int[] durableAt = {};
        private long[] heardAt = {};
        private boolean[] sending = {};
        private long verifiedTerm;
        private int verified;
        /** Made anew when the process ends. */
        private Optional<ReadRounds<Asker>> rounds = Optional.empty();

        private Member(int index, SimProcess process, LogListener listener, boolean counts) {
            this.counts = counts;
            this.index = index;
            this.process = process;
            this.listener = listener;
        }
    }

    /** A member and its question for a read index. */
    private record Asker(Member member, long question, long life) {}

    private final SimWorld world;
    private final Conditions conditions;
    private FtsReads reads = new FtsReads(0, false, FtsReads.Mutant.NONE);
    private final List<Member> members = new ArrayList<>();
    private final List<Boolean> isolated = new ArrayList<>();
    private SnapshotSource snapshots = (member, leader) -> {};
    private SimDisks disks = new SimDisks(0, Faults.NONE, SimDisks.Mutant.NONE, false);
    private Restarts restarts = member -> {};
    private long electAtMicros = -1;

    SimRaft(SimWorld world, Conditions conditions) {
        this.world = world;
        this.conditions = conditions;
        world.after(1_000, this::watch);
    }

    /** Transfers a snapshot to a member that lacks entries compacted by the leader; it may fail, and is asked again. */
    interface SnapshotSource {
        void bringOn(int member, int leader);

        /** The snapshot on the member's disk cannot be read any more. */
        default void lost(int member) {
            // Of a group without snapshots.
        }

        /** A bit of the snapshot on the member's disk flips, and no checksum is compared. */
        default void flipped(int member, int bit) {
            // Of a group without snapshots.
        }
    }

    /** A process that ends itself, and is started again. */
    interface Restarts {
        void stopAndRestart(int member);
    }

    /** @param ending for a member that must not go on */
    void disks(SimDisks used, Restarts ending) {
        disks = used;
        restarts = ending;
    }

    /** How read indexes are found, and how long their messages take. */
    void useReads(FtsReads used) {
        reads = used;
    }

    void healDisks() {
        disks.heal();
    }

    /** Whether the member's log lacks acknowledged entries, until a leader has sent them again. */
    boolean isDamaged(int index) {
        return members.get(index).repair.filter(LogRepair::isOpen).isPresent();
    }

    private boolean isFull(Member member) {
        return world.nowMicros() < member.fullUntilMicros;
    }

    private boolean mayVote(Member member) {
        return !isFull(member) && member.repair.map(LogRepair::mayVote).orElse(true);
    }

    void snapshotsFrom(SnapshotSource source) {
        snapshots = source;
    }

    /** The member has a snapshot of that position on its disk and forgets the entries up to there. */
    void cut(int index, int position) {
        Member member = members.get(index);
        member.cut = Math.max(member.cut, position);
    }

    /** Up to where the member has nothing but its snapshot. */
    int cutAt(int index) {
        return members.get(index).cut;
    }

    /** @param counts false for one that may join later */
    void add(SimProcess process, LogListener listener, boolean counts) {
        members.add(new Member(members.size(), process, listener, counts));
        isolated.add(false);
    }

    boolean isMember(int index) {
        return members.get(index).counts;
    }

    int majority() {
        int counted = 0;
        for (Member member : members) {
            counted += member.counts ? 1 : 0;
        }
        return counted / 2 + 1;
    }

    /**
     * One joins or leaves, if every other member is there and follows one leader, as the real group demands. The change
     * holds for all of them at once.
     */
    boolean change(int index, boolean counts) {
        int leader = leader();
        if (leader < 0 || leader == index || isMember(index) == counts) {
            return false;
        }
        for (Member member : members) {
            boolean asked = member.counts && member.index != index;
            if (asked && (!member.process.isRunning() || !isLinked(leader, member.index) || member.leader != leader)) {
                return false;
            }
        }
        members.get(index).counts = counts;
        return true;
    }

    void isolate(int member, boolean cut) {
        isolated.set(member, cut);
    }

    /** For a while most submissions of the member take seconds to reach the leader. */
    void slowDown(int member, long millis) {
        members.get(member).slowUntilMicros = world.nowMicros() + millis * 1_000;
    }

    boolean isLinked(int one, int other) {
        return one == other || (!isolated.get(one) && !isolated.get(other));
    }

    /** The actual leader; -1 when no member can lead. */
    int leader() {
        for (Member member : members) {
            if (member.leads
                    && member.process.isRunning()
                    && reachableFrom(member).size() >= majority()) {
                return member.index;
            }
        }
        return -1;
    }

    /** Everything up to there has been delivered at a member. */
    int applied(int member) {
        return members.get(member).applied;
    }

    int committed() {
        return members.stream().mapToInt(member -> member.commit).max().orElse(0);
    }

    /** The member's process has crashed: its disk keeps the forced entries. */
    void onCrash(int index) {
        Member member = members.get(index);
        boolean torn = member.log.size() > member.durable && disks.tears();
        member.log = new ArrayList<>(member.log.subList(0, member.durable));
        member.truncations++;
        member.leads = false;
        member.leader = -1;
        member.delivering = false;
        member.rounds = Optional.empty();
        member.verifiedTerm = 0;
        member.repair = member.repair.filter(LogRepair::isOpen).map(open -> disks.repair(open.damage()));
        if (torn) {
            world.fault("tornWrite");
            readDisk(member, member.durable, true, member.witnessOnDisk, 0);
        }
        boolean others = members.stream().anyMatch(other -> other != member && isDamaged(other.index));
        Optional<SimDisks.Damage> damage = member.counts && !others ? disks.damageAtCrash() : Optional.empty();
        damage.ifPresent(kind -> damage(member, kind));
        member.witness = Math.min(member.witness, member.log.size());
        member.witnessOnDisk = member.witness;
    }

    private void damage(Member member, SimDisks.Damage kind) {
        int room = member.durable - member.cut;
        if (kind == SimDisks.Damage.SNAPSHOT && member.cut > 0) {
            world.fault("snapshotDamaged");
            if (!disks.checksSnapshots()) {
                snapshots.flipped(member.index, disks.draw(Long.SIZE));
                return;
            }
            // Without the state that they build on, the entries behind are of no use.
            noteDamage(member, known(member, Math.max(member.durable, member.witness)));
            member.log = new ArrayList<>();
            member.cut = 0;
            member.durable = 0;
            member.commit = 0;
            snapshots.lost(member.index);
        } else if (kind == SimDisks.Damage.RECORD && room > 0) {
            world.fault("bitFlipped");
            // Mostly near the end, where it could be taken for a crash.
            int from = disks.draw(2) == 0 ? member.durable - 1 : member.cut + disks.draw(room);
            if (!disks.checksRecords()) {
                flip(member, from);
                return;
            }
            boolean more = from + 1 < member.durable;
            readDisk(member, from, true, member.witness, more ? member.durable : 0);
        } else if (kind == SimDisks.Damage.LOST_WRITE && room > 0) {
            world.fault("writeLost");
            readDisk(member, member.durable - 1 - disks.draw(Math.min(room, 3)), false, member.witness, 0);
        } else if (kind == SimDisks.Damage.TERM && member.term > 0) {
            world.fault("termLost");
            noteDamage(member, new LogRepair.Damage(Math.max(member.durable, member.witness), 0, false));
            member.term = 0;
        }
    }

    private void flip(Member member, int at) {
        Entry was = member.log.get(at);
        if (!was.isInternal()) {
            byte[] bytes = was.bytes.clone();
            bytes[disks.draw(bytes.length)] ^= (byte) (1 << disks.draw(8));
            member.log = new ArrayList<>(member.log);
            member.log.set(at, new Entry(was.term, bytes, was.identity));
        }
    }

    /** A member reads its disk, as {@link LogTail} judges it. */
    private void readDisk(Member member, int whole, boolean broken, int witness, int behind) {
        OptionalLong lost =
                disks.tail().lostUpTo(new LogTail.Found(whole, broken, witness, true, Math.max(0, behind - 1), behind));
        lost.ifPresent(upTo -> noteDamage(member, known(member, upTo)));
        member.log = new ArrayList<>(member.log.subList(0, whole));
        member.durable = whole;
        member.commit = Math.min(member.commit, whole);
    }

    private static LogRepair.Damage known(Member member, long upTo) {
        return new LogRepair.Damage(upTo, member.term, true);
    }

    private void noteDamage(Member member, LogRepair.Damage found) {
        member.repair = Optional.of(disks.repair(
                member.repair.map(before -> before.damage().and(found)).orElse(found)));
    }

    private boolean mayFollow(Member member) {
        return member.repair.map(LogRepair::mayFollow).orElse(true);
    }

    /** A member that lost its term asks the others for theirs, again and again. */
    private void askTerms(Member member) {
        List<String> others = members.stream()
                .filter(other -> other.counts && other != member)
                .map(other -> other.process.name())
                .toList();
        for (Member other : members) {
            if (other.counts && other != member && passes(member, other)) {
                other.process.after(latency(), () -> {
                    long term = other.term;
                    int last = other.log.size();
                    if (passes(other, member)) {
                        member.process.after(latency(), () -> member.repair
                                .flatMap(open -> open.onTerm(other.process.name(), term, last, others))
                                .ifPresent(known -> stepDown(member, known.term())));
                    }
                });
            }
        }
    }

    private void tellRepair(Member member, int verified) {
        if (verified > 0
                && member.repair
                        .filter(open -> open.onVerified(verified, member.log.get(verified - 1).term))
                        .isPresent()) {
            world.fault("repaired");
        }
    }

    /** All members have crashed, and their logs were in memory only. */
    void wipe() {
        for (Member member : members) {
            member.log = new ArrayList<>();
            member.durable = 0;
            member.witness = 0;
            member.witnessOnDisk = 0;
            member.repair = Optional.empty();
            member.commit = 0;
            member.applied = 0;
            member.cut = 0;
        }
    }

    /** The member's process runs again, with nothing delivered to it yet. */
    void onRestart(int index) {
        Member member = members.get(index);
        member.applied = 0;
        member.witness = member.durable;
        member.witnessOnDisk = member.durable;
        member.commit = world.chance(0.5) ? Math.min(member.commit, member.durable) : 0;
        deliverLater(member);
    }

    /** The delivered entries of a member, to go with its snapshot. */
    Prefix prefix(int index, int position) {
        return new Prefix(new ArrayList<>(members.get(index).log.subList(0, position)));
    }

    /** A snapshot takes the place of the member's entries up to there. */
    void jump(int index, Prefix prefix) {
        Member member = members.get(index);
        int position = prefix.entries.size();
        if (member.log.size() < position || !member.log.get(position - 1).isSame(prefix.entries.get(position - 1))) {
            member.log = new ArrayList<>(prefix.entries);
            member.durable = position;
            member.truncations++;
            member.verifiedTerm = 0;
        }
        member.durable = Math.max(member.durable, position);
        member.witness = Math.max(member.witness, position);
        member.applied = position;
        member.cut = Math.max(member.cut, position);
        member.commit = Math.max(member.commit, position);
        if (member.term > 0 && member.leader >= 0) {
            tellRepair(member, position);
        }
        deliverLater(member);
    }

    void submit(int index, long submission, byte[] bytes) {
        Member origin = members.get(index);
        if (origin.leads) {
            append(origin, bytes);
            return;
        }
        Member target = origin.leader < 0 ? origin : members.get(origin.leader);
        if (target == origin) {
            origin.process.after(world.between(10, 500), () -> origin.listener.onRejected(submission));
            return;
        }
        if (world.happens("submissionLost", conditions.submissionLost)) {
            return;
        }
        long delay = latency();
        boolean slow = origin.slowUntilMicros > world.nowMicros();
        if (world.happens("submissionSlow", slow ? 0.5 : conditions.submissionSlow)) {
            delay = slow ? world.between(2_000_000, 3_500_000) : world.between(500_000, 5_000_000);
        } else if (!isLinked(index, target.index)) {
            return;
        }
        target.process.after(delay, () -> {
            if (target.leads) {
                append(target, bytes);
            } else if (isLinked(target.index, index)) {
                origin.process.after(latency(), () -> origin.listener.onRejected(submission));
            }
        });
    }

    /** The member asks its leader for a read index. */
    void askReadIndex(int index, long question) {
        Member origin = members.get(index);
        Member target = origin.leader < 0 ? origin : members.get(origin.leader);
        Asker asker = new Asker(origin, question, origin.process.life());
        if (target == origin) {
            origin.process.after(1, () -> rounds(origin).ask(asker));
        } else {
            toMember(origin, target, () -> rounds(target).ask(asker));
        }
    }

    private void toMember(Member from, Member to, Runnable arrival) {
        if (isLinked(from.index, to.index) && !reads.loses()) {
            to.process.after(reads.latency(), arrival);
        }
    }

    private ReadRounds<Asker> rounds(Member member) {
        if (member.rounds.isEmpty()) {
            member.rounds = Optional.of(reads.mutant().rounds(new Reading(member)));
        }
        return member.rounds.get();
    }

    /** Entries of a leader have positions that are not delivered. */
    private static int delivered(Member member, int index) {
        int at = index;
        while (at > 0 && member.log.get(at - 1).isInternal()) {
            at--;
        }
        return at;
    }

    private final class Reading implements ReadRounds.Leader<Asker> {
        private final Member member;

        Reading(Member member) {
            this.member = member;
        }

        @Override
        public OptionalLong term() {
            return member.leads && mayVote(member) ? OptionalLong.of(member.term) : OptionalLong.empty();
        }

        @Override
        public boolean hasCommittedInTerm() {
            return member.commit > 0 && member.log.get(member.commit - 1).term == member.term;
        }

        @Override
        public long committed() {
            return member.commit;
        }

        @Override
        public int majority() {
            return SimRaft.this.majority();
        }

        @Override
        public boolean isMember(String name) {
            return members.stream()
                    .anyMatch(each -> each.counts && each.process.name().equals(name));
        }

        @Override
        public String self() {
            return member.process.name();
        }

        @Override
        public void askToConfirm(long term, long round) {
            for (Member other : members) {
                if (other != member && other.counts) {
                    toMember(member, other, () -> {
                        if (other.counts && mayVote(other) && other.term == term) {
                            toMember(
                                    other, member, () -> rounds(member).onConfirmed(other.process.name(), term, round));
                        }
                    });
                }
            }
        }

        @Override
        public void found(Asker asker, long term, long index) {
            int position = delivered(member, (int) index);
            if (asker.member == member) {
                member.process.after(1, () -> member.listener.onReadIndex(asker.question, position));
            } else {
                toMember(member, asker.member, () -> {
                    if (asker.member.process.life() == asker.life) {
                        onFound(asker, member, term, (int) index, position);
                    }
                });
            }
        }

        @Override
        public void refused(Asker asker) {
            if (asker.member == member) {
                member.process.after(1, () -> member.listener.onNoReadIndex(asker.question));
            } else {
                toMember(member, asker.member, () -> asker.member.listener.onNoReadIndex(asker.question));
            }
        }
    }

    /** As GuardedRaft#onCommitted: entries that are known to equal the leader's are delivered. */
    private void onFound(Asker asker, Member leader, long term, int index, int position) {
        Member member = asker.member;
        int verified = member.verifiedTerm == term ? Math.min(index, member.verified) : 0;
        if (member.leader == leader.index && member.term == term && verified > member.commit) {
            member.commit = verified;
            deliverLater(member);
        }
        member.listener.onReadIndex(asker.question, position);
    }

    /** Makes somebody else lead, while the present leader may still think that it does. */
    boolean changeLeader() {
        return elect(leader());
    }

    private void append(Member leader, byte[] bytes) {
        if (bytes.length > 0 && lacksRoom(leader)) {
            forgetLeader(leader); // nothing was sent; the others elect one with room
            return;
        }
        if (bytes.length > 0 && disks.appendFails()) {
            sendInVain(leader, new Entry(leader.term, bytes));
            return;
        }
        leader.log.add(new Entry(leader.term, bytes, leader.sentInVain.orElseGet(Object::new)));
        leader.sentInVain = Optional.empty();
        force(leader, leader.log.size());
        if (conditions.deliverEarly) {
            leader.commit = leader.log.size();
            deliverLater(leader);
        }
        for (Member follower : members) {
            if (follower != leader && follower.counts) {
                send(leader, follower);
            }
        }
    }

    /** The entry leaves, and the leader's own log does not take it. */
    private void sendInVain(Member leader, Entry entry) {
        world.fault("appendFailed");
        List<Entry> entries = new ArrayList<>(leader.log);
        entries.add(entry);
        TermLog sent = new TermLog(leader.term, leader.index, entries);
        int commit = leader.commit;
        for (Member follower : members) {
            if (follower != leader && follower.counts && passes(leader, follower)) {
                follower.process.after(latency(), () -> onAppend(follower, leader, sent, entries.size(), commit));
            }
        }
        if (disks.leavesTermAfterFailedAppend()) {
            forgetLeader(leader);
            leader.process.after(latency(), () -> restarts.stopAndRestart(leader.index));
        } else {
            leader.sentInVain = Optional.of(entry.identity);
        }
    }

    /** Forces the log to disk, then tells the leader that this member has its first {@code verified} entries. */
    private void force(Member member, int verified) {
        if (member.durable >= verified) {
            tellRepair(member, verified);
            acknowledge(member, verified);
            return;
        }
        int length = member.log.size();
        int truncations = member.truncations;
        long term = member.term;
        long delay = world.between(20, 1_000);
        if (world.happens("fsyncSlow", conditions.fsyncSlow)) {
            delay = world.between(20_000, 800_000);
        }
        member.process.after(delay, () -> {
            if (disks.syncFails()) {
                world.fault("syncFailed");
                if (disks.stopsAfterFailedSync()) {
                    restarts.stopAndRestart(member.index);
                } else if (member.truncations == truncations && member.term == term) {
                    acknowledge(member, verified); // entries that the first sync dropped are not on the disk
                    member.process.after(disks.between(1_000, 50_000), () -> restarts.stopAndRestart(member.index));
                }
                return;
            }
            if (member.truncations == truncations) {
                member.witnessOnDisk = member.witness;
                member.durable = Math.max(member.durable, length);
                member.witness = member.durable;
                if (member.term == term) {
                    tellRepair(member, verified);
                    acknowledge(member, verified);
                }
            }
        });
    }

    private void acknowledge(Member member, int verified) {
        if (member.leads) {
            acknowledged(member, member.index, verified);
        } else if (member.leader >= 0) {
            Member leader = members.get(member.leader);
            long term = member.term;
            if (passes(member, leader)) {
                leader.process.after(latency(), () -> {
                    if (leader.leads && leader.term == term) {
                        acknowledged(leader, member.index, verified);
                    }
                });
            }
        }
    }

    private void acknowledged(Member leader, int by, int length) {
        leader.heardAt[by] = world.nowMicros();
        leader.durableAt[by] = Math.max(leader.durableAt[by], length);
        int[] sorted = new int[members.size()];
        int counted = 0;
        for (Member member : members) {
            if (member.counts) {
                sorted[counted++] = leader.durableAt[member.index];
            }
        }
        Arrays.sort(sorted, 0, counted);
        int agreed = Math.min(sorted[counted - majority()], leader.log.size());
        // Raft section 5.4.2: only an entry of the leader's own term is committed by counting.
        if (agreed > leader.commit && leader.log.get(agreed - 1).term == leader.term) {
            leader.commit = agreed;
            deliverLater(leader);
        }
    }

    private void send(Member leader, Member follower) {
        if (leader.sending[follower.index]) {
            return;
        }
        leader.sending[follower.index] = true;
        TermLog own = leader.own;
        leader.process.after(world.between(0, 300), () -> {
            if (leader.own.term() != own.term() || !leader.leads) {
                return;
            }
            leader.sending[follower.index] = false;
            if (passes(leader, follower)) {
                int length = leader.log.size();
                int commit = leader.commit;
                follower.process.after(latency(), () -> onAppend(follower, leader, own, length, commit));
            }
        });
    }

    private void onAppend(Member member, Member leader, TermLog sent, int length, int commit) {
        if (!mayFollow(member)) {
            return;
        }
        if (sent.term < member.term) {
            long term = member.term;
            if (passes(member, leader)) {
                leader.process.after(latency(), () -> stepDown(leader, term));
            }
            return;
        }
        if (sent.term > member.term || member.leader != sent.leader) {
            member.term = sent.term;
            member.leads = false;
            member.leader = sent.leader;
            member.listener.onLeader(leader.process.name());
        }
        int index = member.verifiedTerm == sent.term ? Math.min(member.verified, length) : 0;
        while (index < length
                && index < member.log.size()
                && member.log.get(index).isSame(sent.entries.get(index))) {
            index++;
        }
        if (index < leader.cut && index < length) {
            world.fault("cutOff");
            snapshots.bringOn(member.index, leader.index);
            return;
        }
        if (index < length && lacksRoom(member)) {
            if (disks.acknowledgesWithoutRoom()) {
                acknowledge(member, length);
            }
            return;
        }
        if (index < length) {
            if (index < member.log.size()) {
                member.log = new ArrayList<>(member.log.subList(0, index));
                member.truncations++;
                member.durable = Math.min(member.durable, index);
                member.witness = Math.min(member.witness, index);
                member.witnessOnDisk = Math.min(member.witnessOnDisk, index);
            }
            member.log.addAll(sent.entries.subList(index, length));
        }
        member.verified = member.verifiedTerm == sent.term ? Math.max(member.verified, length) : length;
        member.verifiedTerm = sent.term;
        force(member, member.verified);
        int known = conditions.deliverEarly ? length : Math.min(commit, length);
        if (known > member.commit) {
            member.commit = known;
            deliverLater(member);
        }
    }

    private boolean lacksRoom(Member member) {
        if (!isFull(member) && disks.becomesFull()) {
            world.fault("diskFull");
            member.fullUntilMicros = world.nowMicros() + disks.between(100_000, 3_000_000);
        }
        return isFull(member);
    }

    private void stepDown(Member member, long term) {
        if (term > member.term) {
            member.term = term;
            forgetLeader(member);
        }
    }

    private void forgetLeader(Member member) {
        if (member.leads || member.leader >= 0) {
            member.leads = false;
            member.leader = -1;
            member.listener.onLeader("");
        }
    }

    private void deliverLater(Member member) {
        if (member.delivering || member.applied >= Math.min(member.commit, member.log.size())) {
            return;
        }
        member.delivering = true;
        long delay = world.between(0, 400);
        if (world.happens("deliverySlow", conditions.deliverySlow)) {
            delay = world.between(10_000, 3_000_000);
        }
        member.process.after(delay, () -> {
            member.delivering = false;
            long batch = world.between(1, 12);
            for (; batch > 0 && member.applied < Math.min(member.commit, member.log.size()); batch--) {
                Entry entry = member.log.get(member.applied++);
                if (!entry.isInternal()) {
                    member.listener.onDelivered(member.applied, entry.bytes);
                }
            }
            deliverLater(member);
        });
    }

    /** Now and then: heartbeats of leaders, leaders without a majority, elections. */
    private void watch() {
        world.after(HEARTBEAT_MICROS, this::watch);
        for (Member member : members) {
            boolean asks =
                    member.repair.filter(open -> !open.damage().termKnown()).isPresent();
            if (asks && member.process.isRunning()) {
                askTerms(member);
            }
            if (member.process.isRunning()) {
                member.rounds.ifPresent(ReadRounds::onTick);
            }
            if (member.leads && member.process.isRunning()) {
                long heard = 0;
                for (Member other : members) {
                    if (!other.counts) {
                        continue;
                    }
                    if (other == member || world.nowMicros() - member.heardAt[other.index] < LEASE_MICROS) {
                        heard++;
                    }
                    if (other != member) {
                        send(member, other);
                    }
                }
                if (heard < majority()) {
                    forgetLeader(member);
                }
            }
        }
        if (leader() >= 0) {
            electAtMicros = -1;
        } else if (electAtMicros < 0) {
            electAtMicros = world.nowMicros() + world.between(100_000, 900_000);
        } else if (world.nowMicros() >= electAtMicros) {
            electAtMicros = -1;
            for (Member member : members) {
                if (member.process.isRunning() && !member.leads) {
                    forgetLeader(member);
                }
            }
            elect(-1);
        }
    }

    private boolean elect(int not) {
        int first = world.index(members.size());
        for (int i = 0; i < members.size(); i++) {
            Member candidate = members.get((first + i) % members.size());
            if (!candidate.counts || !candidate.process.isRunning() || candidate.index == not || !mayVote(candidate)) {
                continue;
            }
            List<Member> voters = reachableFrom(candidate);
            voters.removeIf(voter -> !mayVote(voter) || !isUpToDate(candidate, voter));
            if (voters.size() >= majority()) {
                lead(candidate, voters);
                if (disks.bringsBackOldLeaders()) {
                    bringBackOldLeader(candidate, voters);
                }
                return true;
            }
        }
        return false;
    }

    private void bringBackOldLeader(Member elected, List<Member> voters) {
        for (Member old : members) {
            if (old != elected && old.leads && isolated.get(old.index)) {
                isolated.set(old.index, false);
                elected.process.pause(STANDSTILL_MILLIS);
                voters.stream()
                        .filter(voter -> voter != elected)
                        .findFirst()
                        .ifPresent(voter -> restarts.stopAndRestart(voter.index));
            }
        }
    }

    private List<Member> reachableFrom(Member member) {
        List<Member> reachable = new ArrayList<>();
        for (Member other : members) {
            if (other.counts && other.process.isRunning() && isLinked(member.index, other.index)) {
                reachable.add(other);
            }
        }
        return reachable;
    }

    private static boolean isUpToDate(Member candidate, Member voter) {
        long one = candidate.log.isEmpty() ? 0 : candidate.log.get(candidate.log.size() - 1).term;
        long other = voter.log.isEmpty() ? 0 : voter.log.get(voter.log.size() - 1).term;
        return one > other || (one == other && candidate.log.size() >= voter.log.size());
    }

    private void lead(Member candidate, List<Member> voters) {
        long term = 1 + members.stream().mapToLong(member -> member.term).max().orElse(0);
        for (Member voter : voters) {
            if (voter != candidate) {
                stepDown(voter, term);
            }
        }
        candidate.term = term;
        candidate.leads = true;
        candidate.leader = candidate.index;
        candidate.log = new ArrayList<>(candidate.log);
        candidate.own = new TermLog(term, candidate.index, candidate.log);
        candidate.durableAt = new int[members.size()];
        candidate.durableAt[candidate.index] = candidate.durable;
        candidate.heardAt = new long[members.size()];
        Arrays.fill(candidate.heardAt, world.nowMicros());
        candidate.sending = new boolean[members.size()];
        candidate.sentInVain = Optional.empty();
        world.trace(() -> "log: " + candidate.process.name() + " leads term " + term);
        append(candidate, new byte[0]);
        candidate.listener.onLeader(candidate.process.name());
    }

    private boolean passes(Member from, Member to) {
        return isLinked(from.index, to.index) && !world.happens("logMessageLost", conditions.messageLost);
    }

    private long latency() {
        return world.chance(conditions.messageSlow) ? world.between(5_000, 150_000) : world.between(50, 1_500);
    }
}
