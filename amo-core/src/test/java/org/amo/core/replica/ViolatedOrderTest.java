package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Predicate;
import org.amo.base.ClientId;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.request.Budget;
import org.junit.jupiter.api.Test;

/** Three members of a commutative service compare their digests over an order that is violated at one of them, or at all. */
final class ViolatedOrderTest {
    private static final int SEEDS = 60;

    private boolean calm;
    private RigGroup group = RigGroup.started(Divergence.STOP, OrderedLog.Guarantee.QUASI_TOTAL);

    @Test
    void theSameRequestsInAnotherOrderAreNoDifference() {
        delays(group.c, "two", entry -> has(entry, "three"));
        call(group.a, 1, "one");
        call(group.a, 2, "two");
        call(group.a, 3, "three");
        group.live(2_000);
        assertEquals(List.of("one", "three", "two"), executed(group.c));
        assertTrue(group.order.stream().anyMatch(entry -> entry.vote().isPresent()));
        assertEquals(group.a.replica.digest(), group.c.replica.digest());
        for (ReplicaRig rig : group.all) {
            assertEquals(List.of(), rig.diverged);
            assertEquals(0, rig.replica.status().incomparableVotes());
        }
    }

    @Test
    void aRequestOnTheOtherSideOfAMarkIsCountedAndComparedAtTheNextMark() {
        call(group.a, 1, "one");
        group.live(1_000);
        delays(group.c, "two", OrderedEntry::mark);
        call(group.a, 2, "two");
        group.live(1_000);
        assertEquals(List.of(1L, 1L, 2L), incomparable());
        divergesAt(group.c, "three");
        call(group.a, 3, "three");
        group.live(1_900);
        assertEquals(List.of(1L, 1L, 2L), incomparable());
        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertEquals("", group.a.replica.status().divergence());
    }

    /** The member lacks an entry without requests, so that all its later positions are other ones. */
    @Test
    void aMemberWithAnotherReplyIsNamedAlsoBehindAViolation() {
        call(group.a, 1, "one");
        loses(
                group.c,
                entry -> entry.items().isEmpty()
                        && entry.vote().isPresent()
                        && entry.origin().equals("a"));
        group.live(1_000);
        delays(group.c, "two", entry -> has(entry, "three"));
        divergesAt(group.c, "two");
        call(group.a, 2, "two");
        call(group.a, 3, "three");
        group.live(1_900);
        assertTrue(group.c.position < group.a.position, group.c.position + " of " + group.a.position);
        assertEquals(List.of("one", "three", "two"), executed(group.c));
        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertTrue(group.c.diverged.get(0).endsWith("from [a, b]"), group.c.diverged.toString());
        assertEquals("first at " + group.c.executed.get(2).position() + "/0 two", group.c.diverged.get(1));
        assertEquals("OVERLOADED", call(group.c, 4, "four"));
        assertEquals("reply to four", call(group.a, 4, "four"));
        assertEquals(1, group.a.replica.status().diverged());
        assertEquals(List.of(), group.a.diverged);
    }

    @Test
    void aMemberThatLacksARequestForGoodIsToldOfInTheStatusAndServes() {
        loses(group.c, entry -> has(entry, "two"));
        call(group.a, 1, "one");
        call(group.a, 2, "two");
        for (int number = 3; number <= 6; number++) {
            assertEquals("reply to next", call(group.a, number, "next"));
            group.live(800);
        }
        assertTrue(
                group.a.replica.status().divergence().startsWith("has executed other requests than c since position "),
                group.a.replica.status().divergence());
        assertTrue(
                group.c.replica.status().divergence().startsWith("has executed other requests than a, b since "),
                group.c.replica.status().divergence());
        for (ReplicaRig rig : group.all) {
            assertEquals(List.of(), rig.diverged);
            assertEquals(0, rig.replica.status().diverged());
        }
        assertEquals("reply to seven", call(group.c, 7, "seven"));

        divergesAt(group.a, "eight");
        call(group.b, 8, "eight");
        group.live(1_500);
        assertEquals(List.of(), group.b.diverged, "the third one may decide");
        group.live(2_000);
        assertEquals(2, group.b.diverged.size(), group.b.diverged.toString());
        assertTrue(group.b.diverged.get(0).startsWith("disputed at "), group.b.diverged.toString());
        assertTrue(group.b.diverged.get(1).endsWith("/0 eight with a"), group.b.diverged.toString());
    }

    @Test
    void withoutAMajorityTheGroupTakesNoRequests() {
        delays(group.c, "one", entry -> has(entry, "two"));
        divergesAt(group.a, "one");
        divergesAt(group.c, "one");
        call(group.b, 1, "one");
        call(group.b, 2, "two");
        group.live(1_900);
        for (ReplicaRig rig : group.all) {
            assertEquals(2, rig.diverged.size(), rig.diverged.toString());
            assertTrue(rig.diverged.get(0).startsWith("disputed at "), rig.diverged.toString());
            assertTrue(rig.diverged.get(1).contains("/0 one with "), rig.diverged.toString());
            rig.copy("3", rig.request(3));
            assertEquals(Budget.DIVERGENCE, rig.answers.get("3").get(0).budget().orElseThrow());
        }
    }

    @Test
    void aStateThatNoReplyTellsIsComparedBehindTheSameRequests() {
        group.all.forEach(rig -> rig.stateDigest = OptionalLong.of(7));
        call(group.a, 1, "one");
        group.live(1_000);
        group.c.stateDigest = OptionalLong.of(8);
        delays(group.c, "two", OrderedEntry::mark);
        call(group.a, 2, "two");
        group.live(1_000);
        assertEquals(List.of(), group.c.diverged);
        call(group.a, 3, "three");
        group.live(1_900);
        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertEquals("first at - -", group.c.diverged.get(1));
    }

