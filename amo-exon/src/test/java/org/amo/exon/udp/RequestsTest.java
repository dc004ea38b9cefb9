package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.exon.ExonNode;
import org.amo.exon.NodeId;
import org.amo.net.EventLoops;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RequestsTest {
    private static final String SECRET = "a secret of tests";

    /**
     * A reply may reach the requester's next process, also after a restart of the machine, whose clock then gives the same
     * numbers again.
     */
    @Test
    void numbersDoNotBeginAtTheMachinesClock() throws Exception {
        ExonEndpointOptions options =
                ExonEndpointOptions.builder(new NodeId(1, 2), SECRET).build();
        CompletableFuture<Long> number = new CompletableFuture<>();
        // Behind the kind of the message.
        EndpointLoop loop = new EndpointLoop(
                wake -> Deliveries.inLoop(
                        (position, from, message) ->
                                number.complete(ByteBuffer.wrap(message).getLong(1)),
                        false),
                bound -> {});
        long life = System.currentTimeMillis();
        loop.node(new ExonNode(
                options.id(), life, life + options.core().clockRange(), options.secret(), options.core(), loop));
        ExonEndpointOptions requester =
                ExonEndpointOptions.builder(new NodeId(1, 1), SECRET).build();
        try (EventLoops loops = EventLoops.open("amo-exon-test", 1);
                ExonEndpoint a = ExonEndpoint.open(requester, (from, message) -> {})) {
            Channel channel = loops.datagrams(options.socketBufferBytes(), 16)
                    .handler(loop)
                    .bind(options.listen())
                    .sync()
                    .channel();
            a.hint(options.id(), (InetSocketAddress) channel.localAddress());
            CompletableFuture<byte[]> unused = a.request(options.id(), new byte[0], Duration.ofSeconds(30));
            long distance = Math.abs(number.get(30, TimeUnit.SECONDS) - System.nanoTime());
            // Of random numbers one in a hundred million is so near.
            assertTrue(distance > TimeUnit.MINUTES.toNanos(1), distance + " ns");
        }
    }
}
