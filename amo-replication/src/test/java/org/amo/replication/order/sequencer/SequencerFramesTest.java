package org.amo.replication.order.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.order.OrderedLog;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** What another member says to one that takes part, and to one that joins. */
final class SequencerFramesTest implements HostileBytes {
    private static final List<String> MEMBERS = List.of("a", "b", "c");
    private static final long NONCE = 9;

    private static MajoritySequence sequence(List<Object> delivered) {
        MajoritySequence.Effects effects = (MajoritySequence.Effects) Proxy.newProxyInstance(
                SequencerFramesTest.class.getClassLoader(),
                new Class<?>[] {MajoritySequence.Effects.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("deliver") || method.getName().equals("install")) {
                        delivered.add(arguments[1]);
                    }
                    return null;
                });
        MajoritySequence sequence = new MajoritySequence("a", MEMBERS, 1 << 20, () -> NONCE, effects);
        sequence.onView(MEMBERS);
        return sequence;
    }

    private static MajoritySequence established() {
        MajoritySequence sequence = sequence(new ArrayList<>());
        sequence.onFound();
        sequence.onMark("b", NONCE);
        sequence.onEntry(new byte[] {1});
        return sequence;
    }

    /** One that has asked, and to which b hands the history. */
    private static MajoritySequence joining(List<Object> delivered) {
        MajoritySequence sequence = sequence(delivered);
        sequence.onMark("a", NONCE);
        sequence.onStatus("b", NONCE, true);
        return sequence;
    }

    /** The first byte is the kind. */
    private static void tellBoth(byte[] frame) {
        if (frame.length == 0) {
            throw new MalformedFrameException("no kind");
        }
        byte[] body = Arrays.copyOfRange(frame, 1, frame.length);
        SequencerFrames.tell(established(), "b", frame[0], body.clone());
        SequencerFrames.tell(joining(new ArrayList<>()), "b", frame[0], body);
    }

    private static byte[] of(byte kind, byte[] body) {
        byte[] frame = new byte[body.length + 1];
        frame[0] = kind;
        System.arraycopy(body, 0, frame, 1, body.length);
        return frame;
    }

    @Override
    public List<Decoder> decoders() {
        SequenceHistory.Snapshot snapshot = new SequenceHistory.Snapshot(7, 0x1122, new byte[] {1, 2, 3, 4});
        return List.of(Decoder.of(
                "sequencer frames",
                MalformedFrameException.class,
                SequencerFramesTest::tellBoth,
                of(SequencerFrames.ENTRY, new byte[] {1, 2}),
                of(SequencerFrames.MARK, SequencerFrames.mark(NONCE)),
                of(SequencerFrames.FOUND, new byte[0]),
                of(SequencerFrames.STATUS, SequencerFrames.status(NONCE, true)),
                of(SequencerFrames.FETCH, SequencerFrames.fetch(NONCE, 1, 0)),
                of(SequencerFrames.PIECE, SequencerFrames.piece(NONCE, 1, 2, List.of(new byte[3], new byte[0]))),
                of(SequencerFrames.SNAPSHOT, SequencerFrames.snapshotPiece(NONCE, snapshot, 0, 4)),
                of(SequencerFrames.ACKNOWLEDGE, SequencerFrames.acknowledge(1, 5))));
    }

    /** It was refused as longer than 64 MB, so that no member could join a group that had ordered a longest request. */
    @Test
    void theLongestEntryIsHandedToAMemberThatJoins() {
        byte[] longest = new byte[OrderedLog.MAX_ENTRY_BYTES];
        byte[] piece = SequencerFrames.piece(NONCE, 1, 1, List.of(longest));
        List<Object> delivered = new ArrayList<>();
        MajoritySequence sequence = joining(delivered);
        SequencerFrames.tell(sequence, "b", SequencerFrames.PIECE, piece);
        SequenceHistory history = new SequenceHistory();
        history.append(longest);
        sequence.onAcknowledged("b", 1, history.hash(1));
        assertEquals(1, delivered.size());
        byte[] tooLong = new byte[OrderedLog.MAX_ENTRY_BYTES + 1];
        assertThrows(FrameLimitException.class, () -> SequencerFrames.piece(1, 1, 1, List.of(tooLong)));
        assertThrows(
                MalformedFrameException.class,
                () -> SequencerFrames.tell(established(), "b", SequencerFrames.ENTRY, tooLong));
    }

    @Test
    void aCountBelowZeroIsRefused() {
        byte[] piece = SequencerFrames.piece(NONCE, 1, Long.MIN_VALUE, List.of(new byte[1]));
        assertThrows(
                MalformedFrameException.class,
                () -> SequencerFrames.tell(joining(new ArrayList<>()), "b", SequencerFrames.PIECE, piece));
        assertFalse(SequencerFrames.tell(established(), "b", (byte) 77, piece));
    }
}
