package org.amo.examples.greeter;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.scmp.udp.ScmpCallException;
import org.amo.scmp.udp.ScmpClient;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;

/** Starts a server, calls it, starts it again with the same state file, and calls it again. */
final class Greeter {
    private static final int GREET = 1;

    /** In earnest: random, and from a file. */
    private static final byte[] KEY = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);

    private final AtomicInteger greeted = new AtomicInteger();
    private final Path folder;

    private Greeter(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        run(Files.createTempDirectory("greeter")).forEach(System.out::println);
    }

    /** What the client reads and what happens between. */
    static List<String> run(Path folder) throws IOException, InterruptedException {
        Greeter greeter = new Greeter(folder);
        List<String> lines = new ArrayList<>();
        InetSocketAddress address;
        // Once in the life of a server name: in earnest a command of its own.
        ScmpServer.initialize(greeter.stateFile());
        try (ScmpServer server = greeter.options(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .start()) {
            address = server.address();
            try (ScmpClient client = ScmpClient.builder(address).key(KEY).open()) {
                lines.add(greet(client, "Ada"));
                lines.add(greet(client, "Grace"));
            }
        }
        lines.add("the server starts again, and remembers only up to when it may have served");
        try (ScmpServer server = greeter.options(address).start();
                ScmpClient client =
                        ScmpClient.builder(server.address()).key(KEY).open()) {
            lines.add(greet(client, "Barbara"));
            lines.add(greet(client, "Liuba"));
        }
        return lines;
    }

    private Path stateFile() {
        return folder.resolve("latest");
    }

    /** Of every start. */
    private ScmpServerOptions.Builder options(InetSocketAddress address) {
        return ScmpServerOptions.builder(address)
                .key(KEY)
                .stateFile(stateFile())
                .service(GREET, (caller, name) -> ("hello, " + new String(name, StandardCharsets.UTF_8)
                                + ", you are number " + greeted.incrementAndGet())
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static String greet(ScmpClient client, String name) throws InterruptedException {
        try {
            return new String(client.call(GREET, name.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
        } catch (ScmpCallException e) {
            return name + ": " + e.getMessage();
        }
    }
}
