package org.amo.core.replica;

import static org.amo.core.replica.ReplicaProperties.value;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.RunningOperation;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.TlsFiles;

/**
 * How one member of a group runs.
 *
 * @param group the group's name: 1 to 64 letters, digits, '-', '_' or '.'
 * @param id this member's id; must be in {@code members}
 * @param members all members, in the same order everywhere
 * @param order which ordered log. Default RAFT
 * @param log where the ordered log keeps its entries (RAFT only). Default FSYNC
 * @param data folder for the state that must survive a crash; one sub-folder a member is made in it. Default .amo
 * @param parameters the group's parameters, if this member is to start the group. Default: theirs
 * @param stated which of them the user stated, by property name; a group that runs with another value is an error. Default
 *     none, so any parameters of the group are right
 * @param secrets of the group; empty only when {@code tls} protects it, or {@code insecure} was said. Default empty
 * @param history file for the events of this replica. Default none
 * @param store where replies are kept. Default HEAP
 * @param tls protects the messages between members, in the place of the secret. Default empty
 * @param nested the treatment of calls that an operation makes to objects outside of it. Default REFUSE
 * @param divergence whether members compare their digests, and the consequence if none has a majority. Default STOP
 * @param style the members that execute, and the part of an execution that the order carries. Default ACTIVE
 * @param random the source of the random numbers that operations draw. Default SEEDED
 * @param executors threads that execute: 1 for one request after another, more for requests on different objects at the same time. Default 1
 * @param featureLevel the level up to which this member lets its group come. Default: as far as all members can
 * @param ofProcess settings of this process that must be equal at all members, beside those of this record: their values by name
 */
