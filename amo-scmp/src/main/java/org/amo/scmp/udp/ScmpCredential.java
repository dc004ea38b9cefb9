package org.amo.scmp.udp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.Experimental;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.base.wire.Sha256;
import org.amo.net.CheckedFile;

/**
 * The name of a client, and the key that is its own. The server derives the key from its own key and the name in each datagram, so it
 * needs no list of clients. The holder of one credential can neither make datagrams of another client nor find another key. A lost credential
 * stays valid until the server's key is changed. Immutable.
 */
@Experimental
public final class ScmpCredential {
    private static final String LABEL = "amo scmp 2|client|";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern TEXT =
            Pattern.compile("amo-scmp-credential 1 ([A-Za-z0-9._-]{1,64}) ([0-9a-f]{64})\n?");
    private static final int MOST_BYTES = 256;

    private final String client;
    private final byte[] key;

    private ScmpCredential(String client, byte[] key) {
        this.client = client;
        this.key = key;
    }

    /**
     * The credential of a client: the same each time for the same key and name.
     *
     * @param serverKey the key that the server has
     * @param client 1 to 64 letters, digits, dots, hyphens and underscores
     * @throws IllegalArgumentException for another name, or for a key that is too short
     */
    public static ScmpCredential of(byte[] serverKey, String client) {
        long id = clientHigh(client);
        return new ScmpCredential(client, key(Seal.ofKey(Secrets.check(serverKey, "the key of the datagrams")), id));
    }

    /**
     * The upper half of the client's ids: a service compares it with {@link org.amo.scmp.ConnectionId#clientHigh()} of its caller.
     * Only that client, and those that have the server's key, can make it.
     *
     * @throws IllegalArgumentException for another name than {@link #of} allows
     */
    public static long clientHigh(String client) {
        if (!NAME.matcher(client).matches()) {
            throw new IllegalArgumentException(
                    "a client's name has 1 to 64 letters, digits, '.', '-' and '_', for example" + " till-7: '" + client
                            + "'");
        }
        return ByteBuffer.wrap(Sha256.of(client.getBytes(StandardCharsets.US_ASCII)))
                .getLong();
    }

    /** The key of one client. */
    static byte[] key(Seal serverKey, long client) {
        return serverKey.hash(
                LABEL, ByteBuffer.allocate(Long.BYTES).putLong(client).array());
    }

    /**
     * Reads a file that {@link #write} made.
     *
     * @throws IOException in one line if it cannot be read, or holds no credential
     */
    public static ScmpCredential read(Path file) throws IOException {
        if (Files.size(file) <= MOST_BYTES) {
            try {
                Matcher text = TEXT.matcher(Files.readString(file, StandardCharsets.US_ASCII));
                if (text.matches()) {
                    return new ScmpCredential(text.group(1), HexFormat.of().parseHex(text.group(2)));
                }
            } catch (CharacterCodingException e) {
                // Said below.
            }
        }
        throw new IOException(file + " holds no credential of an SCMP client; make one by: amo scmp key");
    }

    /**
     * Writes the credential into a new file, which only its owner can read where the file system knows owners.
     *
     * @throws IOException in one line if the file is there, or cannot be written
     */
    public void write(Path file) throws IOException {
        String text = "amo-scmp-credential 1 " + client + " " + HexFormat.of().formatHex(key) + "\n";
        try {
            CheckedFile.createForOwner(file);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(file + " is there; delete it, or name another file", e);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** The client's name. */
    public String client() {
        return client;
    }

    byte[] key() {
        return key.clone();
    }

    /** Without the key, which no log may show. */
    @Override
    public String toString() {
        return "credential of " + client;
    }
}
