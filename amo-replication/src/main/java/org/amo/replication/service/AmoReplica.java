package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.replication.ReplicationProvider;
import org.amo.transport.rpc.RpcKey;
import org.amo.transport.rpc.RpcQuestions;
import org.amo.transport.rpc.RpcServer;
import org.amo.transport.rpc.RpcServerOptions;
import org.amo.transport.rpc.RpcTls;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of a replicated Java service: joins its group, runs every request that the group accepted, once and in the
 * group's order, and serves {@link AmoClient}s. Three members in three processes survive the crash of one.
 *
 * <p>What survives a crash: with the log on disk (the default) every request that was answered, whatever fails short of the
 * disks of a majority; the service's own state is rebuilt from the last snapshot and the log. Any thread may use it.
 */
public final class AmoReplica implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AmoReplica.class);
    private static final long DRAIN_MILLIS = 5_000;

    private final ReplicaSettings settings;
    private final ReplicatedService service;
    private final RpcServer server;

    private AmoReplica(ReplicaSettings settings, ReplicatedService service, RpcServer server) {
        this.settings = settings;
        this.service = service;
        this.server = server;
    }

    /** @param group name of the group: 1 to 64 letters, digits, '-', '_' or '.'; the same for all members and clients */
    public static Builder builder(String group) {
        return new Builder(group);
    }

    /** What this member knows of itself; at most a second old. */
    public ReplicaStatus status() {
        return service.status();
    }

    /** This member's id. */
    public String id() {
        return settings.id();
    }

    /** The replica under the transport, for tools of amo. */
    public ReplicatedService service() {
        return service;
    }

    /**
     * Leaves gracefully: clients are told to go to other members, what is under way here is answered (for at most five
     * seconds), then the member stops. It may come back under the same id and folder.
     */
    @Override
    public void close() {
        if (!server.drain(DRAIN_MILLIS)) {
            LOG.info("member {} stops with requests under way; their clients ask the other members", settings.id());
        }
        service.close();
        server.close();
    }

    /** Collects what a member needs; {@link #start} checks it. One thread. */
    public static final class Builder {
        private final String group;
        private String id = "";
        private List<Member> members = List.of();
        private ReplicaSettings.Order order = ReplicaSettings.Order.RAFT;
        private ReplicaSettings.Log log = ReplicaSettings.Log.FSYNC;
        private Path data = Path.of(".amo");
        private GroupParameters parameters = GroupParameters.defaults();
        private Optional<String> secret = Optional.empty();
        private boolean insecure;
        private Optional<Path> history = Optional.empty();
        private Optional<RpcTls> tls = Optional.empty();
        private Optional<AmoHandler> handler = Optional.empty();
        private Optional<AmoState> state = Optional.empty();
        private Optional<RpcQuestions> questions = Optional.empty();
        private Optional<Function<ReplicaSettings, OrderedLog>> ownLog = Optional.empty();
        private boolean commutative;
        private Consumer<OrderedLogException> onEnded =
                why -> LOG.error("a member stops and serves nobody any more: {}", why.getMessage());

        private Builder(String group) {
            this.group = group;
        }

        /** Which of the members this process is. Required. */
        public Builder id(String value) {
            id = value;
            return this;
        }

        /**
         * All members, the same text everywhere: {@code a=host:orderPort/clientPort,b=…}. Required; 3 or 5 of them.
         *
         * @throws IllegalArgumentException in one line that quotes the bad part and shows the right form
         */
        public Builder members(String value) {
            members = Member.parseList(value);
            return this;
        }

        /** Folder for the log and snapshots; one sub-folder a member. Default {@code .amo}. */
        public Builder data(Path value) {
            data = value;
            return this;
        }

        /** Where the log is kept. Default {@link ReplicaSettings.Log#FSYNC}, which survives the loss of power of all. */
        public Builder log(ReplicaSettings.Log value) {
            log = value;
            return this;
        }

        /** Which ordered log. Default RAFT; SEQUENCER can lose acknowledged requests and is for experiments. */
        public Builder order(ReplicaSettings.Order value) {
            order = value;
            return this;
        }

        /**
         * An ordered log of the caller's in the place of {@link #order}, not started yet; for example {@code DpgLog::new}, which
         * may violate the order: it needs {@link #commutative}.
         */
        public Builder orderedLog(Function<ReplicaSettings, OrderedLog> opener) {
            ownLog = Optional.of(opener);
            return this;
        }

        /**
         * Declares that the operations commute: in whatever order members run them, they come to the same state, and no reply
         * tells the order. Nobody checks it.
         */
        public Builder commutative() {
            commutative = true;
            return this;
        }

        /** Parameters of the group; its first start sets them, later they must be the same. */
        public Builder parameters(GroupParameters value) {
            parameters = value;
            return this;
        }

        /** What members and clients prove themselves with, and seal what they send with. This or {@link #insecure}. */
        public Builder secret(String value) {
            secret = Optional.of(value);
            return this;
        }

        /** The same from the first line of a file. */
        public Builder secretFile(Path file) {
            return secret(readSecret(file));
        }

        /** No secret: whoever reaches the ports can read, call and join. For a network where only friends are. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /**
         * TLS for clients: they see this member's certificate, and with {@code clientCertificates} must show one that the
         * trust store trusts. Beside the secret, not in its place; what members say to each other is sealed with the secret
         * alone.
         *
         * @throws IllegalArgumentException in one line when it holds no key store, or no trust store that is needed
         * @throws IllegalStateException in one line when io.netty:netty-handler is not on the class path
         */
        public Builder tls(AmoTls value, boolean clientCertificates) {
            value.checkForMember(clientCertificates);
            tls = Optional.of(value.rpc(clientCertificates));
            return this;
        }

        /** What runs the requests. This or {@link #service}. */
        public Builder handler(AmoHandler value) {
            handler = Optional.of(value);
            return this;
        }

        /**
         * An object whose interface clients call through {@link AmoClient#proxy}. Parameters and results may be primitives
         * and their boxes, String, byte[], enums, BigInteger, BigDecimal, UUID, Instant, Duration, records of such types,
         * and List, Set, Map and Optional of such types. Nothing else can be sent, so nothing else can arrive.
         *
         * <p>The object must be deterministic and needs no locks: see {@link AmoHandler}. Its state is what its fields hold,
         * if they are of those types, too; or what it says as an {@link AmoState}.
         *
         * @throws IllegalArgumentException in one line when the interface uses other types
         */
        public <T> Builder service(Class<T> type, T object) {
            handler = Optional.of(new TypedService(new MethodTable(type), object));
            if (object instanceof AmoState own) {
                state = Optional.of(own);
            } else {
                FieldState fields = new FieldState(object);
                fields.obstacle()
                        .ifPresentOrElse(
                                why -> LOG.info(
                                        "{} offers no state: {}",
                                        object.getClass().getName(),
                                        why),
                                () -> state = Optional.of(fields));
            }
            return this;
        }

        /**
         * How the service's state is saved and restored. Without it the log is never cut, and a member that starts runs
         * all of it.
         */
        public Builder state(AmoState value) {
            state = Optional.of(value);
            return this;
        }

        /** What this member answers by itself, beside the group's order; asked by {@link AmoClient#ask}. Default: nothing. */
        public Builder questions(RpcQuestions value) {
            questions = Optional.of(value);
            return this;
        }

        /** File for the events of this replica, one JSON object a line, for amo's checker. */
        public Builder history(Path file) {
            history = Optional.of(file);
            return this;
        }

        /**
         * Told, at most once and on a thread of its own, when a started member may not take part any more (its disk failed,
         * the group runs with other parameters). The default logs it; a process that does nothing else should exit.
         */
        public Builder onEnded(Consumer<OrderedLogException> listener) {
            onEnded = listener;
            return this;
        }

        /**
         * Joins the group and serves. Returns when the member takes part, or after two seconds without a majority (then it
         * goes on to wait for one).
         *
         * @throws IllegalArgumentException for a setting that cannot work, in one line
         * @throws OrderedLogException when it cannot join or listen, in one line
         */
        public AmoReplica start() {
            ReplicaSettings settings = settings();
            HandlerServant servant = servant();
            ReplicatedService service = ownLog.isPresent()
                    ? ReplicationProvider.open(settings, servant, ownLog.get().apply(settings), onEnded)
                    : new ReplicationProvider().open(settings, servant, onEnded);
            try {
                RpcServer server = RpcServer.open(
                        new RpcServerOptions(
                                settings.self().host(),
                                settings.self().clientPort(),
                                group,
                                id,
                                secret.map(value -> RpcKey.of(group, value)),
                                Payloads::fingerprint,
                                tls),
                        service,
                        questions);
                return new AmoReplica(settings, service, server);
            } catch (RuntimeException e) {
                service.close();
                throw e;
            }
        }

        private HandlerServant servant() {
            AmoHandler chosen = handler.orElseThrow(
                    () -> new IllegalArgumentException("nothing to replicate; name a handler(...) or a service(...)"));
            if (state.isEmpty()) {
                LOG.info(
                        "group {} has no state(...): its log is never cut, and a member that starts runs all of it",
                        group);
            }
            return new HandlerServant(group, chosen, state, commutative);
        }

        private ReplicaSettings settings() {
            if (id.isEmpty() || members.isEmpty()) {
                throw new IllegalArgumentException(
                        "a member needs id(...) and members(...), for example id(\"a\") and members(\"a=127.0.0.1:7801/9801,…\")");
            }
            checkSecret(group, secret, insecure);
            return new ReplicaSettings(
                    group,
                    id,
                    new ArrayList<>(members),
                    order,
                    log,
                    data,
                    parameters,
                    Set.of(),
                    secret,
                    history,
                    ReplicaSettings.Store.HEAP);
        }
    }

    static void checkSecret(String group, Optional<String> secret, boolean insecure) {
        if (secret.isEmpty() && !insecure) {
            throw new IllegalArgumentException(
                    "group " + group + " has no secret; give secretFile(...), the same for all, or say insecure()");
        }
    }

    /**
     * The secret in a file: all of its text, but for white space around it. The first line alone of a file made by some
     * tool (a PEM file, say) would be known to everybody.
     *
     * @throws IllegalArgumentException if that is empty
     * @throws UncheckedIOException if the file cannot be read
     */
    public static String readSecret(Path file) {
        try {
            String text = Files.readString(file).strip();
            if (text.isEmpty()) {
                throw new IllegalArgumentException("the secret file " + file + " is empty; put a random line into it");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException("the secret file " + file + " cannot be read", e);
        }
    }
}
