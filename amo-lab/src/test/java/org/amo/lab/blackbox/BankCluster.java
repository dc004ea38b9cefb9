package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.examples.bank.BankServer;
import org.amo.lab.cluster.Watch;
import org.amo.net.CheckedFile;
import org.amo.replication.FreePorts;

/**
 * Wrapped servers in processes of their own, leashed to this one: three, unless the settings ask for fewer. The test's thread owns it.
 */
public final class BankCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration POLL = Duration.ofMillis(50);

    /** While a process starts, which takes seconds: each look asks the members that serve already, who have work. */
    private static final Duration SLOW_POLL = Duration.ofMillis(200);

    private static final int LOOKS = 3;
    private static final List<String> IDS = List.of("a", "b", "c");

    private final Settings settings;
    private final Path folder;
    private final List<Member> members = new ArrayList<>();
    private final List<MemberProcess> processes = new ArrayList<>();

    /**
     * How to run it.
     *
     * @param properties of every member's virtual machine
     * @param ofMember more of them for single members
     * @param libraries on every member's class path, behind the program
     * @param count of members
     */
    public record Settings(
            String group,
            Class<?> main,
            Order order,
            Log log,
            Optional<Long> budgetBytes,
            Map<String, String> properties,
            Map<String, Map<String, String>> ofMember,
            List<String> libraries,
            int count) {

        /** The bank as it is, with calls of ten seconds as in the paper and a log that survives a kill. */
        public static Settings bank(String group) {
            return new Settings(
                    group,
                    BankServer.class,
                    Order.RAFT,
                    Log.FILE,
                    Optional.empty(),
                    Map.of("amo.defaultDeadlineMillis", "10000"),
                    Map.of(),
                    List.of(),
                    IDS.size());
        }

        public Settings main(Class<?> type) {
            return new Settings(group, type, order, log, budgetBytes, properties, ofMember, libraries, count);
        }

        public Settings log(Log where) {
            return new Settings(group, main, order, where, budgetBytes, properties, ofMember, libraries, count);
        }

        Settings order(Order by) {
            return new Settings(group, main, by, log, budgetBytes, properties, ofMember, libraries, count);
        }

        Settings budget(long bytes) {
            return new Settings(group, main, order, log, Optional.of(bytes), properties, ofMember, libraries, count);
        }

        public Settings property(String name, String value) {
            Map<String, String> more = new TreeMap<>(properties);
            more.put(name, value);
            return new Settings(group, main, order, log, budgetBytes, more, ofMember, libraries, count);
        }

        Settings libraries(List<String> jars) {
            return new Settings(group, main, order, log, budgetBytes, properties, ofMember, jars, count);
        }

        /** Two members: a group for a test that kills none of them while it makes calls. */
        public Settings two() {
            return of(2);
        }

        /** One member: for a test of what a member alone does. */
        public Settings one() {
            return of(1);
        }

        private Settings of(int members) {
            return new Settings(group, main, order, log, budgetBytes, properties, ofMember, libraries, members);
        }

        Settings property(String member, String name, String value) {
            Map<String, Map<String, String>> more = new TreeMap<>(ofMember);
            more.computeIfAbsent(member, key -> new TreeMap<>()).put(name, value);
            return new Settings(group, main, order, log, budgetBytes, properties, more, libraries, count);
        }
    }

    BankCluster(Settings settings) {
        this.settings = settings;
        try {
            folder = Files.createTempDirectory("amo-blackbox");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<Integer> ports = FreePorts.find(2 * settings.count);
        for (int i = 0; i < settings.count; i++) {
            members.add(new Member(IDS.get(i), "127.0.0.1", ports.get(2 * i), ports.get(2 * i + 1)));
        }
        members.forEach(member -> processes.add(new MemberProcess(member, folder)));
    }

    /** The answer of a member's observation port. */
    static String observed(int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Starts all members at once and waits until they serve. */
    public static BankCluster start(Settings settings) {
        BankCluster cluster = new BankCluster(settings);
        cluster.startAll();
        return cluster;
    }

    void startAll() {
        start(processes);
    }

    /** The whole group begins again, with one member away. */
    void startAllBut(MemberProcess away) {
        start(processes.stream().filter(process -> process != away).toList());
    }

    private void start(List<MemberProcess> those) {
        those.forEach(this::launch);
        awaitServing();
        assertEquals(List.of(), ended(), "members ended by themselves");
    }

    /** Starts the members that a test has killed, and requires that none has ended by itself. */
    void launchKilled() {
        List<String> ended = ended();
        processes.stream().filter(process -> !process.isUp()).forEach(this::launch);
        awaitServing();
        assertEquals(List.of(), ended, "members ended by themselves");
    }

    private List<String> ended() {
        return processes.stream()
                .filter(MemberProcess::hasEnded)
                .map(process -> process.id() + " said " + process.said())
                .toList();
    }

    void launch(MemberProcess process) {
        process.start(command(process, settings.budgetBytes).words());
    }

    void launch(MemberProcess process, long budgetBytes) {
        process.start(command(process, Optional.of(budgetBytes)).words());
    }

    /** A new life of a member, with the data of its former ones. Waits until it has caught up. */
    public void restart(MemberProcess process) {
        launch(process);
        awaitServing();
        awaitEqual();
        assertTrue(process.isUp(), process::said);
    }

    void awaitServing() {
        awaitThat("every member serves", SLOW_POLL, () -> {
            List<MemberProcess> up = up();
            return !up.isEmpty()
                    && up.stream().allMatch(process -> process.ask()
                            .filter(status -> status.number("orderedTimeMillis") > 0
                                    && !status.text("leader").isEmpty())
                            .isPresent());
        });
    }

    public List<Member> members() {
        return members;
    }

    public List<MemberProcess> processes() {
        return processes;
    }

    public MemberProcess member(int index) {
        return processes.get(index);
    }

    List<MemberProcess> up() {
        return processes.stream().filter(MemberProcess::isUp).toList();
    }

    public MemberProcess leader() {
        String id = up().get(0).status().text("leader");
        return named(process -> process.id().equals(id));
    }

    MemberProcess follower() {
        String id = up().get(0).status().text("leader");
        return named(process -> process.isUp() && !process.id().equals(id));
    }

    MemberProcess at(int clientPort) {
        return named(process -> process.member().clientPort() == clientPort);
    }

    private MemberProcess named(Predicate<MemberProcess> wanted) {
        return processes.stream().filter(wanted).findFirst().orElseThrow();
    }

    public Path folder() {
        return folder;
    }

    /** The group's reference, as the servers publish it. */
    public String reference() {
        try {
            Path published = up().get(0).reference();
            // A member may answer for its status a moment before the server's main has written the file.
            awaitThat("the reference is published", () -> Files.exists(published) && Files.size(published) > 0);
            return Files.readString(published).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value of a field at every member that is up. */
    List<Long> numbers(String field) {
        return up().stream().map(process -> process.status().number(field)).toList();
    }

    /** Waits until every member has executed the same, and requires that they agree about all of it. */
    public List<Status> awaitEqual() {
        List<Status> statuses = new ArrayList<>();
        AtomicInteger inARow = new AtomicInteger();
        // A busy replica's status may be a tick old, so one look is not enough.
        awaitThat("all members reach the same position", () -> {
            List<Status> now =
                    up().stream().flatMap(process -> process.ask().stream()).toList();
            boolean equal = now.size() == up().size()
                    && now.stream().allMatch(Status::isQuiet)
                    && distinct(now, "executedPosition") == 1;
            statuses.clear();
            statuses.addAll(now);
            return equal ? inARow.incrementAndGet() >= LOOKS : inARow.getAndSet(0) < 0;
        });
        for (String field : List.of("digest", "entries", "bytes", "clients", "orderedTimeMillis", "upperMillis")) {
            assertEquals(1, distinct(statuses, field), field + " differs: " + statuses);
        }
        return statuses;
    }

    private static long distinct(List<Status> statuses, String field) {
        return statuses.stream().map(status -> status.text(field)).distinct().count();
    }

    /** Waits until a number is the same wanted one at every member. */
    void awaitEverywhere(String field, long value) {
        awaitThat(field + " is " + value + " at every member", () -> {
            List<MemberProcess> up = up();
            return !up.isEmpty()
                    && up.stream().allMatch(process -> process.ask()
                            .filter(status -> status.number(field) == value)
                            .isPresent());
        });
    }

    public void awaitThat(String what, Callable<Boolean> condition) {
        awaitThat(what, POLL, condition);
    }

    private void awaitThat(String what, Duration poll, Callable<Boolean> condition) {
        try {
            await(what)
                    .atMost(PATIENCE)
                    .pollInterval(poll)
                    .pollDelay(Duration.ZERO)
                    .until(condition);
        } catch (org.awaitility.core.ConditionTimeoutException e) {
            throw new AssertionError(what + " did not come true. " + describe(), e);
        }
    }

    /**
     * Digests are equal, and so is each reply that two members have given, in any of their lives: what was replayed, to what was told.
     *
     * @param fewest replies to as many requests at least
     */
    void assertAgreement(int fewest) {
        awaitEqual();
        Map<String, Set<String>> replies = processes().stream()
                .flatMap(member -> member.executedInAnyLife().stream())
                .collect(Collectors.groupingBy(
                        MemberProcess.Executed::id,
                        Collectors.mapping(MemberProcess.Executed::value, Collectors.toSet())));
        assertTrue(replies.size() >= fewest);
        replies.forEach((id, values) -> assertEquals(1, values.size(), "replies to " + id + " differ: " + values));
    }

    /** How often each request ran at a member; with the replays of a later life it is not more. */
    public Set<String> executedMoreThanOnce() {
        Set<String> twice = new TreeSet<>();
        for (MemberProcess process : up()) {
            process.executedIds().stream()
                    .collect(Collectors.groupingBy(id -> id, Collectors.counting()))
                    .forEach((id, count) -> {
                        if (count > 1) {
                            twice.add(process.id() + ":" + id);
                        }
                    });
        }
        return twice;
    }

    /** One more member, in the list with which members are started from now on; not yet one of the group. */
    MemberProcess oneMore(String id) {
        List<Integer> ports = FreePorts.find(2);
        Member more = new Member(id, "127.0.0.1", ports.get(0), ports.get(1));
        members.add(more);
        MemberProcess process = new MemberProcess(more, folder);
        processes.add(process);
        return process;
    }

    /** Starts another process under a member's id, with ports and data of its own. */
    MemberProcess impostor(MemberProcess original) {
        List<Integer> ports = FreePorts.find(2);
        Member fake = new Member(original.id(), "127.0.0.1", ports.get(0), ports.get(1));
        List<Member> configured = members.stream()
                .map(member -> member.id().equals(fake.id()) ? fake : member)
                .toList();
        try {
            Path data = Files.createDirectories(folder.resolve("impostor"));
            MemberProcess process = new MemberProcess(fake, data);
            process.start(new ServerWrap(
                            settings.group,
                            fake.id(),
                            configured,
                            data,
                            settings.order,
                            settings.log,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty())
                    .applyWithAgent(program(process))
                    .words());
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command line of a member's process, as wrap would make it. */
    JavaCommandLine command(MemberProcess process, Optional<Long> budgetBytes) {
        return new ServerWrap(
                        settings.group,
                        process.id(),
                        members,
                        folder,
                        settings.order,
                        settings.log,
                        budgetBytes,
                        Optional.empty(),
                        Optional.of(process.nextHistory()))
                .applyWithAgent(program(process));
    }

    private JavaCommandLine program(MemberProcess process) {
        List<String> words = new ArrayList<>(quickJava());
        settings.properties.forEach((name, value) -> words.add("-D" + name + "=" + value));
        settings.ofMember
                .getOrDefault(process.id(), Map.of())
                .forEach((name, value) -> words.add("-D" + name + "=" + value));
        words.add("-Djacorb.poa.thread_pool_min=16");
        words.add("-Djacorb.poa.thread_pool_max=64");
        words.add("-cp");
        List<String> entries = new ArrayList<>(List.of(location(settings.main), location(Watch.PROGRAM)));
        entries.addAll(settings.libraries);
        words.add(String.join(File.pathSeparator, entries));
        words.add(Watch.PROGRAM.getName());
        words.add(settings.main.getName());
        words.add(process.reference().toString());
        return JavaCommandLine.parse(words, Optional.empty());
    }

    /** A virtual machine that is up soon and takes little. */
    public static List<String> quickJava() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // A member's classes outgrow the first sizes, and each is passed by a full collection.
                "-XX:MetaspaceSize=128m",
                "-Xmx160m");
    }

    public static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (MemberProcess process : processes) {
            text.append(process.id())
                    .append(process.isUp() ? " is up: " : " is down: ")
                    .append(process.ask()
                            .map(Status::json)
                            .map(Object::toString)
                            .orElse("no status"))
                    .append("; it said ")
                    .append(process.said())
                    .append(System.lineSeparator());
        }
        return text.toString();
    }

    @Override
    public void close() {
        processes.forEach(MemberProcess::kill);
        try {
            CheckedFile.deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
