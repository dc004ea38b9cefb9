package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaStatus;
import org.amo.interceptors.status.StatusServant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.ORB;

/** Changes that a leader refuses. Groups are changed in MembershipTest. */
class MemberCommandTest {
    private final Queue<OrderedLogException> refusals = new ConcurrentLinkedQueue<>();

    private ORB orb = ORB.init();
    private int port;

    @BeforeEach
    void startOrb() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Properties properties = new Properties();
        properties.put("jacorb.log.default.verbosity", "0");
        properties.put("jacorb.implname", "bank");
        properties.put("OAIAddr", "127.0.0.1");
        properties.put("OAPort", Integer.toString(port));
        orb = ORB.init(new String[0], properties);
        StatusServant.install(orb, Leading::new);
    }

    @AfterEach
    void stopOrb() {
        orb.shutdown(true);
    }

    private Run add(String member) {
        return Run.of("member", "add", member, "--members", leader(), "--group", "bank", "--insecure");
    }

    private String leader() {
        return "b=127.0.0.1:2/" + port;
    }

    /** Before, the second one was dropped, and the exit code was 0. */
    @Test
    void twoMembersAtATimeAreTheUsersMistake() {
        Run run = add("d=h:1/2,e=h:3/4");
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError() && run.err().contains("one member at a time"), run.err());
    }

    @Test
    void aRefusalThatPassesIsTriedAgain() {
        for (String passing : List.of(
                "another change of members is in progress; try again when it has ended",
                "the members have changed since they were read; run './amo member' again, which reads them anew",
                "this member does not lead; ask the leader")) {
            refusals.add(new OrderedLogException(Fault.ENVIRONMENT, passing));
        }
        Run run = add("d=h:1/2");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("d=h:1/2"), run.out());
        assertTrue(refusals.isEmpty());
    }

    @Test
    void aMistakeIsNotTriedAgain() {
        refusals.add(new OrderedLogException(Fault.USER, "'b' is the last member; stop it instead"));
        refusals.add(new OrderedLogException(Fault.USER, "asked a second time"));
        Run run = add("d=h:1/2");
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError() && run.err().contains("is the last member"), run.err());
        assertEquals(1, refusals.size());
    }

    /** Refuses as it is told, and then makes the change. */
    private final class Leading extends WithoutClients {
        @Override
        public Optional<GroupMembers> members() {
            return Optional.of(new GroupMembers(0, Member.parseList(leader())));
        }

        @Override
        public CompletionStage<GroupMembers> changeMembers(MemberChange change) {
            OrderedLogException refusal = refusals.poll();
            return refusal == null
                    ? CompletableFuture.completedFuture(
                            new GroupMembers(1, Member.parseList(leader() + "," + change.member())))
                    : CompletableFuture.failedFuture(refusal);
        }

        @Override
        public ReplicaStatus status() {
            return statusOf("b");
        }
    }

    /** Of a member that leads; its numbers are 0. */
    private static ReplicaStatus statusOf(String leader) {
        RecordComponent[] components = ReplicaStatus.class.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] values = Arrays.stream(types).map(type -> value(type, leader)).toArray();
        try {
            return ReplicaStatus.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a status cannot be made", e);
        }
    }

    private static Object value(Class<?> type, String text) {
        if (type == long.class) {
            return 0L;
        }
        return type == Map.class ? Map.of() : text;
    }
}
