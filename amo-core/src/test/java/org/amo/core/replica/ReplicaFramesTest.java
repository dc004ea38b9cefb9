package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.PeerMessage.WallClock;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** docs/wire/ordered-entry.md, peer-message.md and snapshot.md, byte by byte; and whatever else may come. */
final class ReplicaFramesTest implements HostileBytes {
    private static final ClientId CLIENT = new ClientId(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L);
    private static final ClientId FOREIGN = new ClientId(0xF0F0_F0F0_F0F0_F0F0L, 0xF0F0_F0F0_F0F0_F0F0L);
    private static final String CLIENT_HEX = "0102030405060708090a0b0c0d0e0f10";
    private static final Principal SENDER = new Principal(0x00A1_B2C3_D4E5_F607L);
    private static final long INCARNATION = 0x1122_3344_5566_7788L;
    private static final long TIME = 1_700_000_000_000L;
    private static final long UPPER = TIME - 300_000;

    private static final String PARAMETERS = "e0a712" + "d00f" + "c0cf24" + "e0d403" + "8080808001" + "80808020"
            + "8004" + "e0c65b" + "a08d06" + "a09c01" + "02" + "02" + "00" + "00" + "00";
    private static final String PRINCIPAL = "00a1b2c3d4e5f607";
    private static final String START =
            "03" + "0161" + "1122334455667788" + "0000000000000001" + "0000018bcfe56800" + "01" + PARAMETERS + "00";
    private static final String REPORT = "03" + "0162" + "1122334455667788" + "0000000000000009" + "0000018bcfe56800"
            + "02" + "ac02" + "03" + "01" + "b002" + "03" + "0161" + "0162" + "0163" + "01" + "0162" + "00";
    private static final String STATE = "00000000000000ab";
    private static final String VOTE = "03" + "0162" + "1122334455667788" + "000000000000000a" + "0000018bcfe56800"
            + "0c" + "ac02" + "0123456789abcdef" + "01" + STATE + "03" + "0161" + "0162" + "0163" + "00";
    private static final String VOTE_ON_REQUESTS = "03" + "0162" + "1122334455667788" + "000000000000000a"
            + "0000018bcfe56800" + "0c" + "ef9bafcdf8acd19101" + "0123456789abcdef" + "03" + STATE
            + "e807" + "fedcba9876543210" + "03" + "0161" + "0162" + "0163" + "00";
    private static final String SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    private static final String FACTS =
            "03" + "0162" + "1122334455667788" + "000000000000000b" + "0000018bcfe56800" + "10" + "04" + "ac02030001"
                    + "ac0203000204" + "69642d31" + "ac0203000303" + "6f6b21" + "ac02030104" + "00";
    private static final String OWN = "01" + CLIENT_HEX + PRINCIPAL + "ac02" + "0000018bcfe567fb" + "904e"
            + "000000000badcafe" + "0a000000" + "0470696e67";
    private static final String ONEWAY =
            "11" + CLIENT_HEX + PRINCIPAL + "ad02" + "0000018bcfe567fb" + "904e" + "000000000badcafe" + "00" + "00";
    private static final String FOREIGN_ITEM = "02" + "f0".repeat(16) + "0000000000000000" + "ffffffff0f"
            + "0000018bcfe0d808" + "e0a712" + "ffffffffffffffff" + "00" + "04706f6e67";
    private static final String ACKNOWLEDGEMENTS = "00" + CLIENT_HEX + "1b";
    private static final String HEAD =
            "03" + "066e6f64652d62" + "1122334455667788" + "0000000000000011" + "0000018bcfe56800" + "00";
    private static final String OF_AN_OPERATION = "2" + OWN.substring(1) + "02" + "0462616e6b" + "056175646974";
    private static final String WITH_PATH = HEAD + "02" + OF_AN_OPERATION + ACKNOWLEDGEMENTS;
    private static final String ITEMS = HEAD + "04" + OWN + ONEWAY + FOREIGN_ITEM + ACKNOWLEDGEMENTS;

    private static final String SEEDED = "03" + "066e6f64652d62" + "1122334455667788" + "0000000000000011"
            + "0000018bcfe56800" + "20" + SEED + "02" + OWN + ONEWAY;

    private static final String CLOCK = "02" + "01" + "0000018bcfe56800";
    private static final String TIMES = "0000018bcfe56800" + "0000018bcfe0d420";
    private static final String RESULTS = "02" + "02" + "1122334455667788" + "0000000000000011" + "03"
            + "00" + "000000" + TIMES + "04706f6e67"
            + "01" + "010504" + TIMES + "00"
            + "ac02" + "020000" + TIMES + "00";
    private static final String QUESTION = "02" + "03" + "c801" + "ac02";
    private static final String TRAIL = "02" + "04" + "ac02" + "c801" + "02" + "c901" + "00" + "0123456789abcdef"
            + "ac02" + "01" + "fedcba9876543210";
    private static final String SETTINGS =
            "02" + "05" + "01" + "02" + "082d2d72616e646f6d" + "066c6561646572" + "072d2d7374796c65" + "06616374697665";
    private static final String ORDERED_ONLY = "02" + "02" + "1122334455667788" + "0000000000000012" + "00";

    /** Start at 1,000,000; then one entry at 1,000,100 with the items of {@link #snapshotReplica}. */
    private static final String SNAPSHOT = "02" // version
            + "0000000000000002" // position
            + "0000000000000004" // executed
            + "%s" // digest
            + "02" // version of the table
            + "01" // started
            + "e807" + "0a" + "b817" + "64" + "8080808001" + "80808020" + "8004" + "e0c65b" + "a08d06" + "a09c01"
            + "02" + "02" + "00" + "00" + "00" // shares, rates, no weights
            + "00000000000f42a4" // orderedTime 1,000,100
            + "00000000000f424a" // upper 1,000,010: the first stamp and the skew
            + "00000000000f3ebc" // foreign upper 999,100
            + "01" // clients
            + CLIENT_HEX
            + PRINCIPAL
            + "00000000000f42a4" // highest timestamp
            + "00000000000f42a4" // last heard
            + "00000000000f4313" // wake: 1,000,211
            + "01" // floor
            + "01" // ranges
            + "0000000000000003" + "0000000000000003" + "00000000000f42a4"
            + "01" // live
            + "02" // number
            + "00000000000f42a4" + "00000000000f4312" + "0000000000000007" // timestamp, expires, fingerprint
            + "8404" // charge 516
            + "01" + "027232" // completed, reply "r2"
            + "01" // foreign clients
            + "f0".repeat(16)
            + PRINCIPAL
            + "00000000000f4313"
            + "01"
            + "09"
            + "00000000000f3f20" + "00000000000f4312" + "0000000000000007" + "8404" + "01" + "027239"
            + "00" + "00" // no rates
            + "01" // version of skipped requests
            + "01" + "0163" + "02" // latest entry of "c": position 2
            + "00" // open cases
            + "00"; // skipped requests

