package org.amo.cli.exon;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HostPort;
import org.amo.cli.Terminal;
import org.amo.exon.udp.ExonEndpoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo exon send}: the sending end. */
@Command(
        name = "send",
        description = {
            "Send files, or the lines of standard input, to a receiver. A file is read once for its SHA-256 before the"
                    + " first byte leaves.",
            "After a kill, start it again with the same words: a file goes on where it was, and one that arrived is"
                    + " not sent again."
        },
        sortOptions = false)
final class ExonSendCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The address of ./amo exon recv.")
    private HostPort receiver = new HostPort("", 0);

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "FILE",
            description = "Files; each arrives under its name without its folder.")
    private List<Path> files = List.of();

    @Option(
            names = "--lines",
            description = "Send the lines of standard input instead of files, of at most 64 kB each. Default: off.")
    private boolean lines;

    @Option(
            names = "--give-up",
            converter = Durations.class,
            defaultValue = "5m",
            paramLabel = "TIME",
            description = "End when the receiver was silent for so long. Default: ${DEFAULT-VALUE}.")
    private Long giveUpMillis = 0L;

    @Mixin
    private ExonAccess access = new ExonAccess();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        if (lines != files.isEmpty()) {
            throw CliException.user("say what to send: one or more files, or --lines for those of standard input");
        }
        checkFiles();
        try (ExonEndpoint endpoint = access.connect(receiver)) {
            ReceiverLink link = new ReceiverLink(endpoint, receiver, giveUpMillis);
            Consumer<String> progress = Terminal.progress(spec.commandLine().getErr())::state;
            if (lines) {
                long sent = new LineSender(link).send(System.in);
                say("sent " + sent + " lines");
            }
            for (Path file : files) {
                send(file, new FileSender(link, progress));
            }
        }
        return ExitCodes.OK;
    }

    private void send(Path file, FileSender sender) throws InterruptedException {
        long begin = System.nanoTime();
        long bytes = sender.send(file, name(file));
        double seconds = Math.max(1e-3, (System.nanoTime() - begin) / 1e9);
        say(String.format(
                Locale.ROOT,
                "sent %s, %d bytes in %.1f s, %s/s",
                name(file),
                bytes,
                seconds,
                Amounts.bytes(bytes / seconds)));
    }

    /** Before anything leaves. */
    private void checkFiles() {
        Set<String> names = new HashSet<>();
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw CliException.user(file
                        + " is no file; name files that exist, and for a folder first pack it, for example by tar");
            }
            if (!Files.isReadable(file)) {
                throw CliException.user("cannot read " + file + "; make it readable");
            }
            if (!names.add(name(file))) {
                throw CliException.user("two of the files are named " + name(file)
                        + "; rename one, since they arrive without their folders");
            }
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
