package org.amo.replication.order.group;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;

/**
 * JGroups' discovery among the configured hosts, for a member that joins: it ends as soon as each of them has answered.
 *
 * <p>JGroups ends it early for the answer of a coordinator alone. If all members start at once, there is none. Each member waits
 * for the whole time, and one that is not to become coordinator for three times as long. This discovery also repeats its question
 * while it waits: a member that starts while another is about to form a group of its own hears of that group, and does
 * not form a second one, which would have to be merged.
 */
final class MemberDiscovery extends TCPPING {
    private static final int QUESTIONS = 4;

    private final IpAddress self;

    /** @param hosts of the members; this one's may be among them */
    MemberDiscovery(IpAddress self, List<PhysicalAddress> hosts) {
        this.self = self;
        // Its messages are those of its parent.
        setId(ClassConfigurator.getProtocolId(TCPPING.class));
        setInitialHosts2(hosts).setPortRange(0);
    }

    @Override
    public Responses findMembers(List<Address> members, boolean initial, boolean async, long timeoutMillis) {
        if (!initial || members != null) {
            return super.findMembers(members, initial, async, timeoutMillis);
        }
        int others = (int) getInitialHosts().stream()
                .distinct()
                .filter(host -> !host.equals(self))
                .count();
        Responses responses = new Answers(others);
        if (others == 0) {
            return responses.done();
        }
        // Before there are questions: it cancels all of them if an earlier discovery has ended.
        weedOutCompletedDiscoveryResponses();
        addResponse(responses);
        synchronized (discovery_req_futures) {
            for (int i = 0; i < QUESTIONS; i++) {
                Future<?> question = timer.schedule(
                        () -> callFindMembersInAllDiscoveryProtocols(null, true, responses),
                        i * timeoutMillis / QUESTIONS,
                        TimeUnit.MILLISECONDS);
                discovery_req_futures.add(question);
            }
        }
        num_discovery_requests += QUESTIONS;
        return responses;
    }

    /**
     * Done when each of so many hosts has answered, or a coordinator has. JGroups adds the senders of questions, too, and a question
     * does not say whether its sender is the coordinator.
     */
    private static final class Answers extends Responses {
        private final int hosts;
        private final Set<PhysicalAddress> answered = new HashSet<>();

        Answers(int hosts) {
            super(true);
            this.hosts = hosts;
        }

        @Override
        public Responses addResponse(PingData response, boolean ofSender) {
            super.addResponse(response, ofSender);
            if (ofSender && response != null && isLast(response.getPhysicalAddr())) {
                done();
            }
            return this;
        }

        private synchronized boolean isLast(PhysicalAddress host) {
            answered.add(host);
            return answered.size() >= hosts;
        }
    }
}