    private static final String OUTCOME = "03" + "0162" // version, origin "b"
            + "1122334455667788" // incarnation
            + "000000000000000b" // submission 11
            + "0000018bcfe56800" // stamp
            + "40" // an outcome
            + "ac02" + "03" // position 300, index 3
            + "0123456789abcdef" // base
            + "02" // replies
            + "00" + "027232" // "r2"
            + "01" + "00" // skipped
            + "027570" // update
            + "00"; // no items

    /** A piece of an outcome that goes on. */
    private static final String PIECE = "03" + "0162" // version, origin "b"
            + "1122334455667788" // incarnation
            + "000000000000000b" // submission 11
            + "0000018bcfe56800" // stamp
            + "c0" // an outcome with a form
            + "ac02" + "03" // position 300, index 3
            + "0123456789abcdef" // base
            + "00" // no replies
            + "027570" // piece of the update
            + "01" + "fedcba9876543210" // in pieces, and the digest of those before
            + "00"; // no items

    private static final String UNDONE = "03" + "0162" // version, origin "b"
            + "1122334455667788" // incarnation
            + "000000000000000b" // submission 11
            + "0000018bcfe56800" // stamp
            + "c0" // an outcome with a form
            + "ac02" + "03" // position 300, index 3
            + "0123456789abcdef" // base
            + "01" // replies
            + "00" + "027232" // "r2"
            + "00" // no update
            + "02" // undone
            + "00"; // no items

    private static final String RAISE = "04" // version with levels
            + "01" // readable at level 1
            + "ac02" // raises the group to level 300
            + "0162" // origin "b"
            + "1122334455667788" // incarnation
            + "000000000000000c" // submission 12
            + "0000018bcfe56800" // stamp
            + "00" // no parts
            + "00"; // no items

    // ------------------------------------------------- golden bytes

    @Test
    void goldenEntryThatStartsAGroup() {
        assertEntry(
                START,
                EntryBuilder.entry("a", INCARNATION, 1, TIME, Optional.of(GroupParameters.defaults()), List.of()));
    }

    @Test
    void goldenEntryWithAReport() {
        ExecutionReport report =
                new ExecutionReport(new Place(300, 3), Word.DIED, 304, List.of("c", "a", "b"), List.of("b"));
        OrderedEntry entry = EntryBuilder.of("b", INCARNATION, 9, TIME)
                .report(Optional.of(report))
                .entry();
        assertEquals(REPORT, Fuzz.hex(entry.encode()));
        assertEquals(entry, OrderedEntry.decode(Fuzz.bytes(REPORT)));
    }

    /** 2^31 + 3 is the fourth timer. */
    @Test
    void goldenEntryWithAReportOnATimer() {
        ExecutionReport report =
                new ExecutionReport(Place.ofTimer(300, 3), Word.DIED, 304, List.of("c", "a", "b"), List.of("b"));
        OrderedEntry entry = EntryBuilder.of("b", INCARNATION, 9, TIME)
                .report(Optional.of(report))
                .entry();
        String bytes = REPORT.replace("ac020301", "ac02838080800801");
        assertEquals(bytes, Fuzz.hex(entry.encode()));
        assertEquals(entry, OrderedEntry.decode(Fuzz.bytes(bytes)));
    }

    @Test
    void goldenEntryThatIsAMarkAndHasAVote() {
        DigestVote vote = new DigestVote(
                300, 0x0123_4567_89AB_CDEFL, OptionalLong.of(0xAB), List.of("c", "a", "b"), Optional.empty());
        OrderedEntry entry = EntryBuilder.of("b", INCARNATION, 10, TIME)
                .mark(true)
                .vote(Optional.of(vote))
                .entry();
        assertEquals(VOTE, Fuzz.hex(entry.encode()));
        assertEquals(entry, OrderedEntry.decode(Fuzz.bytes(VOTE)));
    }

    /** Over an order that may be violated. */
    @Test
    void goldenEntryThatIsAMarkAndHasAVoteOnRequests() {
        DigestVote vote = new DigestVote(
                0x0123_4567_89AB_CDEFL,
                0x0123_4567_89AB_CDEFL,
                OptionalLong.of(0xAB),
                List.of("c", "a", "b"),
                Optional.of(new RequestSet(1_000, 0xFEDC_BA98_7654_3210L)));
        assertEntry(
                VOTE_ON_REQUESTS,
                EntryBuilder.of("b", INCARNATION, 10, TIME)
                        .mark(true)
                        .vote(Optional.of(vote))
                        .entry());
    }

    @Test
    void goldenEntryWithASeed() {
        OrderedEntry plain = items();
        OrderedEntry two = EntryBuilder.entry(
                plain.origin(),
                plain.incarnation(),
                plain.submission(),
                plain.stampMillis(),
                Optional.empty(),
                plain.items().subList(0, 2));
        OrderedEntry entry = EntryBuilder.from(two).seed(Fuzz.bytes(SEED)).entry();
        assertEquals(SEEDED, Fuzz.hex(entry.encode()));
        OrderedEntry decoded = OrderedEntry.decode(Fuzz.bytes(SEEDED));
        assertArrayEquals(Fuzz.bytes(SEED), decoded.seed().orElseThrow());
        assertEquals(SEEDED, Fuzz.hex(decoded.encode()));
        EntryBuilder tooShort = EntryBuilder.of("a", 1, 1, TIME).seed(new byte[31]);
        assertThrows(IllegalArgumentException.class, tooShort::entry);
    }

