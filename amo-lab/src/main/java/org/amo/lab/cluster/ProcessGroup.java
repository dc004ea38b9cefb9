package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.replication.FreePorts;

/** The replicas of one run. One thread owns it. */
public final class ProcessGroup {
    private static final long START_MILLIS = 90_000;
    private static final long SETTLE_MILLIS = 60_000;

    /** The bank's name. */
    public static final String GROUP = "bank";

    private final WorkFolder folder;
    private final Processes processes;
    private final List<ReplicaProcess> replicas = new ArrayList<>();
    private final Set<ReplicaProcess> members = new LinkedHashSet<>();
    private final Path secret;

    /**
     * How it is made.
     *
     * @param withHistory whether each replica writes a history of its executions
     */
    public record Settings(Order order, Log log, boolean withHistory, Style style) {}

    /**
     * Where one replica lives.
     *
     * @param prefix words that start its program there, as {@code nsenter} does; none for here
     * @param data folder for its log
     * @param options further options of its virtual machine
     * @param classes their jars or folders are added to its class path
     */
    public record Place(String host, List<String> prefix, Path data, List<String> options, List<Class<?>> classes) {
        public Place {
            prefix = List.copyOf(prefix);
            options = List.copyOf(options);
            classes = List.copyOf(classes);
        }

        /** The same with one more option. */
        public Place withOption(String option) {
            List<String> more = new ArrayList<>(options);
            more.add(option);
            return new Place(host, prefix, data, more, classes);
        }

        /** On this machine's loopback address. */
        public static Place here(Path data) {
            return new Place("127.0.0.1", List.of(), data, List.of(), List.of());
        }
    }

    private final Settings settings;

    /**
     * Nothing is started yet.
     *
     * @param spares so many of the last places are for replicas that may join later
     */
    public ProcessGroup(
            Function<MemberProgram.Of, MemberProgram> programs,
            Settings settings,
            List<Place> places,
            int spares,
            WorkFolder folder,
            Processes processes) {
        this.settings = settings;
        this.folder = folder;
        this.processes = processes;
        List<Integer> ports = FreePorts.find(2 * places.size());
        List<Member> all = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            all.add(new Member(name(i), places.get(i).host(), ports.get(2 * i), ports.get(2 * i + 1)));
        }
        List<Member> founders = all.subList(0, places.size() - spares);
        secret = folder.secret();
        for (int i = 0; i < places.size(); i++) {
            List<Member> known = new ArrayList<>(founders);
            if (i >= founders.size()) {
                known.add(all.get(i));
            }
            Place place = places.get(i)
                    .withOption("-Damo.style=" + settings.style().name().toLowerCase(Locale.ROOT));
            MemberProgram program =
                    programs.apply(new MemberProgram.Of(all.get(i), known, place, settings, secret, folder.path()));
            replicas.add(new ReplicaProcess(all.get(i), program, folder.path(), place));
        }
        members.addAll(replicas.subList(0, founders.size()));
    }

    /** The name of the n-th replica, from 0: a, b, c. */
    public static String name(int index) {
        return String.valueOf((char) ('a' + index));
    }

    /** All that are members, have been one, or may become one. */
    public List<ReplicaProcess> replicas() {
        return replicas;
    }

    public List<ReplicaProcess> members() {
        return List.copyOf(members);
    }

    /** Those that were never started. */
    public List<ReplicaProcess> spares() {
        return replicas.stream().filter(replica -> replica.lives() == 0).toList();
    }

    public void joined(ReplicaProcess replica) {
        members.add(replica);
    }

    public void left(ReplicaProcess replica) {
        members.remove(replica);
    }

    /** The file with the group's key. */
    public Path secret() {
        return secret;
    }

    /** Starts all and waits until they are a group. */
    public void startAll() {
        members.forEach(this::start);
        Wait.until(START_MILLIS, "the replicas did not form a group", () -> {
            for (ReplicaProcess replica : members) {
                if (replica.process().filter(Child::isAlive).isEmpty()) {
                    throw CliException.environment("replica " + replica.id() + " did not start: " + replica.lastWords()
                            + "; see " + folder.path());
                }
                if (replica.ask().filter(status -> !status.leader().isEmpty()).isEmpty() || !replica.isReady()) {
                    return false;
                }
            }
            return true;
        });
    }

    /** A new life of one. */
    public void start(ReplicaProcess replica) {
        processes.start(() -> replica.start(settings.withHistory()));
    }

    /** The leader, as last reported by a replica that is up; empty for none. */
    public String leader() {
        return replicas.stream()
                .filter(ReplicaProcess::isUp)
                .flatMap(replica -> replica.last().stream())
                .map(Status::leader)
                .filter(leader -> !leader.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** All of them in a few letters, the leader with a star. */
    public String inWords() {
        String leader = leader();
        return replicas.stream()
                .filter(replica -> replica.lives() > 0)
                .map(replica -> replica.id() + state(replica, leader))
                .collect(Collectors.joining(" "));
    }

    private String state(ReplicaProcess replica, String leader) {
        if (!replica.isUp()) {
            return members.contains(replica) ? " (killed)" : " (gone)";
        }
        return replica.id().equals(leader) ? "*" : "";
    }

    /**
     * Waits until all replicas that are up have executed the same; says whether they are equal then.
     *
     * @param look done before each look at them
     * @param remarks told why they are not
     */
    public boolean settle(Runnable look, Consumer<String> remarks) {
        long end = System.nanoTime() + SETTLE_MILLIS * 1_000_000;
        while (true) {
            look.run();
            List<ReplicaProcess> up = replicas.stream()
                    .filter(replica -> replica.process().filter(Child::isAlive).isPresent())
                    .toList();
            List<Status> statuses =
                    up.stream().flatMap(replica -> replica.ask().stream()).toList();
            boolean level = statuses.size() == up.size()
                    && statuses.stream().allMatch(Status::isQuiet)
                    && statuses.stream()
                                    .mapToLong(Status::executedPosition)
                                    .distinct()
                                    .count()
                            == 1;
            boolean late = System.nanoTime() > end;
            if (level || late) {
                long digests = statuses.stream().map(Status::digest).distinct().count();
                if (late && !level) {
                    remarks.accept("the replicas did not reach the same position in " + SETTLE_MILLIS / 1_000 + " s");
                } else if (digests > 1) {
                    remarks.accept("the replicas have executed the same positions with different results");
                }
                return level && digests == 1;
            }
            Wait.aTick();
        }
    }
}
