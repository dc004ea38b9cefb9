package org.amo.replication.rpc;

import io.netty.channel.EventLoop;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.net.EventLoops;

/**
 * Looks host names up in daemon threads. Netty does so in the event loop: while a name server is silent, which can be half a minute,
 * all connections of that loop would stand still. A name that is being looked up has one thread, however many attempts to connect wait
 * for it. An attempt waits as long as for a connection, and then fails; the Java runtime keeps the address for the next one.
 */
final class HostLookups extends AddressResolverGroup<InetSocketAddress> {
    private static final long WAIT_MILLIS = 1_000;

    private final Names names;

    /** Knows the addresses of hosts. May be silent for long. */
    @FunctionalInterface
    interface Names {
        InetAddress find(String host) throws UnknownHostException;
    }

    HostLookups(Names names) {
        this.names = names;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new InThreads((EventLoop) executor, names).asAddressResolver();
    }

    /** Of one event loop, whose thread owns it. */
    private static final class InThreads extends InetNameResolver {
        private final EventLoop loop;
        private final Names names;
        private final Map<String, List<Promise<InetAddress>>> waiting = new HashMap<>();

        InThreads(EventLoop loop, Names names) {
            super(loop);
            this.loop = loop;
            this.names = names;
        }

        @Override
        protected void doResolve(String host, Promise<InetAddress> found) throws Exception {
            if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
                // Nothing to look up.
                found.trySuccess(names.find(host));
            } else if (loop.inEventLoop()) {
                await(host, found);
            } else {
                loop.execute(() -> await(host, found));
            }
        }

        @Override
        protected void doResolveAll(String host, Promise<List<InetAddress>> found) {
            Promise<InetAddress> one = loop.newPromise();
            Future<InetAddress> unused = resolve(host, one).addListener(ended -> {
                if (ended.isSuccess()) {
                    found.trySuccess(List.of(one.getNow()));
                } else {
                    found.tryFailure(ended.cause());
                }
            });
        }

        private void await(String host, Promise<InetAddress> found) {
            boolean first = !waiting.containsKey(host);
            waiting.computeIfAbsent(host, absent -> new ArrayList<>()).add(found);
            Future<?> limit = loop.schedule(
                    () -> found.tryFailure(new UnknownHostException(
                            host + ": the name service did not answer within " + WAIT_MILLIS + " ms")),
                    WAIT_MILLIS,
                    TimeUnit.MILLISECONDS);
            Future<InetAddress> unused = found.addListener(ended -> limit.cancel(false));
            if (first) {
                try {
                    DaemonThreads.start("amo-lookup-" + host, () -> find(host));
                } catch (RuntimeException | Error e) {
                    // No thread is to be had.
                    tell(host, each -> each.tryFailure(e));
                }
            }
        }

        private void find(String host) {
            Consumer<Promise<InetAddress>> outcome;
            try {
                InetAddress address = names.find(host);
                outcome = each -> each.trySuccess(address);
            } catch (UnknownHostException | RuntimeException | Error e) {
                outcome = each -> each.tryFailure(e);
            }
            Consumer<Promise<InetAddress>> told = outcome;
            // A loop that has ended has no connection that waits.
            boolean unused = EventLoops.execute(loop, () -> tell(host, told), () -> {});
        }

        private void tell(String host, Consumer<Promise<InetAddress>> outcome) {
            List<Promise<InetAddress>> all = waiting.getOrDefault(host, List.of());
            waiting.remove(host);
            all.forEach(outcome);
        }
    }
}
