package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.amo.meetings.Fuzz;
import org.junit.jupiter.api.Test;

/** What sections III-A and V-B of Park's paper promise about leases (rows R1, R12 to R14, R18). */
class LeasePaperTest {
    private static final long TERM = 1_000;

    private final LeaseAuthority authority = new LeaseAuthority(TERM, 10);

    private static ClusterTime at(long millis) {
        return new ClusterTime(millis);
    }

    /** III-A: "obtains a unique client ID, which is attached to every linearizable RPC later". */
    /** An authority that starts without its leases gave LeaseId 1 again, of which a store may keep records. */
    @Test
    void anAuthorityThatLostItsLeasesDoesNotRepeatItsIds() {
        Set<LeaseId> ids = new HashSet<>();
        Random random = new Random(31);
        for (int life = 0; life < 100; life++) {
            LeaseAuthority fresh = new LeaseAuthority(TERM, 10);
            for (int i = 0; i < 10; i++) {
                assertTrue(ids.add(fresh.open(at(1), random.nextLong()).client()));
            }
        }
        WireWriter writer = new WireWriter(64);
        authority.open(at(1), -1);
        authority.write(writer);
        LeaseAuthority next = LeaseAuthority.read(new WireReader("authority", writer.toBytes()));
        assertEquals((1L << 61) + 1, next.open(at(2), 5).client().value(), "it goes on where it was");
    }

    @Test
    void noIdIsGivenTwiceNotEvenByTheNextLeader() {
        LeaseId first = authority.open(at(1), 0).client();
        LeaseId second = authority.open(at(2), 0).client();
        assertNotEquals(first, second);
        LeaseAuthority next = restarted(authority);
        assertEquals(new LeaseId(3), next.open(at(3), 0).client());
        next.check(first, at(5_000));
        assertEquals(1, next.open(at(5_001), 0).client().value() - 3, "ids of ended leases are not given again either");
    }

    /** V-B: "When a client renews its lease [...] it obtains a new lease expiration time and current ClusterTime." */
    @Test
    void aLeaseLastsOneTermFromItsLastRenewalAndNoShorter() {
        LeaseId client = authority.open(at(100), 0).client();
        LeaseAnswer renewed = authority.renew(client, at(900));
        assertEquals(new LeaseAnswer(Status.LIVE, client, at(1_900), at(900)), renewed);
        assertEquals(Status.LIVE, authority.check(client, at(1_899)).status());
        assertEquals(new LeaseAnswer(Status.EXPIRED, client, at(1_900), at(1_900)), authority.check(client, at(1_900)));
    }

    @Test
    void aLeaseThatEndedIsNeverLiveAgain() {
        LeaseId client = authority.open(at(100), 0).client();
        assertEquals(Status.EXPIRED, authority.renew(client, at(1_100)).status());
        assertEquals(Status.EXPIRED, authority.check(client, at(50)).status(), "an old stamp brings nothing back");
        assertEquals(Status.EXPIRED, authority.renew(client, at(50)).status());
        assertEquals(Status.EXPIRED, authority.check(new LeaseId(77), at(50)).status(), "never granted");
    }

    /** V-B: "ClusterTime, which advances monotonically". */
    @Test
    void timeDoesNotGoBackWithTheStampOfALeaderThatIsBehind() {
        authority.open(at(700), 0);
        assertEquals(at(700), authority.time(at(300)));
        assertEquals(at(700), restarted(authority).time(at(0)));
    }

    @Test
    void leasesSurviveAFailOver() {
        LeaseId client = authority.open(at(100), 0).client();
        LeaseAuthority next = restarted(authority);
        assertEquals(at(1_100), next.check(client, at(1_000)).expires());
        assertEquals(Status.LIVE, next.renew(client, at(1_099)).status());
    }

    @Test
    void endedLeasesMakeRoomAndAFullAuthorityRefuses() {
        for (int i = 0; i < 10; i++) {
            assertTrue(authority.open(at(i), 0).isLive());
        }
        assertEquals(Status.FULL, authority.open(at(20), 0).status());
        assertEquals(10, authority.size());
        assertTrue(authority.open(at(1_200), 0).isLive());
        assertEquals(1, authority.size());
    }