public record ReplicaSettings(
        String group,
        String id,
        List<Member> members,
        Order order,
        Log log,
        Path data,
        GroupParameters parameters,
        Set<String> stated,
        Optional<SecretRing> secrets,
        Optional<Path> history,
        Store store,
        Optional<TlsFiles> tls,
        Nested nested,
        Divergence divergence,
        Style style,
        RandomSource random,
        int executors,
        OptionalInt featureLevel,
        Map<String, String> ofProcess) {

    /**
     * A file in a member's folder. The virtual machine makes it when it ends for want of memory; the member's next process removes it,
     * and counts the request that ran alone as the cause.
     */
    public static final String OUT_OF_MEMORY_FILE = "out-of-memory";

    /** The number of the formats between members. */
    public static final String FORMATS = "formats between members";

    /** Raised with each version that must not run beside the one before: CHANGELOG.md has such a change as breaking. */
    private static final String FORMATS_NUMBER = "1";

    private static final String EXECUTE = "--execute (amo.execute)";
    private static final Pattern PARALLEL = Pattern.compile("parallel=([0-9]{1,4})");

    /** The ordered logs on offer. */
    public enum Order {
        RAFT,
        SEQUENCER
    }

    /** Where RAFT keeps its log. */
    public enum Log {
        /** On disk, forced before it is acknowledged: survives the loss of power of every member. */
        FSYNC,
        /** On disk, not forced: survives the kill of every process, not the loss of power. */
        FILE,
        /** In memory: a member that was killed cannot come back under its id. */
        MEMORY
    }

    /** Where replies are kept that clients may ask for again. */
    public enum Store {
        HEAP,
        /** Outside the heap, in a Chronicle Map, which must be on the class path. */
        CHRONICLE
    }

    /** The treatment of calls from inside an operation to objects outside of it ({@link RunningOperation}). */
    public enum Nested {
        /** They fail at once, at every member alike. */
        REFUSE,
        /** One replica makes them for the group, and the group orders their results. */
        ORDERED,
        /** Each replica makes them. Only for callees that may run them once a replica and answer all replicas alike. */
        ALLOW
    }

    /** The reaction of a group if the members' digests differ and none has a majority. A minority always begins anew. */
    public enum Divergence {
        /** It takes no requests until a majority agrees. */
        STOP,
        /** It says so, and goes on. */
        REPORT,
        /** Digests are not compared. */
        OFF
    }

    /** The members that execute a request, and the part of an execution that the order carries. */
    public enum Style {
        /** All members execute, and each computes all values itself. */
        ACTIVE(RandomSource.SEEDED, Nested.REFUSE),
        /** All members execute; random numbers and results of nested calls come from one member, by way of the order. */
        LEADER(RandomSource.LEADER, Nested.ORDERED),
        /** The leader executes, and the others apply the updates of the servant's state that it orders. */
        PASSIVE(RandomSource.SEEDED, Nested.REFUSE);

        private final RandomSource random;
        private final Nested nested;

        Style(RandomSource random, Nested nested) {
            this.random = random;
            this.nested = nested;
        }
    }

    /** The source of the random numbers that an operation draws. Every member draws the same ones, in each replay too. */
    public enum RandomSource {
        /** They follow from the group's secret and the request. */
        SEEDED,
        /** They follow from a seed that the member which orders the request draws, and which the order carries. */
        LEADER
    }

    public ReplicaSettings {
        if (!group.matches("[A-Za-z0-9_.-]{1,64}")) {
            throw new IllegalArgumentException(
                    "a group's name is 1 to 64 letters, digits, '-', '_' or '.': '" + group + "'");
        }
        members = List.copyOf(members);
        stated = Set.copyOf(stated);
        ofProcess = Map.copyOf(ofProcess);
        checkStyle(style, random, nested);
        checkExecutors(executors, style, nested);
        FeatureLevels unused = FeatureLevels.OF_BUILD.upTo(featureLevel);
        if (members.stream().noneMatch(member -> member.id().equals(id))) {
            throw new IllegalArgumentException(
                    "member '" + id + "' is not in --members " + Member.format(members) + "; add it or correct --id");
        }
    }

    /**
     * @param id this member's
     * @param members all of them
     */
    public static Builder builder(String group, String id, List<Member> members) {
        return new Builder(group, id, members);
    }

    /**
     * The settings that must be equal at all members, by name, and the number of their formats. Their digests, replies or states would
     * differ else.
     */
    public Map<String, String> equalAtAllMembers() {
        Map<String, String> all = new TreeMap<>(ofProcess);
        all.put("--divergence (amo.divergence)", word(divergence));
        // The number of threads changes no result.
        all.put(EXECUTE, executors == 1 ? "serial" : "parallel");
        all.put("--nested (amo.nested)", word(nested));
        all.put("--random (amo.random)", word(random));
        all.put("--style (amo.style)", word(style));
        all.put(FORMATS, FORMATS_NUMBER);
        return all;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void checkStyle(Style style, RandomSource random, Nested nested) {
        if (style == Style.LEADER && random != RandomSource.LEADER) {
            throw new IllegalArgumentException("--style leader has the order carry random numbers, and --random "
                    + word(random) + " (amo.random) does not; remove one of the two");
        }
        if (style == Style.LEADER && nested == Nested.ALLOW) {
            throw new IllegalArgumentException("--style leader has one member make nested calls, and --nested allow"
                    + " (amo.nested) each; remove one of the two");
        }
        if (style == Style.PASSIVE && nested == Nested.ORDERED) {
            throw new IllegalArgumentException(
                    "--style passive (amo.style) executes at the leader alone, and --nested ordered"
                            + " (amo.nested) has every member execute; remove one of the two");
        }
    }

    private static void checkExecutors(int executors, Style style, Nested nested) {
        if (executors < 1 || executors > ExecutionNotes.MOST_AT_ONCE) {
            throw new IllegalArgumentException(
                    "requests are executed by 1 to " + ExecutionNotes.MOST_AT_ONCE + " threads, not " + executors);
        }
        if (executors > 1 && style == Style.PASSIVE) {
            throw new IllegalArgumentException(
                    "--execute parallel (amo.execute) runs requests of several objects at once, and --style passive"
                            + " (amo.style) orders one update behind each run; remove one of the two");
        }
        if (executors > 1 && nested != Nested.REFUSE) {
            throw new IllegalArgumentException(
                    "--execute parallel (amo.execute) gives operations of different objects no order, and --nested "
                            + word(nested) + " (amo.nested"
                            + (style == Style.LEADER ? ", that of --style leader" : "")
                            + ") needs one for their calls; write --execute serial or --nested refuse");
        }
    }

    /**
     * The threads that execute, from the words of {@code --execute}.
     *
     * @throws IllegalArgumentException in one line if it is neither {@code serial} nor {@code parallel=N}
     */
    public static int executorsOf(String text) {
        Matcher parallel = PARALLEL.matcher(text);
        int threads = parallel.matches() ? Integer.parseInt(parallel.group(1)) : 0;
        if (threads >= 2 && threads <= ExecutionNotes.MOST_AT_ONCE) {
            return threads;
        }
        if (text.equals("serial")) {
            return 1;
        }
        throw new IllegalArgumentException("'" + text + "' is no way to execute; write serial, or parallel=N with N"
                + " from 2 to " + ExecutionNotes.MOST_AT_ONCE + ", for example parallel=4");
    }

    /** The secret of the group when this process started, on which the results of operations may depend. */
    public Optional<String> secret() {
        return secrets.map(SecretRing::initial);
    }

    /** Without the secret, since it may be logged. */
    @Override
    public String toString() {
        return "member " + id + " of group " + group + " (" + Member.format(members) + "), order " + order + ", log "
                + log + " in " + data;
    }

    /** One line for the user when the group runs with another value than was stated here. */
    public Optional<String> contradiction(GroupParameters ofGroup) {
        return new TreeSet<>(stated)
                .stream()
                        .filter(name -> value(parameters, name) != value(ofGroup, name))
                        .findFirst()
                        .map(name -> "group " + group + " was started with " + name + "="
                                + value(ofGroup, name) + ", not "
                                + value(parameters, name)
                                + "; leave the value out or give the group's (it is fixed at the group's first start)");
    }

    /** What this member keeps. */
    public Path folder() {
        return folder(data, group, id);
    }

    /** @param data the folder of all members on a machine */
    public static Path folder(Path data, String group, String id) {
        return data.toAbsolutePath().resolve(group).resolve(id);
    }

    /** This member. */
    public Member self() {
        return members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Reads the properties that {@code amo wrap server} sets: {@code amo.group}, {@code amo.id},
     * {@code amo.members}, {@code amo.order} (raft), {@code amo.log} (fsync), {@code amo.data},
     * {@code amo.budget} (bytes), {@code amo.retentionMillis}, {@code amo.skewMillis},
     * {@code amo.defaultDeadlineMillis}, {@code amo.maxClients}, {@code amo.clientShare}, {@code amo.principalShare},
     * {@code amo.clientCallsPerSecond}, {@code amo.principalCallsPerSecond}, {@code amo.weights}, {@code amo.secretFile} (read by the caller into {@code secrets}),
     * {@code amo.history}, {@code amo.store} (heap), {@code amo.divergence} (stop), {@code amo.style} (active), {@code amo.nested}
     * (that of the style: refuse or ordered), {@code amo.random} (that of the style: seeded), {@code amo.execute} (serial),
     * {@code amo.featureLevel} (auto).
     *
     * @param property looks a property up; null when it is not set
     */
    public static ReplicaSettings fromProperties(
            Function<String, @org.jspecify.annotations.Nullable String> property, Optional<SecretRing> secrets) {
        return builder(property, secrets).build();
    }

    /** A builder that begins with the same properties. */
    public static Builder builder(
            Function<String, @org.jspecify.annotations.Nullable String> property, Optional<SecretRing> secrets) {
        return new ReplicaProperties(property).builder(secrets);
    }

    /** Collects settings; {@link #build} checks them. */
    public static final class Builder {
        private final String group;
        private final String id;
        private final List<Member> members;
        private Order order = Order.RAFT;
        private Log log = Log.FSYNC;
        private Path data = Path.of(".amo");
        private GroupParameters parameters = GroupParameters.defaults();
        private Set<String> stated = Set.of();
        private Optional<SecretRing> secrets = Optional.empty();
        private Optional<Path> history = Optional.empty();
        private Store store = Store.HEAP;
        private Optional<TlsFiles> tls = Optional.empty();
        private Optional<Nested> nested = Optional.empty();
        private Divergence divergence = Divergence.STOP;
        private Style style = Style.ACTIVE;
        private Optional<RandomSource> random = Optional.empty();
        private int executors = 1;
        private OptionalInt featureLevel = OptionalInt.empty();
        private Map<String, String> ofProcess = Map.of();

        private Builder(String group, String id, List<Member> members) {
            this.group = group;
            this.id = id;
            this.members = members;
        }

        public Builder order(Order value) {
            order = value;
            return this;
        }

        public Builder log(Log value) {
            log = value;
            return this;
        }

        public Builder data(Path value) {
            data = value;
            return this;
        }

        public Builder parameters(GroupParameters value) {
            parameters = value;
            return this;
        }

        public Builder stated(Set<String> value) {
            stated = value;
            return this;
        }

        /** One that never changes. */
        public Builder secret(Optional<String> value) {
            return secrets(value.map(SecretRing::of));
        }

        public Builder secrets(Optional<SecretRing> value) {
            secrets = value;
            return this;
        }

        public Builder history(Optional<Path> value) {
            history = value;
            return this;
        }

        public Builder store(Store value) {
            store = value;
            return this;
        }

        public Builder tls(Optional<TlsFiles> value) {
            tls = value;
            return this;
        }

        public Builder nested(Nested value) {
            return nested(Optional.of(value));
        }

        /** @param value empty for that of the style */
        public Builder nested(Optional<Nested> value) {
            nested = value;
            return this;
        }

        /** @param value empty for that of the style */
        public Builder random(Optional<RandomSource> value) {
            random = value;
            return this;
        }

        /** @param value above 1: requests on different objects run at the same time */
        public Builder executors(int value) {
            executors = value;
            return this;
        }

        /** @param value empty for as far as all members can */
        public Builder featureLevel(OptionalInt value) {
            featureLevel = value;
            return this;
        }

        public Builder ofProcess(Map<String, String> value) {
            ofProcess = value;
            return this;
        }

        public Builder divergence(Divergence value) {
            divergence = value;
            return this;
        }

        public Builder style(Style value) {
            style = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public ReplicaSettings build() {
            return new ReplicaSettings(
                    group,
                    id,
                    members,
                    order,
                    log,
                    data,
                    parameters,
                    stated,
                    secrets,
                    history,
                    store,
                    tls,
                    nested.orElse(style.nested),
                    divergence,
                    style,
                    random.orElse(style.random),
                    executors,
                    featureLevel,
                    ofProcess);
        }
    }
}