    /** At the first mark, the third member lacks the request on which the two others differ. */
    @Test
    void aDisputeIsDecidedAtTheNextMarkByAMemberThatLaggedAtTheFirst() {
        call(group.a, 1, "one");
        group.live(1_000);
        delays(group.a, "two", OrderedEntry::mark);
        divergesAt(group.c, "two");
        call(group.b, 2, "two");
        group.live(1_900);
        assertEquals(2, group.c.diverged.size(), group.c.diverged.toString());
        assertTrue(group.c.diverged.get(1).endsWith(" two"), group.c.diverged.toString());
        assertEquals(List.of(), group.b.diverged);
        assertFalse(group.b.replica.snapshots().isDisputed());
    }

    /** Each member gets a quarter of the entries one or more places late. In every second group one member has another reply. */
    @Test
    void aDivergedMemberIsFoundInRandomOrdersAndNoOtherIsAccused() {
        long otherOrders = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            group = RigGroup.started(Divergence.REPORT, OrderedLog.Guarantee.QUASI_TOTAL);
            calm = false;
            boolean diverges = seed % 2 == 1;
            if (diverges) {
                divergesAt(group.c, "op7");
            }
            Random random = new Random(seed);
            group.all.forEach(rig -> shuffles(rig, random));
            for (int number = 1; number <= 20; number++) {
                call(random.nextBoolean() ? group.a : group.b, number, "op" + number);
                group.live(200);
            }
            calm = true;
            for (int number = 21; number <= 23; number++) {
                call(group.a, number, "op" + number);
                group.live(700);
            }
            // If a dispute has been told, the next mark comes after 5 s.
            group.live(6_000);
            String failed = "seed " + seed;
            otherOrders += executed(group.a).equals(executed(group.b)) ? 0 : 1;
            assertEquals(List.of(), verdicts(group.a), failed);
            assertEquals(List.of(), verdicts(group.b), failed);
            assertEquals(group.a.replica.digest(), group.b.replica.digest(), failed);
            if (diverges) {
                assertEquals(2, verdicts(group.c).size(), () -> failed + group.c.diverged);
                assertTrue(verdicts(group.c).get(1).endsWith(" op7"), () -> failed + group.c.diverged);
            } else {
                group.all.forEach(rig -> assertEquals(List.of(), rig.diverged, failed));
                assertEquals(group.a.replica.digest(), group.c.replica.digest(), failed);
            }
        }
        assertTrue(otherOrders > SEEDS / 2, "violated in " + otherOrders);
    }

    // ------------------------------------------------- violations

    /** The member gets entries with this request right behind the next entry of this kind. */
    private void delays(ReplicaRig rig, String body, Predicate<OrderedEntry> until) {
        List<OrderedEntry> late = new ArrayList<>();
        group.path(rig, entries -> {
            List<OrderedEntry> now = new ArrayList<>();
            for (OrderedEntry entry : entries) {
                if (has(entry, body)) {
                    late.add(entry);
                } else {
                    now.add(entry);
                    if (until.test(entry)) {
                        now.addAll(late);
                        late.clear();
                    }
                }
            }
            return now;
        });
    }

    /** The member never gets the first entry of this kind. */
    private void loses(ReplicaRig rig, Predicate<OrderedEntry> which) {
        List<OrderedEntry> lost = new ArrayList<>();
        group.path(rig, entries -> {
            List<OrderedEntry> now = new ArrayList<>(entries);
            entries.stream()
                    .filter(entry -> lost.isEmpty() && which.test(entry))
                    .findFirst()
                    .ifPresent(lost::add);
            now.removeAll(lost);
            return now;
        });
    }

    private void shuffles(ReplicaRig rig, Random random) {
        List<OrderedEntry> late = new ArrayList<>();
        group.path(rig, entries -> {
            List<OrderedEntry> now = new ArrayList<>();
            for (OrderedEntry entry : entries) {
                if (!calm && random.nextInt(4) == 0) {
                    late.add(entry);
                } else {
                    now.add(entry);
                    now.addAll(late);
                    late.clear();
                }
            }
            return now;
        });
    }

    private static boolean has(OrderedEntry entry, String body) {
        return entry.items().stream()
                .flatMap(item -> item.request().stream())
                .anyMatch(request -> new String(request.body(), StandardCharsets.UTF_8).equals(body));
    }

    // -------------------------------------------------

    private static void divergesAt(ReplicaRig rig, String body) {
        rig.servant = request -> new String(request.body(), StandardCharsets.UTF_8).equals(body)
                ? ReplicaRig.bytes("another reply of " + rig.id)
                : ReplicaRig.replyTo(request);
    }

    /** Without the disputes that a later mark decided. */
    private static List<String> verdicts(ReplicaRig rig) {
        return rig.diverged.stream()
                .filter(said -> !said.startsWith("disputed ") && !said.equals("agreed"))
                .toList();
    }

    private static List<String> executed(ReplicaRig rig) {
        return rig.executed.stream()
                .map(execution -> new String(execution.request().body(), StandardCharsets.UTF_8))
                .toList();
    }

    private List<Long> incomparable() {
        return group.all.stream()
                .map(rig -> rig.replica.status().incomparableVotes())
                .toList();
    }

    private String call(ReplicaRig to, long number, String body) {
        String copy = "call " + number + " at " + to.id + " " + to.now;
        return group.call(to, copy, group.a.request(new ClientId(1, 1), number, body));
    }
}
