package org.amo.cli.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.cli.CliException;

/**
 * Finds ports for replicas. Below the range that systems take for outgoing connections, or such a connection could
 * take a killed replica's port before it is back.
 */
public final class FreePorts {
    private static final int FIRST = 11_000;
    private static final int END = 32_000;
    private static final int TRIES = 2_000;

    private FreePorts() {}

    public static List<Integer> find(int count) {
        Set<Integer> tried = new HashSet<>();
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < TRIES && found.size() < count; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (tried.add(port) && isFree(port)) {
                found.add(port);
            }
        }
        if (found.size() < count) {
            throw CliException.environment("found no " + count + " free ports on 127.0.0.1 from " + FIRST + " to " + END
                    + "; end programs that hold them");
        }
        return found;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
