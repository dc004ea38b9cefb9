package org.amo.examples.greeter;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.scmp.udp.ScmpCallException;
import org.amo.scmp.udp.ScmpClient;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;

/** Starts a server, calls it, starts it again with the same state file, and calls it again. */
public final class Greeter {
    private static final int GREET = 1;

    /** In earnest: random, and from a file. */
    private static final byte[] KEY = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);

    private static final AtomicInteger GREETED = new AtomicInteger();

    private Greeter() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("greeter");
        InetSocketAddress address;
        try (ScmpServer server = start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), folder)) {
            address = server.address();
            try (ScmpClient client = ScmpClient.builder(address).key(KEY).open()) {
                greet(client, "Ada");
                greet(client, "Grace");
            }
        }
        System.out.println("the server starts again, and remembers only up to when it may have served");
        try (ScmpServer server = start(address, folder);
                ScmpClient client =
                        ScmpClient.builder(server.address()).key(KEY).open()) {
            greet(client, "Barbara");
            greet(client, "Liuba");
        }
    }

    private static ScmpServer start(InetSocketAddress address, Path folder) throws IOException {
        return ScmpServerOptions.builder(address)
                .key(KEY)
                .stateFile(folder.resolve("latest"))
                .neverExisted()
                .service(GREET, (caller, name) -> ("hello, " + new String(name, StandardCharsets.UTF_8)
                                + ", you are number " + GREETED.incrementAndGet())
                        .getBytes(StandardCharsets.UTF_8))
                .start();
    }

    private static void greet(ScmpClient client, String name) throws InterruptedException {
        try {
            byte[] reply = client.call(GREET, name.getBytes(StandardCharsets.UTF_8));
            System.out.println(new String(reply, StandardCharsets.UTF_8));
        } catch (ScmpCallException e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }
}
