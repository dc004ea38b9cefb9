package org.amo.exon;

import java.util.Arrays;

/** One part of a datagram (docs/wire/exon.md). The paper's four messages are {@link RequestSlots}, {@link Slots}, {@link Token} and {@link Ack}. */
sealed interface Frame {

    /** The highest packet number that the sender of this frame has got, and how long ago. */
    record Seen(long packet, long delayMicros) implements Frame {}

    /**
     * REQSLOTS(s, n, l).
     *
     * @param from s: the first slot asked for
     * @param count n: how many; 0 to say that the sender forgets
     * @param frontier l: the sender holds neither token nor envelope below it
     * @param need fewer than this are of no use to the sender now; at most n
     */
    record RequestSlots(long from, int count, long frontier, int need) implements Frame {}

    /** SLOTS(s, r, n): slots s to s + n - 1 exist in incarnation r. */
    record Slots(long from, long incarnation, int count) implements Frame {}

    /**
     * TOKEN(s, r, m), or one piece of m: piece {@code index} of {@code pieces}, in the slots from {@code slot - index} on.
     */
    record Token(long incarnation, long slot, int index, int pieces, byte[] body) implements Frame {
        @Override
        public boolean equals(Object other) {
            return other instanceof Token token
                    && incarnation == token.incarnation
                    && slot == token.slot
                    && index == token.index
                    && pieces == token.pieces
                    && Arrays.equals(body, token.body);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(31 * incarnation + slot);
        }
    }

    /**
     * ACK(s, r) for many s: of the slots from {@code from} to {@code end}, end excluded, all are settled in incarnation r
     * but those in the holes. A token in a settled slot was delivered.
     *
     * @param holes first and one past the last of each range that is open, highest range first
     */
    record Ack(long incarnation, long from, long end, long[] holes) implements Frame {
        /** First and one past the last of each range between the holes, lowest range first. */
        long[] covered() {
            long[] bounds = new long[holes.length + 2];
            bounds[0] = from;
            for (int i = 0; i < holes.length; i += 2) {
                bounds[holes.length - i - 1] = holes[i];
                bounds[holes.length - i] = holes[i + 1];
            }
            bounds[holes.length + 1] = end;
            return bounds;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Ack ack
                    && incarnation == ack.incarnation
                    && from == ack.from
                    && end == ack.end
                    && Arrays.equals(holes, ack.holes);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(31 * incarnation + end);
        }
    }

    /**
     * Of the slots, none is open any more but those in the holes: their tokens came, and need not be sent again. Whether they are
     * delivered is told by acknowledgements alone.
     */
    record Arrived(Ack slots) implements Frame {}

    /** The messages in the slots s to s + n - 1 of incarnation r are not delivered for certain: the application failed. */
    record Refused(long incarnation, long slot, int count) implements Frame {}

    /** Nothing is known of tokens of incarnation r: it belongs to a former life, or was abandoned. */
    record Unknown(long incarnation) implements Frame {}
}
