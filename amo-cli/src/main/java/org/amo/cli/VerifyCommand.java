package org.amo.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.amo.replication.order.raft.MemberFiles;
import org.amo.replication.order.raft.MemberFiles.Condition;
import org.amo.replication.order.raft.MemberFiles.Part;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo verify}: the files of a member that does not run. */
@Command(
        name = "verify",
        description = {
            "Check the files of a member that does not run: checksums, gaps of the log, and whether the log reaches back to the snapshot."
                    + " Nothing is changed.",
            "Exit code 1: a file is damaged or missing, so that the member needs the others."
        },
        sortOptions = false)
final class VerifyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FOLDER", description = "The member's folder, DATA/GROUP/ID.")
    private Path folder = Path.of("");

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        json.check();
        List<Part> parts;
        try (MemberFiles files = MemberFiles.open(folder)) {
            parts = files.check();
        }
        boolean usable = parts.stream().allMatch(Part::isUsable);
        PrintWriter out = spec.commandLine().getOut();
        json.write(object(parts, usable), out);
        if (!json.isStandardOutput()) {
            describe(parts, usable, out);
        }
        return usable ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private static ObjectNode object(List<Part> parts, boolean usable) {
        ObjectNode object = new ObjectMapper().createObjectNode().put("usable", usable);
        ArrayNode files = object.putArray("files");
        parts.forEach(part -> files.addObject()
                .put("file", part.file())
                .put("condition", word(part.condition()))
                .put("text", part.text()));
        return object;
    }

    private static void describe(List<Part> parts, boolean usable, PrintWriter out) {
        for (Part part : parts) {
            out.println(String.format(Locale.ROOT, "%-20s %-13s %s", part.file(), word(part.condition()), part.text()));
        }
        out.println(
                usable
                        ? "the member can start"
                        : "the member needs the others: start it, and it is repaired from them, or see"
                                + " docs/reference/data-folder.md");
        out.flush();
    }

    private static String word(Condition condition) {
        return condition.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
