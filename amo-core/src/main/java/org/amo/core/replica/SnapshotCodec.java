package org.amo.core.replica;

import java.util.Optional;
import java.util.function.Supplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/** Writes and reads the replica's part of a snapshot (docs/wire/snapshot.md). */
final class SnapshotCodec {
    /** Of a group of style active. */
    private static final int VERSION = 2;

    /** Of a group of style passive: with the chain of its outcomes at the end. */
    private static final int WITH_OUTCOMES = 3;

    /** Also with the digest of the pieces of an outcome, between two of them. */
    private static final int WITH_PIECES = 4;

    /** With the feature level of the group, if it is above the first: then one of the others follows. */
    private static final int WITH_LEVEL = 5;

    private SnapshotCodec() {}

    /**
     * The content of a snapshot.
     *
     * @param position of the last entry in it
     * @param executed requests executed up to there
     * @param digest of everything up to there
     * @param outcomes accepted up to there, in style passive
     * @param level the group's feature level there
     */
    record Content(
            long position,
            long executed,
            long digest,
            DecisionTable table,
            SkippedRequests skipped,
            Optional<UpdateChain> outcomes,
            int level) {}

    static byte[] encode(Content content) {
        WireWriter writer = new WireWriter(1024);
        if (content.level > FeatureLevels.FIRST) {
            writer.u8(WITH_LEVEL);
            writer.varint(content.level);
        }
        writer.u8(version(content));
        writer.i64(content.position);
        writer.i64(content.executed);
        writer.i64(content.digest);
        content.table.write(writer);
        content.skipped.write(writer);
        content.outcomes.ifPresent(chain -> chain.write(writer));
        return writer.toBytes();
    }

    private static int version(Content content) {
        if (content.outcomes.isEmpty()) {
            return VERSION;
        }
        return content.outcomes.get().isGathering() ? WITH_PIECES : WITH_OUTCOMES;
    }

    /**
     * @param emptyTable asked once the head is read
     * @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong
     */
    static Content decode(byte[] snapshot, Supplier<DecisionTable> emptyTable, SkipRule rule) {
        WireReader reader = new WireReader("snapshot", snapshot);
        int level = level(snapshot);
        int version = reader.u8("version");
        if (version == WITH_LEVEL) {
            reader.varint("level", level, level);
            version = reader.u8("version");
        }
        if (version < VERSION || version > WITH_PIECES) {
            throw reader.malformed("version", version);
        }
        long position = reader.i64("position");
        long executed = reader.i64("executed");
        if (position < 0 || executed < 0) {
            throw reader.malformed("position or executed", Math.min(position, executed));
        }
        long digest = reader.i64("digest");
        DecisionTable table = emptyTable.get();
        table.restore(reader);
        SkippedRequests skipped = SkippedRequests.read(rule, reader);
        Optional<UpdateChain> outcomes =
                version == VERSION ? Optional.empty() : Optional.of(UpdateChain.read(reader, version == WITH_PIECES));
        reader.end();
        return new Content(position, executed, digest, table, skipped, outcomes, level);
    }

    /** The feature level of a snapshot, which every build can read. */
    static int level(byte[] snapshot) {
        WireReader reader = new WireReader("snapshot", snapshot);
        return reader.u8("version") == WITH_LEVEL
                ? (int) reader.varint("level", FeatureLevels.FIRST + 1, Integer.MAX_VALUE)
                : FeatureLevels.FIRST;
    }
}
