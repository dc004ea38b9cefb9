package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.cli.CliException;

/** The files with a program's classes, from its Java command line. */
final class ProgramClassPath {
    private static final Set<String> MODULE = Set.of("-m", "--module");
    private static final Set<String> MODULE_PATH = Set.of("-p", "--module-path");

    private ProgramClassPath() {}

    /**
     * Class path and module path.
     *
     * @throws CliException exit 2 if the main class is on neither
     */
    static List<Path> of(List<String> command, Optional<String> classPathVariable) {
        List<String> words = new ArrayList<>();
        boolean module = false;
        for (String word : command) {
            // The name of the module stands where the main class does.
            boolean joined = word.startsWith("--module=");
            module |= joined || MODULE.contains(word);
            if (joined) {
                words.add(word.substring("--module=".length()));
            } else if (!MODULE.contains(word)) {
                words.add(word);
            }
        }
        JavaCommandLine line = JavaCommandLine.parse(words, classPathVariable);
        // A program on the module path has no class path unless it names one.
        boolean none = module && line.classPath().equals(".");
        List<Path> entries = new ArrayList<>(none ? List.of() : ClassPathEntries.of(line.classPath()));
        List<String> options = line.options();
        for (int i = 0; i < options.size(); i++) {
            String option = options.get(i);
            if (MODULE_PATH.contains(option) && i + 1 < options.size()) {
                addModules(options.get(i + 1), entries);
            } else if (option.startsWith("--module-path=")) {
                addModules(option.substring("--module-path=".length()), entries);
            }
        }
        // A module without /CLASS names its main class in its descriptor.
        if (!module || line.main().contains("/")) {
            checkMain(line.main(), entries);
        }
        return entries;
    }

    private static void addModules(String path, List<Path> entries) {
        for (Path entry : ClassPathEntries.of(path)) {
            entries.add(entry);
            File[] jars = entry.toFile().listFiles((folder, name) -> name.endsWith(".jar"));
            for (File jar : jars == null ? new File[0] : jars) {
                entries.add(jar.toPath());
            }
        }
    }

    /** A misspelt path ends here and not as an empty list of findings. */
    private static void checkMain(String main, List<Path> entries) {
        if (main.endsWith(".java")) {
            throw CliException.user("'" + main + "' is a source file; compile it and name its class");
        }
        String type = main.substring(main.indexOf('/') + 1);
        try (URLClassLoader loader = ClassPathEntries.loader(entries)) {
            if (loader.findResource(type.replace('.', '/') + ".class") == null) {
                List<String> missing = entries.stream()
                        .filter(entry -> !Files.exists(entry))
                        .map(Path::toString)
                        .toList();
                throw CliException.user("the class path has no class " + type
                        + (missing.isEmpty() ? "" : "; these entries do not exist: " + String.join(", ", missing))
                        + "; correct -cp or the name of the main class");
            }
        } catch (IOException e) {
            throw CliException.environment("cannot read the class path (" + e.getMessage() + "); correct -cp");
        }
    }
}
