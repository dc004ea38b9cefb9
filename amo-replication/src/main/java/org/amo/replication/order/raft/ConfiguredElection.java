package org.amo.replication.order.raft;

import java.util.List;
import java.util.function.Supplier;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.raft.ELECTION;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.election.LeaderElected;
import org.jgroups.protocols.raft.election.VoteRequest;

/**
 * jgroups-raft's election among the members of the group alone. In its view there may be one that is not yet a member,
 * or no longer: it must not gather votes, since it may count by members of long ago, and the election must not wait
 * for it because it is the first in the view.
 */
final class ConfiguredElection extends ELECTION {
    private final Supplier<List<String>> members;

    ConfiguredElection(Supplier<List<String>> members) {
        setId(ELECTION_ID);
        this.members = members;
    }

    @Override
    protected boolean isViewCoordinator() {
        for (Address address : view.getMembersRaw()) {
            if (members.get().contains(GroupChannel.idOf(address))) {
                return address.equals(local_addr);
            }
        }
        return false;
    }

    @Override
    protected void handleMessage(Message message, RaftHeader header) {
        boolean votes = header instanceof VoteRequest || header instanceof LeaderElected;
        if (!votes || members.get().contains(GroupChannel.idOf(message.getSrc()))) {
            super.handleMessage(message, header);
        }
    }
}
