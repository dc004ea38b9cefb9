package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.amo.base.wire.Seal;
import org.amo.exon.Address;
import org.amo.exon.NodeId;
import org.junit.jupiter.api.Test;

/** Encrypted links in virtual time, with a network that each test has in its hand. */
class SecureLinksTest {
    private static final NodeId A = new NodeId(1, 1);
    private static final NodeId B = new NodeId(1, 2);
    private static final Seal SECRET = Seal.ofKey(new byte[] {1});
    private static final Seal OTHER = Seal.ofKey(new byte[] {2});
    private static final long SECOND = 1_000_000;
    private static final long MINUTES = 120 * SECOND;

    private record Place(String name) implements Address {}

    private record Sent(Address from, Address to, byte[] bytes) {
        boolean is(int form) {
            return (bytes[0] & 0xFF) == form;
        }
    }

    /** One node: its links, what came out of them, and where the peer seemed to be. */
    private final class Node implements SecureLinks.Effects {
        final NodeId id;
        final Place place;
        final List<String> got = new ArrayList<>();
        Address heardFrom = new Place("nowhere");
        SecureLinks links;

        Node(NodeId id, String place, SecureKeys keys) {
            this.id = id;
            this.place = new Place(place);
            this.links = new SecureLinks(keys, this, new SecureRandom(), X25519::newKeyPair);
        }

        void restart(SecureKeys keys) {
            links = new SecureLinks(keys, this, new SecureRandom(), X25519::newKeyPair);
        }

        void say(Node to, String text) {
            links.transmit(to.id, to.place, text.getBytes(StandardCharsets.US_ASCII), now);
        }

        @Override
        public void send(Address to, byte[] datagram) {
            Sent sent = new Sent(place, to, datagram);
            wire.add(sent);
            recorded.add(sent);
        }

        @Override
        public void opened(Address from, byte[] datagram) {
            heardFrom = from;
            got.add(new String(datagram, StandardCharsets.US_ASCII));
        }
    }

    private long now = 1;
    private final ArrayDeque<Sent> wire = new ArrayDeque<>();
    private final List<Sent> recorded = new ArrayList<>();
    private final Node a = new Node(A, "a", keys(A, 1, SECRET));
    private final Node b = new Node(B, "b", keys(B, 1, SECRET));

    private static SecureKeys keys(NodeId self, long incarnation, Seal secret) {
        return new SecureKeys(self, incarnation, secret, Map.of(), 1 << 30, MINUTES);
    }

    private static SecureKeys limited(NodeId self, long bytes, long micros) {
        return new SecureKeys(self, 1, SECRET, Map.of(), bytes, micros);
    }

    private void carry(Sent sent) {
        for (Node node : List.of(a, b)) {
            if (node.place.equals(sent.to)) {
                node.links.onDatagram(sent.from, sent.bytes, now);
            }
        }
    }

    /** Carries all datagrams, and those that they give rise to, but the ones that the network loses. */
    private void carryAll(Predicate<Sent> lost) {
        for (Sent sent = wire.poll(); sent != null; sent = wire.poll()) {
            if (!lost.test(sent)) {
                carry(sent);
            }
        }
    }

    private void carryAll() {
        carryAll(sent -> false);
    }

    private void pass(long micros) {
        now += micros;
        a.links.onTick(now);
        b.links.onTick(now);
    }

    private void meet() {
        a.say(b, "hello");
        carryAll();
        assertEquals(List.of("hello"), b.got);
        b.say(a, "welcome");
        carryAll();
        assertEquals(List.of("welcome"), a.got);
    }

    @Test
    void theFirstDatagramWaitsForKeysAndNothingIsReadableOnTheWire() {
        meet();
        assertEquals(1, a.links.agreed());
        assertEquals(1, b.links.agreed());
        assertEquals(4, recorded.size(), "two for the handshake, two records");
        for (Sent sent : recorded) {
            String bytes = new String(sent.bytes, StandardCharsets.ISO_8859_1);
            assertFalse(bytes.contains("hello") || bytes.contains("welcome"));
        }
    }

