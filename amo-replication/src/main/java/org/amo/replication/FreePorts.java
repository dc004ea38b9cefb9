package org.amo.replication;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;

/**
 * Finds ports for members on this machine's loopback address. Below the range that systems take for outgoing
 * connections, or such a connection could take a port before its member is there or back from a crash. A port was free
 * a moment ago; nothing keeps it, but this process is not given it twice. A port whose member is down for a moment seems free to
 * other processes. So those that run groups side by side take different parts of the range, by the number in the system property
 * {@code amo.freePorts.part}. Any thread may ask.
 */
public final class FreePorts {
    private static final int FIRST = 11_000;
    private static final int END = 26_000;
    private static final int PARTS = 8;
    private static final int TRIES = 2_000;

    /** Empty for a process that is alone. */
    private static final Optional<Integer> PART = Optional.ofNullable(Integer.getInteger("amo.freePorts.part"));

    /** Groups that start at the same time must not be given the same port before one of them has it. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /**
     * So many different ports, from 11,000 to 25,999.
     *
     * @throws OrderedLogException when there are not enough; one line
     */
    public static List<Integer> find(int count) {
        Set<Integer> tried = new HashSet<>();
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < TRIES && found.size() < count; i++) {
            int port = draw(PART);
            if (tried.add(port) && isFree(port) && GIVEN.add(port)) {
                found.add(port);
            }
        }
        if (found.size() < count) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "found no " + count + " free ports on 127.0.0.1 from " + FIRST + " to " + END
                            + "; end programs that hold them");
        }
        return found;
    }

    /** Members a, b, c … of 127.0.0.1, each with two ports; at most 26. */
    public static List<Member> members(int count) {
        List<Integer> ports = find(2 * count);
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = String.valueOf((char) ('a' + i));
            members.add(new Member(id, "127.0.0.1", ports.get(2 * i), ports.get(2 * i + 1)));
        }
        return members;
    }

    /** Any port of a part of the range, or of all of it. */
    static int draw(Optional<Integer> part) {
        int parts = part.isPresent() ? PARTS : 1;
        int width = (END - FIRST) / parts;
        int first = FIRST + Math.floorMod(part.orElse(0), parts) * width;
        return ThreadLocalRandom.current().nextInt(first, first + width);
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
