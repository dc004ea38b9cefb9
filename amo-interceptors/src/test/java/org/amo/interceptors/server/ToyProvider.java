package org.amo.interceptors.server;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.MarkedServant;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;

/** Joins the members of one JVM by a {@link ToyGroup}. */
public final class ToyProvider implements ReplicatedServiceProvider {
    /** Members of the group "held" join when it is open. */
    static final CountDownLatch HELD = new CountDownLatch(1);

    private static final Map<String, ReplicaSettings> OPENED = new ConcurrentHashMap<>();

    private static final Map<String, Function<byte[], OptionalLong>> DATAGRAMS = new ConcurrentHashMap<>();

    /** The word of a group's adaptor about requests in datagrams; empty once it takes none. */
    static Optional<Function<byte[], OptionalLong>> datagrams(String group) {
        return Optional.ofNullable(DATAGRAMS.get(group));
    }

    /** Those of the member of a group that was opened last. */
    static ReplicaSettings settings(String group) {
        return Optional.ofNullable(OPENED.get(group)).orElseThrow();
    }

    @Override
    public ReplicatedService open(ReplicaSettings settings, ServantPort servant, Consumer<OrderedLogException> ended) {
        if (settings.group().equals("broken")) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT, "port 7801 is taken; choose another in --members");
        }
        OPENED.put(settings.group(), settings);
        if (settings.group().equals("held")) {
            awaitHeld();
        }
        ServantPort marked = settings.nested() == ReplicaSettings.Nested.ORDERED
                ? ToyNestedCalls.of(settings.group()).around(settings.group(), servant)
                : new MarkedServant(settings, servant);
        return ToyGroup.named(settings.group()).join(settings.id(), marked);
    }

    @Override
    public Runnable takeDatagrams(
            ReplicaSettings settings, ReplicatedService service, Function<byte[], OptionalLong> fingerprints) {
        if (settings.group().equals("taken")) {
            throw new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, "that UDP port is taken");
        }
        DATAGRAMS.put(settings.group(), fingerprints);
        return () -> DATAGRAMS.remove(settings.group());
    }

    private static void awaitHeld() {
        try {
            boolean unused = HELD.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
