package org.amo.replication.service;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text of a file, or of an open file descriptor ({@code fd:3}), which no other process can read. */
final class SecretText {
    private static final String DESCRIPTOR = "fd:";
    private static final int MOST_BYTES = 65_536;

    private SecretText() {}

    static boolean isDescriptor(String file) {
        return file.matches(DESCRIPTOR + "[0-9]{1,6}");
    }

    /** All of it, but for white space around it. A pipe has its text for the first reader alone. */
    static String read(Path file) throws IOException {
        String name = file.toString();
        return isDescriptor(name)
                ? readDescriptor(Path.of("/dev/fd/" + name.substring(DESCRIPTOR.length())))
                : Files.readString(file).strip();
    }

    /**
     * Reads what may be a pipe, which has no length and no position. A descriptor that the process was not started with may be a library
     * that the virtual machine has opened: its bytes, which anyone can have, are no text.
     */
    static String readDescriptor(Path device) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(device.toFile()))) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(device + " holds more than " + MOST_BYTES + " bytes, so it is no secret");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .strip();
        }
    }
}
