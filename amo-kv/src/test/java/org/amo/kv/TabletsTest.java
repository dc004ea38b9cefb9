package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.rpclog.KeyRange;
import org.junit.jupiter.api.Test;

/** Who has which tablet (sections II-C and IV-B). */
final class TabletsTest {
    private static final long DEAD_AFTER = 1_000;

    private final Tablets tablets = new Tablets(8, 3, DEAD_AFTER);

    private static KnownServer server(String id) {
        return new KnownServer(id, "h", 1, "/" + id, Tablets.NO_STORE, 0, false);
    }

    private void begin(String id, String store, String lost) {
        tablets.onBegin(server(id).with(store), lost, false, new ClusterTime(600));
    }

    private String store(String id) {
        return tablets.server(id).orElseThrow().store();
    }

    private void beat(String id, long millis) {
        tablets.onBeat(server(id), new ClusterTime(millis));
        tablets.onTime(new ClusterTime(millis));
    }

    private void deal() {
        beat("a", 0);
        beat("b", 0);
        assertFalse(tablets.isDealt());
        beat("c", 500);
        assertTrue(tablets.isDealt());
    }

    @Test
    void theRangesHaveNoGapAndNoOverlap() {
        List<Tablet> all = tablets.tablets();
        assertEquals(0, all.get(0).range().first());
        assertEquals(-1, all.get(7).range().last());
        for (int i = 1; i < 8; i++) {
            assertEquals(all.get(i - 1).range().last() + 1, all.get(i).range().first());
        }
    }

    @Test
    void aDeadServersTabletsGoToAllWhoLive() {
        deal();
        assertEquals(3, tablets.ownedBy("a").size());
        beat("b", 1_400);
        beat("c", 1_600);
        assertEquals(
                3, tablets.inheritedBy("b").size() + tablets.inheritedBy("c").size());
        assertFalse(tablets.inheritedBy("b").isEmpty());
        assertFalse(tablets.inheritedBy("c").isEmpty());
        assertEquals(3, tablets.ownedBy("a").size(), "until an heir says that it has them");
        assertTrue(tablets.onRecovered("b", claims("b")));
        assertTrue(tablets.onRecovered("c", claims("c")));
        assertEquals(0, tablets.ownedBy("a").size());
        assertEquals(8, tablets.ownedBy("b").size() + tablets.ownedBy("c").size());
    }