    @Test
    void goldenEntryThatRaisesTheFeatureLevel() {
        assertEntry(
                RAISE, EntryBuilder.of("b", INCARNATION, 12, TIME).raise(300).entry());
    }

    @Test
    void goldenEntryThatNeedsAFeatureLevel() {
        String golden = RAISE.replace("0401ac02", "04ac0200");
        assertEntry(
                golden, EntryBuilder.of("b", INCARNATION, 12, TIME).level(300).entry());
        Fuzz.truncations(Fuzz.bytes(golden), OrderedEntry::decode);
        assertEquals(300, OrderedEntry.decode(Fuzz.bytes(golden), 300).level());
        // The form of its rest is known to builds of that level alone.
        MalformedFrameException above =
                assertThrows(MalformedFrameException.class, () -> OrderedEntry.decode(Fuzz.bytes("04ac0200ff"), 299));
        assertTrue(String.valueOf(above.getMessage()).contains("level"), above.getMessage());
    }

    @Test
    void aPlainEntryHasNoLevels() {
        for (String levels : List.of("0100", "0101", "0000", "0201")) {
            String frame = RAISE.replace("0401ac02", "04" + levels);
            assertThrows(MalformedFrameException.class, () -> OrderedEntry.decode(Fuzz.bytes(frame)), frame);
        }
        EntryBuilder entry = EntryBuilder.of("b", INCARNATION, 12, TIME);
        assertThrows(IllegalArgumentException.class, () -> entry.raise(1).entry());
        assertThrows(IllegalArgumentException.class, () -> entry.raise(-2).entry());
        assertThrows(
                IllegalArgumentException.class, () -> entry.raise(0).level(0).entry());
    }

    @Test
    void goldenSettings() {
        PeerMessage settings = new PeerMessage.Settings(true, Map.of("--style", "active", "--random", "leader"));
        assertEquals(SETTINGS, Fuzz.hex(settings.encode()));
        assertEquals(settings, PeerMessage.decode(Fuzz.bytes(SETTINGS)));
    }

    @Test
    void goldenAnswerOfAMemberWithTimers() {
        PeerMessage pending = new PeerMessage.TimersPending();
        assertEquals("0206", Fuzz.hex(pending.encode()));
        assertEquals(pending, PeerMessage.decode(Fuzz.bytes("0206")));
        Fuzz.truncations(Fuzz.bytes("0206"), PeerMessage::decode);
    }

    @Test
    void goldenEntryWithFactsOfNestedCalls() {
        Place place = new Place(300, 3);
        OrderedEntry entry = facts(List.of(
                NestedFact.claim(place, 0, Optional.empty()),
                NestedFact.claim(place, 0, Optional.of("id-1".getBytes(StandardCharsets.US_ASCII))),
                NestedFact.result(place, 0, Optional.of("ok!".getBytes(StandardCharsets.US_ASCII))),
                NestedFact.result(place, 1, Optional.empty())));
        assertEquals(FACTS, Fuzz.hex(entry.encode()));
        assertEquals(FACTS, Fuzz.hex(OrderedEntry.decode(Fuzz.bytes(FACTS)).encode()));
        NestedFact claim = OrderedEntry.decode(Fuzz.bytes(FACTS)).facts().get(1);
        assertEquals(place, claim.place());
        assertTrue(claim.isClaim());
        assertEquals("id-1", new String(claim.bytes().orElseThrow(), StandardCharsets.US_ASCII));
    }

    private static OrderedEntry facts(List<NestedFact> facts) {
        return EntryBuilder.of("b", INCARNATION, 11, TIME).facts(facts).entry();
    }

    @Test
    void theLongestResultOfANestedCallIsCarried() {
        byte[] longest = new byte[NestedFact.MAX_RESULT_BYTES];
        NestedFact fact = NestedFact.result(new Place(300, 3), Integer.MAX_VALUE, Optional.of(longest));
        byte[] entry = facts(List.of(fact)).encode();
        assertTrue(entry.length <= OrderedLog.MAX_ENTRY_BYTES);
        assertEquals(
                longest.length,
                OrderedEntry.decode(entry).facts().get(0).bytes().orElseThrow().length);
    }

    @Test
    void goldenEntryWithAnOutcome() {
        RunOutcome outcome = new RunOutcome(
                new Place(300, 3),
                0x0123_4567_89AB_CDEFL,
                List.of(
                        new RunOutcome.Reply("r2".getBytes(StandardCharsets.US_ASCII), false),
                        new RunOutcome.Reply(new byte[0], true)),
                "up".getBytes(StandardCharsets.US_ASCII));
        OrderedEntry entry =
                EntryBuilder.of("b", INCARNATION, 11, TIME).outcome(outcome).entry();
        assertEquals(OUTCOME, Fuzz.hex(entry.encode()));
        OrderedEntry decoded = OrderedEntry.decode(Fuzz.bytes(OUTCOME));
        assertEquals(OUTCOME, Fuzz.hex(decoded.encode()));
        assertEquals(outcome.hash(), decoded.outcome().orElseThrow().hash());
    }

    @Test
    void goldenEntryWithAPieceOfAnOutcome() {
        RunOutcome piece = RunOutcome.inPieces(
                new Place(300, 3),
                0x0123_4567_89AB_CDEFL,
                List.of(),
                "up".getBytes(StandardCharsets.US_ASCII),
                0xFEDC_BA98_7654_3210L);
        assertOutcome(PIECE, piece);
        assertTrue(
                OrderedEntry.decode(Fuzz.bytes(PIECE)).outcome().orElseThrow().isPiece());
    }

    @Test
    void goldenEntryWithAnOutcomeThatIsUndone() {
        RunOutcome undone = RunOutcome.undone(
                new Place(300, 3),
                0x0123_4567_89AB_CDEFL,
                List.of(new RunOutcome.Reply("r2".getBytes(StandardCharsets.US_ASCII), false)));
        assertOutcome(UNDONE, undone);
        assertTrue(
                OrderedEntry.decode(Fuzz.bytes(UNDONE)).outcome().orElseThrow().undone());
    }

