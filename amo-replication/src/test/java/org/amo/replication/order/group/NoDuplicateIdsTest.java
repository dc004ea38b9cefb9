package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.raft.NO_DUPES;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;

class NoDuplicateIdsTest {
    private final Address a = address("a");
    private final Address b = address("b");

    @Test
    void aMemberMayAskAgainAndItsTwinMayNot() {
        NoDuplicateIds protocol = new NoDuplicateIds();
        assertEquals(List.of("asks again", "new"), passed(protocol));
    }

    /** What JGroups' own does: if it stops doing so, ours may go. */
    @Test
    void theOriginalRefusesWhoAsksAgain() {
        assertEquals(List.of("new"), passed(new NO_DUPES()));
    }

    private List<String> passed(NO_DUPES protocol) {
        List<String> passed = new ArrayList<>();
        Protocol nothing = new Ignoring();
        protocol.setDownProtocol(nothing);
        protocol.setUpProtocol(nothing);
        protocol.down(new Event(Event.VIEW_CHANGE, View.create(a, 1, a, b)));
        join(protocol, "asks again", b, passed);
        join(protocol, "twin", address("b"), passed);
        join(protocol, "new", address("c"), passed);
        return passed;
    }

    private static void join(NO_DUPES protocol, String what, Address who, List<String> passed) {
        Message message = new BytesMessage()
                .setSrc(who)
                .putHeader(ClassConfigurator.getProtocolId(GMS.class), new GMS.GmsHeader(GMS.GmsHeader.JOIN_REQ, who));
        if (protocol.up(message) != null) {
            passed.add(what);
        }
    }

    private static Address address(String id) {
        return ExtendedUUID.randomUUID(id).put(RAFT.raft_id_key, id.getBytes(UTF_8));
    }

    private static final class Ignoring extends Protocol {
        @Override
        public Object up(Message message) {
            return message;
        }

        @Override
        public Object down(Message message) {
            return message;
        }

        @Override
        public Object down(Event event) {
            return event;
        }
    }
}
