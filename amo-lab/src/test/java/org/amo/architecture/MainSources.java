package org.amo.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Java files of main code, of all modules and examples. */
final class MainSources {
    static final Path HOME = Path.of("").toAbsolutePath().getParent();

    private MainSources() {}

    static List<Path> all() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path parent : List.of(HOME, HOME.resolve("examples"))) {
            try (Stream<Path> modules = Files.list(parent)) {
                for (Path module : modules.toList()) {
                    Path folder = module.resolve("src/main/java");
                    if (Files.isDirectory(folder)) {
                        sources.addAll(filesOf(folder, ".java"));
                    }
                }
            }
        }
        return sources;
    }

    static List<Path> filesOf(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }
}