    private static void assertOutcome(String golden, RunOutcome outcome) {
        OrderedEntry entry =
                EntryBuilder.of("b", INCARNATION, 11, TIME).outcome(outcome).entry();
        assertEquals(golden, Fuzz.hex(entry.encode()));
        OrderedEntry decoded = OrderedEntry.decode(Fuzz.bytes(golden));
        assertEquals(golden, Fuzz.hex(decoded.encode()));
        assertEquals(outcome.hash(), decoded.outcome().orElseThrow().hash());
    }

    @Test
    void goldenQuestionForExecutionsAndItsAnswer() {
        PeerMessage question = new PeerMessage.TrailQuestion(200, 300);
        assertEquals(QUESTION, Fuzz.hex(question.encode()));
        assertEquals(question, PeerMessage.decode(Fuzz.bytes(QUESTION)));
        PeerMessage trail = new PeerMessage.Trail(
                300,
                200,
                List.of(
                        new ExecutionTrail.Step(new Place(201, 0), 0x0123_4567_89AB_CDEFL),
                        new ExecutionTrail.Step(new Place(300, 1), 0xFEDC_BA98_7654_3210L)));
        assertEquals(TRAIL, Fuzz.hex(trail.encode()));
        assertEquals(trail, PeerMessage.decode(Fuzz.bytes(TRAIL)));
    }

    @Test
    void goldenEntryWithEveryKindOfItem() {
        OrderedEntry entry = items();
        assertEquals(ITEMS, Fuzz.hex(entry.encode()));
        OrderedEntry decoded = OrderedEntry.decode(Fuzz.bytes(ITEMS));
        assertEquals(ITEMS, Fuzz.hex(decoded.encode()));
        assertEquals(4, decoded.items().size());
        Request own = decoded.items().get(0).request().orElseThrow();
        assertEquals(RequestId.own(CLIENT, 300), own.id());
        assertEquals(TIME - 5, own.timestampMillis());
        assertEquals(TIME + 9_995, own.deadlineMillis());
        assertEquals(0x0BADCAFE, own.fingerprint());
        assertArrayEquals("ping".getBytes(StandardCharsets.US_ASCII), own.body());
        assertEquals(FinishedNumbers.of(297, 299, 299), decoded.items().get(0).finished());
        assertEquals(SENDER, decoded.items().get(0).principal());
        assertEquals(true, decoded.items().get(1).request().orElseThrow().oneway());
        assertEquals(
                new RequestId(Space.FOREIGN, FOREIGN, 0xFFFF_FFFFL),
                decoded.items().get(2).request().orElseThrow().id());
        assertEquals(Optional.empty(), decoded.items().get(3).request());
    }

    @Test
    void goldenWallClock() {
        assertEquals(CLOCK, Fuzz.hex(new WallClock(TIME).encode()));
        assertEquals(new WallClock(TIME), PeerMessage.decode(Fuzz.bytes(CLOCK)));
    }

    @Test
    void goldenResults() {
        Results results = new Results(
                INCARNATION,
                17,
                List.of(
                        new Result(0, Answer.reply("pong".getBytes(StandardCharsets.US_ASCII), TIME, UPPER)),
                        new Result(1, Answer.overloaded(Budget.PRINCIPAL_BYTES, TIME, UPPER)),
                        new Result(300, Answer.unknown(TIME, UPPER))));
        assertEquals(RESULTS, Fuzz.hex(results.encode()));
        assertEquals(RESULTS, Fuzz.hex(PeerMessage.decode(Fuzz.bytes(RESULTS)).encode()));
        assertEquals(ORDERED_ONLY, Fuzz.hex(new Results(INCARNATION, 18, List.of()).encode()));
        assertEquals(new Results(INCARNATION, 18, List.of()), PeerMessage.decode(Fuzz.bytes(ORDERED_ONLY)));
    }

    @Test
    void goldenSnapshot() {
        ReplicaRig rig = snapshotReplica();
        String golden = SNAPSHOT.formatted(rig.replica.status().digest());
        assertEquals(golden, Fuzz.hex(rig.replica.snapshots().take()));
        ReplicaRig other = new ReplicaRig("b");
        other.replica.snapshots().install(Fuzz.bytes(golden), 0);
        assertEquals(golden, Fuzz.hex(other.replica.snapshots().take()));
        assertEquals(2, other.replica.status().position());
        assertEquals(2, other.replica.status().entries());
    }

    /** The chain of outcomes, and one place without an outcome at the position. */
    @Test
    void goldenEndOfASnapshotOfStylePassive() {
        ReplicaRig rig = ReplicaRig.passive("a");
        rig.deliverOf("b", 2, rig.request(1));
        Execution execution = rig.executing.remove();
        SnapshotCut cut = rig.replica.snapshots().cut();
        rig.replica.onExecuted(List.of(execution), List.of(new byte[0]), rig.now);
        String golden = Fuzz.hex(cut.encode());
        assertTrue(golden.startsWith("03" + "0000000000000002"), golden);
        assertTrue(golden.endsWith("0000000000000000" + "01" + "0200"), golden);
        ReplicaRig other = ReplicaRig.passiveAlone("c");
        other.replica.snapshots().install(Fuzz.bytes(golden), 0);
        assertEquals(golden, Fuzz.hex(other.replica.snapshots().cut().encode()));
    }

    /** With the digest and the number of bytes of the pieces that stand before the position. */
    @Test
    void goldenEndOfASnapshotBetweenThePiecesOfAnOutcome() {
        ReplicaRig rig = ReplicaRig.passive("a");
        rig.deliverOf("b", 2, rig.request(1));
        Execution execution = rig.executing.remove();
        RunOutcome whole = new RunOutcome(
                execution.place(),
                0,
                List.of(new RunOutcome.Reply(new byte[0], false)),
                "update".getBytes(StandardCharsets.US_ASCII));
        RunOutcome piece =
                OutcomePieces.split(whole, ReplicaRig.incarnation("b"), 5, 3).get(0);
        rig.deliver(ReplicaRig.outcomeEntry("b", 3, rig.groupTime(), piece));
        SnapshotCut cut = rig.replica.snapshots().cut();
        rig.replica.onExecuted(List.of(execution), List.of(new byte[0]), rig.now);
        String golden = Fuzz.hex(cut.encode());
        long digest = OutcomePieces.behind(piece.before().orElseThrow(), piece.update());
        assertTrue(golden.startsWith("04" + "0000000000000003"), golden);
        assertTrue(golden.endsWith("01" + "0200" + "%016x".formatted(digest) + "03"), golden);
        ReplicaRig other = ReplicaRig.passiveAlone("c");
        other.replica.snapshots().install(Fuzz.bytes(golden), 0);
        assertEquals(golden, Fuzz.hex(other.replica.snapshots().cut().encode()));
    }