    @Test
    void aSnapshotHasTheseBytesAndOthersAreRefused() {
        authority.open(at(100), 0);
        authority.open(at(300), 0);
        WireWriter writer = new WireWriter(32);
        authority.write(writer);
        String golden = "01 e807 0a ac02 a903 02 02 01 cc08 01 940a";
        assertEquals(Fuzz.hex(Fuzz.bytes(golden)), Fuzz.hex(writer.toBytes()));
        Fuzz.truncations(Fuzz.bytes(golden), LeasePaperTest::again);
        Fuzz.mutations(5, 20_000, Fuzz.bytes(golden), LeasePaperTest::again, true);
        assertThrows(
                MalformedFrameException.class,
                () -> again(Fuzz.bytes("01 e807 0a ac02 a903 02 02 01 cc08 00 940a")),
                "one id twice");
    }

    @Test
    void membersThatCameToAStateInDifferentWaysWriteTheSameBytes() {
        LeaseAuthority other = restarted(authority);
        for (LeaseAuthority each : new LeaseAuthority[] {authority, other}) {
            each.open(at(1), 0);
            each.open(at(900), 0);
            each.check(new LeaseId(1), at(1_400));
        }
        LeaseAuthority late = restarted(other);
        for (LeaseAuthority each : new LeaseAuthority[] {authority, late}) {
            each.open(at(1_500), 0);
        }
        WireWriter one = new WireWriter(32);
        WireWriter two = new WireWriter(32);
        authority.write(one);
        late.write(two);
        assertEquals(Fuzz.hex(one.toBytes()), Fuzz.hex(two.toBytes()));
    }

    private static byte[] again(byte[] bytes) {
        WireReader reader = new WireReader("authority", bytes);
        LeaseAuthority read = LeaseAuthority.read(reader);
        reader.end();
        WireWriter writer = new WireWriter(32);
        read.write(writer);
        return writer.toBytes();
    }

    private static LeaseAuthority restarted(LeaseAuthority authority) {
        WireWriter writer = new WireWriter(32);
        authority.write(writer);
        return LeaseAuthority.read(new WireReader("authority", writer.toBytes()));
    }

    @Test
    void aLeaderGoesOnFromWhatWasOrderedWhateverItsMachinesClocksSay() {
        ClusterClock old = new ClusterClock(ClusterTime.ZERO, 5_000_000);
        assertEquals(at(400), old.read(5_000_400));
        ClusterClock next = new ClusterClock(at(400), 17);
        assertEquals(at(400), next.read(17));
        assertEquals(at(400), next.read(3), "a clock that stepped back");
        assertEquals(at(1_400), next.read(1_017));
        next.onOrdered(at(1_300), 1_017);
        assertEquals(at(1_400), next.read(1_017), "an entry of the leader before it, delivered late");
        next.onOrdered(at(9_000), 1_020);
        assertEquals(at(9_001), next.read(1_021));
    }

    @Test
    void aServerHoldsNothingValidBeforeItHeardTheTimeFromTheAuthority() {
        LeaseValidator server = new LeaseValidator();
        assertFalse(server.isReady());
        long first = server.mustLearn();
        server.onHeard(at(500));
        assertFalse(server.isReady(), "a client's word is not the authority's");
        server.onLearned(first, at(400));
        assertTrue(server.isReady());
        assertEquals(at(500), server.now());
    }

    @Test
    void aRangeThatWasTakenOverWaitsForAnAnswerToALaterQuestion() {
        LeaseValidator server = new LeaseValidator();
        long first = server.mustLearn();
        server.onLearned(first, at(400));
        long second = server.mustLearn();
        assertFalse(server.isReady());
        server.onLearned(first, at(450));
        assertFalse(server.isReady(), "asked before the range came");
        server.onLearned(second, at(440));
        assertTrue(server.isReady());
        assertTrue(server.covers(at(451)));
        assertFalse(server.covers(at(450)), "at its end a lease is over");
    }

