package org.amo.replication.order.raft;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.core.order.LogRepair;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.raft.ELECTION;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.election.BaseElection;
import org.jgroups.protocols.raft.election.LeaderElected;
import org.jgroups.protocols.raft.election.VoteRequest;
import org.jgroups.protocols.raft.election.VoteResponse;
import org.jgroups.util.Bits;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * jgroups-raft's election among the members of the group alone. In its view there may be one that is not yet a member,
 * or no longer: it must not gather votes, since it may count by members of long ago, and the election must not wait
 * for it because it is the first in the view. A vote counts in its own term alone. {@link LeaderWatch} begins an election where
 * no view does.
 */
final class ConfiguredElection extends ELECTION {
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredElection.class);

    private final Supplier<Configuration> configuration;
    private final GuardedRaft guarded;
    private final Consumer<String> beyondRepair;
    private final LeaderWatch watch = new LeaderWatch(new Watched());
    private final RepairWatch repairs = new RepairWatch(new Repaired());
    /** Where a member was when it was last in the view. */
    private final Map<String, Address> known = new ConcurrentHashMap<>();
    /** RAFT's thread: damaged members that this one told the operator of. */
    private final Set<String> lostForGood = new HashSet<>();

    private Optional<Future<?>> ticking = Optional.empty();

    /** Guarded by this. A view or a tick may still be under way when the member stops. */
    private boolean stopped;

    /** Of an election that a leader began to hand its lead over. */
    private volatile Optional<String> wanted = Optional.empty();

    static {
        WatchHeader.register();
    }

    /** @param beyondRepair told when the damaged log of this member can never be repaired */
    ConfiguredElection(Supplier<Configuration> configuration, GuardedRaft guarded, Consumer<String> beyondRepair) {
        setId(ELECTION_ID);
        this.configuration = configuration;
        this.guarded = guarded;
        this.beyondRepair = beyondRepair;
    }

    @Override
    public void start() throws Exception {
        synchronized (this) {
            stopped = false;
        }
        super.start();
        ticking = Optional.of(getTransport()
                .getTimer()
                .scheduleWithFixedDelay(
                        this::tick, LeaderWatch.TICK_MILLIS, LeaderWatch.TICK_MILLIS, TimeUnit.MILLISECONDS, false));
    }

    /** Steps down and gathers votes, for that member unless another one has a longer log. Any thread. */
    void elect(String member) {
        wanted = Optional.of(member);
        raft.setLeaderAndTerm(null);
        startVotingThread();
    }

    @Override
    protected Address determineLeader() {
        Optional<String> preferred = wanted;
        wanted = Optional.empty();
        Address longest = super.determineLeader();
        return longest == null || preferred.isEmpty()
                ? longest
                : chosen(longest, preferred.get(), getVotes().getResults());
    }

    /**
     * The leader of an election with a member that is preferred: any other log than the longest may lack committed entries.
     *
     * @param longest the member with the longest log
     */
    static Address chosen(Address longest, String preferred, Map<Address, VoteResponse> votes) {
        VoteResponse best = votes.get(longest);
        if (best == null) {
            return longest;
        }
        GuardedRaft.LogEnd end = endOf(best);
        return votes.entrySet().stream()
                .filter(vote -> GroupChannel.idOf(vote.getKey()).equals(preferred))
                .filter(vote ->
                        vote.getValue() != null && endOf(vote.getValue()).equals(end))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(longest);
    }

    /** jgroups-raft keeps the two numbers for itself, but it writes them. */
    private static GuardedRaft.LogEnd endOf(VoteResponse vote) {
        ByteArrayDataOutputStream bytes = new ByteArrayDataOutputStream(3 * Long.BYTES);
        try {
            vote.writeTo(bytes);
            ByteArrayDataInputStream in = new ByteArrayDataInputStream(bytes.buffer(), 0, bytes.position());
            long unused = Bits.readLongCompressed(in);
            return new GuardedRaft.LogEnd(Bits.readLongCompressed(in), Bits.readLongCompressed(in));
        } catch (IOException e) {
            throw new IllegalStateException("a vote could not be written", e);
        }
    }

    private void tick() {
        guarded.onTick();
        watch.onTick();
        repairs.onTick();
    }

    /** A member that abstains gathers no votes either: it could not tell which terms it has used. */
    @Override
    public synchronized BaseElection startVotingThread() {
        return stopped || guarded.abstains() ? this : super.startVotingThread();
    }

    /**
     * The stop of jgroups-raft leaves the thread of an election to go on for ever, without a pause if the member is alone, and with it the
     * process. An interrupted thread ends.
     */
    @Override
    protected void runVotingProcess() {
        if (isStopped()) {
            Thread.currentThread().interrupt();
        }
        super.runVotingProcess();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    @Override
    public void stop() {
        ticking.ifPresent(ticks -> ticks.cancel(false));
        synchronized (this) {
            stopped = true;
        }
        super.stop();
    }

    @Override
    protected void handleView(View now) {
        for (Address address : now.getMembersRaw()) {
            known.put(GroupChannel.idOf(address), address);
        }
        super.handleView(now);
    }

    @Override
    protected boolean isViewCoordinator() {
        return membersInView().indexOf(raft.raftId()) == 0;
    }

    @Override
    protected void handleMessage(Message message, RaftHeader header) {
        String from = GroupChannel.idOf(message.getSrc());
        boolean ofMembers =
                header instanceof VoteRequest || header instanceof LeaderElected || header instanceof WatchHeader;
        if (ofMembers && !members().contains(from)) {
            return;
        }
        if (header instanceof WatchHeader word) {
            onWord(from, word);
        } else if (header instanceof VoteRequest) {
            Address candidate = message.getSrc();
            guarded.vote(candidate, header.currTerm())
                    .ifPresent(end -> sendVoteResponse(candidate, header.currTerm(), end.term(), end.index()));
        } else if (header instanceof VoteResponse) {
            // One of an earlier term is no vote in this one.
            guarded.inTerm(header.currTerm(), () -> super.handleMessage(message, header));
        } else {
            super.handleMessage(message, header);
        }
    }

    private void onWord(String from, WatchHeader word) {
        switch (word.kind()) {
            // In RAFT's thread: entries that it is sending now are in its log when it answers.
            case TERM_ASKED -> guarded.run(() -> tellTerm(from, word.index()));
            case TERM -> guarded.run(() -> guarded.onTerm(from, word.currTerm(), word.index()));
            default -> watch.onWord(from, word.kind(), word.currTerm());
        }
    }

    /**
     * A member that does not know a change of members would not ask each member that it may have voted for. A change that is
     * only in its log counts as unknown: nothing tells whether it was committed, so whether its members are the ones to ask.
     */
    private void tellTerm(String to, long configurationThere) {
        if (configurationThere < configuration.get().version()) {
            if (lostForGood.add(to)) {
                LOG.warn(
                        "member {} has lost its term and vote, and does not know the latest change of members for certain:"
                                + " it has to be replaced",
                        to);
            }
        } else if (guarded.repair().map(LogRepair::mayFollow).orElse(true)) {
            send(to, new WatchHeader(WatchHeader.Kind.TERM, raft.currentTerm(), raft.lastAppended()));
        }
    }

    private List<String> members() {
        return configuration.get().ids();
    }

    private void send(String member, WatchHeader word) {
        Address to = known.get(member);
        if (to != null && !to.equals(local_addr)) {
            // A receiver without this member in its view would not acknowledge anything.
            down_prot.down(new EmptyMessage(to)
                    .putHeader(getId(), word)
                    .setFlag(Message.Flag.OOB, Message.Flag.NO_RELIABILITY, Message.Flag.NO_FC));
        }
    }

    private List<String> membersInView() {
        List<String> configured = members();
        return Arrays.stream(view.getMembersRaw())
                .map(GroupChannel::idOf)
                .filter(configured::contains)
                .toList();
    }

    private final class Watched implements LeaderWatch.Group {
        @Override
        public String leader() {
            Address leader = raft.leader();
            return leader == null ? "" : GroupChannel.idOf(leader);
        }

        @Override
        public boolean leads() {
            return raft.isLeader();
        }

        @Override
        public String self() {
            return raft.raftId();
        }

        @Override
        public List<String> inView() {
            return view == null ? List.of() : membersInView();
        }

        @Override
        public boolean takesEntries() {
            return guarded.takesEntries();
        }

        @Override
        public int majority() {
            return raft.majority();
        }

        @Override
        public long term() {
            return raft.currentTerm();
        }

        @Override
        public void tell(WatchHeader.Kind what, long term) {
            members().forEach(member -> tell(member, what, term));
        }

        @Override
        public void tell(String member, WatchHeader.Kind what, long term) {
            send(member, new WatchHeader(what, term, 0));
        }

        @Override
        public boolean takeOver(long term) {
            return raft.currentTerm(term) >= 0;
        }

        @Override
        public void tellThatItWasElected() {
            sendLeaderElectedMessage(local_addr, raft.currentTerm());
        }

        @Override
        public void forgetLeader() {
            raft.setLeaderAndTerm(null);
        }

        @Override
        public void gatherVotes() {
            startVotingThread();
        }
    }

    private final class Repaired implements RepairWatch.Group {
        @Override
        public String self() {
            return raft.raftId();
        }

        @Override
        public List<String> others() {
            return members().stream()
                    .filter(member -> !member.equals(raft.raftId()))
                    .toList();
        }

        @Override
        public Optional<LogRepair> repair() {
            return guarded.repair();
        }

        @Override
        public boolean isFull() {
            return guarded.isFull();
        }

        @Override
        public void lookForRoom() {
            guarded.run(guarded::lookForRoom);
        }

        @Override
        public void askTerm(String member) {
            send(
                    member,
                    new WatchHeader(
                            WatchHeader.Kind.TERM_ASKED,
                            raft.currentTerm(),
                            configuration.get().version()));
        }

        @Override
        public void giveUp(String why) {
            beyondRepair.accept(why);
        }
    }
}
