package org.amo.testkit.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.amo.core.order.LogTail;
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
    /** A plant: a damaged end of the log is cut off as if a crash had torn it. */
    public static final String DAMAGE_TAKEN_FOR_CRASH = "damage-taken-for-crash";

    private static final Logger LOG = LoggerFactory.getLogger(FaultInterposer.class);

    private final Optional<FaultFile> file;
    private final Optional<FaultyReplica> faulty;
    private final SafetyRules safety;
    private final boolean carelessLog;

    /** For {@link java.util.ServiceLoader}. */
    public FaultInterposer() {
        this(property("amo.faults").orElse(""), property("amo.faultFile").map(Path::of), property("amo.plant"));
    }

    FaultInterposer(String faults, Optional<Path> faultFile, Optional<String> plant) {
        List<FaultRule> rules = FaultRule.parseList(faults);
        FaultPlan plan = new FaultPlan(rules);
        file = faultFile.map(path -> new FaultFile(path, plan));
        faulty = rules.isEmpty() && file.isEmpty() ? Optional.empty() : Optional.of(new FaultyReplica(plan));
        carelessLog = plant.filter(DAMAGE_TAKEN_FOR_CRASH::equals).isPresent();
        safety = carelessLog ? careless() : plant.map(FaultInterposer::without).orElse(SafetyRules.ALL);
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
    public void beforeSync(ReplicaSettings settings) throws IOException {
        if (file.isPresent() && file.get().syncFails()) {
            throw new IOException("Input/output error, made on purpose");
        }
    }

    @Override
    public LogTail tail() {
        return carelessLog ? new CarelessTail() : new LogTail();
    }

    private static final class CarelessTail extends LogTail {
        @Override
        public OptionalLong lostUpTo(Found found) {
            return OptionalLong.empty();
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

    private static SafetyRules without(String plant) {
        SafetyRule rule = Arrays.stream(SafetyRule.values())
                .filter(each -> each.plant().equals(plant))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no plant '" + plant + "'; there are "
                        + Arrays.stream(SafetyRule.values())
                                .map(SafetyRule::plant)
                                .collect(Collectors.joining(", "))));
        tell(plant, rule.description());
        return SafetyRules.without(EnumSet.of(rule));
    }

    private static SafetyRules careless() {
        tell(DAMAGE_TAKEN_FOR_CRASH, "a damaged end of the log is cut off as if a crash had torn it");
        return SafetyRules.ALL;
    }

    private static void tell(String plant, String description) {
        LOG.error(
                "THIS REPLICA IS BROKEN ON PURPOSE (-Damo.plant={}): {}. Never serve anybody with it",
                plant,
                description);
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty(name)).filter(value -> !value.isEmpty());
    }
}
