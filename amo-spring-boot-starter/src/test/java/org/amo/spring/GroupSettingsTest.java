package org.amo.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Spring's properties as settings of a group. */
final class GroupSettingsTest {
    private static final Pattern ROW = Pattern.compile(
            "(?m)^\\| `(amo\\.[\\w.]+)` \\| `\\w+` \\| [^|]+ \\| ([^|]+ \\| [^|]+) \\| (.+) \\| (.+) \\|$");
    private static final Pattern ENTRY = Pattern.compile(
            "\"name\": \"(amo\\.(?!identity)[a-z.-]+)\", \"type\": \"java.lang.String\", \"description\": \"([^\"]+)\"");
    private static final Set<String> OF_PROCESS =
            Set.of("amo.snapshotBytes", "amo.snapshotEntries", "amo.keptEntries", "amo.transfer", "amo.heapReplyBytes");

    private final Map<String, Object> properties = new HashMap<>();
    private final Map<String, Object> variables = new HashMap<>();

    @Test
    void aSettingHasAnyFormThatSpringAccepts() {
        properties.put("amo.secretFile", "of-camels");
        properties.put("amo.tls.key-store", "of-kebab");
        variables.put("AMO_RETENTION_MILLIS", "1000");
        variables.put("AMO_SKEWMILLIS", "7");
        properties.put("place", "10.0.0.1");
        properties.put("amo.http", "${place}:80");
        assertEquals(Optional.of("of-camels"), get("bank", "amo.secretFile"));
        assertEquals(Optional.of("of-kebab"), get("bank", "amo.tls.keyStore"));
        assertEquals(Optional.of("1000"), get("bank", "amo.retentionMillis"));
        assertEquals(Optional.of("7"), get("bank", "amo.skewMillis"));
        assertEquals(Optional.of("10.0.0.1:80"), get("bank", "amo.http"));
        assertEquals(Optional.empty(), get("bank", "amo.id"));
    }

    @Test
    void theSettingsOfOneGroupComeBeforeThoseOfAll() {
        properties.put("amo.group", "of-all");
        properties.put("amo.id", "a");
        properties.put("amo.groups.bank.id", "b");
        properties.put("amo.groups[Big.Bank].id", "c");
        assertEquals(Optional.of("b"), get("bank", "amo.id"));
        assertEquals(Optional.of("c"), get("Big.Bank", "amo.id"));
        assertEquals(Optional.of("a"), get("shop", "amo.id"));
        assertEquals(Optional.of("shop"), get("shop", "amo.group"));
        assertEquals("of-all", settings().group("", "someone"));
        assertEquals("bank", settings().group("bank", "someone"));
    }

    @Test
    void whatIsMissingOrCannotBeIsToldInOneLine() {
        properties.put("amo.members", " ");
        assertEquals(
                "group bank has no amo.members; set that property, or amo.groups.bank.members",
                refusal(List.of("members")));
        properties.put("amo.log", "fsnc");
        assertEquals(
                "amo.log (property of the application): 'fsnc' is not one of its values; write fsync|file|memory",
                refusal(List.of()));
    }

    /** For the editors of users. */
    @Test
    void theMetadataListTheSettingsOfThePageThatAJavaServiceHas() throws IOException {
        Matcher row = ROW.matcher(Files.readString(Path.of("../docs/reference/configuration.md")));
        Map<String, String> ofPage = new TreeMap<>();
        while (row.find()) {
            if (!row.group(2).equals("– | –") || OF_PROCESS.contains(row.group(1))) {
                ofPage.put(
                        GroupSettings.kebab(row.group(1)),
                        row.group(3).replace("\\|", "|") + "; default: " + row.group(4));
            }
        }
        Matcher entry = ENTRY.matcher(
                Files.readString(Path.of("src/main/resources/META-INF/spring-configuration-metadata.json")));
        Map<String, String> ofMetadata = new TreeMap<>();
        while (entry.find()) {
            ofMetadata.put(entry.group(1), entry.group(2));
        }
        assertTrue(ofPage.size() > 30, ofPage::toString);
        assertEquals(ofPage, ofMetadata);
    }

    private String refusal(List<String> required) {
        GroupStartException why =
                assertThrows(GroupStartException.class, () -> settings().of("bank", required));
        assertEquals(2, why.getExitCode());
        return String.valueOf(why.getMessage());
    }

    private Optional<String> get(String group, String name) {
        Optional<String> found = settings().of(group, List.of()).get(name);
        assertTrue(name.equals("amo.group") || found.equals(settings().text(group, name)), name);
        return found;
    }

    private GroupSettings settings() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("properties", properties));
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource("variables-systemEnvironment", variables));
        return new GroupSettings(environment);
    }
}
