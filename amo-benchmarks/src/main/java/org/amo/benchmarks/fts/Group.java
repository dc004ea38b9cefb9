package org.amo.benchmarks.fts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.amo.core.order.Member;
import org.amo.interceptors.server.JacorbDefaults;

/** A group of three on loopback, and the ORBs that call it. */
final class Group {
    private Group() {}

    static List<Member> members() throws IOException {
        return List.of(member("a"), member("b"), member("c"));
    }

    /** Properties of a replica's JVM; its data is in {@code folder}. */
    static Map<String, String> replica(Path folder, List<Member> members, Member member, String log) {
        Map<String, String> properties = new LinkedHashMap<>(JacorbDefaults.server());
        properties.put("jacorb.implname", "bank");
        properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
        properties.put("amo.group", "bank");
        properties.put("amo.id", member.id());
        properties.put("amo.members", Member.format(members));
        properties.put("amo.log", log);
        properties.put("amo.data", folder.toString());
        properties.put("amo.insecure", "true");
        properties.put("OAIAddr", member.host());
        properties.put("OAPort", Integer.toString(member.clientPort()));
        return properties;
    }

    /** Properties of a client ORB: JacORB's, and these. */
    static Properties client(Map<String, String> more) {
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        properties.put("jacorb.log.default.verbosity", "1");
        properties.putAll(more);
        return properties;
    }

    private static Member member(String id) throws IOException {
        try (ServerSocket order = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket client = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new Member(id, "127.0.0.1", order.getLocalPort(), client.getLocalPort());
        }
    }
}
