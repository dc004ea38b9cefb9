package org.amo.scmp.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.amo.base.Stable;
import org.amo.scmp.RpcDatagrams;
import org.amo.scmp.ScmpOptions;

/**
 * The options that a server is started with.
 *
 * @param address to bind
 * @param services by number
 * @param inline services that never wait and run on the event loop itself
 * @param key for sealed datagrams; empty only if {@code insecure} was said
 * @param stateFile of {@code G.latest}; empty for a server without stable storage
 * @param neverExisted the user's word that this server name never existed
 * @param workers threads that run services. Default twice the processors
 * @param scmp of the protocol
 * @param replyKept κ. Default 5 minutes
 * @param maxComputing calls under way. Default 10,000
 * @param maxQueuedBytes of the arguments of calls under way; datagrams of further calls are dropped, and clients send them
 *     again. Default a sixteenth of the heap
 * @param maxReplyBytes of all stored replies. Default an eighth of the heap, at most 256 MB
 * @param wallMicros the wall clock
 * @param transport to run on; empty for one of its own
 */
@Stable
public record ScmpServerOptions(
        InetSocketAddress address,
        Map<Integer, ScmpService> services,
        Map<Integer, ScmpService> inline,
        Optional<byte[]> key,
        Optional<Path> stateFile,
        boolean neverExisted,
        int workers,
        ScmpOptions.Builder scmp,
        Duration replyKept,
        int maxComputing,
        long maxQueuedBytes,
        long maxReplyBytes,
        LongSupplier wallMicros,
        Optional<ScmpTransport> transport) {

    public static Builder builder(InetSocketAddress address) {
        return new Builder(address);
    }

    /** Collects options; {@link #start} checks them. */
    @Stable
    public static final class Builder {
        private final InetSocketAddress address;
        private final Map<Integer, ScmpService> services = new HashMap<>();
        private final Map<Integer, ScmpService> inline = new HashMap<>();
        private Optional<byte[]> key = Optional.empty();
        private boolean insecure;
        private Optional<Path> stateFile = Optional.empty();
        private boolean neverExisted;
        private int workers = 2 * Runtime.getRuntime().availableProcessors();
        private ScmpOptions.Builder scmp = ScmpOptions.builder();
        private Duration replyKept = Duration.ofMinutes(5);
        private int maxComputing = 10_000;
        private long maxQueuedBytes = Runtime.getRuntime().maxMemory() / 16;
        private long maxReplyBytes = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8);
        private LongSupplier wallMicros = Clocks::systemWallMicros;
        private Optional<ScmpTransport> transport = Optional.empty();

        private Builder(InetSocketAddress address) {
            this.address = address;
        }

        /** A service that the worker pool runs. */
        public Builder service(int number, ScmpService service) {
            add(services, number, service);
            return this;
        }

        /** A service that takes microseconds and never waits; runs on the event loop. */
        public Builder inlineService(int number, ScmpService service) {
            add(inline, number, service);
            return this;
        }

        /** At least 16 secret random bytes, the same at the clients. */
        public Builder key(byte[] value) {
            key = Optional.of(value.clone());
            return this;
        }

        /** Anybody may call; replies that are larger than their request then need a second round trip. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /**
         * Where {@code G.latest} is kept. A file that is missing is no proof that the server never ran: unless
         * {@link #neverExisted} is said, calls are refused for β. Without a file calls are refused for ε at each start.
         */
        public Builder stateFile(Path value) {
            stateFile = Optional.of(value);
            return this;
        }

        /** This server name never existed, so nothing can have been executed. Wrong for a restart. */
        public Builder neverExisted() {
            neverExisted = true;
            return this;
        }

        public Builder workers(int value) {
            workers = value;
            return this;
        }

        /** ρ, β, ε, size of the table. */
        public Builder scmp(ScmpOptions.Builder value) {
            scmp = value;
            return this;
        }

        public Builder replyKept(Duration value) {
            replyKept = value;
            return this;
        }

        public Builder maxComputing(int value) {
            maxComputing = value;
            return this;
        }

        /** At least one datagram's. */
        public Builder maxQueuedBytes(long value) {
            maxQueuedBytes = value;
            return this;
        }

        public Builder maxReplyBytes(long value) {
            maxReplyBytes = value;
            return this;
        }

        /** Another wall clock, in microseconds since 1970. */
        public Builder wallClock(LongSupplier value) {
            wallMicros = value;
            return this;
        }

        public Builder transport(ScmpTransport value) {
            transport = Optional.of(value);
            return this;
        }

        /**
         * Starts the server; it serves when this returns.
         *
         * @throws IllegalArgumentException for options that do not fit together
         * @throws IOException when the port is taken or the state file cannot be used
         */
        public ScmpServer start() throws IOException {
            return ScmpServer.start(build());
        }

        ScmpServerOptions build() {
            if (key.isEmpty() == !insecure) {
                throw new IllegalArgumentException(
                        key.isEmpty()
                                ? "no security chosen: give key(...), or say insecure() if anybody may call"
                                : "key(...) and insecure() contradict each other; choose one");
            }
            if (workers < 1) {
                throw new IllegalArgumentException("workers must be positive: " + workers);
            }
            if (maxQueuedBytes < RpcDatagrams.MAX_BODY) {
                throw new IllegalArgumentException("maxQueuedBytes must be at least that of one call, "
                        + RpcDatagrams.MAX_BODY + ": " + maxQueuedBytes);
            }
            return new ScmpServerOptions(
                    address,
                    Map.copyOf(services),
                    Map.copyOf(inline),
                    key,
                    stateFile,
                    neverExisted,
                    workers,
                    scmp,
                    replyKept,
                    maxComputing,
                    maxQueuedBytes,
                    maxReplyBytes,
                    wallMicros,
                    transport);
        }

        private void add(Map<Integer, ScmpService> to, int number, ScmpService service) {
            RpcDatagrams.checkCall(number, 0);
            if (services.containsKey(number) || inline.containsKey(number)) {
                throw new IllegalArgumentException("service " + number + " is there twice; give it another number");
            }
            to.put(number, service);
        }
    }
}
