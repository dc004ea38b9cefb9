package org.amo.replication.order.sequencer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The faults that JGroups' SEQUENCER was seen to have, played to the rules that must contain them. */
final class MajoritySequenceTest {
    private static final List<String> ALL = List.of("a", "b", "c");
    private static final int ENOUGH_TICKS = 60;

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Queue<Runnable> network = new ArrayDeque<>();
    private final Set<String> deaf = new HashSet<>();
    private final AtomicLong nonces = new AtomicLong();
    private int mostWhileJoining = 1 << 20;

    @Test
    void aGroupIsFoundedByAllMembersNotByAMajority() {
        start("a");
        start("b");
        view("a", "b");
        tick(ENOUGH_TICKS);
        assertFalse(nodes.get("a").sequence.takesPart(), "c might know a history");
        start("c");
        view("a", "b", "c");
        tick(ENOUGH_TICKS);
        for (String id : ALL) {
            assertTrue(nodes.get(id).sequence.takesPart(), id);
            assertEquals("a", nodes.get(id).leader);
        }
    }

    @Test
    void theLastMemberToComeIsAskedAtOnce() {
        start("a");
        start("b");
        view("a", "b");
        start("c");
        view("a", "b", "c");
        for (String id : ALL) {
            assertTrue(nodes.get(id).sequence.takesPart(), id + " waits for its patience to end");
        }
    }

    @Test
    void allDeliverWhatAllReceived() {
        found();
        order("one", "two");
        ALL.forEach(id -> assertEquals(List.of("one", "two"), nodes.get(id).delivered));
    }

    // S1: the sequencer delivers, answers and dies; nobody else ever hears of the entry.
    @Test
    void anEntryThatOnlyItsSequencerReceivedIsNotDelivered() {
        found();
        deaf.addAll(List.of("b", "c"));
        order("lost");
        assertEquals(List.of(), nodes.get("a").delivered);

        deaf.clear();
        die("a");
        view("b", "c");
        order("next");
        assertEquals(List.of("next"), nodes.get("b").delivered);
        assertEquals(List.of("next"), nodes.get("c").delivered);
    }

    // S2: one survivor has delivered what the other never received.
    @Test
    void survivorsThatDifferDoNotBothGoOn() {
        found();
        order("before");
        deaf.add("c");
        order("answered");
        assertEquals(List.of("before", "answered"), nodes.get("b").delivered);
        deaf.clear();
        die("a");
        view("b", "c");
        order("after");
        tick(ENOUGH_TICKS);

        assertEquals(List.of("before"), nodes.get("c").delivered, "it never delivers another second entry");
        assertTrue(nodes.get("c").stopped);
        assertFalse(nodes.get("b").stopped);

        die("c");
        start("c");
        view("b", "c");
        tick(ENOUGH_TICKS);
        order("at last");
        assertEquals(List.of("before", "answered", "after", "at last"), nodes.get("b").delivered);
        assertEquals(nodes.get("b").delivered, nodes.get("c").delivered);
    }

    @Test
    void ofThreeTheOneThatDiffersStopsEvenIfItOrders() {
        found();
        deaf.addAll(List.of("b", "c"));
        order("only at a");
        deaf.clear();
        order("everywhere");
        tick(ENOUGH_TICKS);
        assertTrue(nodes.get("a").stopped);
        assertFalse(nodes.get("b").stopped);
        assertFalse(nodes.get("c").stopped);
        assertEquals(List.of(), nodes.get("a").delivered);
        assertEquals(List.of("everywhere"), nodes.get("b").delivered);
    }

    // S3: both halves of a partition go on, and nothing brings them together afterwards.
    @Test
    void aMinorityDeliversNothingAndStopsWhenItHasMissedSomething() {
        found();
        order("before");
        viewOf("c", "c");
        view("a", "b");
        assertEquals("", nodes.get("c").leader);
        assertFalse(nodes.get("c").sequence.takesPart());
        deaf.add("c");
        order("majority only");
        deaf.clear();
        view("a", "b", "c");
        tick(ENOUGH_TICKS);
        assertTrue(nodes.get("c").stopped);
        assertEquals(List.of("before"), nodes.get("c").delivered);
        assertEquals(List.of("before", "majority only"), nodes.get("a").delivered);
    }

