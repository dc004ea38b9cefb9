package org.amo.examples.chat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;

/**
 * Actors say lines in a room at the other end of a lossy link, each waiting for the answer before it says the next. At the
 * end the room must have heard every line once.
 *
 * <p>Arguments: actors, lines each, loss in percent. Default: 100 50 20.
 */
final class Chat {
    /** Known to everybody, since both ends are in this process. */
    private static final String SECRET = "a secret for one process";

    private static final NodeId ROOM = new NodeId(0x63686174L, 1);
    private static final NodeId ACTORS = new NodeId(0x63686174L, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Chat() {}

    public static void main(String[] args) throws Exception {
        int actors = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        int lines = args.length > 1 ? Integer.parseInt(args[1]) : 50;
        double loss = (args.length > 2 ? Integer.parseInt(args[2]) : 20) / 100.0;
        System.exit(run(actors, lines, loss) ? 0 : 1);
    }

    /** Whether the room heard every line once. */
    static boolean run(int actors, int lines, double loss) throws Exception {
        Room room = new Room();
        try (ExonEndpoint server = ExonEndpoint.open(
                        ExonEndpointOptions.builder(ROOM, SECRET).build(), room);
                LossyLink link = new LossyLink(server.address(), loss, 1);
                ExonEndpoint client = ExonEndpoint.open(
                        ExonEndpointOptions.builder(ACTORS, SECRET).build(), (from, line) -> {})) {
            client.hint(ROOM, link.address());
            long start = System.nanoTime();
            List<CompletableFuture<Void>> chats = new ArrayList<>();
            for (int actor = 0; actor < actors; actor++) {
                chats.add(say(client, actor, 0, lines));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(chats.toArray(CompletableFuture[]::new));
            try {
                all.get(10, TimeUnit.MINUTES);
            } catch (TimeoutException e) {
                System.out.println("some actor waits for ever");
                return false;
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            int said = actors * lines;
            System.out.printf(
                    "%d actors said %,d lines in %.1f s; the link lost %,d datagrams; heard %,d, doubled %d, lost %d%n",
                    actors, said, seconds, link.lost(), room.different(), room.doubled(), said - room.different());
            return room.different() == said && room.doubled() == 0;
        }
    }

    private static CompletableFuture<Void> say(ExonEndpoint client, int actor, int line, int lines) {
        if (line == lines) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] text = ("actor " + actor + " says its line " + line).getBytes(StandardCharsets.UTF_8);
        return client.request(ROOM, text, PATIENCE).thenCompose(answer -> say(client, actor, line + 1, lines));
    }
}
