package org.amo.lab.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;

/**
 * The counters behind at-most-once datagrams: one server, no group. Its arguments are those of {@link CounterProgram#serve}, its
 * UDP port is the member's client port. Calls and results are words: {@code add NAME AMOUNT}, {@code move FROM TO AMOUNT},
 * {@code all}. Runs until it is killed.
 */
public final class ScmpCounterServer {
    /** The number of its only service. */
    public static final int SERVICE = 1;

    private final Counters counters;
    private final AtomicLong executed = new AtomicLong();

    private ScmpCounterServer(Counters counters) {
        this.counters = counters;
    }

    /** The program of its only member. The run makes the state file, once; a start without the file refuses calls for a while. */
    public static MemberProgram member(MemberProgram.Of of) {
        return member(of, ScmpCounterServer.class);
    }

    /** The same with a program that serves other counters. */
    public static MemberProgram member(MemberProgram.Of of, Class<?> program) {
        try {
            Files.createDirectories(of.place().data());
            ScmpServer.initialize(stateFile(of.place().data()));
        } catch (IOException e) {
            throw CliException.environment("no state file of the counters (" + e.getMessage() + ")");
        }
        return MemberProgram.counters(of, program);
    }

    private static Path stateFile(Path data) {
        return data.resolve("latest");
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        serve(args, new CountersInMemory());
    }

    /** Serves these counters until the process is killed. */
    public static void serve(String[] args, Counters served) throws IOException, InterruptedException {
        CounterProgram.Settings settings = CounterProgram.Settings.parse(args);
        Member self = Member.parseList(settings.members()).get(0);
        ScmpCounterServer counters = new ScmpCounterServer(served);
        ScmpServer server = ScmpServerOptions.builder(new InetSocketAddress(self.host(), self.clientPort()))
                .key(Files.readAllBytes(settings.secretFile()))
                .stateFile(stateFile(settings.data()))
                .service(SERVICE, (caller, arguments) -> counters.call(arguments))
                .start();
        StatusPort.open(self.host(), settings.statusPort(), () -> counters.status(self.id(), server));
        Thread.currentThread().join();
    }

    private synchronized byte[] call(byte[] arguments) {
        String[] words = new String(arguments, StandardCharsets.UTF_8).split(" ", -1);
        String result =
                switch (words[0]) {
                    case "add" -> Long.toString(counters.add(words[1], Long.parseLong(words[2])));
                    case "move" -> Boolean.toString(counters.move(words[1], words[2], Long.parseLong(words[3])));
                    case "all" ->
                        counters.all().entrySet().stream()
                                .map(each -> each.getKey() + " " + each.getValue())
                                .collect(Collectors.joining(" "));
                    default -> throw new IllegalArgumentException("no such call: " + words[0]);
                };
        executed.incrementAndGet();
        return result.getBytes(StandardCharsets.UTF_8);
    }

    /** In the words of a replica, so that it can be asked as one. */
    private Map<String, Object> status(String id, ScmpServer server) {
        long position = executed.get();
        return Map.of(
                "id",
                id,
                "leader",
                id,
                "position",
                position,
                "executedPosition",
                position,
                "dropped",
                server.dropped());
    }
}
