package org.amo.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The check that must find each planted bug: the tables of the page about the simulator name it. */
final class FoundAs {
    private static final Path PAGE = Path.of("")
            .toAbsolutePath()
            .resolveSibling("docs")
            .resolve("protocols")
            .resolve("simulation.md");
    private static final String COLUMN = "found as";
    private static final Pattern MUTANT = Pattern.compile("`([a-z-]+)`.*");

    private static final Map<String, String> RULES = read();

    private FoundAs() {}

    /** The rule of the violation; empty for a bug that no table with such a column has. */
    static Optional<String> rule(String plant) {
        return Optional.ofNullable(RULES.get(plant));
    }

    /** By the name of the plant. */
    static Map<String, String> all() {
        return RULES;
    }

    /** @param lines of a page; its other tables and texts are left out */
    static Map<String, String> parse(List<String> lines) {
        Map<String, String> rules = new HashMap<>();
        int column = -1;
        for (String line : lines) {
            List<String> cells = cells(line);
            Matcher mutant = MUTANT.matcher(cells.isEmpty() ? "" : cells.get(0));
            if (cells.isEmpty()) {
                column = -1;
            } else if (cells.get(0).equals("mutant")) {
                column = cells.indexOf(COLUMN);
            } else if (column >= 0 && column < cells.size() && mutant.matches()) {
                rules.put(mutant.group(1), cells.get(column));
            }
        }
        return Map.copyOf(rules);
    }

    private static List<String> cells(String line) {
        return line.startsWith("|")
                ? Stream.of(line.substring(1).split("\\|", -1))
                        .map(String::strip)
                        .toList()
                : List.of();
    }

    private static Map<String, String> read() {
        try {
            return parse(Files.readAllLines(PAGE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