    @Test
    void goldenSnapshotAboveTheFirstFeatureLevel() {
        ReplicaRig rig = new ReplicaRig("a", new FeatureLevels(1, 300));
        rig.deliver(EntryBuilder.of("b", INCARNATION, 12, TIME).raise(300).entry());
        String golden = "05" + "ac02" + "02" + "0000000000000001" + "00".repeat(16) + "02" + "00" + "01" + "01" + "0162"
                + "01" + "0000";
        assertEquals(golden, Fuzz.hex(rig.replica.snapshots().take()).replace(digestOf(rig), "00".repeat(8)));
        assertEquals(300, SnapshotCodec.level(Fuzz.bytes(golden)));
        assertEquals(golden, Fuzz.hex(snapshotAgain(Fuzz.bytes(golden))));
        Fuzz.truncations(Fuzz.bytes(golden), ReplicaFramesTest::snapshotAgain);
        for (String level : List.of("0501", "0500", "05ff")) {
            byte[] broken = Fuzz.bytes(level + golden.substring(6));
            assertThrows(MalformedFrameException.class, () -> snapshotAgain(broken), level);
        }
    }

    private static String digestOf(ReplicaRig rig) {
        return rig.replica.status().digest();
    }

    @Test
    void goldenSnapshotOfAGroupThatHasNotStarted() {
        assertEquals(
                "02" + "00".repeat(24) + "02" + "00" + "01" + "000000",
                Fuzz.hex(new ReplicaRig("a").replica.snapshots().take()));
    }

    // ------------------------------------------------- limits

    @Test
    void whatIsOutsideTheLimitsIsMalformed() {
        for (String frame : List.of(
                "01" + START.substring(2),
                START.replace("0161", "0180"),
                REPORT.replace("016101620163", "016101630162"),
                REPORT.replace("ac020301", "ac020300"),
                REPORT.replace("ac020301", "ac020306"),
                HEAD.substring(0, HEAD.length() - 2) + "20" + "00",
                HEAD.substring(0, HEAD.length() - 2) + "10" + "00" + "00",
                FACTS.replace("ac02030001", "ac02030000"),
                FACTS.replace("ac02030001", "ac02030005"),
                PIECE.replace("01fedcba", "00fedcba"),
                PIECE.replace("01fedcba", "03fedcba"),
                UNDONE.replace("0272320002", "027232016102"),
                UNDONE.replace("0272320002", "0272320003"),
                HEAD.substring(0, HEAD.length() - 2) + "80" + "00",
                VOTE.replace("016101620163", "016101630162"),
                VOTE.replace("030161", "000161"),
                VOTE.replace("01" + STATE, "05" + STATE),
                HEAD.replace("0000018bcfe56800", "ffffffffffffffff") + "00",
                HEAD.replace("0000018bcfe56800", "0001000000000001") + "00",
                HEAD.substring(0, HEAD.length() - 2) + "02" + "00",
                HEAD + "01" + "03" + OWN.substring(2),
                HEAD + "01" + "10" + ACKNOWLEDGEMENTS.substring(2),
                HEAD + "01" + "21" + OWN.substring(2),
                HEAD + "01" + OWN.replace("ac02", "00"),
                HEAD + "01" + OWN.replace("ac02", "818080808080808010"),
                HEAD + "01" + FOREIGN_ITEM.replace("ffffffff0f", "8080808010"),
                HEAD + "01" + OWN.replace("0000018bcfe567fb", "0001000000000001"),
                HEAD + "01" + OWN.replace("0000018bcfe567fb", "fffeffffffffffff"),
                HEAD + "01" + OWN.replace("904e", "81808080808040"))) {
            assertThrows(
                    MalformedFrameException.class,
                    () -> OrderedEntry.decode(Fuzz.bytes(frame)),
                    () -> "entry " + frame);
        }
    }

    @Test
    void parametersThatDoNotFitTogetherAreMalformed() {
        String retentionOfOne = START.replace("e0a712", "01");
        assertThrows(MalformedFrameException.class, () -> OrderedEntry.decode(Fuzz.bytes(retentionOfOne)));
    }

    @Test
    void peerMessagesOutsideTheLimitsAreMalformed() {
        for (String frame : List.of(
                "01" + CLOCK.substring(2),
                "0203" + CLOCK.substring(4),
                "0200" + CLOCK.substring(4),
                RESULTS.replace("010504", "010604"),
                RESULTS.replace("010504", "010004"),
                RESULTS.replace("010504", "030504"),
                RESULTS.replace("010504", "000504"),
                RESULTS.replace("010504", "01050e"),
                RESULTS.replace("010504" + TIMES + "00", "010504" + TIMES + "0161"),
                SETTINGS.replace("0501", "0502"),
                SETTINGS.replace("082d2d72", "082d2d7a"),
                SETTINGS.replace("082d2d72", "082d2d80"),
                RESULTS.replace("010504", "010404"))) {
            assertThrows(
                    MalformedFrameException.class,
                    () -> PeerMessage.decode(Fuzz.bytes(frame)),
                    () -> "message " + frame);
        }
    }

