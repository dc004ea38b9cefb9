package org.amo.benchmarks.exon;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.link.LinkEmulator;

/**
 * Aeron over UDP, unicast: a media driver in a thread of its own on each side, and a stream in each direction. A stream is
 * reliable and ordered while its session lives; lost data is asked for again. It has a receiver's window of fixed size
 * and no congestion control, as configured by default. A message begins with its actor's number.
 */
final class AeronStack implements Stack {
    private static final int HEAD = 8;
    private static final int STREAM = 1;
    private static final int AT_ONCE = 64;
    private static final int TERM_BYTES = 4 << 20;
    private static final int REQUESTS_PORT = 20_001;
    private static final int REPLIES_PORT = 20_002;
    private static final long MOST_PARK_NANOS = 100_000;

    @Override
    public String name() {
        return "aeron fixed window";
    }

    @Override
    public Optional<String> missing() {
        try {
            new UnsafeBuffer(new byte[HEAD]).putInt(0, 1);
            return Optional.empty();
        } catch (LinkageError e) {
            return Optional.of(e + "; Agrona needs --add-opens java.base/jdk.internal.misc=ALL-UNNAMED");
        }
    }

    @Override
    public Flow flow(LinkEmulator link, int bytes, int actors) throws Exception {
        return actors == 0 ? new OneWay(link, bytes) : new Calls(link, bytes, actors);
    }

    private static String channel(InetSocketAddress address) {
        return "aeron:udp?endpoint=" + address.getAddress().getHostAddress() + ':' + address.getPort();
    }

    /** Messages that wait until a publication takes them: one for each number. One thread owns it. */
    private static final class Outbox {
        private final Publication publication;
        private final UnsafeBuffer message;
        private final ArrayDeque<Integer> actors = new ArrayDeque<>();

        Outbox(Publication publication, int bytes) {
            this.publication = publication;
            this.message = new UnsafeBuffer(new byte[HEAD + bytes]);
        }

        void add(int actor) {
            actors.add(actor);
        }

        /** Has at least so many wait. */
        void fill(int least) {
            while (actors.size() < least) {
                actors.add(0);
            }
        }

        /** Returns how many were taken. */
        int drain() {
            int taken = 0;
            while (!actors.isEmpty()) {
                message.putInt(0, actors.element());
                if (publication.offer(message, 0, message.capacity()) < 0) {
                    break; // no room, or not connected yet
                }
                actors.remove();
                taken++;
            }
            return taken;
        }
    }

    /** Drivers, clients and the application's thread of both sides. */
    private abstract static class Ends extends Flow {
        final Aeron left;
        final Aeron right;
        volatile boolean open = true;
        private final List<AutoCloseable> parts = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();

        Ends(LinkEmulator link) throws Exception {
            try {
                left = link.onLeft(this::client);
                right = link.onRight(this::client);
            } catch (Exception e) {
                end();
                throw e;
            }
        }

        /** On the side's thread, which is how its sockets come to be the side's. */
        private Aeron client() {
            MediaDriver driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
                    .threadingMode(ThreadingMode.SHARED)
                    .publicationTermBufferLength(TERM_BYTES)
                    .errorHandler(this::trouble)
                    .dirDeleteOnShutdown(true));
            parts.add(0, driver);
            Aeron client = Aeron.connect(new Aeron.Context()
                    .aeronDirectoryName(driver.aeronDirectoryName())
                    .errorHandler(this::trouble));
            parts.add(0, client);
            return client;
        }

        private void trouble(Throwable cause) {
            if (open) {
                fail("aeron: " + cause);
            }
        }

        /** Has a thread do this until the end; it returns how much it did. */
        final void repeat(String name, IntSupplier work) {
            Thread thread = DaemonThreads.start(name, () -> {
                IdleStrategy idle = new BackoffIdleStrategy(1, 1, 1_000, MOST_PARK_NANOS);
                try {
                    while (open) {
                        idle.idle(work.getAsInt());
                    }
                } catch (RuntimeException e) {
                    trouble(e);
                }
            });
            threads.add(thread);
        }

        @Override
        public void close() {
            end();
        }

        private void end() {
            open = false;
            try {
                for (Thread thread : threads) {
                    thread.join(TimeUnit.SECONDS.toMillis(StreamFlow.WAIT_SECONDS));
                }
                for (AutoCloseable part : parts) {
                    part.close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new IllegalStateException("aeron does not close", e);
            }
        }
    }

    private static final class OneWay extends Ends {
        OneWay(LinkEmulator link, int bytes) throws Exception {
            super(link);
            Subscription messages = right.addSubscription(channel(LinkEmulator.right(REQUESTS_PORT)), STREAM);
            Outbox outbox = new Outbox(left.addPublication(channel(LinkEmulator.right(REQUESTS_PORT)), STREAM), bytes);
            FragmentHandler arrived = (buffer, offset, length, header) -> complete();
            repeat("amo-bench-aeron-right", () -> messages.poll(arrived, AT_ONCE));
            repeat("amo-bench-aeron-left", () -> {
                outbox.fill(AT_ONCE);
                return outbox.drain();
            });
        }
    }

    private static final class Calls extends Ends {
        Calls(LinkEmulator link, int bytes, int actors) throws Exception {
            super(link);
            Subscription requests = right.addSubscription(channel(LinkEmulator.right(REQUESTS_PORT)), STREAM);
            Subscription replies = left.addSubscription(channel(LinkEmulator.left(REPLIES_PORT)), STREAM);
            Outbox toRight = new Outbox(left.addPublication(channel(LinkEmulator.right(REQUESTS_PORT)), STREAM), bytes);
            Outbox toLeft = new Outbox(right.addPublication(channel(LinkEmulator.left(REPLIES_PORT)), STREAM), bytes);
            FragmentHandler requested = (buffer, offset, length, header) -> toLeft.add(buffer.getInt(offset));
            repeat("amo-bench-aeron-right", () -> requests.poll(requested, AT_ONCE) + toLeft.drain());
            long[] startNanos = new long[actors];
            for (int i = 0; i < actors; i++) {
                startNanos[i] = System.nanoTime();
                toRight.add(i);
            }
            FragmentHandler replied = (buffer, offset, length, header) -> {
                int actor = buffer.getInt(offset);
                complete(startNanos[actor]);
                startNanos[actor] = System.nanoTime();
                toRight.add(actor);
            };
            repeat("amo-bench-aeron-left", () -> replies.poll(replied, AT_ONCE) + toRight.drain());
        }
    }
}
