package org.amo.cli.exon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.amo.base.wire.Sha256;
import org.amo.net.CheckedFile;

/**
 * A file that has begun to arrive, under another name, and beside it a note of how much of it is there. One thread at a time.
 *
 * <p>The note is written once the bytes that it counts are forced to disk, at most once a second. So a process that is killed, or a
 * loss of power, costs the pieces since the last note, which are sent again and written to the same places.
 */
final class PartialFile implements Closeable {
    private static final int MAGIC = 0x616D6F58; // amoX
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CHECK_BYTES = 64 << 10;

    private final FileOffer offer;
    private final Path part;
    private final Path noteFile;
    private final CheckedFile note;
    private final FileChannel channel;
    private final PiecesInOrder pieces;

    private long noted;
    private long notedNanos;

    private PartialFile(FileOffer offer, Path part, Path noteFile, FileChannel channel, long noted, long nowNanos) {
        this.offer = offer;
        this.part = part;
        this.noteFile = noteFile;
        this.note = noteAt(noteFile);
        this.channel = channel;
        this.pieces = new PiecesInOrder(offer, noted);
        this.noted = noted;
        this.notedNanos = nowNanos;
    }

    private static CheckedFile noteAt(Path file) {
        return new CheckedFile(file, MAGIC, "remove it, and the file is sent from its beginning");
    }

    private static Path part(Path folder, TransferKey key) {
        return folder.resolve(".amo-" + key + ".part");
    }

    private static Path note(Path folder, TransferKey key) {
        return folder.resolve(".amo-" + key + ".note");
    }

    /** Goes on where the note of an earlier process says, or begins. */
    static PartialFile open(Path folder, FileOffer offer, long nowNanos) throws IOException {
        TransferKey key = offer.key();
        Path part = part(folder, key);
        Path noteFile = note(folder, key);
        Optional<ByteBuffer> content = noteAt(noteFile).read();
        long noted = content.isPresent() ? content.get().getLong() : 0;
        FileChannel channel =
                FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            boolean fits = noted >= 0
                    && noted <= channel.size()
                    && (noted == offer.length() || (noted < offer.length() && noted % FileOffer.PIECE_BYTES == 0));
            return new PartialFile(offer, part, noteFile, channel, fits ? noted : 0, nowNanos);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Bytes of a partial file that is there already. */
    static long bytesOf(Path folder, FileOffer offer) throws IOException {
        Path part = part(folder, offer.key());
        return Files.exists(part) ? Files.size(part) : 0;
    }

    /** Removes what an earlier process left of a file that is in its place by now. */
    static void remove(Path folder, FileOffer offer) throws IOException {
        Files.deleteIfExists(part(folder, offer.key()));
        Files.deleteIfExists(note(folder, offer.key()));
    }

    /** Writes a piece, unless it is there or is none of this file's. */
    void write(long offset, byte[] bytes, long nowNanos) throws IOException {
        if (offset < 0
                || offset >= offer.length()
                || offset % FileOffer.PIECE_BYTES != 0
                || bytes.length != offer.pieceBytes(offset)
                || !pieces.isWithinReach(offset)
                || pieces.isDone(offset)) {
            return;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer, offset + buffer.position());
        }
        pieces.done(offset);
        if (pieces.position() > noted && nowNanos - notedNanos >= NOTE_NANOS) {
            note(nowNanos);
        }
    }

    /** Makes the pieces before the first gap last. */
    void note(long nowNanos) throws IOException {
        long position = pieces.position();
        channel.force(true);
        note.write(ByteBuffer.allocate(Long.BYTES).putLong(position).array());
        noted = position;
        notedNanos = nowNanos;
    }

    /** Where the first missing piece begins. */
    long position() {
        return pieces.position();
    }

    boolean isWhole() {
        return pieces.isWhole();
    }

    /**
     * Whether its bytes on disk are those of the offer.
     *
     * @param progress hears how many are compared
     */
    boolean isRight(LongConsumer progress) throws IOException {
        return isRight(part, offer, progress);
    }

    /** Whether a file has the content of the offer. */
    static boolean isRight(Path file, FileOffer offer, LongConsumer progress) throws IOException {
        return Files.size(file) == offer.length() && Arrays.equals(hash(file, progress), offer.sha256());
    }

    /** The SHA-256 of a file. */
    static byte[] hash(Path file, LongConsumer progress) throws IOException {
        MessageDigest digest = Sha256.newDigest();
        ByteBuffer buffer = ByteBuffer.allocate(CHECK_BYTES);
        long done = 0;
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                digest.update(buffer.flip());
                buffer.clear();
                done += count;
                progress.accept(done);
            }
        }
        return digest.digest();
    }

    /** Gives the file its name, for good, and forgets the rest. It is closed then. */
    void moveTo(Path target) throws IOException {
        channel.close();
        CheckedFile.rename(part, target);
        Files.deleteIfExists(noteFile);
    }

    /** Removes the bytes that have come. */
    void discard() throws IOException {
        channel.close();
        Files.deleteIfExists(noteFile);
        Files.deleteIfExists(part);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return part.toString();
    }
}
