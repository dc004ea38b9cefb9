package org.amo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.core.order.Member;
import org.amo.replication.order.raft.MemberBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo restore}: a group of one member from a backup. */
@Command(
        name = "restore",
        description = {
            "Make the folder of a member from a backup, as the only member of its group; add others when it runs.",
            "Calls that were answered behind the position of the backup are lost."
        },
        sortOptions = false)
final class RestoreCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "What ./amo backup has written.")
    private Path file = Path.of("");

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "Folder for the log and the snapshots, as --data of the member's start.")
    private Path data = Path.of("");

    @Option(
            names = "--member",
            paramLabel = "ID=HOST:ORDERPORT/CLIENTPORT",
            description = "The member's address from now on; its id stays. Default: that of before.")
    private Optional<String> member = Optional.empty();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        MemberBackup.Summary made = MemberBackup.restore(file, data, member.map(RestoreCommand::parse));
        Member now = member.map(RestoreCommand::parse).orElse(made.content().member());
        PrintWriter out = spec.commandLine().getOut();
        out.println("member " + now.id() + " of group " + made.content().group() + ", up to position "
                + made.content().position() + ", is the only member");
        out.println("start it with --members " + now
                + " and this --data, then add others under new ids with ./amo member add");
        out.flush();
        return ExitCodes.OK;
    }

    private static Member parse(String text) {
        try {
            List<Member> one = Member.parseList(text);
            if (one.size() == 1) {
                return one.get(0);
            }
        } catch (IllegalArgumentException e) {
            throw CliException.user("--member: " + e.getMessage());
        }
        throw CliException.user("--member names one member, as ID=HOST:ORDERPORT/CLIENTPORT: '" + text + "'");
    }
}
