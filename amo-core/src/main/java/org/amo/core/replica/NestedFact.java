package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Request;

/**
 * One member's word on a nested call of an operation, ordered with its entry (docs/wire/ordered-entry.md).
 *
 * @param place of the request that the calling operation runs
 * @param number of the call in that operation, from 0
 * @param kind of word
 * @param bytes CLAIM: the identity, if the call has one. RESULT: the result. UNKNOWN: empty
 */
record NestedFact(Place place, int number, Kind kind, Optional<byte[]> bytes) {
    /** Longest result of a nested call. */
    static final int MAX_RESULT_BYTES = Request.MAX_BODY_BYTES;

    /** Longest identity of a nested call. */
    static final int MAX_IDENTITY_BYTES = 1 << 16;

    private static final int CLAIM = 1;
    private static final int CLAIM_WITH_IDENTITY = 2;
    private static final int RESULT = 3;
    private static final int UNKNOWN = 4;

    /** The content of a fact. */
    enum Kind {
        /** The origin of the entry sends the call. */
        CLAIM,
        /** The callee's result. */
        RESULT,
        /** The outcome is unknown, and stays so. */
        UNKNOWN
    }

    NestedFact {
        if (number < 0) {
            throw new IllegalArgumentException("calls of an operation are numbered from 0: " + number);
        }
        if (kind == Kind.RESULT ? bytes.isEmpty() : kind == Kind.UNKNOWN && bytes.isPresent()) {
            throw new IllegalArgumentException("a result has bytes, an unknown one has none: " + kind);
        }
    }

    static NestedFact claim(Place place, int number, Optional<byte[]> identity) {
        return new NestedFact(place, number, Kind.CLAIM, identity);
    }

    /** @param result empty if it is unknown */
    static NestedFact result(Place place, int number, Optional<byte[]> result) {
        return new NestedFact(place, number, result.isPresent() ? Kind.RESULT : Kind.UNKNOWN, result);
    }

    boolean isClaim() {
        return kind == Kind.CLAIM;
    }

    void write(WireWriter writer) {
        writer.varint(place.position());
        writer.varint(place.index());
        writer.varint(number);
        writer.u8(code());
        bytes.ifPresent(writer::blob);
    }

    private int code() {
        return switch (kind) {
            case CLAIM -> bytes.isPresent() ? CLAIM_WITH_IDENTITY : CLAIM;
            case RESULT -> RESULT;
            case UNKNOWN -> UNKNOWN;
        };
    }

    static NestedFact read(WireReader reader) {
        Place place = ExecutionReport.place(reader);
        int number = (int) reader.varint("number of a nested call", 0, Integer.MAX_VALUE);
        int code = reader.u8("kind of a nested fact");
        return switch (code) {
            case CLAIM -> claim(place, number, Optional.empty());
            case CLAIM_WITH_IDENTITY -> claim(place, number, Optional.of(reader.blob("identity", MAX_IDENTITY_BYTES)));
            case RESULT -> result(place, number, Optional.of(reader.blob("result", MAX_RESULT_BYTES)));
            case UNKNOWN -> result(place, number, Optional.empty());
            default -> throw reader.malformed("kind of a nested fact", code);
        };
    }
}
