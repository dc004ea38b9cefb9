package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench.Run;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** Three members of the floor on this machine, each in a process of its own. */
final class FloorGroup implements AutoCloseable {
    private final List<Member> members = FreePorts.members(3);
    private final List<ServerProcess> servers = new ArrayList<>();

    private FloorGroup() {}

    /** @param force whether each member has an entry only once it is on disk, in a file in the folder */
    static FloorGroup start(Run run, Path folder, boolean force) throws IOException, InterruptedException {
        FloorGroup group = new FloorGroup();
        try {
            // The leader connects to the others.
            List<Member> others = group.members.subList(1, group.members.size());
            for (Member member : others) {
                group.launch(run, folder, member, force);
            }
            for (ServerProcess server : group.servers) {
                server.awaitReference();
            }
            group.launch(run, folder, group.leader(), force).awaitReference();
            return group;
        } catch (IOException | InterruptedException e) {
            group.close();
            throw e;
        }
    }

    Member leader() {
        return members.get(0);
    }

    /** For a {@link Side}. */
    List<ServerProcess> servers() {
        return List.copyOf(servers);
    }

    /** Closed with the load that is given it. */
    FloorClient client() throws IOException {
        return FloorClient.connect(leader());
    }

    @Override
    public void close() {
        servers.forEach(ServerProcess::close);
    }

    private ServerProcess launch(Run run, Path folder, Member member, boolean force) throws IOException {
        String name = (force ? "floor-forced-" : "floor-") + member.id();
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("amo.id", member.id());
        properties.put("amo.members", Member.format(members));
        if (force) {
            properties.put("floor.force", folder.resolve(name + ".log-file").toString());
        }
        ServerProcess server = ServerProcess.start(FloorMember.class, folder, name, run.jvmFlags("-Xmx1g"), properties);
        servers.add(server);
        return server;
    }
}
