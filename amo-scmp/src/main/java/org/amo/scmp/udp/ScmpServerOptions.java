package org.amo.scmp.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.amo.base.Stable;
import org.amo.scmp.RpcDatagrams;
import org.amo.scmp.RpcServerOptions;
import org.amo.scmp.ScmpOptions;

/**
 * The options that a server is started with.
 *
 * @param address to bind
 * @param services by number
 * @param inline services that never wait and run on the event loop itself
 * @param key for sealed datagrams; empty only if {@code insecure} was said
 * @param stateFile of {@code G.latest}; empty for a server without stable storage
 * @param neverExisted the user's word that this server name never existed; see {@link Builder#neverExisted}
 * @param workers threads that run services. Default twice the processors
 * @param core limits and times of the protocol; its services and its hash seed are the server's own. Default {@link
 *     #coreForHeap}
 * @param maxQueuedBytes of the arguments of calls under way; datagrams of further calls are dropped, and clients send them
 *     again. Default a sixteenth of the heap
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
        RpcServerOptions core,
        long maxQueuedBytes,
        LongSupplier wallMicros,
        Optional<ScmpTransport> transport) {
    /** In the table, with the objects of a stored reply, without its bytes. */
    private static final int CONNECTION_BYTES = 128;

    private static final int MOST_CONNECTIONS = 1_000_000;

    /** @throws IllegalArgumentException naming the setting that does not fit */
    public ScmpServerOptions {
        services = Map.copyOf(services);
        inline = Map.copyOf(inline);
        key = key.map(byte[]::clone);
        if (workers < 1) {
            throw new IllegalArgumentException("workers must be positive: " + workers);
        }
        if (maxQueuedBytes < RpcDatagrams.MAX_BODY) {
            throw new IllegalArgumentException("maxQueuedBytes must be at least that of one call, "
                    + RpcDatagrams.MAX_BODY + ": " + maxQueuedBytes);
        }
    }

    public static Builder builder(InetSocketAddress address) {
        return new Builder(address);
    }

    /**
     * The protocol's defaults, with {@link #scmpForHeap} and an eighth of this process's heap for the bytes of stored replies, at most 256 MB. A call
     * under way reserves the longest reply; {@code reservedReplyBytes} lets more calls run at once if all services give shorter ones.
     */
    public static RpcServerOptions.Builder coreForHeap() {
        return RpcServerOptions.builder()
                .scmp(scmpForHeap().build())
                .maxReplyBytes(Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8))
                .reservedReplyBytes(RpcDatagrams.MAX_BODY);
    }

    /** The protocol's defaults, with as many connections as a quarter of this process's heap has room for, at most a million. */
    public static ScmpOptions.Builder scmpForHeap() {
        long most = Runtime.getRuntime().maxMemory() / 4 / CONNECTION_BYTES;
        return ScmpOptions.builder().maxConnections((int) Math.min(MOST_CONNECTIONS, most));
    }

    /** Collects options; {@link #build} checks them. */
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
        private RpcServerOptions core = coreForHeap().build();
        private long maxQueuedBytes = Runtime.getRuntime().maxMemory() / 16;
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
            key = Optional.of(value);
            return this;
        }

        /** Anybody may call; replies that are larger than their request then need a second round trip. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /**
         * Where {@code G.latest} is kept. A file that is missing is no proof that the server never ran: calls are refused for β.
         * {@link ScmpServer#initialize} makes the file for a first start. Without a file calls are refused for ε at each start.
         */
        public Builder stateFile(Path value) {
            stateFile = Optional.of(value);
            return this;
        }

        /**
         * For a server without a state file whose name never existed and will never be used again, as of a test: it serves at once. At
         * a restart under the same name it permits a second execution. Refused with a state file, which knows.
         */
        public Builder neverExisted() {
            neverExisted = true;
            return this;
        }

        public Builder workers(int value) {
            workers = value;
            return this;
        }

        /** Limits and times of the protocol; begin with {@link #coreForHeap}. */
        public Builder core(RpcServerOptions value) {
            core = value;
            return this;
        }

        /** At least one datagram's. */
        public Builder maxQueuedBytes(long value) {
            maxQueuedBytes = value;
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

        /** @throws IllegalArgumentException for options that do not fit together */
        public ScmpServerOptions build() {
            if (key.isEmpty() == !insecure) {
                throw new IllegalArgumentException(
                        key.isEmpty()
                                ? "no security chosen: give key(...), or say insecure() if anybody may call"
                                : "key(...) and insecure() contradict each other; choose one");
            }
            if (neverExisted && stateFile.isPresent()) {
                throw new IllegalArgumentException(
                        "stateFile(...) and neverExisted() contradict each other, since a lost file would make calls run again;"
                                + " leave neverExisted() out, and make the file once by ScmpServer.initialize(...)");
            }
            return new ScmpServerOptions(
                    address,
                    services,
                    inline,
                    key,
                    stateFile,
                    neverExisted,
                    workers,
                    core,
                    maxQueuedBytes,
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