    @Test
    void aMinorityThatHasMissedNothingGoesOn() {
        found();
        order("before");
        viewOf("c", "c");
        view("a", "b");
        view("a", "b", "c");
        tick(ENOUGH_TICKS);
        order("after");
        assertFalse(nodes.get("c").stopped);
        assertEquals(List.of("before", "after"), nodes.get("c").delivered);
    }

    // S6, S7: what is ordered before the mark comes with the history, what comes after it is kept.
    @Test
    void aJoinerGetsEachEntryOnceWhateverIsOrderedMeanwhile() {
        found();
        order("1", "2");
        die("c");
        view("a", "b");
        order("3");
        start("c");
        orderLater("4");
        setView("a", "b", "c");
        orderLater("5");
        for (int i = 6; i <= 40; i++) {
            step();
            orderLater(String.valueOf(i));
        }
        settle();
        tick(ENOUGH_TICKS);
        order("last");
        assertEquals(41, nodes.get("a").delivered.size());
        assertEquals(nodes.get("a").delivered, nodes.get("c").delivered);
    }

    /** A donor that sends a piece now and then, under load, filled the joiner's heap. */
    @Test
    void aJoinerForWhichTooMuchIsOrderedMeanwhileBeginsAnewAndGetsEachEntryOnce() {
        Node joiner = joinsWithRoomFor(500);
        awaitMark(joiner);
        orderLargeOnes(7);
        assertTrue(joiner.marks > 1, "it kept what it had no room for");
        settle();
        assertFalse(joiner.stopped);
        assertEquals(2, joiner.marks, "it begins anew once for one burst");
        order("last");
        assertEquals(nodes.get("a").delivered, joiner.delivered);
        assertEquals(10, joiner.delivered.size());
    }

    @Test
    void aJoinerForWhichTooMuchIsOrderedAgainAndAgainStopsWithAReason() {
        Node joiner = joinsWithRoomFor(500);
        for (int i = 0; i <= MajoritySequence.MOST_OVERFLOWS; i++) {
            assertFalse(joiner.stopped);
            awaitMark(joiner);
            orderLargeOnes(7);
        }
        assertTrue(joiner.stopped);
        assertTrue(joiner.reason.contains("more than 500 bytes were ordered"), joiner.reason);
        settle();
        assertEquals(List.of(), joiner.delivered);
        assertFalse(nodes.get("a").stopped);
        assertFalse(nodes.get("b").stopped);
    }

    private Node joinsWithRoomFor(int bytes) {
        found();
        order("1", "2");
        die("c");
        view("a", "b");
        mostWhileJoining = bytes;
        start("c");
        setView("a", "b", "c");
        return nodes.get("c");
    }

    /** Until its latest mark has come by. */
    private void awaitMark(Node joiner) {
        while (joiner.marksSeen < joiner.marks) {
            step();
        }
    }

    /** They come before the answers to what the joiner asks. */
    private void orderLargeOnes(int count) {
        List<Runnable> answers = List.copyOf(network);
        network.clear();
        for (int i = 0; i < count; i++) {
            orderLater("x".repeat(100));
        }
        for (int i = 0; i < count; i++) {
            step();
        }
        network.addAll(answers);
    }

    @Test
    void aJoinerAsksAnotherWhenItsDonorDies() {
        found();
        order("1", "2");
        die("c");
        view("a", "b");
        start("c");
        setView("a", "b", "c");
        for (int i = 0; i < 4; i++) {
            step(); // the mark has come by, the history has not
        }
        die("a");
        network.clear();
        view("b", "c");
        tick(ENOUGH_TICKS);
        order("3");
        assertEquals(List.of("1", "2", "3"), nodes.get("c").delivered);
    }

