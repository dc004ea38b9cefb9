package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.amo.cli.CliException;

/**
 * A user's Java command line, taken apart where amo has to add something.
 *
 * @param java the executable, as the user wrote it
 * @param options the virtual machine's options without the class path
 * @param classPath where the program is
 * @param main the main class, or a source file
 * @param arguments of the program; never touched
 */
public record JavaCommandLine(
        String java, List<String> options, String classPath, String main, List<String> arguments) {

    private static final String FORM = "write the program after --, for example -- java -cp app.jar com.example.Main";

    private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");

    /** Options of the launcher with the value as a separate word. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--limit-modules",
            "--add-exports",
            "--add-opens",
            "--add-reads",
            "--patch-module",
            "--enable-native-access",
            "--source");

    public JavaCommandLine {
        options = List.copyOf(options);
        arguments = List.copyOf(arguments);
    }

    /**
     * Parses a command line as the {@code java} launcher does, but without modules.
     *
     * @param classPathVariable the value of CLASSPATH, which counts when the command names no class path
     * @throws CliException exit 2, with the correct form
     */
    public static JavaCommandLine parse(List<String> command, Optional<String> classPathVariable) {
        if (command.isEmpty()) {
            throw CliException.user("no program given; " + FORM);
        }
        String java = command.get(0);
        String name = String.valueOf(Path.of(java).getFileName());
        if (!name.equals("java") && !name.equals("java.exe")) {
            throw CliException.user("'" + java + "' is not java; " + FORM);
        }
        return new Parser(java, command.subList(1, command.size())).parse(classPathVariable);
    }

    /**
     * The files with a program's classes, on its class path and its module path.
     *
     * @throws CliException exit 2 if the main class is on neither
     */
    public static List<Path> classFiles(List<String> command, Optional<String> classPathVariable) {
        return ProgramClassPath.of(command, classPathVariable);
    }

    /** The system properties that the options set; of one set twice the last counts. */
    public Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        for (String option : options) {
            if (option.startsWith("-D")) {
                int equals = option.indexOf('=');
                properties.put(
                        equals < 0 ? option.substring(2) : option.substring(2, equals),
                        equals < 0 ? "" : option.substring(equals + 1));
            }
        }
        return properties;
    }

    /** The same program with more entries at the end of its class path, and more properties. */
    public JavaCommandLine with(List<String> classPathEntries, Map<String, String> properties) {
        StringBuilder path = new StringBuilder(classPath);
        classPathEntries.forEach(entry -> path.append(File.pathSeparatorChar).append(entry));
        List<String> more = new ArrayList<>(options);
        properties.forEach((name, value) -> more.add("-D" + name + "=" + value));
        return new JavaCommandLine(java, more, path.toString(), main, arguments);
    }

    /** The same program with more options of the virtual machine. */
    JavaCommandLine withOptions(List<String> more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(more);
        return new JavaCommandLine(java, all, classPath, main, arguments);
    }

    /** The same program with something before everything on its class path. */
    JavaCommandLine preferring(String entry) {
        return new JavaCommandLine(java, options, entry + File.pathSeparatorChar + classPath, main, arguments);
    }

    /** The words to start it with. */
    public List<String> words() {
        List<String> words = new ArrayList<>();
        words.add(java);
        words.addAll(options);
        words.add("-cp");
        words.add(classPath);
        words.add(main);
        words.addAll(arguments);
        return List.copyOf(words);
    }

    /** Walks through the launcher's options up to the main class. */
    private static final class Parser {
        private final String java;

        /** The remaining words; argument files are replaced by their words when they are met. */
        private final Deque<String> words;

        private final List<String> options = new ArrayList<>();
        private Optional<String> classPath = Optional.empty();
        private boolean argumentFiles = true;

        Parser(String java, List<String> words) {
            this.java = java;
            this.words = new ArrayDeque<>(words);
        }

        JavaCommandLine parse(Optional<String> classPathVariable) {
            while (expand()) {
                String word = words.remove();
                if (CLASS_PATH.contains(word)) {
                    classPath = Optional.of(value(word));
                } else if (word.startsWith("--class-path=")) {
                    classPath = Optional.of(word.substring("--class-path=".length()));
                } else if (WITH_VALUE.contains(word)) {
                    options.add(word);
                    options.add(value(word));
                } else if (word.equals("-jar")) {
                    return jar(Path.of(value(word)));
                } else if (word.equals("-m") || word.equals("--module") || word.startsWith("--module=")) {
                    throw CliException.user("amo wraps programs on the class path, not modules: instead of '" + word
                            + "' write -cp PATH MAINCLASS");
                } else if (word.equals("--disable-@files")) {
                    argumentFiles = false;
                } else if (word.startsWith("-")) {
                    options.add(word);
                } else {
                    return result(classPath.or(() -> classPathVariable).orElse("."), word);
                }
            }
            throw CliException.user("the command names no main class; " + FORM);
        }

        private String value(String option) {
            if (!expand()) {
                throw CliException.user("java's option " + option + " lacks its value; " + FORM);
            }
            return words.remove();
        }

        /** Puts the words of an argument file in its place; says whether there is a word. */
        private boolean expand() {
            String word = words.peek();
            if (word != null && argumentFiles && word.startsWith("@")) {
                words.remove();
                List<String> replacement = word.startsWith("@@")
                        ? List.of(word.substring(1))
                        : ArgumentFile.read(Path.of(word.substring(1)));
                for (int i = replacement.size() - 1; i >= 0; i--) {
                    words.addFirst(replacement.get(i));
                }
            }
            return !words.isEmpty();
        }

        private JavaCommandLine result(String path, String main) {
            return new JavaCommandLine(java, options, path, main, List.copyOf(words));
        }

        /** {@code -jar} allows no other class path, so it becomes {@code -cp}; the manifest says the rest. */
        private JavaCommandLine jar(Path file) {
            if (!Files.isReadable(file)) {
                throw CliException.user("cannot read the jar " + file + "; correct the path after -jar");
            }
            try (JarFile jar = new JarFile(file.toFile())) {
                Attributes manifest = Optional.ofNullable(jar.getManifest())
                        .map(Manifest::getMainAttributes)
                        .orElseGet(Attributes::new);
                String main = manifest.getValue(Attributes.Name.MAIN_CLASS);
                if (main == null) {
                    throw CliException.user("the jar " + file + " names no Main-Class; write -cp " + file
                            + " and the main class instead of -jar");
                }
                open(manifest, "Add-Exports", "--add-exports");
                open(manifest, "Add-Opens", "--add-opens");
                return result(file.toString(), main.strip());
            } catch (IOException e) {
                throw CliException.user(file + " is not a jar (" + e.getMessage() + "); correct the path after -jar");
            }
        }

        private void open(Attributes manifest, String attribute, String option) {
            String packages = manifest.getValue(attribute);
            if (packages != null) {
                for (String name : packages.strip().split("\\s+", -1)) {
                    options.add(option + "=" + name + "=ALL-UNNAMED");
                }
            }
        }
    }
}
