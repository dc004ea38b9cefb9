package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.core.order.Member;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * States of a group in which no change of the view makes anybody look for a leader. The members are real; the views
 * that a partition would bring after its patience are put in place at once, and no merge mends them.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class LeaderlessGroupTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, RaftLog> logs = new LinkedHashMap<>();
    private final Map<String, Recorder> recorders = new LinkedHashMap<>();
    private long views = 100;

    /** b is the first in the view and leads. */
    @BeforeEach
    void open() {
        List<Member> members = FreePorts.members(3);
        String group = Groups.freshName();
        for (String id : List.of("b", "a", "c")) {
            RaftLog log = new RaftLog(
                    Groups.settings(
                            group,
                            id,
                            members,
                            ReplicaSettings.Order.RAFT,
                            ReplicaSettings.Log.MEMORY,
                            data,
                            Optional.empty()),
                    FaultHooks.NONE);
            logs.put(id, log);
            recorders.put(id, new Recorder());
            log.start(recorders.get(id));
            // Each view starts it again.
            protocol(id, MERGE3.class)
                    .setMinInterval(500_000)
                    .setMaxInterval(600_000)
                    .stop();
        }
        await().atMost(BOUND).until(() -> recorders.values().stream()
                .allMatch(recorder -> recorder.leader().equals("b")));
    }

    @AfterEach
    void close() {
        logs.values().forEach(RaftLog::close);
    }

    // What was left of seed 34 of the chaos run: the leader was alone for a moment and has stepped down; the others did
    // not notice, and the first in the view after the merge believes in it still.
    @Test
    void aLeaderThatSteppedDownUnnoticedIsNotBelievedInForEver() {
        install("b", "b");
        await().atMost(BOUND).until(() -> recorders.get("b").leader().isEmpty());
        for (String id : List.of("a", "b", "c")) {
            install(id, "a", "b", "c");
        }
        assertTheGroupOrders();
    }

    // It does not hear the others, but they hear it and keep it in their view, at the first place.
    @Test
    void aLeaderThatHearsNobodyIsReplacedByThoseWhoHearIt() {
        install("b", "b");
        await().atMost(BOUND).untilAsserted(() -> {
            String leader = recorders.get("a").leader();
            assertTrue(List.of("a", "c").contains(leader), leader);
            assertEquals(leader, recorders.get("c").leader());
        });
        logs.get("a").submit(1, "after".getBytes(UTF_8));
        await().atMost(BOUND).until(() -> recorders.get("c").entries().contains("after"));
    }

    // Neither is out of anybody's view yet: nobody waits for JGroups' patience.
    @Test
    void aLeaderThatDoesNotHearItsFollowersGivesWay() {
        DISCARD deaf = new DISCARD();
        deaf.setUpDiscardRate(1);
        assertReplacedWhileInView(deaf);
    }

    @Test
    void aLeaderThatIsNotHeardGivesWay() {
        DISCARD mute = new DISCARD();
        mute.setDownDiscardRate(1);
        assertReplacedWhileInView(mute);
    }

    private void assertReplacedWhileInView(DISCARD fault) {
        ProtocolStack stack = logs.get("b").raft().getProtocolStack();
        stack.insertProtocolInStack(fault, stack.getTransport(), ProtocolStack.Position.ABOVE);
        await().atMost(BOUND).untilAsserted(() -> {
            String leader = recorders.get("a").leader();
            assertTrue(List.of("a", "c").contains(leader), leader);
            assertEquals(leader, recorders.get("c").leader());
        });
        View view = logs.get("a").raft().getProtocolStack().getChannel().getView();
        assertTrue(view.containsMember(logs.get("b").raft().getAddress()), view::toString);
        logs.get("a").submit(1, "meanwhile".getBytes(UTF_8));
        await().atMost(BOUND).until(() -> recorders.get("c").entries().contains("meanwhile"));
        stack.removeProtocol(fault);
        assertTheGroupOrders();
    }

    // It was away while another round was voted on and did not come to an end.
    @Test
    void aFollowerOfALaterTermMakesTheGroupVoteOnce() {
        GuardedRaft c = logs.get("c").raft();
        c.currentTerm(c.currentTerm() + 3);
        assertTheGroupOrders();
        assertTrue(logs.get("b").raft().currentTerm() >= c.currentTerm());
    }

    // Raft, figure 2: whoever gets entries of an older term answers with its own. The original is silent.
    @Test
    void aLeaderOfAnOlderTermIsToldOfTheNewerOne() {
        GuardedRaft c = logs.get("c").raft();
        Address self = c.getAddress();
        long term = c.currentTerm();
        c.currentTerm(term + 3);
        c.setLeaderAndTerm(self, term + 3);
        // The real leader may be heard in the same moment.
        Set<Long> answered = ConcurrentHashMap.newKeySet();
        Protocol below = c.getDownProtocol();
        c.setDownProtocol(new Protocol() {
            @Override
            public Object down(org.jgroups.Message message) {
                if (message.getHeader(c.getId()) instanceof AppendEntriesResponse response) {
                    answered.add(response.currTerm());
                }
                return below.down(message);
            }
        });
        Address b = logs.get("b").raft().getAddress();
        c.handleUpRequest(
                new org.jgroups.ObjectMessage(self).setSrc(b), new AppendEntriesRequest(b, term, 0, 0, term, 0));
        c.setDownProtocol(below);
        assertEquals(Set.of(term + 3), answered);
    }

    private void assertTheGroupOrders() {
        await().atMost(BOUND).untilAsserted(() -> {
            String leader = recorders.get("a").leader();
            assertTrue(logs.containsKey(leader) && logs.get(leader).raft().isLeader(), leader);
            assertEquals(leader, recorders.get("b").leader());
            assertEquals(leader, recorders.get("c").leader());
        });
        logs.get("c").submit(1, "after".getBytes(UTF_8));
        for (Recorder recorder : recorders.values()) {
            await().atMost(BOUND).until(() -> recorder.entries().contains("after"));
        }
    }

    private void install(String at, String... members) {
        Address[] addresses = new Address[members.length];
        for (int i = 0; i < members.length; i++) {
            addresses[i] = logs.get(members[i]).raft().getAddress();
        }
        views += members.length == 1 || at.equals(members[0]) ? 1 : 0;
        protocol(at, GMS.class).installView(View.create(addresses[0], views, addresses));
    }

    private <T extends Protocol> T protocol(String member, Class<T> type) {
        return logs.get(member).raft().getProtocolStack().findProtocol(type);
    }
}
