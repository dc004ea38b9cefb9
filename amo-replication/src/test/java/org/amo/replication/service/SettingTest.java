package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of settings, against its page and the builders. amo-lab compares the page with the commands and the sources. */
final class SettingTest {
    @Test
    void thePageShowsTheTable() throws IOException {
        Path page = Path.of("").toAbsolutePath().getParent().resolve("docs/reference/configuration.md");
        List<String> shown = Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("| `amo."))
                .toList();
        assertEquals(String.join("\n", rows()), String.join("\n", shown));
    }

    @Test
    void namesAreGivenOnce() {
        for (List<String> names : List.of(
                Setting.ALL.stream().map(Setting::property).toList(),
                Setting.ALL.stream().map(Setting::variable).toList(),
                Setting.ALL.stream().flatMap(each -> each.option().stream()).toList())) {
            assertEquals(names.size(), new HashSet<>(names).size(), names.toString());
        }
    }

    @Test
    void theVariableFollowsFromTheProperty() {
        assertEquals("AMO_TLS_KEY_STORE", AmoConfig.setting("amo.tls.keyStore").variable());
        assertEquals("AMO_HTTP", AmoConfig.setting("amo.http").variable());
    }

    @Test
    void theBuildersHaveTheMethods() {
        assertTrue(methods(AmoReplica.class, AmoReplica.Builder.class)
                .containsAll(named(Setting.ALL.stream().map(Setting::replicaMethod))));
        assertTrue(methods(AmoClient.class, AmoClient.Builder.class)
                .containsAll(named(Setting.ALL.stream().map(Setting::clientMethod))));
    }

    private static Set<String> named(Stream<Optional<String>> cells) {
        return cells.flatMap(Optional::stream)
                .flatMap(cell -> Arrays.stream(cell.split(", ", -1)))
                .collect(Collectors.toSet());
    }

    private static Set<String> methods(Class<?>... types) {
        return Arrays.stream(types)
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toSet());
    }

    private static List<String> rows() {
        return Setting.ALL.stream()
                .map(each -> "| `" + each.property() + "` | `" + each.variable() + "` | " + cell(each.option()) + " | "
                        + cell(each.replicaMethod()) + " | " + cell(each.clientMethod()) + " | "
                        + each.form().replace("|", "\\|") + " | " + each.fallback() + " |")
                .toList();
    }

    private static String cell(Optional<String> names) {
        return names.map(text -> "`" + text.replace(", ", "`, `") + "`").orElse("–");
    }
}
