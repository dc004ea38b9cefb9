package org.amo.lab.chaos;

import java.nio.file.Path;
import java.util.List;
import org.amo.core.order.Member;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;
import org.amo.lab.cluster.CounterProgram;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;

/**
 * One member of a group in a chain of groups. Its arguments are those of {@link CounterProgram#serve}; properties tell its group, and
 * the next one if there is one.
 */
final class ChainProgram {
    private static final String GROUP = "amo.chain.group";
    private static final String NEXT = "amo.chain.next";
    private static final String NEXT_MEMBERS = "amo.chain.nextMembers";
    private static final String NEXT_SECRET = "amo.chain.nextSecret";

    private ChainProgram() {}

    /** The property of a member of this group. */
    public static List<String> in(String group) {
        return List.of("-D" + GROUP + "=" + group);
    }

    /** The properties of a member whose operations call this group. */
    public static List<String> before(String next, List<Member> members, Path secret) {
        return List.of(
                "-D" + NEXT + "=" + next,
                "-D" + NEXT_MEMBERS + "=" + Member.format(members),
                "-D" + NEXT_SECRET + "=" + secret);
    }

    public static void main(String[] args) throws InterruptedException {
        String group = System.getProperty(GROUP, CounterProgram.GROUP);
        String next = System.getProperty(NEXT, "");
        if (next.isEmpty()) {
            CounterProgram.serve(group, args, Counters.class, new CountersInMemory(), builder -> {});
            return;
        }
        AmoClient client = AmoClient.builder(next)
                .members(System.getProperty(NEXT_MEMBERS, ""))
                .secretFile(Path.of(System.getProperty(NEXT_SECRET, "")))
                .build();
        CounterProgram.serve(
                group,
                args,
                ChainedCounters.class,
                new ChainedCountersService(client.proxy(Counters.class)),
                AmoReplica.Builder::orderNestedCalls);
    }
}
