package org.amo.testkit.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the faults that two properties of a replica's process ask for: {@code amo.faults}, a list of {@link FaultRule}; and
 * {@code amo.faultFile}, a file of more of them, read while the process runs. Without these properties it stands aside. A property that cannot be obeyed stops the replica from opening.
 */
public final class TestFaultHooks implements FaultHooks {
    private static final Logger LOG = LoggerFactory.getLogger(TestFaultHooks.class);

    private final Optional<FaultFile> file;
    private final Optional<FaultyReplica> faulty;

    /** For {@link java.util.ServiceLoader}. */
    public TestFaultHooks() {
        this(property("amo.faults").orElse(""), property("amo.faultFile").map(Path::of));
    }

    TestFaultHooks(String faults, Optional<Path> faultFile) {
        List<FaultRule> rules = FaultRule.parseList(faults);
        FaultPlan plan = new FaultPlan(rules);
        file = faultFile.map(path -> new FaultFile(path, plan));
        faulty = rules.isEmpty() && file.isEmpty() ? Optional.empty() : Optional.of(new FaultyReplica(plan));
        faulty.ifPresent(made -> LOG.warn("this replica makes faults on purpose: {}", rules));
        file.ifPresent(FaultFile::watch);
    }

    @Override
    public long clockStepMillis() {
        return file.map(FaultFile::clockStepMillis).orElse(0L);
    }

    @Override
    public void beforeSync(ReplicaSettings settings) throws IOException {
        if (file.isPresent() && file.get().syncFails()) {
            throw new IOException("Input/output error, made on purpose");
        }
    }

    @Override
    public ServantPort around(ReplicaSettings settings, ServantPort servant) {
        return faulty.map(replica -> replica.around(servant)).orElse(servant);
    }

    @Override
    public OrderedLog around(ReplicaSettings settings, OrderedLog log) {
        return faulty.map(replica -> replica.around(log)).orElse(log);
    }

    @Override
    public ReplicatedService around(ReplicaSettings settings, ReplicatedService service) {
        return faulty.map(replica -> replica.around(service)).orElse(service);
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty(name)).filter(value -> !value.isEmpty());
    }
}
