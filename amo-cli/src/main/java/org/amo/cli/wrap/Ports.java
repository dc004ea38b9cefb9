package org.amo.cli.wrap;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.observe.ObservationOptions;

/** Looks whether a member can have its ports. */
final class Ports {
    private static final int ANY_PORT = 0;

    private Ports() {}

    static void checkFree(Member member) {
        InetAddress address = address(member);
        for (int port : new int[] {member.orderPort(), member.clientPort()}) {
            try {
                bind(address, port);
            } catch (IOException e) {
                throw CliException.environment("member " + member.id() + " cannot have port " + member.host() + ":"
                        + port + " (" + e.getMessage() + "); stop the process that holds it, or change --members");
            }
        }
    }

    /** The port for monitoring. */
    static void checkFree(Member member, ObservationOptions observation) {
        int port = observation.port();
        if (observation.host().equals(member.host()) && (port == member.orderPort() || port == member.clientPort())) {
            throw CliException.user("--http names port " + port + ", which member " + member.id()
                    + " has for another purpose; name a port of its own");
        }
        try {
            bind(InetAddress.getByName(observation.host()), port);
        } catch (IOException e) {
            throw CliException.environment("member " + member.id() + " cannot have port " + observation.host() + ":"
                    + port + " for monitoring (" + e.getMessage()
                    + "); stop the process that holds it, or change --http");
        }
    }

    private static InetAddress address(Member member) {
        try {
            InetAddress address = InetAddress.getByName(member.host());
            bind(address, ANY_PORT);
            return address;
        } catch (UnknownHostException e) {
            // After a power cut the name service may come later than this process.
            throw CliException.environment("member " + member.id() + ": unknown host '" + member.host()
                    + "'; correct --members, or wait for the name service");
        } catch (IOException e) {
            throw CliException.user("member " + member.id() + ": " + member.host()
                    + " is no address of this machine; correct --id or --members");
        }
    }

    private static void bind(InetAddress address, int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(address, port));
        }
    }
}
