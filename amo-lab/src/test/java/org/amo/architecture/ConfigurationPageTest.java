package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.cli.Amo;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The page of settings, against the commands and the properties that sources name. amo-replication compares it with its table. */
final class ConfigurationPageTest {
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(amo\\.[\\w.]+)` \\| `(AMO_\\w+)` \\| (?:`(--[\\w-]+)`|–) \\|");
    private static final Pattern LITERAL = Pattern.compile("\"(amo\\.[a-z]\\w*(?:\\.\\w+)*)\"");

    /** The table itself, which reads none. */
    private static final Path TABLE = Path.of("Setting.java");

    /** Modules whose settings a user may choose. */
    private static final List<String> MODULES = List.of(
            "amo-base",
            "amo-cli",
            "amo-core",
            "amo-determinism",
            "amo-interceptors",
            "amo-observe",
            "amo-replication",
            "amo-wrap");

    /** No settings: names of interceptors, what one process of amo tells another, and what only tests set. */
    private static final Set<String> OTHERS = Set.of(
            "amo.client",
            "amo.requests",
            "amo.libraries",
            "amo.exitOnFailure",
            "amo.iiop.sslServerSocketFactory",
            "amo.freePorts.part",
            "amo.properties",
            "amo.secret",
            "amo.config");

    @Test
    void theOptionsOfWrapAreTheOptionsOfThePage() throws IOException {
        Set<String> ofPage = new TreeSet<>();
        rows().forEach(row -> {
            if (row.group(3) != null) {
                ofPage.add(row.group(3));
            }
        });
        Set<String> ofCommands = new TreeSet<>(options("wrap", "server"));
        ofCommands.addAll(options("wrap", "client"));
        ofCommands.removeAll(Set.of("--config", "--help"));
        assertEquals(ofCommands, ofPage);
    }

    @Test
    void operatorsCommandsTakeTheConfigurationToo() {
        for (String command : List.of("member", "status")) {
            assertTrue(options(command).contains("--config"), command);
        }
    }

    @Test
    void sourcesReadThePropertiesOfThePageAndNoOthers() throws IOException {
        Set<String> ofPage = new TreeSet<>();
        rows().forEach(row -> ofPage.add(row.group(1)));
        Set<String> listed = new TreeSet<>(OTHERS);
        listed.addAll(ofPage);
        Map<String, Path> missing = new HashMap<>();
        Set<String> found = new TreeSet<>();
        for (String module : MODULES) {
            for (Path source : MainSources.filesOf(MainSources.HOME.resolve(module + "/src/main/java"), ".java")) {
                if (source.endsWith(TABLE)) {
                    continue;
                }
                Matcher literals = LITERAL.matcher(Files.readString(source));
                while (literals.find()) {
                    found.add(literals.group(1));
                    if (!listed.contains(literals.group(1))) {
                        missing.put(literals.group(1), source);
                    }
                }
            }
        }
        assertTrue(missing.isEmpty(), missing::toString);
        ofPage.removeAll(found);
        assertEquals(Set.of(), ofPage, "nothing reads them");
    }

    @Test
    void thePageOfParametersNamesNoOtherProperty() throws IOException {
        Set<String> listed = new TreeSet<>(OTHERS);
        rows().forEach(row -> listed.add(row.group(1)));
        Matcher named = Pattern.compile("`(?:-D)?(amo\\.[a-z]\\w*(?:\\.\\w+)*)[`=]")
                .matcher(Files.readString(MainSources.HOME.resolve("docs/reference/parameters.md")));
        int count = 0;
        while (named.find()) {
            assertTrue(listed.contains(named.group(1)), named.group(1));
            count++;
        }
        assertTrue(count > 30, "the page names " + count);
    }

    private static List<MatchResult> rows() throws IOException {
        List<MatchResult> rows = ROW.matcher(
                        Files.readString(MainSources.HOME.resolve("docs/reference/configuration.md")))
                .results()
                .toList();
        assertTrue(rows.size() > 40, "rows: " + rows.size());
        return rows;
    }

    private static Set<String> options(String... words) {
        CommandLine command = Amo.commandLine();
        for (String word : words) {
            command = command.getSubcommands().get(word);
        }
        Set<String> names = new TreeSet<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            names.add(option.longestName());
        }
        return names;
    }
}
