package org.amo.replication.service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.amo.core.order.Member;

/** Members on ports that were free a moment ago. */
final class Ports {
    private Ports() {}

    static String members(String... ids) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        try {
            for (String id : ids) {
                members.add(new Member(id, "127.0.0.1", free(held), free(held)));
            }
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
        return Member.format(members);
    }

    private static int free(List<ServerSocket> held) throws IOException {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        return socket.getLocalPort();
    }
}
