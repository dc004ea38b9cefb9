package org.amo.replication;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.BiFunction;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.reply.RecordMemory;

/** All interposers on the class path of this process, one around the other: none, in a process that is no test. */
final class InstalledFaultHooks implements FaultHooks {
    static final FaultHooks INSTALLED = new InstalledFaultHooks(
            ServiceLoader.load(FaultHooks.class, InstalledFaultHooks.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList());

    private final List<FaultHooks> all;

    private InstalledFaultHooks(List<FaultHooks> all) {
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
        for (FaultHooks each : all) {
            step += each.clockStepMillis();
        }
        return step;
    }

    @Override
    public void beforeSync(ReplicaSettings settings) throws IOException {
        for (FaultHooks each : all) {
            each.beforeSync(settings);
        }
    }

    @Override
    public ServantPort around(ReplicaSettings settings, ServantPort servant) {
        return through(servant, (each, way) -> each.around(settings, way));
    }

    @Override
    public OrderedLog around(ReplicaSettings settings, OrderedLog log) {
        return through(log, (each, way) -> each.around(settings, way));
    }

    @Override
    public ReplicatedService around(ReplicaSettings settings, ReplicatedService service) {
        return through(service, (each, way) -> each.around(settings, way));
    }

    private <T> T through(T inner, BiFunction<FaultHooks, T, T> around) {
        T way = inner;
        for (FaultHooks each : all) {
            way = around.apply(each, way);
        }
        return way;
    }
}
