package org.amo.replication;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaInterposer;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.reply.RecordMemory;

/** All interposers on the class path of this process, one around the other: none, in a process that is no test. */
final class Interposition implements ReplicaInterposer {
    static final ReplicaInterposer INSTALLED =
            new Interposition(ServiceLoader.load(ReplicaInterposer.class, Interposition.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList());

    private final List<ReplicaInterposer> all;

    private Interposition(List<ReplicaInterposer> all) {
        this.all = all;
    }

    @Override
    public Optional<Replica> replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        return all.stream()
                .flatMap(each -> each.replica(options, effects, memory).stream())
                .findFirst();
    }

    @Override
    public Optional<LogTail> tail() {
        return all.stream().flatMap(each -> each.tail().stream()).findFirst();
    }

    @Override
    public long clockStepMillis() {
        long step = 0;
        for (ReplicaInterposer each : all) {
            step += each.clockStepMillis();
        }
        return step;
    }

    @Override
    public void beforeSync(ReplicaSettings settings) throws IOException {
        for (ReplicaInterposer each : all) {
            each.beforeSync(settings);
        }
    }

    @Override
    public ServantPort around(ReplicaSettings settings, ServantPort servant) {
        ServantPort way = servant;
        for (ReplicaInterposer each : all) {
            way = each.around(settings, way);
        }
        return way;
    }

    @Override
    public OrderedLog around(ReplicaSettings settings, OrderedLog log) {
        OrderedLog way = log;
        for (ReplicaInterposer each : all) {
            way = each.around(settings, way);
        }
        return way;
    }

    @Override
    public ReplicatedService around(ReplicaSettings settings, ReplicatedService service) {
        ReplicatedService way = service;
        for (ReplicaInterposer each : all) {
            way = each.around(settings, way);
        }
        return way;
    }
}
