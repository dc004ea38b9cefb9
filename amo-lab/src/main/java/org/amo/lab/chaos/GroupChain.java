package org.amo.lab.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.amo.core.order.Member;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.WorkFolder;
import org.amo.replication.service.AmoClient;

/**
 * The groups behind the one that clients call: operations of the first call the second, whose operations call the third. Each has
 * three members. One thread owns it.
 */
final class GroupChain {
    /** Members of each group behind. */
    static final int MEMBERS = 3;

    /** Groups behind, the nearest first. */
    private static final List<String> NAMES = List.of("middle", "back");

    /** Processes of the groups behind. */
    static final int PROCESSES = MEMBERS * NAMES.size();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Link> links = new ArrayList<>();
    private final Set<ReplicaProcess> killed = new HashSet<>();

    /** One group behind. */
    private record Link(String name, ProcessGroup group) {
        List<Member> members() {
            return group.members().stream().map(ReplicaProcess::member).toList();
        }

        List<String> optionsOfCallers() {
            return ChainProgram.before(name, members(), group.secret());
        }

        ChainedCounters counters(AmoClient client) {
            return client.proxy(ChainedCounters.class);
        }

        AmoClient client() {
            return GroupChain.client(name, members(), group.secret());
        }
    }

    /**
     * Nothing is started yet.
     *
     * @param network where the members live; the first side that is theirs follows
     */
    GroupChain(
            ProcessGroup.Settings settings,
            WorkFolder folder,
            Processes processes,
            Optional<Network> network,
            int firstSide) {
        List<String> next = List.of();
        for (int level = NAMES.size() - 1; level >= 0; level--) {
            String name = NAMES.get(level);
            WorkFolder own = folder.inside(name);
            List<ProcessGroup.Place> places = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                int side = firstSide + level * MEMBERS + i;
                List<String> options = new ArrayList<>(ChainProgram.in(name));
                options.addAll(next);
                places.add(new ProcessGroup.Place(
                        network.map(net -> net.address(side)).orElse("127.0.0.1"),
                        network.map(net -> net.prefix(side)).orElse(List.of()),
                        own.file("data"),
                        options,
                        List.of()));
            }
            Link link = new Link(
                    name,
                    new ProcessGroup(
                            of -> MemberProgram.counters(of, ChainProgram.class), settings, places, 0, own, processes));
            links.add(0, link);
            next = link.optionsOfCallers();
        }
    }

    /** For each member of the first group. */
    List<String> optionsOfCallers() {
        return links.get(0).optionsOfCallers();
    }

    /** Starts all groups behind and waits until each is one. */
    void startAll() {
        for (int i = links.size() - 1; i >= 0; i--) {
            links.get(i).group.startAll();
        }
    }

    /** kill -9 of a member of a group behind, one in each group at a time; of the leader in half of the cases. */
    Optional<Active> kill(FaultSchedule.Slot slot) {
        Link link = links.get((int) (slot.strength() * links.size()));
        List<ReplicaProcess> members = link.group.members();
        if (members.stream().anyMatch(member -> !member.isUp() || isBehind(member, members))) {
            return Optional.empty();
        }
        members.forEach(ReplicaProcess::ask);
        ReplicaProcess victim = members.stream()
                .filter(member -> slot.side() < 0.5 && member.id().equals(link.group.leader()))
                .findFirst()
                .orElse(members.get((int) (slot.target() * members.size())));
        killed.add(victim);
        victim.kill();
        long millis = ProcessFaults.downMillis(slot);
        return Optional.of(new Active(
                "kill -9 " + victim.id() + " of the group " + link.name + ", back after " + millis + " ms",
                List.of(),
                millis,
                () -> link.group.start(victim)));
    }

    /** Whether a member was killed and has not executed all that the others have. */
    private boolean isBehind(ReplicaProcess member, List<ReplicaProcess> members) {
        if (!killed.contains(member)) {
            return false;
        }
        long reached = members.stream()
                .filter(other -> !other.equals(member))
                .flatMap(other -> other.ask().stream())
                .mapToLong(status -> status.executedPosition())
                .min()
                .orElse(Long.MAX_VALUE);
        boolean level = member.ask()
                .filter(status -> !status.leader().isEmpty() && status.executedPosition() >= reached)
                .isPresent();
        if (level) {
            killed.remove(member);
        }
        return !level;
    }

    /** Tells of processes that ended by themselves. One that must is started again. */
    void noticeEnded(Consumer<String> violation) {
        for (Link link : links) {
            for (ReplicaProcess replica : link.group.replicas()) {
                if (replica.process().filter(child -> !child.isAlive()).isPresent()) {
                    onEnded(link, replica, violation);
                }
            }
        }
    }

    private void onEnded(Link link, ReplicaProcess replica, Consumer<String> violation) {
        if (ClusterView.mustBeginAnew(replica)) {
            replica.ended();
            killed.add(replica);
            link.group.start(replica);
        } else {
            violation.accept("replica " + replica.id() + " of the group " + link.name + " ended by itself: "
                    + replica.lastWords());
            replica.ended();
        }
    }

    /** Waits until the members of each group are level; says whether they are equal. */
    boolean settle(Consumer<String> violation, Consumer<String> remarks) {
        boolean equal = true;
        for (Link link : links) {
            equal &= link.group.settle(
                    () -> noticeEnded(violation), words -> remarks.accept("group " + link.name + ": " + words));
        }
        return equal;
    }

    /**
     * Compares the counters of each group with those of the next: each change of the first is in the second once, unless the call
     * of the second failed. Few calls may fail, since each of them explains a difference.
     *
     * @param first the group that clients call
     * @param clients that called at the same time
     */
    void compare(ProcessGroup first, int clients, Consumer<String> violation, Consumer<String> remarks) {
        List<Member> members =
                first.members().stream().map(ReplicaProcess::member).toList();
        try (AmoClient client = client(CounterProgram.GROUP, members, first.secret())) {
            ChainedCounters before = client.proxy(ChainedCounters.class);
            compare("the first group", before, 0, clients, violation, remarks);
        }
    }

    private void compare(
            String name,
            ChainedCounters before,
            int level,
            int clients,
            Consumer<String> violation,
            Consumer<String> remarks) {
        Link next = links.get(level);
        NestedOutcomes outcomes = NestedOutcomes.of(before.outcomes());
        String calls = outcomes.calls() + " nested calls of " + name + ": " + outcomes.notExecuted() + " did not run, "
                + outcomes.unknown() + " have an unknown outcome";
        if (outcomes.lackReplies(clients)) {
            violation.accept(calls + ", which is more than faults explain");
        } else {
            remarks.accept(calls);
        }
        CallerCounters callers = new CallerCounters(before.all(), before.missed(), before.doubtful());
        try (AmoClient client = next.client()) {
            ChainedCounters counters = next.counters(client);
            callers.compareWith(counters.all())
                    .forEach(each -> violation.accept("counter " + each.counter() + " is " + each.found()
                            + " in the group " + next.name + ", and " + name + " has changed it by "
                            + each.expected()));
            remarks.accept(callers.all().size() + " counters of " + name + " compared with the group " + next.name
                    + ": nested calls of " + callers.missed().size() + " did not run, of "
                    + callers.doubtful().size() + " have an unknown outcome");
            if (level + 1 < links.size()) {
                compare("the group " + next.name, counters, level + 1, clients, violation, remarks);
            }
        }
    }

    private static AmoClient client(String group, List<Member> members, Path secret) {
        return AmoClient.builder(group)
                .members(Member.format(members))
                .secretFile(secret)
                .deadline(PATIENCE)
                .build();
    }

    /** In a few letters. */
    String inWords() {
        StringBuilder words = new StringBuilder();
        for (Link link : links) {
            words.append("  ").append(link.name).append(' ').append(link.group.inWords());
        }
        return words.toString();
    }
}
