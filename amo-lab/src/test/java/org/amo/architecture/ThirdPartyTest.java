package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** THIRD-PARTY.txt against the class paths that the build resolved for each module. */
final class ThirdPartyTest {
    private static final Pattern RECIPROCAL =
            Pattern.compile("(?i).*(?:gpl|gnu|epl|eclipse).*\\([^():]+:([^():]+):[^()]* - .*\\)");

    @Test
    void everyLibraryThatAModuleBringsAlongIsListedWithItsVersion() throws Exception {
        String list = Files.readString(MainSources.HOME.resolve("THIRD-PARTY.txt"));
        Set<String> shipped = shipped();
        assertTrue(shipped.size() > 20, shipped::toString);
        Set<String> missing = shipped.stream()
                .filter(each -> !list.contains(":" + each + " - "))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of(), missing, "not in THIRD-PARTY.txt; run .ci/third-party, and look at NOTICE");
    }

    @Test
    void everyListedLibraryHasALicence() throws Exception {
        List<String> lines = Files.readAllLines(MainSources.HOME.resolve("THIRD-PARTY.txt"));
        assertFalse(lines.stream().anyMatch(line -> line.contains("Unknown license")), lines::toString);
    }

    /** A choice among licences, or a licence with conditions on linking, is stated. */
    @Test
    void noticeNamesEachLibraryUnderAGnuOrEclipseLicence() throws Exception {
        String notice = Files.readString(MainSources.HOME.resolve("NOTICE"));
        List<String> unnamed = Files.readAllLines(MainSources.HOME.resolve("THIRD-PARTY.txt")).stream()
                .map(RECIPROCAL::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .filter(library -> !Pattern.compile("(?<![\\w-])" + Pattern.quote(library) + "(?![\\w-])")
                        .matcher(notice)
                        .find())
                .toList();
        assertEquals(List.of(), unnamed, "not in NOTICE; say there under which licence amo uses it");
    }

    /** ARTIFACT:VERSION, from the folders of the local repository. */
    private static Set<String> shipped() throws IOException {
        Set<String> shipped = new TreeSet<>();
        try (Stream<Path> modules = Files.list(MainSources.HOME)) {
            for (Path module : modules.toList()) {
                Path classPath = module.resolve("target/runtime.classpath");
                if (!Files.exists(classPath)) {
                    continue;
                }
                for (String entry : Files.readString(classPath).strip().split(File.pathSeparator, -1)) {
                    if (!entry.isEmpty() && !entry.contains("/target/") && !entry.contains("/org/amo/")) {
                        Path version = Path.of(entry).getParent();
                        shipped.add(version.getParent().getFileName() + ":" + version.getFileName());
                    }
                }
            }
        }
        return shipped;
    }
}