    /** It has its lock again: what an heir read before is old. */
    @Test
    void anHeirOfAServerThatCameBackGetsNothing() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> before = claims("b");
        beat("a", 1_700);
        assertFalse(tablets.onRecovered("b", before));
        assertEquals(3, tablets.ownedBy("a").size());
        // It dies again and the same server is its heir again: its old word is still old.
        beat("b", 2_500);
        beat("c", 2_701);
        assertFalse(tablets.inheritedBy("b").isEmpty());
        assertFalse(tablets.onRecovered("b", before));
        assertTrue(tablets.onRecovered("b", claims("b")));
    }

    @Test
    void anHeirSaysItAgainAndItIsTrueAgain() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> claims = claims("b");
        assertTrue(tablets.onRecovered("b", claims));
        assertTrue(tablets.onRecovered("b", claims));
        assertFalse(tablets.onRecovered("c", claims));
    }

    /** The answer to its claim was lost, and it was cut off for so long that it counted as dead: no other server serves the range. */
    @Test
    void anOwnerThatCountedAsDeadSinceItsClaimHearsThatItIsTheOwner() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> claims = claims("b");
        assertFalse(claims.isEmpty());
        assertTrue(tablets.onRecovered("b", claims));
        beat("c", 2_500);
        for (int number : claims.keySet()) {
            assertEquals("c", tablets.tablets().get(number).heir(), "b was silent for too long");
        }
        assertTrue(tablets.onRecovered("b", claims), "while it runs, no heir can read its directory");
        for (int number : claims.keySet()) {
            assertEquals("c", tablets.tablets().get(number).heir(), "it may have died since");
        }
        beat("b", 2_600);
        assertTrue(tablets.onRecovered("b", claims));
        List<KeyRange> owned = tablets.ownedBy("b");
        for (int number : claims.keySet()) {
            assertTrue(owned.contains(tablets.tablets().get(number).range()));
        }
    }

    /** Its claim was still on the way, and the next process is just writing the range anew. */
    @Test
    void aClaimOfAnHeirsFormerProcessIsRefused() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> former = claims("b");
        assertFalse(former.isEmpty());
        tablets.onBegin(server("b"), Tablets.NO_STORE, false, new ClusterTime(1_700));
        Map<Integer, Long> claims = claims("b");
        assertEquals(former.keySet(), claims.keySet(), "it still is the heir");
        assertFalse(tablets.onRecovered("b", former));
        assertEquals(3, tablets.ownedBy("a").size());
        beat("b", 1_750);
        assertTrue(tablets.onRecovered("b", claims));
    }

    @Test
    void anHeirThatDiesIsReplaced() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        beat("c", 2_500);
        assertTrue(tablets.inheritedBy("b").isEmpty());
        assertEquals(6, tablets.inheritedBy("c").size(), "those of a and those of b");
    }

    /** Another server was the heir in between. */
    @Test
    void theClaimOfAnEarlierTimeAsHeirIsRefused() {
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> earlier = claims("b");
        beat("c", 2_500);
        beat("b", 2_600);
        beat("b", 3_600);
        assertTrue(claims("b").keySet().containsAll(earlier.keySet()), "c was silent for too long");
        assertFalse(tablets.onRecovered("b", earlier));
        assertTrue(tablets.onRecovered("b", claims("b")));
    }

    @Test
    void aTabletMovesWhenItsOwnerHasHandedItOver() {
        deal();
        assertFalse(tablets.onMove(0, "a"), "it is its own");
        assertFalse(tablets.onMove(0, "nobody"));
        assertTrue(tablets.onMove(0, "b"));
        assertFalse(tablets.onMove(0, "c"), "it moves already");
        long epoch = tablets.tablets().get(0).epoch();
        assertEquals(List.of(0), tablets.movedFrom("a"));
        assertEquals(List.of(), tablets.inheritedBy("b"), "its owner serves it");
        assertFalse(tablets.onHandedOver("a", 0, epoch - 1, "/copy"));
        beat("a", 600);
        assertTrue(tablets.onHandedOver("a", 0, epoch, "/copy"));
        beat("a", 700);
        assertEquals(List.of(0), tablets.inheritedBy("b"));
        assertEquals("/copy", tablets.tablets().get(0).copy());
        long before = tablets.version();
        assertTrue(tablets.onRecovered("b", claims("b")));
        assertEquals("b", tablets.tablets().get(0).owner());
        assertEquals(List.of(), tablets.movedFrom("a"));
        assertTrue(tablets.version() > before, "clients ask for the map");
    }

    /** It serves all its ranges, also those that it had handed over: the other server's copy is old. */
    @Test
    void anOwnerThatStartsAgainKeepsItsTablets() {
        deal();
        tablets.onMove(0, "b");
        tablets.onHandedOver("a", 0, tablets.tablets().get(0).epoch(), "/copy");
        Map<Integer, Long> claims = claims("b");
        assertEquals(1, claims.size());
        begin("a", "first", Tablets.NO_STORE);
        assertFalse(tablets.onRecovered("b", claims));
        assertEquals(List.of(), tablets.movedFrom("a"));
        assertEquals(List.of(), tablets.inheritedBy("b"));
        assertEquals("a", tablets.tablets().get(0).owner());
    }

    /** The owner deletes its copy when the epoch changes: without another one the range would have no server for ever. */
    @Test
    void aTabletIsHandedOverAnewToAServerThatStartsAgain() {
        deal();
        tablets.onMove(0, "b");
        long epoch = tablets.tablets().get(0).epoch();
        tablets.onHandedOver("a", 0, epoch, "/copy");
        Map<Integer, Long> claims = claims("b");
        begin("b", "first", Tablets.NO_STORE);
        assertFalse(tablets.onRecovered("b", claims), "the word of its former process");
        assertEquals(List.of(0), tablets.movedFrom("a"));
        assertEquals(List.of(), tablets.inheritedBy("b"), "the copy is gone");
        assertFalse(tablets.onHandedOver("a", 0, epoch, "/copy"));
        assertTrue(tablets.onHandedOver("a", 0, epoch + 1, "/another"));
        assertEquals(List.of(0), tablets.inheritedBy("b"));
        assertTrue(tablets.onRecovered("b", claims("b")));
    }

    @Test
    void aMoveToAServerThatDiesIsCalledOff() {
        deal();
        tablets.onMove(0, "b");
        tablets.onHandedOver("a", 0, tablets.tablets().get(0).epoch(), "/copy");
        Map<Integer, Long> claims = claims("b");
        beat("a", 1_400);
        beat("c", 1_600);
        assertTrue(tablets.server("b").orElseThrow().dead());
        assertEquals(List.of(), tablets.movedFrom("a"), "it may serve it again");
        assertFalse(tablets.onRecovered("b", claims), "and the other one's word is old");
    }

    @Test
    void theOtherServerRecoversWhatADeadOwnerDidNotHandOver() {
        deal();
        tablets.onMove(0, "b");
        beat("b", 1_400);
        beat("c", 1_600);
        assertTrue(tablets.server("a").orElseThrow().dead());
        assertTrue(tablets.inheritedBy("b").contains(0));
        assertFalse(tablets.tablets().get(0).moves(), "from its directory");
        assertTrue(tablets.onRecovered("b", claims("b")));
    }

    @Test
    void twoDirectoriesHaveNotTheSameServer() {
        deal();
        KnownServer other = new KnownServer("a", "h", 1, "/elsewhere", Tablets.NO_STORE, 0, false);
        assertThrows(IllegalArgumentException.class, () -> tablets.onBeat(other, new ClusterTime(600)));
    }

    /** Its directory was lost: it would serve its ranges without the answered calls. */
    @Test
    void anOwnerWithAnotherStoreIsRefusedUntilTheCallsAreGivenUp() {
        begin("a", "first", Tablets.NO_STORE);
        deal();
        begin("a", "first", Tablets.NO_STORE);
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> begin("a", "second", Tablets.NO_STORE));
        assertTrue(e.getMessage().contains("/a") && e.getMessage().contains("--give-up first"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> begin("a", "second", "another"));
        assertEquals("first", store("a"), "also after a refusal");
        begin("a", "first", Tablets.NO_STORE);
        begin("a", "second", "first");
        assertEquals("second", store("a"));
        begin("a", "second", "first");
        assertThrows(
                IllegalArgumentException.class, () -> begin("a", "third", "first"), "the option was left in a script");
        assertEquals(3, tablets.ownedBy("a").size());
    }

    /** A refused beat is none: the server still counts as dead, and heirs of it are told the store that has the calls. */
    @Test
    void aRefusedServerIsNotHeard() {
        begin("a", "first", Tablets.NO_STORE);
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        Map<Integer, Long> claims = claims("b");
        assertFalse(claims.isEmpty());
        assertThrows(IllegalArgumentException.class, () -> begin("a", "second", Tablets.NO_STORE));
        assertEquals(claims, claims("b"));
        assertTrue(tablets.server("a").orElseThrow().dead());
        assertTrue(tablets.onRecovered("b", claims));
    }

    @Test
    void aServerWithoutRangesMayHaveAnotherStore() {
        begin("a", "first", Tablets.NO_STORE);
        begin("a", "second", Tablets.NO_STORE);
        deal();
        assertEquals("second", store("a"), "a beat does not tell it");
        beat("b", 1_400);
        beat("c", 1_600);
        assertTrue(tablets.onRecovered("b", claims("b")));
        assertTrue(tablets.onRecovered("c", claims("c")));
        begin("a", "third", Tablets.NO_STORE);
        assertEquals("third", store("a"));
    }

    /** Servers of older versions told none: the first one that is told counts. */
    @Test
    void anOwnerWhoseStoreIsNotKnownTellsIt() {
        deal();
        begin("a", "first", Tablets.NO_STORE);
        assertThrows(IllegalArgumentException.class, () -> begin("a", "second", Tablets.NO_STORE));
    }

    @Test
    void aSnapshotHoldsAllOfIt() {
        begin("a", "first", Tablets.NO_STORE);
        deal();
        beat("b", 1_400);
        beat("c", 1_600);
        WireWriter writer = new WireWriter(64);
        tablets.write(writer);
        Tablets other = new Tablets(8, 3, DEAD_AFTER);
        other.read(new WireReader("tablets", writer.toBytes()), true, true);
        assertEquals(tablets.server("a"), other.server("a"));
        WireWriter again = new WireWriter(64);
        other.write(again);
        assertArrayEquals(writer.toBytes(), again.toBytes());
        List<KeyRange> owned = tablets.ownedBy("a");
        assertEquals(owned, other.ownedBy("a"));
        assertEquals(tablets.inheritedBy("b"), other.inheritedBy("b"));
    }

    private Map<Integer, Long> claims(String id) {
        Map<Integer, Long> claims = new HashMap<>();
        tablets.inheritedBy(id)
                .forEach(number ->
                        claims.put(number, tablets.tablets().get(number).epoch()));
        return claims;
    }
}
