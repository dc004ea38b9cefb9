package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.amo.meetings.Fuzz;
import org.junit.jupiter.api.Test;

/** Limits of the authority: what it is set to, when ended leases go, what a snapshot may say. */
class LeaseAuthorityTest {
    private static ClusterTime at(long millis) {
        return new ClusterTime(millis);
    }

    @Test
    void termAndNumberOfLeasesArePositiveAndATermIsAtMostHalfOfAllTime() {
        long longest = ClusterTime.MAX_MILLIS / 2;
        assertTrue(new LeaseAuthority(1, 1).open(at(0), 0).isLive());
        assertEquals(at(longest), new LeaseAuthority(longest, 1).open(at(0), 0).expires());
        assertThrows(IllegalArgumentException.class, () -> new LeaseAuthority(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new LeaseAuthority(longest + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new LeaseAuthority(1, 0));
    }

    @Test
    void theFirstClientDrawsWhereIdsBeginAndTheOthersCountOn() {
        LeaseAuthority authority = new LeaseAuthority(1_000, 10);
        assertEquals(new LeaseId(5 + 1), authority.open(at(0), 5 << 3).client());
        assertEquals(new LeaseId(5 + 2), authority.open(at(0), 900 << 3).client());
    }

    @Test
    void aRefusedClientTakesNoIdAndHearsTheTime() {
        LeaseAuthority authority = new LeaseAuthority(1_000, 1);
        authority.open(at(10), 0);
        assertEquals(new LeaseAnswer(Status.FULL, new LeaseId(2), at(20), at(20)), authority.open(at(20), 0));
        assertEquals(new LeaseId(2), authority.open(at(1_500), 0).client());
    }

    /** Ended leases are dropped an eighth of a term later at the latest, and a lease that lasts stays. */
    @Test
    void endedLeasesAreDroppedWithinAnEighthOfATerm() {
        LeaseAuthority authority = new LeaseAuthority(800, 10);
        authority.open(at(0), 0);
        authority.open(at(90), 0);
        assertEquals(at(799), authority.time(at(799)));
        assertEquals(2, authority.size(), "neither has ended");
        authority.time(at(800));
        assertEquals(2, authority.size(), "swept at 799");
        authority.time(at(898));
        assertEquals(2, authority.size(), "an eighth of a term later is 899");
        authority.time(at(899));
        assertEquals(0, authority.size(), "800 and 890 are over");
        assertEquals(at(899), authority.now());
    }

    @Test
    void aSweepKeepsTheLeaseThatEndsOneMillisecondLater() {
        LeaseAuthority authority = new LeaseAuthority(800, 10);
        authority.open(at(100), 0);
        authority.open(at(101), 0);
        authority.time(at(900));
        assertEquals(1, authority.size());
        assertEquals(Status.LIVE, authority.check(new LeaseId(2), at(900)).status());
    }

    /** Terms below 8 ms are swept every millisecond. */
    @Test
    void theShortestLeaseIsSweptToo() {
        LeaseAuthority authority = new LeaseAuthority(1, 1);
        authority.open(at(0), 0);
        assertTrue(authority.open(at(1), 0).isLive(), "the one place is free again");
    }

    private static LeaseAuthority read(String hex) {
        return LeaseAuthority.read(new WireReader("authority", Fuzz.bytes(hex)));
    }

    /** version, term, most leases, now, next sweep, last id, leases, then id and end of each. */
    @Test
    void aSnapshotThatContradictsItselfIsRefused() {
        assertEquals(1, read("01 e807 01 00 00 07 01 07 05").size(), "the last id has a lease");
        assertEquals(0, read("01 e807 01 00 00 00 00").size(), "a new authority");
        for (String wrong : new String[] {
            "02 e807 01 00 00 07 00", // a version to come
            "01 00 01 00 00 07 00", // no term
            "01 e807 00 00 00 07 00", // no lease may be held
            "01 e807 01 00 00 07 02 06 05 01 05", // more leases than may be held
            "01 e807 05 00 00 07 02 06 05 02 05", // a lease above the last id
            "01 e807 05 00 00 00 01 01 05", // a lease, and no id was ever given
            "01 e807 05 00 00 07 02 06 05", // more leases than bytes
        }) {
            assertThrows(MalformedFrameException.class, () -> read(wrong), wrong);
        }
    }

    @Test
    void aSnapshotKeepsHowManyLeasesThereMayBe() {
        LeaseAuthority full = new LeaseAuthority(1_000, 1);
        full.open(at(0), 0);
        WireWriter writer = new WireWriter(16);
        full.write(writer);
        LeaseAuthority next = LeaseAuthority.read(new WireReader("authority", writer.toBytes()));
        assertEquals(Status.FULL, next.open(at(1), 0).status());
    }
}