    @Test
    void aNodeWithAnotherSecretIsNotHeardAndLeavesNothing() {
        b.restart(keys(B, 1, OTHER));
        a.say(b, "hello");
        carryAll();
        pass(SECOND);
        carryAll();
        assertEquals(List.of(), b.got);
        assertEquals(2, b.links.unauthentic());
        assertEquals(0, b.links.remembered());
        assertTrue(recorded.stream().allMatch(sent -> sent.from.equals(a.place)), "it is not answered");
    }

    @Test
    void aDatagramWithAnyBitChangedIsDropped() {
        a.say(b, "hello");
        Sent first = wire.remove();
        forge(first, b);
        carry(first);
        Sent second = wire.remove();
        forge(second, a);
        carry(second);
        Sent record = wire.remove();
        forge(record, b);
        carry(record);
        carryAll();
        assertEquals(List.of("hello"), b.got);
    }

    /** Each bit of the datagram, changed alone. */
    private void forge(Sent sent, Node to) {
        int got = to.got.size();
        long agreed = to.links.agreed();
        int waiting = wire.size();
        for (int bit = 0; bit < 8 * sent.bytes.length; bit++) {
            byte[] changed = sent.bytes.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            to.links.onDatagram(sent.from, changed, now);
        }
        assertEquals(got, to.got.size());
        assertEquals(agreed, to.links.agreed());
        while (wire.size() > waiting) {
            assertTrue(
                    wire.removeLast().is(SecureFrame.NOTICE),
                    "a changed name of the session, and nothing else, is answered");
        }
    }

    @Test
    void nothingIsTakenTwiceInASession() {
        meet();
        for (Sent sent : List.copyOf(recorded)) {
            carry(sent);
            carry(sent);
        }
        carryAll();
        assertEquals(List.of("hello"), b.got);
        assertEquals(List.of("welcome"), a.got);
        assertEquals(4, b.links.replayed(), "two copies of the opening and two of the record");
        assertEquals(2, a.links.replayed());
        a.say(b, "again");
        carryAll();
        assertEquals(List.of("hello", "again"), b.got, "the session has not suffered");
        assertEquals(1, b.links.agreed());
    }

    /** The number is in the clear: only the tag makes it count. */
    @Test
    void aForgedNumberShutsOutNoGenuineRecord() {
        meet();
        a.say(b, "on its way");
        Sent record = wire.remove();
        byte[] forged = SecureFrame.join(
                SecureFrame.recordHead(SecureFrame.read(record.bytes).index(), 1_000_000), new byte[40]);
        b.links.onDatagram(a.place, forged, now);
        carry(record);
        assertEquals(List.of("hello", "on its way"), b.got);
    }

    @Test
    void nothingOfBeforeIsTakenAfterARestartOfEitherSide() {
        meet();
        List<Sent> before = List.copyOf(recorded);
        b.restart(keys(B, 2, SECRET));
        b.got.clear();
        before.forEach(this::carry);
        carryAll();
        assertEquals(List.of(), b.got);
        assertEquals(0, b.links.agreed(), "the opening is answered, but a recording completes no handshake");
        a.restart(keys(A, 2, SECRET));
        a.got.clear();
        before.forEach(this::carry);
        carryAll();
        assertEquals(List.of(), a.got);
        assertEquals(List.of(), b.got);
        a.say(b, "new life");
        carryAll();
        assertEquals(List.of("new life"), b.got);
        before.forEach(this::carry);
        carryAll();
        assertEquals(List.of("new life"), b.got);
        b.say(a, "answer");
        carryAll();
        assertEquals(
                List.of("answer"),
                a.got,
                "a replayed opening of the former life did not take the place of the session");
    }

    /** Its records meet a node that does not know the session; the notice of that is enough. */
    @Test
    void aPeerThatWasStartedAnewIsReachedByTheNextDatagram() {
        meet();
        b.restart(keys(B, 2, SECRET));
        b.got.clear();
        pass(30 * SECOND);
        a.say(b, "lost");
        carryAll();
        assertEquals(List.of(), b.got);
        assertEquals(2, a.links.agreed());
        a.say(b, "sent again");
        carryAll();
        assertEquals(List.of("sent again"), b.got);
    }

