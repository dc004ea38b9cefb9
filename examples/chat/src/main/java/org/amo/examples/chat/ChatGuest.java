package org.amo.examples.chat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;

/**
 * A guest in a process of its own: says the lines of standard input in a {@link ChatRoom}, each once.
 *
 * <p>Arguments: host and port of the room, file with its secret, name of the guest.
 */
final class ChatGuest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private ChatGuest() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress room = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        boolean heard = say(room, ChatRoom.secret(Path.of(args[2])), args[3], lines, System.out);
        System.exit(heard ? 0 : 1);
    }

    /** Returns whether the room has answered each line. */
    static boolean say(InetSocketAddress room, String secret, String name, BufferedReader lines, PrintStream out)
            throws IOException {
        UUID random = UUID.randomUUID();
        NodeId guest = new NodeId(random.getMostSignificantBits(), random.getLeastSignificantBits());
        try (ExonEndpoint endpoint = ExonEndpoint.open(
                ExonEndpointOptions.builder(guest, secret)
                        .listen(new InetSocketAddress(0))
                        .build(),
                (from, message) -> {})) {
            endpoint.hint(ChatRoom.ROOM, room);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                byte[] said = (name + ": " + line).getBytes(StandardCharsets.UTF_8);
                byte[] number = endpoint.request(ChatRoom.ROOM, said, PATIENCE).join();
                out.println("heard as line " + new String(number, StandardCharsets.UTF_8));
            }
            return true;
        } catch (CompletionException e) {
            out.println("the room has perhaps not heard the last line: "
                    + e.getCause().getMessage());
            return false;
        }
    }
}
