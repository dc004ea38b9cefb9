package org.amo.meetings;

import java.util.List;

/**
 * A reader of bytes that come from a network or a file.
 *
 * @param name for messages, and to find it by
 * @param declared exception that it throws for bytes that it refuses
 * @param ownBytes bytes that one frame may cost beside a multiple of its length
 * @param valid frames that it accepts
 * @param reading reads one frame
 */
public record Decoder(
        String name, Class<? extends Exception> declared, long ownBytes, List<byte[]> valid, Reading reading) {
    /** The cost allowed to most decoders: an exception with its trace, a reader, some lists. */
    private static final long OWN_BYTES = 64_000;

    private static final long PER_BYTE = 200;

    /** Reads one frame. The array is the reader's own. */
    public interface Reading {
        /** @throws Exception when the frame is refused */
        void read(byte[] frame) throws Exception;
    }

    /** A decoder without an allocation of a fixed size. */
    public static Decoder of(String name, Class<? extends Exception> declared, Reading reading, byte[]... valid) {
        return new Decoder(name, declared, OWN_BYTES, List.of(valid), reading);
    }

    /** The same with so many more bytes that it takes for any frame, such as a buffer of a fixed size. */
    public Decoder taking(long more) {
        return new Decoder(name, declared, ownBytes + more, valid, reading);
    }

    /** Most bytes that a frame of this length may cost. */
    long mostBytes(int length) {
        return ownBytes + PER_BYTE * length;
    }

    /**
     * Reads a frame.
     *
     * @return whether it was accepted; else it was refused as declared
     * @throws AssertionError when it was neither
     */
    boolean accepts(byte[] frame) {
        try {
            reading.read(frame.clone());
            return true;
        } catch (Exception | Error e) {
            if (declared.isInstance(e)) {
                return false;
            }
            throw new AssertionError(name + ": " + MutatedFrames.hex(frame) + " gave " + e, e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
