package org.amo.testkit.fault;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaInterposer;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.rules.SafetyRule;
import org.amo.core.rules.SafetyRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the faults that three properties of a replica's process ask for: {@code amo.faults}, a list of
 * {@link FaultRule}; {@code amo.faultFile}, a file of more of them, read while the process runs; and
 * {@code amo.plant}, the name of a safety rule that the replica is to do without. Without these properties it stands
 * aside. A property that cannot be obeyed stops the replica from opening.
 */
public final class FaultInterposer implements ReplicaInterposer {
    private static final Logger LOG = LoggerFactory.getLogger(FaultInterposer.class);

    private final Optional<FaultFile> file;
    private final Optional<FaultyReplica> faulty;
    private final SafetyRules safety;

    /** For {@link java.util.ServiceLoader}. */
    public FaultInterposer() {
        this(property("amo.faults").orElse(""), property("amo.faultFile").map(Path::of), property("amo.plant"));
    }

    FaultInterposer(String faults, Optional<Path> faultFile, Optional<String> plant) {
        List<FaultRule> rules = FaultRule.parseList(faults);
        FaultPlan plan = new FaultPlan(rules);
        file = faultFile.map(path -> new FaultFile(path, plan));
        faulty = rules.isEmpty() && file.isEmpty() ? Optional.empty() : Optional.of(new FaultyReplica(plan));
        safety = plant.map(FaultInterposer::without).orElse(SafetyRules.ALL);
        faulty.ifPresent(made -> LOG.warn("this replica makes faults on purpose: {}", rules));
        file.ifPresent(FaultFile::watch);
    }

    @Override
    public SafetyRules rules() {
        return safety;
    }

    @Override
    public long clockStepMillis() {
        return file.map(FaultFile::clockStepMillis).orElse(0L);
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

    private static SafetyRules without(String plant) {
        SafetyRule rule = Arrays.stream(SafetyRule.values())
                .filter(each -> each.plant().equals(plant))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no plant '" + plant + "'; there are "
                        + Arrays.stream(SafetyRule.values())
                                .map(SafetyRule::plant)
                                .collect(Collectors.joining(", "))));
        LOG.error(
                "THIS REPLICA IS BROKEN ON PURPOSE (-Damo.plant={}): {}. Never serve anybody with it",
                plant,
                rule.description());
        return SafetyRules.without(EnumSet.of(rule));
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty(name)).filter(value -> !value.isEmpty());
    }
}
