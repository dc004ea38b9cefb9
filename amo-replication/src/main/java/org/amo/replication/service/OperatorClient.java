package org.amo.replication.service;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.SecretRing;
import org.amo.core.replica.AdministrationException;
import org.amo.core.request.Answer;
import org.amo.replication.rpc.RpcConnection;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcRefusal;
import org.amo.replication.rpc.RpcTls;
import org.amo.replication.rpc.RpcTransport;

/**
 * Asks members of one group the questions of {@link org.amo.core.replica.Administration} over the port of their Java clients, each on a
 * connection of its own. Any thread.
 */
public final class OperatorClient {
    private final String group;
    private final Optional<RpcKey> key;
    private final Optional<RpcTls> tls;

    /** @throws IllegalArgumentException in one line if the secret is too short */
    public OperatorClient(String group, Optional<String> secret, Optional<AmoTls> tls) {
        this(secret.map(text -> RpcKey.of(group, text)), tls, group);
    }

    private OperatorClient(Optional<RpcKey> key, Optional<AmoTls> tls, String group) {
        this.group = group;
        this.key = key;
        this.tls = tls.map(certificates -> certificates.rpc(false));
    }

    /** One whose keys follow the group's secrets. */
    static OperatorClient following(String group, Optional<SecretRing> secrets, Optional<AmoTls> tls) {
        return new OperatorClient(secrets.map(ring -> RpcKey.of(group, ring)), tls, group);
    }

    /**
     * Waits for the answer.
     *
     * @param timeoutMillis for the connection, of which at most three seconds count, and the answer
     * @throws AdministrationException in one line if there is none
     */
    public String ask(String host, int port, String question, String argument, int timeoutMillis)
            throws AdministrationException {
        RpcPeer peer = new RpcPeer(host, port, group, key, tls);
        Question asked = new Question(peer, question, argument);
        try (RpcTransport transport = RpcTransport.open("amo-operator")) {
            transport.loop().execute(() -> asked.open(transport));
            return asked.answer.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AdministrationException(
                    AdministrationException.Cause.SILENT,
                    "a process listens on " + peer + " and has not answered within " + timeoutMillis + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdministrationException(AdministrationException.Cause.SILENT, "interrupted");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AdministrationException known
                    ? known
                    : new AdministrationException(AdministrationException.Cause.NO_MEMBER, peer + ": " + e.getCause());
        }
    }

    /** One question. The transport's thread. */
    private static final class Question implements RpcConnection.Listener {
        private final RpcPeer peer;
        private final String question;
        private final String argument;
        private final CompletableFuture<String> answer = new CompletableFuture<>();
        private Optional<RpcConnection> connection = Optional.empty();
        private boolean asked;

        Question(RpcPeer peer, String question, String argument) {
            this.peer = peer;
            this.question = question;
            this.argument = argument;
        }

        void open(RpcTransport transport) {
            try {
                connection = Optional.of(RpcConnection.open(transport, peer, this));
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
                throw e;
            }
        }

        private void fail(AdministrationException.Cause reason, String why) {
            answer.completeExceptionally(new AdministrationException(reason, why));
        }

        @Override
        public void onConnected(long upperMillis) {
            asked = true;
            RpcConnection open = connection.orElseThrow();
            open.operate(question, argument, this::onTold);
            open.flush();
        }

        /** Without an answer the end of the connection has the reason. */
        private void onTold(Optional<byte[]> told) {
            told.ifPresentOrElse(
                    bytes -> answer.complete(new String(bytes, StandardCharsets.UTF_8)),
                    () -> connection.orElseThrow().close());
        }

        @Override
        public void onDisconnected(RpcRefusal why) {
            if (asked) {
                fail(
                        AdministrationException.Cause.NO_MEMBER,
                        peer + " did not answer (" + why.why() + "); it may be of an older version of amo");
                return;
            }
            switch (why.kind()) {
                case UNREACHABLE ->
                    fail(
                            AdministrationException.Cause.UNREACHABLE,
                            "no process listens on " + peer + " (" + why.why() + ")");
                case SILENT ->
                    fail(
                            AdministrationException.Cause.SILENT,
                            "a process listens on " + peer + " and has not answered");
                case TOLD -> fail(AdministrationException.Cause.REFUSED, why.why());
                case BROKEN ->
                    fail(
                            AdministrationException.Cause.NO_MEMBER,
                            peer + " serves no Java clients of amo (" + why.why() + ")");
            }
        }

        @Override
        public void onAnswer(long copy, Answer unused) {
            // No request was sent.
        }
    }
}