    @Test
    void countsAndLengthsBeyondTheFrameAllocateNothing() {
        for (String count : List.of("8001", "8080808008", "ffffffff07", "ffffffffffffffff7f")) {
            Fuzz.claims(Fuzz.bytes(HEAD + count), ReplicaFramesTest::entryAgain);
            Fuzz.claims(Fuzz.bytes(HEAD + "01" + OWN.replace("0470696e67", count)), ReplicaFramesTest::entryAgain);
            Fuzz.claims(Fuzz.bytes("03" + count + "61"), ReplicaFramesTest::entryAgain);
            Fuzz.claims(Fuzz.bytes(FACTS.replace("0469642d31", count)), ReplicaFramesTest::entryAgain);
            Fuzz.claims(Fuzz.bytes(FACTS.replace("1004ac02", "10" + count + "ac02")), ReplicaFramesTest::entryAgain);
            Fuzz.claims(Fuzz.bytes(RESULTS.substring(0, 36) + count), bytes -> PeerMessage.decode(bytes)
                    .encode());
            Fuzz.claims(Fuzz.bytes(RESULTS.replace("04706f6e67", count)), bytes -> PeerMessage.decode(bytes)
                    .encode());
            String snapshot = SNAPSHOT.formatted("0000000000000000");
            Fuzz.claims(Fuzz.bytes(snapshot.replace("027232", count)), ReplicaFramesTest::snapshotAgain);
            Fuzz.claims(
                    Fuzz.bytes(snapshot.replace("01" + CLIENT_HEX + PRINCIPAL, count + CLIENT_HEX + PRINCIPAL)),
                    ReplicaFramesTest::snapshotAgain);
        }
    }

    @Test
    void aSnapshotWhoseNumbersAreNotRisingIsMalformed() {
        String snapshot = SNAPSHOT.formatted("0000000000000000");
        for (String broken : List.of(
                snapshot.replace("0000000000000003" + "0000000000000003", "0000000000000003" + "0000000000000002"),
                snapshot.replace("0000000000000003" + "0000000000000003", "0000000000000002" + "0000000000000003"),
                snapshot.replaceFirst("0000000000000002", "ffffffffffffff00"))) {
            assertThrows(MalformedFrameException.class, () -> snapshotAgain(Fuzz.bytes(broken)), broken);
        }
    }

    // ------------------------------------------------- whatever comes

    @Test
    void aFrameCutAnywhereIsMalformed() {
        Fuzz.truncations(Fuzz.bytes(START), OrderedEntry::decode);
        Fuzz.truncations(Fuzz.bytes(ITEMS), OrderedEntry::decode);
        Fuzz.truncations(Fuzz.bytes(REPORT), OrderedEntry::decode);
        Fuzz.truncations(Fuzz.bytes(SEEDED), OrderedEntry::decode);
        Fuzz.truncations(Fuzz.bytes(FACTS), OrderedEntry::decode);
        Fuzz.truncations(Fuzz.bytes(CLOCK), PeerMessage::decode);
        Fuzz.truncations(Fuzz.bytes(RESULTS), PeerMessage::decode);
        Fuzz.truncations(Fuzz.bytes(SETTINGS), PeerMessage::decode);
        Fuzz.truncations(snapshotReplica().replica.snapshots().take(), ReplicaFramesTest::snapshotAgain);
    }

    @Property(tries = 15)
    void anyEntryIsMalformedOrTheOnlyFormOfWhatItSays(@ForAll long seed) {
        Fuzz.mutations(seed, 500, Fuzz.bytes(START), ReplicaFramesTest::entryAgain, true);
        Fuzz.mutations(seed, 1_000, Fuzz.bytes(ITEMS), ReplicaFramesTest::entryAgain, true);
        Fuzz.mutations(seed, 500, Fuzz.bytes(WITH_PATH), ReplicaFramesTest::entryAgain, true);
        Fuzz.mutations(seed, 500, Fuzz.bytes(REPORT), ReplicaFramesTest::entryAgain, true);
        Fuzz.mutations(seed, 500, Fuzz.bytes(SEEDED), ReplicaFramesTest::entryAgain, true);
        Fuzz.mutations(seed, 500, Fuzz.bytes(FACTS), ReplicaFramesTest::entryAgain, true);
    }

    @Property(tries = 15)
    void anyPeerMessageIsMalformedOrTheOnlyFormOfWhatItSays(@ForAll long seed) {
        Fuzz.mutations(
                seed, 100, Fuzz.bytes(CLOCK), bytes -> PeerMessage.decode(bytes).encode(), true);
        Fuzz.mutations(
                seed,
                300,
                Fuzz.bytes(SETTINGS),
                bytes -> PeerMessage.decode(bytes).encode(),
                true);
        Fuzz.mutations(
                seed,
                800,
                Fuzz.bytes(RESULTS),
                bytes -> PeerMessage.decode(bytes).encode(),
                true);
    }

    @Property(tries = 15)
    void anySnapshotIsMalformedOrTheOnlyFormOfWhatItSays(@ForAll long seed) {
        Fuzz.mutations(seed, 800, snapshotReplica().replica.snapshots().take(), ReplicaFramesTest::snapshotAgain, true);
    }

    /** One request that no member can decode would take its whole batch with it, again and again. */
    @Property(tries = 500)
    void everyRequestThatCanBeMadeCanBeCarried(@ForAll long seed) {
        Random random = new Random(seed);
        long[] edges = {
            0,
            1,
            -1,
            1L << 48,
            (1L << 48) + 1,
            -(1L << 48),
            -(1L << 48) - 1,
            0xFFFF_FFFFL,
            1L << 32,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            1L << 60,
            (1L << 60) + 1,
            TIME
        };
        long timestamp = edges[random.nextInt(edges.length)];
        long deadline = random.nextBoolean() ? timestamp + 1 : edges[random.nextInt(edges.length)];
        Request request;
        try {
            request = new Request(
                    new RequestId(
                            random.nextBoolean() ? Space.OWN : Space.FOREIGN,
                            CLIENT,
                            edges[random.nextInt(edges.length)]),
                    timestamp,
                    deadline,
                    random.nextLong(),
                    random.nextBoolean(),
                    new byte[3]);
        } catch (IllegalArgumentException e) {
            return;
        }
        byte[] entry = EntryBuilder.entry(
                        "a",
                        1,
                        1,
                        TIME,
                        Optional.empty(),
                        List.of(new Item(CLIENT, FinishedNumbers.NONE, Optional.of(request), Principal.UNKNOWN)))
                .encode();
        Request decoded = OrderedEntry.decode(entry).items().get(0).request().orElseThrow();
        assertEquals(request.id(), decoded.id());
        assertEquals(request.timestampMillis(), decoded.timestampMillis());
        assertEquals(request.deadlineMillis(), decoded.deadlineMillis());
    }

