package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.core.order.Member;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.interceptors.server.JacorbDefaults;

/** A group on loopback, and the ORBs that call it. */
final class BankGroup {
    /** It says each connection that is closed in the middle of a call; which calls failed is counted here. */
    private static final Logger JACORB = Logger.getLogger("org.jacorb");

    static {
        JACORB.setLevel(Level.OFF);
    }

    private BankGroup() {}

    /** Properties of a replica's JVM; its data is in {@code folder}, its log in memory. */
    static Map<String, String> replica(Path folder, List<Member> members, Member member) {
        Map<String, String> properties = new LinkedHashMap<>(JacorbDefaults.server());
        properties.put("jacorb.implname", "bank");
        properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
        properties.put("amo.group", "bank");
        properties.put("amo.id", member.id());
        properties.put("amo.members", Member.format(members));
        properties.put("amo.log", "memory");
        properties.put("amo.data", folder.toString());
        // Replies that no client acknowledges fill a budget: here their number is compared.
        properties.put("amo.budget", Long.toString(4L << 30));
        properties.put("amo.insecure", "true");
        properties.put("OAIAddr", member.host());
        properties.put("OAPort", Integer.toString(member.clientPort()));
        return properties;
    }

    /** Starts a replica for each member, with its log in memory; they are closed with {@code open}. */
    static List<ServerProcess> start(
            Class<?> main, Path folder, List<Member> members, List<String> jvmFlags, List<AutoCloseable> open)
            throws IOException {
        List<ServerProcess> replicas = new ArrayList<>();
        for (Member member : members) {
            ServerProcess replica =
                    ServerProcess.start(main, folder, member.id(), jvmFlags, replica(folder, members, member));
            replicas.add(replica);
            open.add(replica);
        }
        return replicas;
    }

    /** Properties of a client ORB of the group that calls this member as long as it can. */
    static Map<String, String> clientAt(List<Member> members, String firstMember) {
        Map<String, String> properties = new LinkedHashMap<>(JacorbClientDefaults.properties());
        properties.put("amo.members", Member.format(members));
        properties.put("amo.firstMember", firstMember);
        return properties;
    }

    /** Properties of a server without amo and with a pool of so many threads; JacORB's default pool for 0. */
    static Map<String, String> plain(int poolThreads) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("jacorb.implname", "bank");
        properties.put("jacorb.log.default.verbosity", "1");
        if (poolThreads > 0) {
            properties.put("jacorb.poa.thread_pool_min", Integer.toString(poolThreads));
            properties.put("jacorb.poa.thread_pool_max", Integer.toString(poolThreads));
        }
        properties.put("OAIAddr", "127.0.0.1");
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
}