    @Test
    void aJoinerGetsTheSnapshotInPiecesAndWhatFollowsIt() {
        found();
        String large = "x".repeat(700_000);
        order(large, "2", "3");
        compact("a");
        compact("b");
        order("4");
        die("c");
        view("a", "b");
        start("c");
        view("a", "b", "c");
        order("5");

        assertEquals(List.of(large, "2", "3", "4", "5"), nodes.get("c").delivered);
        assertEquals(1, nodes.get("c").installed);
        // It counts like the others: with it alone a majority is left.
        die("a");
        view("b", "c");
        order("6");
        assertEquals(6, nodes.get("c").delivered.size());
        assertEquals(nodes.get("b").delivered, nodes.get("c").delivered);
    }

    /** At any moment of its join: also of entries behind its mark, and in the middle of an older snapshot. */
    @Test
    void aSnapshotMayBeTakenWhileSomebodyJoins() {
        String large = "x".repeat(700_000);
        for (int moment = 0; moment < 40; moment++) {
            nodes.clear();
            found();
            order("1", large);
            compact("a");
            compact("b");
            order("3");
            die("c");
            view("a", "b");
            start("c");
            setView("a", "b", "c");
            orderLater("4");
            for (int i = 0; i < moment; i++) {
                step();
            }
            compact("a");
            compact("b");
            orderLater("5");
            settle();
            String when = "after " + moment + " messages";
            assertTrue(nodes.get("c").sequence.takesPart(), when);
            order("6");
            List<Integer> lengths =
                    nodes.get("c").delivered.stream().map(String::length).toList();
            assertEquals(List.of(1, large.length(), 1, 1, 1, 1), lengths, when);
            assertTrue(nodes.get("a").delivered.equals(nodes.get("c").delivered), when);
        }
    }

    /** What the joiner gets is ahead of what the sequencer has sent it: it asks anew, and leaves the late entry out. */
    @Test
    void aSnapshotMayBeAheadOfWhatTheJoinerHasHeard() {
        found();
        order("1");
        die("c");
        view("a", "b");
        start("c");
        setView("a", "b", "c");
        Node joiner = nodes.get("c");
        while (joiner.fetched == 0) {
            step();
        }
        List<Runnable> onTheirWay = List.copyOf(network);
        network.clear();
        deaf.add("c");
        order("2");
        compact("a");
        compact("b");
        deaf.clear();
        joiner.beforeMark = () -> joiner.sequence.onEntry("2".getBytes(UTF_8));
        network.addAll(onTheirWay);
        settle();
        order("3");

        assertEquals(List.of("1", "2", "3"), joiner.delivered);
        assertEquals(1, joiner.installed);
        assertFalse(joiner.stopped);
    }

    @Test
    void aMemberThatLagsBehindASnapshotIsComparedLater() {
        found();
        order("1");
        Node late = nodes.get("c");
        deaf.add("c");
        order("2");
        compact("a");
        compact("b");
        // What c has said of one entry can be compared by nobody any more; it never gets the second one.
        deaf.clear();
        late.sequence.onTick();
        settle();
        order("3");
        tick(ENOUGH_TICKS);
        assertTrue(late.stopped, "its entries differ");
        assertEquals(List.of("1"), late.delivered);
        assertEquals(List.of("1", "2", "3"), nodes.get("a").delivered);
        assertFalse(nodes.get("a").stopped);
    }

    @Test
    void onlyWhatWasDeliveredIsForgottenAndNoSnapshotGivesWayToAnOlderOne() {
        found();
        order("1", "2");
        MajoritySequence sequence = nodes.get("a").sequence;
        assertFalse(sequence.compact(3, new byte[] {1}), "not delivered yet");
        assertTrue(sequence.compact(2, new byte[] {1}));
        assertFalse(sequence.compact(2, new byte[] {1}));
        assertFalse(sequence.compact(1, new byte[] {1}));
    }

    private void compact(String id) {
        Node node = nodes.get(id);
        node.sequence.compact(
                node.delivered.size(), String.join(",", node.delivered).getBytes(UTF_8));
    }

    private void found() {
        ALL.forEach(this::start);
        view("a", "b", "c");
        tick(2);
    }

