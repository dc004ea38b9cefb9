package org.amo.replication.order.raft;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.raft.ELECTION;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.election.LeaderElected;
import org.jgroups.protocols.raft.election.VoteRequest;

/**
 * jgroups-raft's election among the members of the group alone. In its view there may be one that is not yet a member,
 * or no longer: it must not gather votes, since it may count by members of long ago, and the election must not wait
 * for it because it is the first in the view. {@link LeaderWatch} begins an election where no view does.
 */
final class ConfiguredElection extends ELECTION {
    private final Supplier<List<String>> members;
    private final LeaderWatch watch = new LeaderWatch(new Watched());
    /** Where a member was when it was last in the view. */
    private final Map<String, Address> known = new ConcurrentHashMap<>();

    private Optional<Future<?>> ticking = Optional.empty();

    static {
        WatchHeader.register();
    }

    ConfiguredElection(Supplier<List<String>> members) {
        setId(ELECTION_ID);
        this.members = members;
    }

    @Override
    public void start() throws Exception {
        super.start();
        ticking = Optional.of(getTransport()
                .getTimer()
                .scheduleWithFixedDelay(
                        watch::onTick, LeaderWatch.TICK_MILLIS, LeaderWatch.TICK_MILLIS, TimeUnit.MILLISECONDS, false));
    }

    @Override
    public void stop() {
        ticking.ifPresent(ticks -> ticks.cancel(false));
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
        if (ofMembers && !members.get().contains(from)) {
            return;
        }
        if (header instanceof WatchHeader word) {
            watch.onWord(from, word.kind(), word.currTerm());
        } else {
            super.handleMessage(message, header);
        }
    }

    private List<String> membersInView() {
        List<String> configured = members.get();
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
        public int majority() {
            return raft.majority();
        }

        @Override
        public long term() {
            return raft.currentTerm();
        }

        @Override
        public void tell(WatchHeader.Kind what, long term) {
            members.get().forEach(member -> tell(member, what, term));
        }

        @Override
        public void tell(String member, WatchHeader.Kind what, long term) {
            Address to = known.get(member);
            if (to != null && !to.equals(local_addr)) {
                // Who does not have this member in its view would not acknowledge anything.
                down_prot.down(new EmptyMessage(to)
                        .putHeader(getId(), new WatchHeader(what, term))
                        .setFlag(Message.Flag.OOB, Message.Flag.NO_RELIABILITY, Message.Flag.NO_FC));
            }
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
}