    /** III-A: the client renews before expiration, as long as it wants its state to be kept. */
    @Test
    void anAgentRenewsAtHalfItsTermAndStopsCallingBeforeTheEnd() {
        Asked asked = new Asked();
        LeaseAgent agent = new LeaseAgent(100, 50, asked);
        agent.open(10_000);
        assertEquals(List.of("open 1"), asked.log);
        assertFalse(agent.mayCall(10_000));
        agent.onAnswer(1, new LeaseAnswer(Status.LIVE, new LeaseId(7), at(1_000), at(0)), 10_040);
        assertEquals(Optional.of(new LeaseId(7)), agent.client());
        assertEquals(10_500, agent.nextDeadline(), "half a term after it asked, not after it was answered");
        agent.onTick(10_499);
        assertEquals(List.of("open 1", "opened 7"), asked.log);
        agent.onTick(10_500);
        agent.onTick(10_550);
        assertEquals(List.of("open 1", "opened 7", "renew 7 2", "renew 7 3"), asked.log);
        assertTrue(agent.mayCall(10_899));
        assertFalse(agent.mayCall(10_900), "it may be over before the call arrives");
        agent.onAnswer(2, new LeaseAnswer(Status.LIVE, new LeaseId(7), at(1_900), at(900)), 10_910);
        assertEquals(1_000 - 410, agent.leftMillis(10_910), "from when that attempt was made, not the last one");
        agent.onAnswer(3, new LeaseAnswer(Status.LIVE, new LeaseId(7), at(1_900), at(900)), 10_920);
        assertEquals(1_000 - 420, agent.leftMillis(10_920), "one answer is enough");
        assertTrue(agent.mayCall(10_920));
        assertEquals(at(1_900), agent.expires());
        agent.onHeard(at(950));
        assertEquals(at(950), agent.clusterTime());
    }

    @Test
    void aLostLeaseIsToldOnceAndTheNextOneIsAnother() {
        Asked asked = new Asked();
        LeaseAgent agent = new LeaseAgent(0, 50, asked);
        agent.open(0);
        assertThrows(IllegalStateException.class, () -> agent.open(1));
        agent.onAnswer(1, new LeaseAnswer(Status.FULL, new LeaseId(1), at(5), at(5)), 10);
        assertEquals(60, agent.nextDeadline(), "a full authority is asked again");
        agent.onTick(60);
        agent.onAnswer(2, new LeaseAnswer(Status.LIVE, new LeaseId(7), at(1_000), at(0)), 70);
        agent.onTick(560);
        agent.onAnswer(3, new LeaseAnswer(Status.EXPIRED, new LeaseId(7), at(1_000), at(1_000)), 570);
        assertEquals(Optional.empty(), agent.client());
        assertFalse(agent.mayCall(570));
        assertEquals(Long.MAX_VALUE, agent.nextDeadline());
        agent.onAnswer(3, new LeaseAnswer(Status.EXPIRED, new LeaseId(7), at(1_000), at(1_000)), 571);
        agent.open(580);
        agent.onAnswer(4, new LeaseAnswer(Status.LIVE, new LeaseId(8), at(2_000), at(1_000)), 590);
        assertEquals(List.of("open 1", "open 2", "opened 7", "renew 7 3", "lost 7", "open 4", "opened 8"), asked.log);
    }

    /** Records what an agent asks for. */
    private static final class Asked implements LeaseAgentEffects {
        final List<String> log = new ArrayList<>();

        @Override
        public void open(long attempt) {
            log.add("open " + attempt);
        }

        @Override
        public void renew(LeaseId client, long attempt) {
            log.add("renew " + client.value() + " " + attempt);
        }

        @Override
        public void onOpened(LeaseId client) {
            log.add("opened " + client.value());
        }

        @Override
        public void onLost(LeaseId client) {
            log.add("lost " + client.value());
        }
    }
}