    @Test
    void aRequestWithABodyThatNoEntryCanCarryCannotBeMade() {
        byte[] tooLong = new byte[OrderedEntry.MAX_BODY_BYTES + 1];
        assertThrows(
                IllegalArgumentException.class,
                () -> new Request(RequestId.own(CLIENT, 1), TIME, TIME + 1, 0, false, tooLong));
    }

    @Test
    void theLongestBodyIsCarried() {
        Request longest =
                new Request(RequestId.own(CLIENT, 1), TIME, TIME + 1, 0, false, new byte[Request.MAX_BODY_BYTES]);
        Item item = new Item(CLIENT, FinishedNumbers.NONE, Optional.of(longest), SENDER);
        byte[] entry = EntryBuilder.entry("a", 1, 1, TIME, Optional.empty(), List.of(item))
                .encode();
        assertTrue(entry.length <= OrderedLog.MAX_ENTRY_BYTES);
        Request read = OrderedEntry.decode(entry).items().get(0).request().orElseThrow();
        assertEquals(Request.MAX_BODY_BYTES, read.body().length);
    }

    @Test
    void theLongestReplyIsCarriedAndALongerOneIsNot() {
        Results longest =
                new Results(1, 1, List.of(new Result(0, Answer.reply(new byte[Answer.MAX_REPLY_BYTES], TIME, UPPER))));
        Results read = (Results) PeerMessage.decode(longest.encode());
        assertEquals(Answer.MAX_REPLY_BYTES, read.results().get(0).answer().reply().length);
        Results tooLong = new Results(
                1, 1, List.of(new Result(0, Answer.reply(new byte[Answer.MAX_REPLY_BYTES + 1], TIME, UPPER))));
        assertThrows(FrameLimitException.class, tooLong::encode);
    }

    @Test
    void whatNoMemberReadsCannotBeSubmitted() {
        for (long stamp : new long[] {0, 1L << 48}) {
            assertEquals(stamp, OrderedEntry.decode(empty("a", stamp).encode()).stampMillis());
        }
        assertThrows(IllegalArgumentException.class, () -> empty("a", -1));
        assertThrows(IllegalArgumentException.class, () -> empty("a", (1L << 48) + 1));
        String longest = "o".repeat(64);
        assertEquals(longest, OrderedEntry.decode(empty(longest, 1).encode()).origin());
        assertThrows(FrameLimitException.class, empty(longest + "o", 1)::encode);
    }

    @Test
    void aReportNamesAsManyMembersAsAReaderTakes() {
        List<String> members = IntStream.range(100, 164).mapToObj(i -> "m" + i).toList();
        ExecutionReport most = new ExecutionReport(
                new Place(Long.MAX_VALUE, Integer.MAX_VALUE), Word.DIED, Long.MAX_VALUE, members, List.of());
        OrderedEntry entry =
                EntryBuilder.of("a", 1, 1, TIME).report(Optional.of(most)).entry();
        assertEquals(entry, OrderedEntry.decode(entry.encode()));
        List<String> tooMany = IntStream.range(100, 165).mapToObj(i -> "m" + i).toList();
        assertThrows(
                IllegalArgumentException.class,
                () -> new ExecutionReport(most.place(), Word.DIED, 1, tooMany, List.of()));
    }

    @Test
    void theClockOfAMemberIsBetween1970AndTheLastTimestamp() {
        for (long wall : new long[] {0, 1L << 48}) {
            assertEquals(new WallClock(wall), PeerMessage.decode(new WallClock(wall).encode()));
        }
        for (long wall : new long[] {-1, (1L << 48) + 1}) {
            assertThrows(IllegalArgumentException.class, () -> new WallClock(wall));
            String frame = "0201" + HexFormat.of().toHexDigits(wall);
            assertThrows(MalformedFrameException.class, () -> PeerMessage.decode(Fuzz.bytes(frame)));
        }
    }

    /** Such a clock could let the group order a stamp that no member reads. */
    @Test
    void aClockThatNoEntryCanCarryDoesNotCount() {
        ReplicaRig rig = ReplicaRig.started("a", "a");
        for (long wall : new long[] {Long.MIN_VALUE, -1, (1L << 48) + 1, Long.MAX_VALUE}) {
            rig.now += 10_000;
            rig.replica.onTick(rig.now, wall);
        }
        assertTrue(rig.sent.stream().noneMatch(each -> each.message() instanceof WallClock));
        rig.now += 10_000;
        rig.replica.onTick(rig.now, TIME);
        assertTrue(rig.sent.stream().anyMatch(each -> each.message().equals(new WallClock(TIME))));
    }

    private static OrderedEntry empty(String origin, long stamp) {
        return EntryBuilder.entry(origin, 1, 1, stamp, Optional.empty(), List.of());
    }

    @Test
    void goldenRequestOfAnOperation() {
        OrderedEntry plain = items();
        Item item = plain.items().get(0);
        Request request = item.request().orElseThrow();
        CallPath path = new CallPath(List.of("bank", "audit"));
        Request nested = new Request(
                request.id(),
                request.timestampMillis(),
                request.deadlineMillis(),
                request.fingerprint(),
                false,
                request.body(),
                path);
        OrderedEntry entry = EntryBuilder.entry(
                "node-b",
                INCARNATION,
                17,
                TIME,
                Optional.empty(),
                List.of(
                        new Item(CLIENT, item.finished(), Optional.of(nested), SENDER),
                        Item.acknowledgements(CLIENT, FinishedNumbers.of(7))));
        assertEquals(WITH_PATH, Fuzz.hex(entry.encode()));
        OrderedEntry decoded = OrderedEntry.decode(Fuzz.bytes(WITH_PATH));
        assertEquals(path, decoded.items().get(0).request().orElseThrow().path());
        assertEquals(WITH_PATH, Fuzz.hex(decoded.encode()));
        Fuzz.truncations(Fuzz.bytes(WITH_PATH), OrderedEntry::decode);
    }

