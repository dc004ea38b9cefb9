package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages that modules offer to everyone, against the page that gives the reason for each. */
final class ExportsTest {
    private static final Path PAGE = MainSources.HOME.resolve("docs/reference/modules.md");
    private static final Pattern ROW = Pattern.compile("\\| `(amo-[a-z-]+)` \\| `([a-z.]+)` \\| [^|]{10,} \\|");

    /** Libraries without a descriptor that a module of amo requires all the same. */
    private static final Set<String> WITHOUT_DESCRIPTOR = Set.of("rocksdbjni");

    @Test
    void thePageListsTheExportedPackagesOfEachModule() throws Exception {
        Map<String, Set<String>> exported = new TreeMap<>();
        for (Path module : modules()) {
            exported.put(
                    module.getFileName().toString(),
                    descriptor(module).exports().stream()
                            .filter(export -> !export.isQualified())
                            .map(ModuleDescriptor.Exports::source)
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        assertTrue(exported.size() >= 8, exported::toString);
        assertEquals(listed(), exported);
    }

    @Test
    void eachModuleResolvesFromItsOwnModulePath() throws Exception {
        for (Path module : modules()) {
            String name = descriptor(module).name();
            Configuration resolved = Configuration.resolve(
                    ModuleFinder.of(modulePath(module)),
                    List.of(ModuleLayer.boot().configuration()),
                    ModuleFinder.of(),
                    Set.of(name));
            Set<String> automatic = resolved.modules().stream()
                    .map(ResolvedModule::reference)
                    .filter(reference -> reference.descriptor().isAutomatic())
                    .map(reference -> reference.descriptor().name())
                    .filter(each -> !WITHOUT_DESCRIPTOR.contains(each))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(Set.of(), automatic, name);
        }
    }

    private static Map<String, Set<String>> listed() throws IOException {
        Map<String, Set<String>> listed = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            listed.computeIfAbsent(row.group(1), module -> new TreeSet<>()).add(row.group(2));
        }
        return listed;
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> all = Files.list(MainSources.HOME)) {
            return all.filter(each -> Files.exists(each.resolve("src/main/java/module-info.java")))
                    .sorted()
                    .toList();
        }
    }

    private static ModuleDescriptor descriptor(Path module) throws IOException {
        try (InputStream compiled = Files.newInputStream(module.resolve("target/classes/module-info.class"))) {
            return ModuleDescriptor.read(compiled);
        }
    }

    private static Path[] modulePath(Path module) throws IOException {
        List<Path> path = new ArrayList<>(List.of(module.resolve("target/classes")));
        for (String entry : Files.readString(module.resolve("target/runtime.classpath"))
                .strip()
                .split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                path.add(Path.of(entry));
            }
        }
        return path.toArray(Path[]::new);
    }
}
