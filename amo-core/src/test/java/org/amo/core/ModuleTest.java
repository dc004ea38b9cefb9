package org.amo.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;

/** What a user with a module path gets. */
class ModuleTest {

    @Test
    void everyPackageIsExportedAndNothingButTheJdkAndItsOwnBaseIsNeededToRun() throws Exception {
        Path classes = Path.of(Request.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        ModuleDescriptor module = descriptor(classes);
        assertEquals("org.amo.core", module.name());
        Set<String> exported = module.exports().stream()
                .filter(export -> !export.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(packages(classes), exported, "module-info.java exports each package");
        for (ModuleDescriptor.Requires needed : module.requires()) {
            assertTrue(
                    Set.of("java.base", "org.amo.base").contains(needed.name())
                            || needed.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC),
                    needed::toString);
        }
    }

    private static ModuleDescriptor descriptor(Path classes) throws IOException {
        try (InputStream compiled = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(compiled);
        }
    }

    private static Set<String> packages(Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> classes.relativize(file).getParent())
                    .filter(folder -> folder != null)
                    .map(folder -> folder.toString().replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
