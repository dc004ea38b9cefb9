package org.amo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.amo.replication.order.raft.MemberBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo backup}: one cut of a group, from the folder of a member that may run. */
@Command(
        name = "backup",
        description = {
            "Copy the folder of a member, which may run, into one file: the state, the log behind it and the records of calls, up to one"
                    + " position. The file is as secret as the folder.",
            "./amo restore makes a group from it."
        },
        sortOptions = false)
final class BackupCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The backup; it must not exist.")
    private Path file = Path.of("");

    @Option(
            names = "--from",
            required = true,
            paramLabel = "FOLDER",
            description = "The member's folder on this machine, DATA/GROUP/ID.")
    private Path folder = Path.of("");

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        MemberBackup.Summary made = MemberBackup.take(folder, file);
        PrintWriter out = spec.commandLine().getOut();
        out.println("member " + made.content().member().id() + " of group "
                + made.content().group() + ", up to position " + made.content().position() + ": " + made.bytes()
                + " bytes in " + file);
        out.flush();
        return ExitCodes.OK;
    }
}
