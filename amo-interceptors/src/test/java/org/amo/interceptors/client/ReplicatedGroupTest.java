package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.jacorb.MemberAddress;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.omg.PortableInterceptor.ClientRequestInfo;

/** The threads of one ORB at one group. */
class ReplicatedGroupTest {
    private static final ClientId CLIENT = new ClientId(0, 0);
    private static final int EACH = 6;
    static final CallHistory NO_HISTORY = new CallHistory(Optional.empty(), "client");
    static final ClientRequestInfo INFO = (ClientRequestInfo) Proxy.newProxyInstance(
            ClientRequestInfo.class.getClassLoader(),
            new Class<?>[] {ClientRequestInfo.class},
            (proxy, method, arguments) -> method.getName().equals("operation") ? "deposit" : true);
    static final List<MemberAddress> MEMBERS =
            List.of(new MemberAddress("a", 1), new MemberAddress("b", 2), new MemberAddress("c", 3));

    @Test
    void membersThatAMemberToldComeBeforeThePublishedOnesAndAnOlderListChangesNothing() {
        ReplicatedGroup group = group();
        group.leave(group.serving());
        MemberAddress serving = group.serving();
        MemberAddress next = new MemberAddress("d", 4);
        group.hear(List.of(next, serving), 2);
        assertEquals(serving, group.serving(), "it is a member still");
        assertEquals(4, group.memberCount());
        group.hear(List.of(new MemberAddress("old", 5)), 1);
        group.learn(MEMBERS, 1);
        assertEquals(4, group.memberCount());

        group.hear(List.of(next), 3);
        assertEquals(serving, group.serving(), "it ends the connection itself");
        Set<MemberAddress> tried = new LinkedHashSet<>();
        for (int i = 0; i < 4; i++) {
            tried.add(group.serving());
            group.leave(group.serving());
        }
        assertTrue(tried.contains(next) && tried.containsAll(MEMBERS), tried::toString);
        byte[] version = {0, 0, 0, 0, 0, 0, 0, 4};
        assertArrayEquals(
                version,
                group.repeat(CLIENT, new RequestContext.Call(1, 1, 2), 0).groupVersion());
    }

    /** A member that fails the calls of several threads is left once, for the next one, and not passed over. */
    @Test
    void allThreadsThatAMemberFailedMoveOnTogether() {
        Meetings.prove(
                () -> {
                    ReplicatedGroup group = group();
                    return leaving(group::serving, group::leave);
                },
                () -> {
                    WithoutMonitor group = new WithoutMonitor();
                    return leaving(group::serving, group::leave);
                });
    }

    /** The session is guarded by the group's monitor: no two calls have one number, and all that end are finished. */
    @Test
    void eachCallHasANumberOfItsOwnAndAllThatEndAreFinished() {
        Meetings.prove(
                () -> {
                    ReplicatedGroup group = group();
                    return calling(group.session(), () -> {
                        CallLimits limits = new CallLimits(1_000, 0, 1_000, CallLimits.NONE);
                        LogicalCall call = LogicalCall.begin(group, INFO, this, limits, NO_HISTORY);
                        long number = call.id().number();
                        call.failed(call.giveUp());
                        return number;
                    });
                },
                () -> {
                    ClientSession session = group().session();
                    return calling(session, () -> {
                        ClientCall call = session.begin(false, 1_000, 0, 0);
                        long number = call.id().number();
                        call.onDeadline();
                        call.onHandedOver();
                        return number;
                    });
                });
    }

    static ReplicatedGroup group() {
        ReplicatedGroup group = new ReplicatedGroup(CLIENT, ClientSettings.read(name -> Optional.empty()));
        group.learn(MEMBERS, 1);
        return group;
    }

    private static Meeting leaving(Supplier<MemberAddress> serving, Consumer<MemberAddress> leave) {
        MemberAddress failed = serving.get();
        MemberAddress next = MEMBERS.get((MEMBERS.indexOf(failed) + 1) % MEMBERS.size());
        Meeting.Act act = () -> leave.accept(failed);
        return Meeting.of(
                () -> serving.get().equals(next) ? "" : "from " + failed + " to " + serving.get(), act, act, act);
    }

    private static Meeting calling(ClientSession session, LongSupplier call) {
        List<Long> one = new ArrayList<>();
        List<Long> other = new ArrayList<>();
        return Meeting.of(
                () -> {
                    Set<Long> numbers = new TreeSet<>(one);
                    numbers.addAll(other);
                    return numbers.size() == 2 * EACH
                                    && session.finishedToSend().floor() == 2 * EACH
                            ? ""
                            : one + " and " + other + " finished: " + session.finishedToSend();
                },
                calls(call, one),
                calls(call, other));
    }

    private static Meeting.Act calls(LongSupplier call, List<Long> numbers) {
        return () -> {
            for (int i = 0; i < EACH; i++) {
                numbers.add(call.getAsLong());
            }
        };
    }

    /** Asks who serves and moves on in two steps. */
    private static final class WithoutMonitor {
        private volatile int serving;

        MemberAddress serving() {
            return MEMBERS.get(serving);
        }

        void leave(MemberAddress failed) {
            if (serving().equals(failed)) {
                serving = (serving + 1) % MEMBERS.size();
            }
        }
    }
}