    /** Acknowledgements have no path. */
    @Test
    void anItemThatSaysMoreThanItsKindHasIsMalformed() {
        for (String kind : List.of("10", "20", "30", "03", "23", "41")) {
            byte[] bytes = Fuzz.bytes(HEAD + "01" + kind + ACKNOWLEDGEMENTS.substring(2));
            assertThrows(MalformedFrameException.class, () -> OrderedEntry.decode(bytes), kind);
        }
    }

    // ------------------------------------------------- helpers

    /** One client with floor 1, range 3 and a live reply to 2; one foreign client with a reply to 9. */
    private static ReplicaRig snapshotReplica() {
        GroupParameters parameters = GroupParameters.builder()
                .retentionMillis(1_000)
                .skewMillis(10)
                .lifeMillis(3_000)
                .defaultDeadlineMillis(100)
                .build();
        ReplicaRig rig = new ReplicaRig("a", parameters);
        rig.deliverStart(parameters);
        long now = ReplicaRig.EPOCH + 100;
        Request[] requests = {
            call(Space.OWN, CLIENT, 1, now, now + 100),
            call(Space.OWN, CLIENT, 2, now, now + 100),
            call(Space.OWN, CLIENT, 3, now, now + 100),
            call(Space.FOREIGN, FOREIGN, 9, now + 100 - 1_000, now + 100)
        };
        List<Item> items = new ArrayList<>();
        for (Request request : requests) {
            items.add(new Item(request.id().client(), FinishedNumbers.NONE, Optional.of(request), SENDER));
        }
        items.add(Item.acknowledgements(CLIENT, FinishedNumbers.of(1, 3, 3)));
        rig.deliver(EntryBuilder.entry("c", 1, 2, now, Optional.empty(), items));
        while (!rig.executing.isEmpty()) {
            Execution execution = rig.executing.remove();
            byte[] reply = ReplicaRig.bytes("r" + execution.request().id().number());
            rig.replica.onExecuted(List.of(execution), List.of(reply), rig.now);
        }
        return rig;
    }

    private static Request call(Space space, ClientId client, long number, long timestamp, long deadline) {
        return new Request(new RequestId(space, client, number), timestamp, deadline, 7, false, new byte[4]);
    }

    private static byte[] snapshotAgain(byte[] snapshot) {
        Replica replica = new Replica(
                new ReplicaOptions(
                        "a",
                        List.of("a"),
                        1,
                        CLIENT,
                        GroupParameters.defaults(),
                        ReplicaSettings.Divergence.OFF,
                        Map.of(),
                        ReplicaSettings.Style.ACTIVE,
                        OrderedLog.Guarantee.UNIFORM,
                        Long.MAX_VALUE,
                        new FeatureLevels(1, Integer.MAX_VALUE)),
                new ReplicaRig("a"));
        replica.snapshots().install(snapshot, 0);
        return replica.snapshots().take();
    }

    private static byte[] entryAgain(byte[] bytes) {
        return OrderedEntry.decode(bytes).encode();
    }

    private static void assertEntry(String golden, OrderedEntry entry) {
        assertEquals(golden, Fuzz.hex(entry.encode()));
        assertEquals(entry, OrderedEntry.decode(Fuzz.bytes(golden)));
    }

    private static OrderedEntry items() {
        byte[] ping = "ping".getBytes(StandardCharsets.US_ASCII);
        byte[] pong = "pong".getBytes(StandardCharsets.US_ASCII);
        return EntryBuilder.entry(
                "node-b",
                INCARNATION,
                17,
                TIME,
                Optional.empty(),
                List.of(
                        new Item(
                                CLIENT,
                                FinishedNumbers.of(297, 299, 299),
                                Optional.of(new Request(
                                        RequestId.own(CLIENT, 300), TIME - 5, TIME + 9_995, 0x0BADCAFE, false, ping)),
                                SENDER),
                        new Item(
                                CLIENT,
                                FinishedNumbers.NONE,
                                Optional.of(new Request(
                                        RequestId.own(CLIENT, 301),
                                        TIME - 5,
                                        TIME + 9_995,
                                        0x0BADCAFE,
                                        true,
                                        new byte[0])),
                                SENDER),
                        new Item(
                                FOREIGN,
                                FinishedNumbers.NONE,
                                Optional.of(new Request(
                                        new RequestId(Space.FOREIGN, FOREIGN, 0xFFFF_FFFFL),
                                        TIME + 1_000 - 300_000,
                                        TIME + 1_000,
                                        -1,
                                        false,
                                        pong)),
                                Principal.UNKNOWN),
                        Item.acknowledgements(CLIENT, FinishedNumbers.of(7))));
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "ordered entry",
                        MalformedFrameException.class,
                        OrderedEntry::decode,
                        Fuzz.bytes(START),
                        Fuzz.bytes(REPORT),
                        Fuzz.bytes(VOTE),
                        Fuzz.bytes(VOTE_ON_REQUESTS),
                        Fuzz.bytes(FACTS),
                        Fuzz.bytes(OUTCOME),
                        Fuzz.bytes(SEEDED),
                        Fuzz.bytes(ITEMS),
                        Fuzz.bytes(WITH_PATH)),
                Decoder.of(
                        "peer message",
                        MalformedFrameException.class,
                        PeerMessage::decode,
                        Fuzz.bytes(CLOCK),
                        Fuzz.bytes(RESULTS),
                        Fuzz.bytes(QUESTION),
                        Fuzz.bytes(TRAIL),
                        Fuzz.bytes(SETTINGS),
                        Fuzz.bytes(ORDERED_ONLY)),
                Decoder.of(
                        "state with the clock of operations",
                        IllegalStateException.class,
                        ClockedState::decode,
                        new ClockedState(Optional.of(TIME), new byte[] {1, 2}).encode(),
                        new ClockedState(Optional.empty(), new byte[] {1, 2}).encode()),
                Decoder.of(
                        "snapshot of a replica",
                        MalformedFrameException.class,
                        ReplicaFramesTest::snapshotAgain,
                        snapshotReplica().replica.snapshots().take()));
    }
}