    @Test
    void withoutNoticesSilenceLeadsToOtherKeys() {
        meet();
        b.restart(keys(B, 2, SECRET));
        for (int i = 0; i < 3; i++) {
            a.say(b, "lost");
            carryAll(sent -> sent.is(SecureFrame.NOTICE));
        }
        pass(4 * SECOND);
        assertEquals(1, a.links.agreed());
        a.say(b, "lost, too");
        carryAll(sent -> sent.is(SecureFrame.NOTICE));
        assertEquals(2, a.links.agreed());
    }

    /** The attacker sees each record, and says in the peer's name that it is not known. */
    @Test
    void forgedNoticesLeadToOneHandshakeASecondAtMost() {
        meet();
        for (int i = 0; i < 100; i++) {
            a.say(b, "number " + i);
            Sent record = recorded.get(recorded.size() - 1);
            carryAll();
            a.links.onDatagram(b.place, SecureFrame.notice(SecureFrame.read(record.bytes)), now);
            carryAll();
            now += SECOND / 50;
        }
        long begun =
                recorded.stream().filter(sent -> sent.is(SecureFrame.FIRST)).count();
        assertEquals(3, begun, "that of the start, and two in two seconds");
        assertEquals(101, b.got.size(), "the keys in use stay in use");
        byte[] ofNoRecord = SecureFrame.recordHead(
                SecureFrame.read(recorded.get(recorded.size() - 1).bytes).index(), 1_000);
        ofNoRecord[0] = (byte) SecureFrame.NOTICE;
        now += 2 * SECOND;
        a.links.onDatagram(b.place, ofNoRecord, now);
        assertTrue(wire.isEmpty(), "no record of that number has left");
    }

    @Test
    void anAnswerThatWasLostIsGivenAgain() {
        a.say(b, "hello");
        carryAll(sent -> sent.is(SecureFrame.SECOND));
        pass(SECOND / 10);
        carryAll();
        assertEquals(List.of("hello"), b.got);
        assertEquals(1, b.links.agreed());
    }

