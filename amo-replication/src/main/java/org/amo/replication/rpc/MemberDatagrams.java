package org.amo.replication.rpc;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.amo.base.DaemonThreads;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.net.LoopErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The UDP port of a member whose connections are another shell's, as a CORBA server's are. Any thread. Nothing here survives a crash.
 */
public final class MemberDatagrams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberDatagrams.class);
    private static final long LOOK_EVERY_MILLIS = 200;

    private final ReplicatedService service;
    private final DatagramServer server;
    private final Thread watch;
    private volatile boolean closed;

    private MemberDatagrams(ReplicatedService service, DatagramServer server, String member) {
        this.service = service;
        this.server = server;
        this.watch = DaemonThreads.unstarted("amo-udp-watch-" + member, this::watch);
    }

    /**
     * Listens from now on.
     *
     * @param fingerprints of request bodies; empty for a body that comes over a connection alone
     * @throws OrderedLogException in one line when it cannot
     */
    public static MemberDatagrams open(
            ReplicaSettings settings,
            ReplicatedService service,
            Function<byte[], OptionalLong> fingerprints,
            FatalErrors fatal) {
        Member self = settings.self();
        Optional<RpcKey> key = settings.secrets().map(secrets -> RpcKey.of(settings.group(), secrets));
        FrameServerOptions options = FrameServerOptions.builder(settings.group(), settings.id(), body -> 0)
                .listen(self.host(), self.clientPort())
                .key(key)
                .udp(true)
                .build();
        DatagramServer server = new DatagramServer(options, service, fatal, fingerprints);
        server.listen(self.clientPort());
        service.countDatagrams(server::counts);
        MemberDatagrams datagrams = new MemberDatagrams(service, server, settings.id());
        datagrams.watch.start();
        return datagrams;
    }

    private void watch() {
        LoopErrors errors = new LoopErrors(LOG::error);
        while (!closed) {
            errors.run(() -> server.look(service.status()));
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS));
        }
    }

    /** Calls under way get no answer any more; their clients ask another member. Blocks for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watch);
        server.close();
    }
}
