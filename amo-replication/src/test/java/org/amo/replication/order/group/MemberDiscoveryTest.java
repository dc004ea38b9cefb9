package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.Responses;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real transports without membership: none of them is a coordinator. */
@Timeout(60)
class MemberDiscoveryTest {
    /** Far longer than an answer takes. */
    private static final long PATIENCE_MILLIS = 40_000;

    private final List<JChannel> channels = new ArrayList<>();

    @AfterEach
    void close() {
        channels.forEach(JChannel::close);
    }

    @Test
    void itEndsWhenEachConfiguredHostHasAnsweredThoughNoneIsCoordinator() throws Exception {
        List<Member> members = FreePorts.members(3);
        MemberDiscovery first = join(members.get(0), members);
        join(members.get(1), members);
        join(members.get(2), members);
        Responses responses = first.findMembers(null, true, false, PATIENCE_MILLIS);
        assertTrue(responses.waitFor(PATIENCE_MILLIS));
        assertEquals(2, responses.size(), responses::toString);
        responses.forEach(response -> assertFalse(response.isCoord(), response.toString()));
    }

    @Test
    void itWaitsForAConfiguredHostThatIsSilent() throws Exception {
        List<Member> members = FreePorts.members(3);
        MemberDiscovery first = join(members.get(0), members);
        join(members.get(1), members);
        Responses responses = first.findMembers(null, true, false, 500);
        assertFalse(responses.waitFor(500));
        assertEquals(1, responses.size(), responses::toString);
    }

    @Test
    void aHostThatComesUpMeanwhileIsAskedAgain() throws Exception {
        List<Member> members = FreePorts.members(2);
        MemberDiscovery first = join(members.get(0), members);
        Responses responses = first.findMembers(null, true, false, 8_000);
        join(members.get(1), members);
        assertTrue(responses.waitFor(PATIENCE_MILLIS));
        assertEquals(1, responses.size(), responses::toString);
    }

    /** JGroups ends each discovery but the first before the next begins. */
    @Test
    void eachDiscoveryOfAJoinAsksAgain() throws Exception {
        List<Member> members = FreePorts.members(2);
        MemberDiscovery first = join(members.get(0), members);
        first.findMembers(null, true, false, PATIENCE_MILLIS);
        first.findMembers(null, true, false, PATIENCE_MILLIS).done();
        Responses third = first.findMembers(null, true, false, 8_000);
        join(members.get(1), members);
        assertTrue(third.waitFor(PATIENCE_MILLIS));
    }

    /** The question of a coordinator looks like that of any other member. */
    @Test
    void aQuestionIsNoAnswer() throws Exception {
        List<Member> members = FreePorts.members(2);
        MemberDiscovery first = join(members.get(0), members);
        Responses responses = first.findMembers(null, true, false, PATIENCE_MILLIS);
        PingData asker = new PingData(ExtendedUUID.randomUUID(), false, "b", address(members.get(1)));
        responses.addResponse(asker, false);
        assertFalse(responses.isDone());
        responses.addResponse(asker, true);
        assertTrue(responses.isDone());
    }

    @Test
    void aMemberAloneDoesNotWait() throws Exception {
        List<Member> members = FreePorts.members(1);
        Responses responses = join(members.get(0), members).findMembers(null, true, false, PATIENCE_MILLIS);
        assertTrue(responses.isDone());
        assertTrue(responses.isEmpty());
    }

    private MemberDiscovery join(Member self, List<Member> members) throws Exception {
        List<PhysicalAddress> hosts = new ArrayList<>();
        for (Member member : members) {
            hosts.add(address(member));
        }
        MemberDiscovery discovery = new MemberDiscovery(address(self), hosts);
        TCP transport = new TCP();
        transport.setBindAddr(InetAddress.getLoopbackAddress()).setBindPort(self.orderPort());
        JChannel channel = new JChannel(transport, discovery);
        channels.add(channel);
        channel.connect("discovery");
        return discovery;
    }

    private static IpAddress address(Member member) {
        return new IpAddress(InetAddress.getLoopbackAddress(), member.orderPort());
    }
}
