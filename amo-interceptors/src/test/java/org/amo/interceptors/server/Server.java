package org.amo.interceptors.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.core.order.Member;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/** One replicated server in this JVM, made as any CORBA main makes one. */
final class Server implements AutoCloseable {
    /** Ports that were drawn in this process: no two members get the same one. */
    private static final Set<Integer> DRAWN = ConcurrentHashMap.newKeySet();

    /** Above those of org.amo.replication.FreePorts, and another part for each process of tests. */
    private static final int FIRST_PORT =
            26_000 + Math.floorMod(Integer.getInteger("amo.freePorts.part", 0), 4) * 1_500;

    private static final int END_PORT = FIRST_PORT + 1_500;

    private final ORB orb;
    private final POA root;

    private Server(ORB orb, POA root) {
        this.orb = orb;
        this.root = root;
    }

    /**
     * The member list of so many members on free ports of this machine, below the range that systems take for outgoing
     * connections and far apart, so that a port beside another one is free, too.
     */
    static String members(int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(new Member(String.valueOf((char) ('a' + i)), "127.0.0.1", freePort(), freePort()));
        }
        return Member.format(members);
    }

    static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_PORT);
            if (!DRAWN.add(port)) {
                continue;
            }
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                // Another program has it.
            }
        }
    }

    static Properties properties(String group, String id, String members) {
        Properties properties = new Properties();
        properties.putAll(JacorbDefaults.server());
        properties.setProperty("jacorb.poa.thread_pool_min", "4");
        properties.setProperty("jacorb.poa.thread_pool_max", "4");
        // Within one JVM JacORB would else hand messages over without a connection.
        properties.setProperty("jacorb.iiop.enable_loopback", "off");
        properties.setProperty("jacorb.implname", "everything");
        properties.setProperty("amo.group", group);
        properties.setProperty("amo.id", id);
        properties.setProperty("amo.members", members);
        properties.setProperty("amo.insecure", "true");
        return properties;
    }

    static Server start(String group, String id, String members) throws Exception {
        return start(properties(group, id, members));
    }

    static Server start(Properties properties) throws Exception {
        ORB orb = ORB.init(new String[0], properties);
        withValues(orb);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        return new Server(orb, root);
    }

    ORB orb() {
        return orb;
    }

    POA root() {
        return root;
    }

    /** A POA whose objects can be replicated, as child of another. */
    POA poa(POA parent, String name, Policy... more) throws Exception {
        List<Policy> policies = new ArrayList<>(List.of(more));
        policies.add(root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT));
        policies.add(root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID));
        return parent.create_POA(name, root.the_POAManager(), policies.toArray(new Policy[0]));
    }

    /** Activates a servant and returns its reference as a string. */
    String activate(POA poa, String id, Servant servant) throws Exception {
        byte[] objectId = id.getBytes(StandardCharsets.UTF_8);
        poa.activate_object_with_id(objectId, servant);
        return orb.object_to_string(poa.id_to_reference(objectId));
    }

    /** An ORB without amo. */
    static ORB client(Map<String, String> more) {
        Properties properties = new Properties();
        properties.setProperty("jacorb.log.default.verbosity", "1");
        properties.setProperty("jacorb.retries", "0");
        properties.putAll(more);
        return withValues(ORB.init(new String[0], properties));
    }

    private static ORB withValues(ORB orb) {
        ((org.omg.CORBA_2_3.ORB) orb).register_value_factory("IDL:everything/Chain:1.0", new ChainDefaultFactory());
        return orb;
    }

    @Override
    public void close() {
        orb.shutdown(true);
        orb.destroy();
    }
}
