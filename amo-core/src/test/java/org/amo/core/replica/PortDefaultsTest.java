package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.ClientId;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLog;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** What the methods do that an implementation of a port need not write. */
final class PortDefaultsTest {
    @Test
    void aServantWithoutStateNeitherGivesNorTakesOne() {
        ServantPort servant = (position, orderedTimeMillis, request) -> request.body();
        Request request = new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[] {4});
        assertArrayEquals(new byte[0], servant.skipped(request));
        assertThrows(
                IllegalStateException.class, () -> servant.undone(request, "why"), "empty bytes look like success");
        assertFalse(servant.isCommutative());
        assertEquals(Optional.empty(), servant.takeState());
        assertEquals(OptionalLong.empty(), servant.stateDigest());
        assertEquals(OptionalLong.empty(), servant.digestAtMark(true));
        assertThrows(IllegalStateException.class, () -> servant.restoreState(new byte[0]));
        assertEquals(Optional.empty(), servant.takeUpdate());
        assertThrows(IllegalStateException.class, () -> servant.applyUpdate(new byte[0]));
        assertEquals(Optional.empty(), servant.stateObstacle());
        assertEquals("", servant.operation(request));
    }

    @Test
    void aServantWithoutTimersHasNoneToFireOrToDrop() {
        ServantPort servant = (position, orderedTimeMillis, request) -> request.body();
        assertFalse(servant.hasTimers());
        assertEquals(OptionalLong.empty(), servant.nextTimerMillis());
        assertThrows(IllegalStateException.class, () -> servant.fireTimer(Place.ofTimer(1, 0), 2));
        assertThrows(IllegalStateException.class, servant::dropTimer);
    }

    @Test
    void aServantThatNeedsNoMoreIsGivenPositionTimeAndRequestOfAnExecution() {
        ServantPort servant = (position, orderedTimeMillis, request) ->
                new byte[] {(byte) position, (byte) orderedTimeMillis, request.body()[0]};
        Request request = new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[] {4});
        assertArrayEquals(new byte[] {7, 8, 4}, servant.execute(new Execution(7, 3, 8, request)));
    }

    /** Style passive without updates of the servant's own. */
    @Test
    void anUpdateIsTheWholeStateUnlessTheServantHasSmallerOnes() {
        List<String> restored = new ArrayList<>();
        ServantPort servant = new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return request.body();
            }

            @Override
            public Optional<byte[]> takeState() {
                return Optional.of(new byte[] {5});
            }

            @Override
            public void restoreState(byte[] state) {
                restored.add("state " + state[0]);
            }
        };
        assertArrayEquals(new byte[] {5}, servant.takeUpdate().orElseThrow());
        servant.applyUpdate(new byte[] {6});
        assertEquals(List.of("state 6"), restored);
    }

    @Test
    void anInterposerDisturbsNothingUnlessItSaysSo() throws IOException {
        ServantPort servant = (position, orderedTimeMillis, request) -> request.body();
        OrderedLog log = new SilentLog();
        OneByOne service = new OneByOne();
        ReplicaSettings settings = MarkedServantTest.settings(ReplicaSettings.Nested.REFUSE);
        assertEquals(0, FaultHooks.NONE.clockStepMillis());
        assertSame(servant, FaultHooks.NONE.around(settings, servant));
        assertSame(log, FaultHooks.NONE.around(settings, log));
        assertSame(service, FaultHooks.NONE.around(settings, service));
        assertTrue(FaultHooks.NONE.tail().isEmpty());
        FaultHooks.NONE.beforeSync(settings);
    }

    @Test
    void copiesThatArriveTogetherAreSubmittedOneByOne() {
        OneByOne service = new OneByOne();
        List<ReplicatedService.Arrival> arrivals = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            Request request = new Request(RequestId.own(new ClientId(1, 2), number), 1, 2, 3, false, new byte[] {4});
            arrivals.add(new ReplicatedService.Arrival(
                    request, FinishedNumbers.of(number - 1L), Principal.UNKNOWN, answer -> {}));
        }
        service.submitAll(arrivals);
        assertEquals(List.of("1 after 0", "2 after 1", "3 after 2"), service.submitted);
        assertEquals(Optional.empty(), service.members());
        assertThrows(
                UnsupportedOperationException.class,
                () -> service.changeMembers(new MemberChange(
                        MemberChange.Kind.ADD,
                        Member.parseList("a=127.0.0.1:1/2").get(0),
                        1,
                        "")));
    }

    @Test
    void anAcknowledgementIsTakenWhenItsCallReturns() {
        OneByOne service = new OneByOne();
        service.acknowledge(new ClientId(1, 2), FinishedNumbers.of(3), () -> service.submitted.add("taken"));
        assertEquals(List.of("acknowledged 3", "taken"), service.submitted);
    }

    /** A log that orders nothing. */
    private static final class SilentLog implements OrderedLog {
        @Override
        public Guarantee guarantee() {
            return Guarantee.UNIFORM;
        }

        @Override
        public void start(LogListener listener) {}

        @Override
        public void submit(long submission, byte[] entry) {}

        @Override
        public void send(String member, byte[] message) {}

        @Override
        public void close() {}
    }

    /** A service that writes down what it is given. */
    private static final class OneByOne implements ReplicatedService {
        private final List<String> submitted = new ArrayList<>();

        @Override
        public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
            submitted.add(request.id().number() + " after " + finished.floor());
        }

        @Override
        public void submitPlain(
                byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
            throw new AssertionError("no plain call");
        }

        @Override
        public void acknowledge(ClientId client, FinishedNumbers finished) {
            submitted.add("acknowledged " + finished.floor());
        }

        @Override
        public ReplicaStatus status() {
            throw new AssertionError("no status");
        }

        @Override
        public void close() {}
    }
}
