package org.amo.cli.exon;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.amo.base.DaemonThreads;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.ListenOptions;
import org.amo.cli.wrap.HttpOptions;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.observe.Observation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo exon recv}: the receiving end. */
@Command(
        name = "recv",
        description = {
            "Receive files or lines, until it is stopped. A file gets its name once its length and SHA-256 are right.",
            "After a kill, start it again with the same words: files that had begun go on where they were."
        },
        sortOptions = false)
final class ExonRecvCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Option(
            names = "--into",
            paramLabel = "FOLDER",
            description =
                    "Take files into this folder. It also has hidden files named .amo-*, of files that have begun and"
                            + " of this receiver. Default: no files.")
    private Optional<Path> into = Optional.empty();

    @Option(
            names = "--lines",
            description =
                    "Take lines, and print them to standard output, those of each sender in their order. Default: no"
                            + " lines.")
    private boolean lines;

    @Option(
            names = "--overwrite",
            description = "Replace files of the same name. Default: such a file is refused, unless it is equal.")
    private boolean overwrite;

    @Option(
            names = "--count",
            defaultValue = "0",
            paramLabel = "N",
            description = "End once N files have arrived; 0 is never. Default: ${DEFAULT-VALUE}.")
    private long count;

    @Option(
            names = "--until-eof",
            description = "End at the end of standard input, too: with the process that holds it. Default: off.")
    private boolean untilEof;

    @Mixin
    private ExonAccess access = new ExonAccess();

    @Mixin
    private HttpOptions http = new HttpOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        if (into.isEmpty() && !lines) {
            throw CliException.user("say what to receive: --into FOLDER for files, --lines for lines");
        }
        if (count < 0 || (count > 0 && into.isEmpty())) {
            throw CliException.user("--count is a number of files; write for example --into FOLDER --count 1");
        }
        ExonEndpointOptions.Builder options =
                access.options(ReceiverLink.RECEIVER).listen(listen.address());
        // Lines have standard output for themselves.
        PrintWriter notices =
                lines ? spec.commandLine().getErr() : spec.commandLine().getOut();
        into.ifPresent(folder -> {
            checkWritable(folder);
            options.clockFile(folder.resolve(".amo-clock"));
        });
        Optional<ReceivingFolder> folder =
                into.map(path -> new ReceivingFolder(path, overwrite, line -> say(notices, line)));
        TransferReceiver receiver = new TransferReceiver(
                folder,
                lines
                        ? Optional.of(
                                new LineStreams(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out))))
                        : Optional.empty());
        try (ExonEndpoint endpoint = ExonAccess.open(options.build(), receiver);
                Observation observation = observe(endpoint)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> folder.ifPresent(ReceivingFolder::close)));
            say(
                    notices,
                    "listens at " + listen.at(endpoint.address())
                            + (observation.port().isPresent()
                                    ? ", metrics at port " + observation.port().getAsInt()
                                    : ""));
            await(folder, receiver);
            endpoint.close(Duration.ofSeconds(1));
        }
        return ExitCodes.OK;
    }

    private Observation observe(ExonEndpoint endpoint) {
        try {
            return Observation.offer(endpoint.observed(), http.options());
        } catch (IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    /** Returns when it has all files that it waits for, or standard input has ended. */
    private void await(Optional<ReceivingFolder> folder, TransferReceiver receiver) throws InterruptedException {
        CompletableFuture<String> end = receiver.broken();
        if (untilEof) {
            DaemonThreads.start("amo-exon-eof", () -> {
                awaitEof();
                end.complete("");
            });
        }
        if (count > 0 && folder.isPresent()) {
            DaemonThreads.start("amo-exon-count", () -> {
                try {
                    folder.get().awaitArrivals(count);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                end.complete("");
            });
        }
        String fault = end.join();
        if (!fault.isEmpty()) {
            throw CliException.environment(fault);
        }
    }

    private static void awaitEof() {
        InputStream input = System.in;
        try {
            while (input.read() >= 0) {
                // The bytes have no meaning; only the end of the stream has.
            }
        } catch (IOException e) {
            // As good as the end.
        }
    }

    private static void checkWritable(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw CliException.user("--into " + folder + " is no folder; make it: mkdir -p " + folder);
        }
        if (!Files.isWritable(folder)) {
            throw CliException.environment(
                    "cannot write into " + folder + "; make it writable, or give --into another folder");
        }
    }

    private static void say(PrintWriter out, String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
