package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose settings are not those of the others ends with one line; the others go on. */
@Timeout(120)
final class DifferentSettingsTest {

    @Test
    void aMemberWithAnotherSourceOfRandomNumbersEnds() {
        assertEnds("amo.random", "leader", "has --random (amo.random) 'leader', and members a, b 'seeded'");
    }

    @Test
    void aMemberInAnotherTimeZoneEnds() {
        assertEnds(
                "user.timezone",
                "Asia/Tokyo",
                "has the default time zone (-Duser.timezone) 'Asia/Tokyo', and members a, b '");
    }

    private static void assertEnds(String property, String value, String line) {
        BankCluster.Settings settings = BankCluster.Settings.bank("equal").property("c", property, value);
        try (BankCluster cluster = new BankCluster(settings)) {
            MemberProcess odd = cluster.member(2);
            cluster.launch(cluster.member(0));
            cluster.launch(cluster.member(1));
            cluster.awaitServing();
            cluster.launch(odd);
            assertEquals(2, odd.exitCode(), odd::said);
            assertTrue(odd.said().contains("member c of group equal " + line), odd::said);
            cluster.awaitServing();
            cluster.awaitEqual();
            assertEquals(2, cluster.up().size());
        }
    }
}
