package org.amo.benchmarks.fts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.benchmarks.Bench.Run;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.OperatorClient;

/** Members of a {@link SizingServer}, each in a process of its own, and the questions of their operator. One thread. */
final class SizingGroup implements AutoCloseable {
    private static final int ASK_MILLIS = 2_000;
    private static final int SNAPSHOT_MILLIS = 25_000;
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long LOOK_MILLIS = 5;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Run run;
    private final Path folder;
    private final int stateBytes;
    private final List<Member> members;
    private final List<ServerProcess> servers = new ArrayList<>();
    private final OperatorClient operator = new OperatorClient(SizingServer.GROUP, Optional.empty(), Optional.empty());

    private SizingGroup(Run run, Path folder, int members, int stateBytes) {
        this.run = run;
        this.folder = folder;
        this.members = FreePorts.members(members);
        this.stateBytes = stateBytes;
    }

    /** Returns once all of them serve. */
    static SizingGroup start(Run run, int members, int stateBytes) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(run.folder(), members + "-members-");
        SizingGroup group = new SizingGroup(run, folder, members, stateBytes);
        try {
            for (Member member : group.members) {
                group.servers.add(group.launch(member));
            }
            for (ServerProcess server : group.servers) {
                server.awaitReference();
            }
            return group;
        } catch (IOException | InterruptedException e) {
            group.close();
            throw e;
        }
    }

    private ServerProcess launch(Member member) throws IOException {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("amo.id", member.id());
        properties.put("amo.members", Member.format(members));
        properties.put("amo.data", folder.toString());
        properties.put("bench.stateBytes", Integer.toString(stateBytes));
        properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
        return ServerProcess.start(SizingServer.class, folder, member.id(), run.jvmFlags("-Xmx1g"), properties);
    }

    List<Member> members() {
        return members;
    }

    /** In the order of the members, for a {@link Side}. */
    List<ServerProcess> servers() {
        return List.copyOf(servers);
    }

    AmoClient client() {
        return AmoClient.builder(SizingServer.GROUP)
                .members(Member.format(members))
                .insecure()
                .build();
    }

    JsonNode status(Member member) throws IOException {
        return MAPPER.readTree(ask(member, Administration.STATUS, "", ASK_MILLIS));
    }

    /** Has a member take a snapshot, and waits until it is on the disk. */
    void takeSnapshot(Member member) throws IOException {
        String order = MemberChange.of(SizingServer.GROUP, MemberChange.Kind.SNAPSHOT, member, 0, Optional.empty())
                .format();
        Administration.Changed told =
                Administration.readChange(ask(member, Administration.CHANGE, order, SNAPSHOT_MILLIS));
        if (told.outcome() != Administration.Outcome.DONE) {
            throw new IOException(told.text());
        }
    }

    private String ask(Member member, String question, String argument, int millis) throws IOException {
        try {
            return operator.ask(member.host(), member.clientPort(), question, argument, millis);
        } catch (AdministrationException e) {
            throw new IOException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Kills a member and starts it again. @return seconds from its start until it has executed all that the group had by then */
    double restart(Member member) throws IOException, InterruptedException {
        long position = status(member).path("position").asLong();
        ServerProcess before = servers.get(members.indexOf(member));
        before.close();
        Files.deleteIfExists(before.reference());
        long began = System.nanoTime();
        servers.set(members.indexOf(member), launch(member));
        while (executed(member) < position) {
            if (System.nanoTime() - began > START_NANOS) {
                throw new IOException("member " + member.id() + " did not come back");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return (System.nanoTime() - began) / 1e9;
    }

    /** -1 while the member does not answer. */
    private long executed(Member member) {
        try {
            return status(member).path("executedPosition").asLong();
        } catch (IOException e) {
            return -1;
        }
    }

    /** Bytes of all files of a member: its log, its snapshot and its notes. */
    long diskBytes(Member member) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(SizingServer.GROUP).resolve(member.id()))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (UncheckedIOException e) {
            // A file was renamed meanwhile.
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        servers.forEach(ServerProcess::close);
    }
}
