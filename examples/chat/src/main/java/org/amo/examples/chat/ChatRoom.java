package org.amo.examples.chat;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.exon.udp.ExonReceiver;

/**
 * A room in a process of its own: prints each line that a {@link ChatGuest} says, once, and answers it with its number.
 *
 * <p>Arguments: port, file with the secret of the room.
 */
final class ChatRoom implements ExonReceiver {
    /** A guest knows the room by its address; one name does for every room. */
    static final NodeId ROOM = new NodeId(0x63686174L, 3);

    private final PrintStream out;
    private int lines;

    private ChatRoom(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        ExonEndpoint room = open(Integer.parseInt(args[0]), secret(Path.of(args[1])), System.out);
        System.out.println("the room is open at " + room.address());
        Thread.currentThread().join();
    }

    static String secret(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    static ExonEndpoint open(int port, String secret, PrintStream out) throws IOException {
        return ExonEndpoint.open(
                ExonEndpointOptions.builder(ROOM, secret)
                        .listen(new InetSocketAddress(port))
                        .build(),
                new ChatRoom(out));
    }

    @Override
    public void onMessage(NodeId from, byte[] line) {
        lines++;
        out.println(new String(line, StandardCharsets.UTF_8));
    }

    @Override
    public byte[] onRequest(NodeId from, byte[] line) {
        onMessage(from, line);
        return Integer.toString(lines).getBytes(StandardCharsets.UTF_8);
    }
}