    private void start(String id) {
        nodes.put(id, new Node(id));
    }

    private void die(String id) {
        nodes.remove(id);
    }

    private void view(String... members) {
        setView(members);
        settle();
    }

    private void setView(String... members) {
        for (String id : members) {
            nodes.get(id).sequence.onView(List.of(members));
        }
    }

    private void viewOf(String id, String... members) {
        nodes.get(id).sequence.onView(List.of(members));
        settle();
    }

    private void order(String... entries) {
        for (String entry : entries) {
            orderLater(entry);
        }
        settle();
    }

    private void orderLater(String entry) {
        orderAll(node -> node.sequence.onEntry(entry.getBytes(UTF_8)));
    }

    private interface Delivery {
        void to(Node node);
    }

    private void orderAll(Delivery delivery) {
        network.add(() -> List.copyOf(nodes.values()).stream()
                .filter(node -> !deaf.contains(node.id))
                .forEach(delivery::to));
    }

    private void sendTo(String id, Delivery delivery) {
        network.add(() -> {
            Node node = nodes.get(id);
            if (node != null) {
                delivery.to(node);
            }
        });
    }

    private void step() {
        Runnable next = network.poll();
        if (next != null) {
            next.run();
        }
    }

    private void settle() {
        while (!network.isEmpty()) {
            step();
        }
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            List.copyOf(nodes.values()).forEach(node -> node.sequence.onTick());
            settle();
        }
    }

    private final class Node implements MajoritySequence.Effects {
        private final String id;
        private final MajoritySequence sequence;
        private final List<String> delivered = new ArrayList<>();
        private String leader = "";
        private boolean stopped;
        private int installed;
        private int fetched;
        private int marks;
        private int marksSeen;
        private String reason = "";
        private Runnable beforeMark = () -> {};

        Node(String id) {
            this.id = id;
            this.sequence = new MajoritySequence(id, ALL, mostWhileJoining, nonces::incrementAndGet, this);
        }

        @Override
        public void mark(long nonce) {
            beforeMark.run();
            marks++;
            orderAll(node -> {
                marksSeen += node == this ? 1 : 0;
                node.sequence.onMark(id, nonce);
            });
        }

        @Override
        public void found() {
            orderAll(node -> node.sequence.onFound());
        }

        @Override
        public void status(String to, long nonce, boolean established) {
            sendTo(to, node -> node.sequence.onStatus(id, nonce, established));
        }

        @Override
        public void fetch(String from, long nonce, long firstPosition, long offset) {
            fetched++;
            sendTo(from, node -> node.sequence.onFetch(id, nonce, firstPosition, offset));
        }

        @Override
        public void snapshotPiece(String to, long nonce, SequenceHistory.Snapshot snapshot, int offset, int length) {
            byte[] piece = Arrays.copyOfRange(snapshot.content(), offset, offset + length);
            sendTo(
                    to,
                    node -> node.sequence.onSnapshotPiece(
                            id, nonce, snapshot.position(), snapshot.hash(), snapshot.content().length, offset, piece));
        }

        @Override
        public void piece(String to, long nonce, long firstPosition, long total, List<byte[]> entries) {
            sendTo(to, node -> node.sequence.onPiece(id, nonce, firstPosition, total, entries));
        }

        @Override
        public void acknowledge(long received, long hash) {
            ALL.forEach(to -> sendTo(to, node -> node.sequence.onAcknowledged(id, received, hash)));
        }

        @Override
        public void deliver(long position, byte[] entry) {
            delivered.add(new String(entry, UTF_8));
            assertEquals(position, delivered.size());
        }

        @Override
        public void install(long position, byte[] snapshot) {
            installed++;
            delivered.clear();
            delivered.addAll(List.of(new String(snapshot, UTF_8).split(",")));
            assertEquals(position, delivered.size());
        }

        @Override
        public void leader(String member) {
            leader = member;
        }

        @Override
        public void stop(String why) {
            stopped = true;
            reason = why;
        }
    }
}
