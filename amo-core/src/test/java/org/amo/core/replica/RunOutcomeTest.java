package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.RunOutcome.Reply;
import org.junit.jupiter.api.Test;

/** The hash of an outcome, and its bytes beyond the golden ones of {@link ReplicaFramesTest}. */
final class RunOutcomeTest {
    private static final Place FIRST = new Place(300, 3);
    private static final long BASE = 0x0123_4567_89AB_CDEFL;
    private static final byte[] UPDATE = ReplicaRig.bytes("up");
    private static final Reply R2 = new Reply(ReplicaRig.bytes("r2"), false);
    private static final Reply SKIPPED = new Reply(new byte[0], true);

    /** It stands in snapshots and in outcomes of members of other builds, so the function must not change. */
    @Test
    void theFunctionOfTheHashIsFixed() {
        RunOutcome outcome = new RunOutcome(FIRST, BASE, List.of(R2, SKIPPED), UPDATE);
        assertEquals("71a7cc779b60d792", Long.toHexString(outcome.hash()));
    }

    @Test
    void eachPartOfAnOutcomeIsInItsHash() {
        List<Long> hashes = Stream.of(
                        new RunOutcome(FIRST, BASE, List.of(R2), UPDATE),
                        new RunOutcome(new Place(301, 3), BASE, List.of(R2), UPDATE),
                        new RunOutcome(new Place(300, 4), BASE, List.of(R2), UPDATE),
                        new RunOutcome(FIRST, BASE + 1, List.of(R2), UPDATE),
                        new RunOutcome(FIRST, BASE, List.of(R2, R2), UPDATE),
                        new RunOutcome(FIRST, BASE, List.of(new Reply(R2.bytes(), true)), UPDATE),
                        new RunOutcome(FIRST, BASE, List.of(new Reply(ReplicaRig.bytes("r3"), false)), UPDATE),
                        new RunOutcome(FIRST, BASE, List.of(R2), new byte[0]),
                        RunOutcome.undone(FIRST, BASE, List.of(R2)),
                        RunOutcome.inPieces(FIRST, BASE, List.of(R2), new byte[0], 5),
                        RunOutcome.inPieces(FIRST, BASE, List.of(R2), new byte[0], 6))
                .map(RunOutcome::hash)
                .toList();
        assertEquals(hashes, hashes.stream().distinct().toList());
    }

    @Test
    void anOutcomeOfEmptyRepliesIsReadAsItWasWritten() {
        RunOutcome read = read(List.of(SKIPPED, new Reply(new byte[0], false), SKIPPED), 3, new byte[0]);
        assertEquals(FIRST, read.first());
        assertEquals(BASE, read.base());
        assertEquals(
                List.of(true, false, true),
                read.replies().stream().map(Reply::skipped).toList());
        assertArrayEquals(new byte[0], read.update());
    }

    /** Before room is made for them. */
    @Test
    void aNumberOfRepliesThatTheFrameCannotHoldIsMalformed() {
        String refused =
                String.valueOf(assertThrows(MalformedFrameException.class, () -> read(List.of(SKIPPED), 3, new byte[0]))
                        .getMessage());
        assertTrue(refused.contains("field replies "), refused);
    }

    /** Reads an outcome that says it has so many replies. */
    private static RunOutcome read(List<Reply> replies, int count, byte[] update) {
        WireWriter writer = new WireWriter(64);
        writer.varint(FIRST.position());
        writer.varint(FIRST.index());
        writer.i64(BASE);
        writer.varint(count);
        for (Reply reply : replies) {
            writer.u8(reply.skipped() ? 1 : 0);
            writer.blob(reply.bytes());
        }
        writer.blob(update);
        return RunOutcome.read(new WireReader("outcome", writer.toBytes()), false);
    }
}
