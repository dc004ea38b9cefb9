package org.amo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo ior}. */
@Command(name = "ior", description = "Describe the content of an object reference.")
final class IorCommand implements Callable<Integer> {
    private static final long LARGEST_FILE = 1 << 20;
    private static final int SHOWN = 40;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILE|STRING",
            description = "The reference, beginning with IOR: or corbaloc:, or a file that holds it.")
    private String source = "";

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        try {
            PrintWriter out = spec.commandLine().getOut();
            ObjectReference.describe(ObjectReference.looksLikeOne(source) ? source : read())
                    .forEach(out::println);
            out.flush();
            return 0;
        } catch (MalformedReferenceException e) {
            throw CliException.user("'" + shown() + "' is no object reference: " + e.getMessage()
                    + "; give a file or a string that begins with IOR: or corbaloc:");
        }
    }

    private String read() throws MalformedReferenceException {
        try {
            Path file = Path.of(source);
            if (!Files.isRegularFile(file)) {
                throw new MalformedReferenceException("nor is it a file");
            }
            if (Files.size(file) > LARGEST_FILE) {
                throw new MalformedReferenceException("the file is too large");
            }
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (InvalidPathException e) {
            throw new MalformedReferenceException("nor is it a file");
        } catch (IOException e) {
            throw CliException.environment("cannot read " + source + " (" + e.getMessage() + ")");
        }
    }

    private String shown() {
        return source.length() > SHOWN ? source.substring(0, SHOWN) + "..." : source;
    }
}
