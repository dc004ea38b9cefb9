package org.amo.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.amo.core.order.Member;
import org.amo.replication.order.raft.ForcedRecovery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo recover}: a group whose majority is lost for good goes on with one member. */
@Command(
        name = "recover",
        description = {
            "Make one member that is left the only member of its group, when a majority of the disks is lost for good.",
            "Answers that the lost members gave, and this one does not have, are lost. Without --force-new-group the command only"
                    + " tells what it would do."
        },
        sortOptions = false)
final class RecoverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FOLDER",
            description =
                    "The folder of the member that goes on, DATA/GROUP/ID; of several, that with the highest position.")
    private Path folder = Path.of("");

    @Option(
            names = "--force-new-group",
            description = "Do it. The command asks for the group's name on standard input.")
    private boolean force;

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (ForcedRecovery recovery = ForcedRecovery.open(folder)) {
            ForcedRecovery.Content content = recovery.content();
            String id = content.member().id();
            String group = content.group();
            if (content.isDone()) {
                out.println("member " + id + " is the only member of group " + group + " already; start it");
                out.flush();
                return ExitCodes.OK;
            }
            describe(out, id, group, content);
            if (!force) {
                out.println("nothing was changed; add --force-new-group to do it");
                out.flush();
                return ExitCodes.OK;
            }
            confirm(out, group);
            recovery.force(Optional.empty());
            out.println("done: start member " + id + ", then add others under new ids with ./amo member add");
            out.flush();
            return ExitCodes.OK;
        }
    }

    private static void describe(PrintWriter out, String id, String group, ForcedRecovery.Content content) {
        String lost = content.lost().isEmpty()
                ? "the others"
                : content.lost().stream().map(Member::id).collect(Collectors.joining(", "));
        out.println("member     " + id + " of group " + group + ", up to position " + content.position());
        out.println("removed    " + lost + "; none of their ids can come back");
        out.println("executed   " + content.entries()
                + " entries that may not have been committed; their callers may have no answer");
        out.println("lost       answers given behind position " + content.position() + ", if there were any");
        out.println(
                "afterwards " + lost + " must never run again with their old folders: they would be a second group");
    }

    private static void confirm(PrintWriter out, String group) {
        out.print("type the group's name to go on: ");
        out.flush();
        try {
            // Not closed: standard input belongs to the process.
            String typed = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            if (typed == null || !typed.strip().equals(group)) {
                throw CliException.user("that is not '" + group + "'; nothing was changed");
            }
        } catch (IOException e) {
            throw CliException.user("no name could be read (" + e.getMessage() + "); nothing was changed");
        }
    }
}
