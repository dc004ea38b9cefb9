package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose settings are not those of the others ends with one line; the others go on. */
@Timeout(120)
final class DifferentSettingsTest {

    @Test
    void aMemberWithAnotherSourceOfRandomNumbersOrInAnotherTimeZoneEnds() {
        try (BankCluster cluster = new BankCluster(BankCluster.Settings.bank("equal"))) {
            cluster.launch(cluster.member(0));
            cluster.launch(cluster.member(1));
            cluster.awaitServing();
            assertEnds(
                    cluster, "amo.random", "leader", "has --random (amo.random) 'leader', and members a, b 'seeded'");
            assertEnds(
                    cluster,
                    "user.timezone",
                    "Asia/Tokyo",
                    "has the default time zone (-Duser.timezone) 'Asia/Tokyo', and members a, b '");
        }
    }

    private static void assertEnds(BankCluster cluster, String property, String value, String line) {
        MemberProcess odd = cluster.member(2);
        odd.start(cluster.command(odd, Optional.empty())
                .with(List.of(), Map.of(property, value))
                .words());
        assertEquals(2, odd.exitCode(), odd::said);
        assertTrue(odd.said().contains("member c of group equal " + line), odd::said);
        cluster.awaitServing();
        cluster.awaitEqual();
        assertEquals(2, cluster.up().size());
    }
}
