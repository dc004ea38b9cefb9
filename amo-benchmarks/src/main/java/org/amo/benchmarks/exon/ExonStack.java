package org.amo.benchmarks.exon;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.exon.udp.ExonReceiver;

/** Exon: an endpoint on each side, sealed with a shared secret as always. */
final class ExonStack implements Stack {
    static final NodeId SENDER = new NodeId(1, 1);
    static final NodeId RECEIVER = new NodeId(2, 2);

    private static final String SECRET = "a secret that is known to everybody";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** Enough for 100 ms at 100 Mbit/s. */
    private static final int WINDOW = 2 << 20;

    @Override
    public String name() {
        return "exon";
    }

    static ExonEndpoint endpoint(NodeId id, InetSocketAddress listen, ExonReceiver receiver) throws Exception {
        return ExonEndpoint.open(
                ExonEndpointOptions.builder(id, SECRET)
                        .listen(listen)
                        .window(WINDOW)
                        .deliverInLoop() // as the other stacks: their applications run in their loops, too
                        .build(),
                receiver);
    }

    @Override
    public Flow flow(LinkEmulator link, int bytes, int actors) throws Exception {
        return actors == 0 ? new OneWay(link, bytes) : new Calls(link, bytes, actors);
    }

    /** Both ends. */
    private abstract static class Ends extends Flow {
        final ExonEndpoint left;
        private final ExonEndpoint right;
        volatile boolean open = true;

        Ends(LinkEmulator link, boolean answers) throws Exception {
            right = link.onRight(() -> endpoint(RECEIVER, LinkEmulator.right(0), new ExonReceiver() {
                @Override
                public void onMessage(NodeId from, byte[] message) {
                    complete();
                }

                @Override
                public byte[] onRequest(NodeId from, byte[] request) {
                    return answers ? request : new byte[0];
                }
            }));
            left = link.onLeft(() -> endpoint(SENDER, LinkEmulator.left(0), (from, message) -> {}));
            left.hint(RECEIVER, right.address());
        }

        @Override
        public void close() {
            open = false;
            left.close();
            right.close();
        }
    }

    private static final class OneWay extends Ends {
        private final Thread sender;

        OneWay(LinkEmulator link, int bytes) throws Exception {
            super(link, false);
            byte[] message = new byte[bytes];
            sender = DaemonThreads.start("amo-bench-exon", () -> {
                while (open) {
                    CompletableFuture<Void> unused = left.send(RECEIVER, message, TIMEOUT)
                            .thenAccept(outcome -> {
                                if (open && outcome != Outcome.DELIVERED) {
                                    fail("a message is " + outcome);
                                }
                            });
                }
            });
        }

        @Override
        public void close() {
            open = false;
            sender.interrupt();
            super.close();
        }
    }

    private static final class Calls extends Ends {
        private final byte[] request;

        Calls(LinkEmulator link, int bytes, int actors) throws Exception {
            super(link, true);
            request = new byte[bytes];
            for (int i = 0; i < actors; i++) {
                call();
            }
        }

        private void call() {
            long start = System.nanoTime();
            CompletableFuture<Void> unused = left.request(RECEIVER, request, TIMEOUT)
                    .handle((reply, cause) -> {
                        if (cause == null) {
                            complete(start);
                        }
                        if (open && (cause != null || reply.length != request.length)) {
                            fail("a call failed: " + cause);
                        } else if (open) {
                            call();
                        }
                        return null;
                    });
        }
    }
}