    @Test
    void lostDoubledAndReorderedHandshakesEndInKeys() {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            a.restart(keys(A, seed + 2, SECRET));
            b.restart(keys(B, seed + 2, SECRET));
            a.got.clear();
            b.got.clear();
            List<Sent> held = new ArrayList<>();
            for (int round = 0; round < 200 && (a.got.isEmpty() || b.got.isEmpty()); round++) {
                if (round % 5 == 0) {
                    a.say(b, "from a"); // both begin at the same time
                    b.say(a, "from b");
                }
                pass(100_000);
                held.addAll(wire);
                wire.clear();
                for (int i = random.nextInt(4); i > 0 && !held.isEmpty(); i--) {
                    int next = random.nextInt(held.size());
                    Sent sent = random.nextInt(3) == 0 ? held.get(next) : held.remove(next);
                    if (random.nextInt(10) < 6) {
                        carry(sent);
                    }
                }
            }
            assertFalse(a.got.isEmpty() || b.got.isEmpty(), "seed " + seed);
            wire.clear();
        }
    }

    @Test
    void aHandshakeWithoutAnAnswerEndsAndItsDatagramsGo() {
        for (int i = 0; i < 1_000; i++) {
            a.say(b, "unheard");
        }
        int sent = 0;
        for (int i = 0; i < 200; i++) {
            pass(100_000);
            sent += wire.size();
            wire.clear();
        }
        assertTrue(sent > 5 && sent < 20, "retries with growing pauses: " + sent);
        assertEquals(0, a.links.remembered());
        assertEquals(Long.MAX_VALUE, a.links.nextDeadline());
        a.say(b, "later");
        carryAll();
        assertEquals(List.of("later"), b.got, "at most what waits for the present handshake");
    }

    @Test
    void aBoundedNumberOfDatagramsWaitsForKeys() {
        for (int i = 0; i < 200; i++) {
            a.say(b, "number " + i);
        }
        carryAll();
        assertEquals(64, b.got.size(), "the first ones; the others count as lost");
        Map<Place, Node> others = new HashMap<>();
        for (int i = 0; i < 70; i++) {
            NodeId id = new NodeId(9, i);
            Node other = new Node(id, "place " + i, keys(id, 1, SECRET));
            others.put(other.place, other);
            for (int number = 0; number < 64; number++) {
                a.say(other, "number " + number);
            }
        }
        while (!wire.isEmpty()) {
            Sent sent = wire.remove();
            carry(sent);
            if (others.containsKey(sent.to)) {
                others.get(sent.to).links.onDatagram(sent.from, sent.bytes, now);
            }
        }
        assertEquals(
                4_096,
                others.values().stream().mapToInt(other -> other.got.size()).sum());
    }

    @Test
    void keysRotateAfterSoManyBytesWhileDatagramsAreUnderWay() {
        a.restart(limited(A, 20_000, MINUTES));
        b.restart(limited(B, 20_000, MINUTES));
        Random random = new Random(5);
        List<Sent> held = new ArrayList<>();
        int count = 3_000;
        meet();
        for (int i = 0; i < count; i++) {
            a.say(b, "a" + i + "x".repeat(100));
            b.say(a, "b" + i);
            pass(1_000);
            held.addAll(wire);
            wire.clear();
            while (held.size() > 20) {
                carry(held.remove(random.nextInt(held.size())));
            }
        }
        held.forEach(this::carry);
        carryAll();
        assertEquals(count + 1, b.got.size(), "none is lost by a rotation");
        assertEquals(count + 1, new HashSet<>(b.got).size());
        assertEquals(count + 1, a.got.size());
        assertTrue(a.links.agreed() >= 15, "rotations: " + a.links.agreed());
        assertTrue(a.links.agreed() < 60, "rotations: " + a.links.agreed());
    }

    @Test
    void keysRotateAfterSoLongIfTheyAreUsedAndAreForgottenInTheEnd() {
        meet();
        pass(MINUTES + SECOND);
        assertTrue(wire.isEmpty(), "nothing is sent while nothing is to be sent");
        a.say(b, "late");
        carryAll();
        assertEquals(2, a.links.agreed());
        assertEquals(2, b.links.agreed());
        pass(10 * SECOND);
        pass(SecureKeys.LIVES * MINUTES);
        pass(20 * SECOND);
        assertEquals(0, a.links.remembered());
        assertEquals(0, b.links.remembered());
    }

    /** Also the responder asks for other keys, if the initiator has nothing to send. */
    @Test
    void theSideThatSendsRotates() {
        meet();
        pass(MINUTES + SECOND);
        b.say(a, "not yet");
        carryAll();
        assertEquals(1, b.links.agreed(), "it leaves the first turn to the initiator");
        pass(MINUTES / 4);
        b.say(a, "late");
        carryAll();
        assertEquals(2, b.links.agreed());
    }

    /** Other keys cannot be agreed on: the present ones serve a while longer, and then nothing leaves. */
    @Test
    void keysThatAreUsedUpSealNothing() {
        a.restart(limited(A, 1_000, MINUTES));
        b.restart(limited(B, 1_000, MINUTES));
        meet();
        int records = 0;
        for (int i = 0; i < 1_000; i++) {
            a.say(b, "x".repeat(100));
            for (Sent sent : wire) {
                records += sent.is(SecureFrame.RECORD) ? sent.bytes.length : 0;
            }
            wire.clear();
        }
        assertTrue(records > 7_000 && records <= 8_000 + 200, "bytes: " + records);
    }

    @Test
    void aRecordFromElsewhereMovesThePeerOnlyOnceItHasAnsweredFromThere() {
        meet();
        Place moved = new Place("moved");
        a.say(b, "from the new place");
        Sent record = wire.remove();
        wire.clear();
        b.links.onDatagram(moved, record.bytes, now);
        assertEquals(a.place, b.heardFrom, "it counts, and comes from where the peer was shown to be");
        Sent challenge = wire.remove();
        assertEquals(moved, challenge.to);
        assertTrue(challenge.bytes.length <= record.bytes.length);
        b.links.onDatagram(moved, record.bytes, now);
        assertTrue(wire.isEmpty(), "a copy is not answered");
        a.links.onDatagram(b.place, challenge.bytes, now);
        Sent response = wire.remove();
        b.links.onDatagram(moved, response.bytes, now);
        a.say(b, "and again");
        b.links.onDatagram(moved, wire.remove().bytes, now);
        assertEquals(moved, b.heardFrom);
        assertTrue(wire.isEmpty(), "there is nothing to prove any more");
    }

    @Test
    void theResponseToAChallengeAtOneAddressProvesNoOther() {
        meet();
        a.say(b, "from one place");
        b.links.onDatagram(new Place("one"), wire.remove().bytes, now);
        Sent challenge = wire.remove();
        a.say(b, "from another place");
        b.links.onDatagram(new Place("another"), wire.remove().bytes, now);
        wire.clear();
        a.links.onDatagram(b.place, challenge.bytes, now);
        b.links.onDatagram(new Place("another"), wire.remove().bytes, now);
        a.say(b, "and again");
        b.links.onDatagram(new Place("another"), wire.removeLast().bytes, now);
        assertEquals(a.place, b.heardFrom);
    }

    @Test
    void manyRecordsFromElsewhereGetOneChallengeAndOldOnesNone() {
        meet();
        a.say(b, "late");
        Sent late = wire.remove();
        Place moved = new Place("moved");
        for (int i = 0; i < 100; i++) {
            a.say(b, "number " + i);
            b.links.onDatagram(moved, wire.removeLast().bytes, now);
        }
        assertEquals(1, wire.size());
        wire.clear();
        now += SECOND;
        b.links.onDatagram(moved, late.bytes, now);
        assertTrue(wire.isEmpty(), "a datagram that others have overtaken tells nothing of the present place");
        a.say(b, "newest");
        b.links.onDatagram(moved, wire.remove().bytes, now);
        assertEquals(1, wire.size(), "the first challenge may be lost");
    }

    /** An attacker sends true datagrams, and copies of old ones, under the address of a victim. */
    @Test
    void aVictimWhoseAddressIsUsedGetsNoMoreThanThreeTimesWhatWasSentInItsName() {
        a.say(b, "hello");
        carryAll();
        for (int i = 0; i < 50; i++) {
            a.say(b, "number " + i);
            b.say(a, "answer " + i + "x".repeat(500));
        }
        List<Sent> toB = new ArrayList<>(
                recorded.stream().filter(sent -> sent.to.equals(b.place)).toList());
        toB.add(new Sent(a.place, b.place, SecureFrame.recordHead(7, 7)));
        toB.add(new Sent(a.place, b.place, SecureFrame.join(SecureFrame.recordHead(7, 7), new byte[17])));
        wire.clear();
        Place victim = new Place("victim");
        for (boolean restarted : List.of(false, true)) {
            if (restarted) {
                b.restart(keys(B, 2, SECRET));
            }
            for (Sent sent : toB) {
                b.links.onDatagram(victim, sent.bytes, now);
                int answered = wire.stream()
                        .filter(answer -> answer.to.equals(victim))
                        .mapToInt(answer -> answer.bytes.length)
                        .sum();
                assertTrue(answered <= sent.bytes.length, answered + " bytes for " + sent.bytes.length);
                wire.clear();
                pass(SECOND / 4);
                b.say(a, "goes where the peer was shown to be");
                assertTrue(wire.stream().noneMatch(answer -> answer.to.equals(victim)));
                wire.clear();
            }
        }
    }

    /** An empty record is shorter than the challenge that answers it, and a challenge is answered by two. */
    @Test
    void alsoTheShortestRecordsGetNoMoreThanThreeTimesTheirBytes() {
        Place victim = new Place("victim");
        meet();
        pass(MINUTES + SECOND);
        a.say(b, "other keys are due");
        carryAll(sent -> sent.is(SecureFrame.RECORD) && sent.bytes.length < 25);
        Sent empty = recorded.get(recorded.size() - 1);
        b.say(a, "seems to come from elsewhere");
        a.links.onDatagram(victim, wire.remove().bytes, now);
        Sent challenge = wire.remove();
        for (Sent fresh : List.of(empty, challenge)) {
            wire.clear();
            b.links.onDatagram(victim, fresh.bytes, now);
            int answered = wire.stream().mapToInt(sent -> sent.bytes.length).sum();
            assertTrue(answered > 0 && answered <= 3 * fresh.bytes.length, answered + " for " + fresh.bytes.length);
            now += SECOND;
        }
    }

    /** Then the answer may have been read at either address. */
    @Test
    void aHandshakeThatWasAnsweredAtTwoAddressesProvesNeither() {
        Place elsewhere = new Place("elsewhere");
        a.say(b, "hello");
        Sent first = wire.remove();
        b.links.onDatagram(elsewhere, first.bytes, now);
        carry(first);
        a.links.onDatagram(b.place, wire.removeLast().bytes, now);
        Sent record = wire.removeLast();
        wire.clear();
        b.links.onDatagram(elsewhere, record.bytes, now);
        assertEquals(List.of(), b.got, "it is lost");
        Sent challenge = wire.remove();
        a.links.onDatagram(b.place, challenge.bytes, now);
        carryAll();
        a.say(b, "hello again");
        carryAll();
        assertEquals(List.of("hello again"), b.got);
    }

    @Test
    void openingsThatNeverGoOnTakeABoundedTable() {
        for (int i = 0; i < SecureLinks.MOST_CANDIDATES + 100; i++) {
            NodeId id = new NodeId(9, i);
            Node other = new Node(id, "other", keys(id, 1, SECRET));
            other.say(b, "hello");
            carryAll();
        }
        assertEquals(SecureLinks.MOST_CANDIDATES, b.links.remembered());
        pass(SecureLinks.CANDIDATE_MICROS - SECOND);
        a.say(b, "hello");
        carryAll();
        assertEquals(List.of(), b.got, "there is no room");
        pass(SECOND);
        carryAll();
        assertEquals(List.of("hello"), b.got, "the oldest have gone");
        pass(SecureLinks.CANDIDATE_MICROS);
        pass(SecureLinks.CANDIDATE_MICROS);
        assertEquals(1, b.links.remembered());
    }

    @Test
    void aSecretOfTwoNodesKeepsAllOthersOut() {
        SecureKeys ofB = new SecureKeys(B, 1, SECRET, Map.of(A, OTHER), 1 << 30, MINUTES);
        b.restart(ofB);
        a.say(b, "with the secret of all");
        carryAll();
        assertEquals(List.of(), b.got);
        a.restart(new SecureKeys(A, 1, SECRET, Map.of(B, OTHER), 1 << 30, MINUTES));
        a.say(b, "with ours");
        carryAll();
        assertEquals(List.of("with ours"), b.got);
        Node c = new Node(new NodeId(1, 3), "c", keys(new NodeId(1, 3), 1, SECRET));
        c.say(b, "from another node");
        Sent first = wire.remove();
        b.links.onDatagram(c.place, first.bytes, now);
        c.links.onDatagram(b.place, wire.remove().bytes, now);
        carryAll();
        assertEquals(List.of("with ours", "from another node"), b.got);
    }

    @Test
    void manyPeersHaveSessionsOfTheirOwn() {
        Map<NodeId, Node> others = new HashMap<>();
        for (int i = 0; i < 50; i++) {
            NodeId id = new NodeId(9, i);
            others.put(id, new Node(id, "place " + i, keys(id, 1, SECRET)));
        }
        others.values().forEach(other -> other.say(b, "from " + other.place));
        while (!wire.isEmpty()) {
            Sent sent = wire.remove();
            carry(sent);
            others.values().stream()
                    .filter(other -> other.place.equals(sent.to))
                    .forEach(other -> other.links.onDatagram(sent.from, sent.bytes, now));
        }
        Set<String> got = new HashSet<>(b.got);
        assertEquals(50, got.size());
        assertEquals(50, b.links.remembered());
    }

    @Test
    void anyBytesAreDropped() {
        meet();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(150)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) (SecureFrame.FIRST + random.nextInt(4));
            }
            b.links.onDatagram(new Place("stranger"), bytes, now);
        }
        assertTrue(b.links.malformed() > 1_000);
        assertEquals(1, b.links.remembered());
        assertEquals(1, b.got.size());
    }
}
