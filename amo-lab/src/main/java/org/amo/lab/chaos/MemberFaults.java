package org.amo.lab.chaos;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.cli.Amo;
import org.amo.cli.ExitCodes;
import org.amo.core.order.Member;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.ReplicaProcess;
import picocli.CommandLine;

/**
 * Members that join and leave, by {@code amo member} as an operator would. A change needs all other members, so it begins
 * only while all are there; other faults may come while it lasts. One thread owns it.
 */
final class MemberFaults {
    private static final long LONGEST_MILLIS = 60_000;
    private static final int ATTEMPTS = 5;

    private final ClusterView scene;
    private final ProcessGroup group;
    private final String founders;
    private final int fewest;
    private final Consumer<String> remarks;

    MemberFaults(ClusterView scene, Consumer<String> remarks) {
        this.scene = scene;
        this.group = scene.group();
        this.founders = Member.format(
                group.members().stream().map(ReplicaProcess::member).toList());
        this.fewest = group.members().size();
        this.remarks = remarks;
    }

    Optional<Active> join() {
        if (!scene.isWhole() || group.spares().isEmpty()) {
            return Optional.empty();
        }
        ReplicaProcess replica = group.spares().get(0);
        scene.start(replica);
        CompletableFuture<Boolean> change =
                change("add", replica.member().toString(), "there is a member '" + replica.id() + "'");
        return Optional.of(
                new Active("join of " + replica.id(), List.of(replica), LONGEST_MILLIS, change::isDone, () -> {
                    if (change.join()) {
                        group.joined(replica);
                    } else {
                        end(replica);
                    }
                }));
    }

    /** Only after a join, so that the group does not shrink. */
    Optional<Active> leave(FaultSchedule.Slot slot) {
        if (!scene.isWhole() || group.members().size() <= fewest) {
            return Optional.empty();
        }
        return ClusterView.pick(group.members(), slot).map(replica -> {
            scene.expectEnd(replica, true);
            CompletableFuture<Boolean> change =
                    change("remove", replica.id(), "there is no member '" + replica.id() + "'");
            return new Active("leave of " + replica.id(), List.of(replica), LONGEST_MILLIS, change::isDone, () -> {
                if (change.join()) {
                    group.left(replica);
                    end(replica);
                } else {
                    scene.expectEnd(replica, false);
                }
            });
        });
    }

    private static void end(ReplicaProcess replica) {
        replica.process().filter(Child::isAlive).ifPresent(Child::kill);
        replica.ended();
    }

    /** @param made the command's message if an earlier attempt without an answer has made the change */
    private CompletableFuture<Boolean> change(String action, String member, String made) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        DaemonThreads.start("amo-chaos-member", () -> {
            String said = "";
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                StringWriter err = new StringWriter();
                CommandLine command = Amo.commandLine();
                command.setOut(new PrintWriter(new StringWriter()));
                command.setErr(new PrintWriter(err));
                int exitCode = command.execute(
                        "member",
                        action,
                        member,
                        "--members",
                        founders,
                        "--group",
                        ProcessGroup.GROUP,
                        "--secret-file",
                        group.secret().toString());
                said = err.toString().strip();
                if (exitCode == ExitCodes.OK || said.contains(made)) {
                    result.complete(true);
                    return;
                }
            }
            remarks.accept("member " + action + " " + member + " was not made: " + said);
            result.complete(false);
        });
        return result;
    }
}
