package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of the pages lead somewhere, paths of pages that code names exist, and Java snippets compile against this class path. */
final class DocsTest {
    private static final Path HOME = MainSources.HOME;
    private static final Set<String> FOLDERS_WITHOUT_SOURCES = Set.of(".git", "target", ".amo");
    private static final Set<String> ENDINGS =
            Set.of(".java", ".xml", ".md", ".yml", ".sh", ".py", ".proto", ".idl", ".cc");

    private static final Pattern LINK = Pattern.compile("]\\(([^()\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");
    /** A page or folder of docs, as a comment or a message names it; a decision may be named by its number. */
    private static final Pattern DOCS_PATH = Pattern.compile("(?<![\\w./-])docs/[\\w/.-]*[\\w/]");

    private static final Pattern JAVA_FILE = Pattern.compile("[\\w/-]+/(\\w+\\.java)\\b");

    private static final Pattern COMMAND = Pattern.compile("\\./amo ([a-z]+)\\b([^`\n]*)");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]+");
    private static final Pattern TEST = Pattern.compile("\\b([A-Z]\\w+Test)\\b(?:#(\\w+)\\b(?!\\*))?");
    private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");

    private static final Pattern SNIPPET =
            Pattern.compile("(?s)(?:<!-- given:\n(.*?)-->\n+)?^```java\n(.*?)^```$", Pattern.MULTILINE);
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public )?((?:(?:final|abstract|sealed) )*(?:class|interface|record|enum) )");
    private static final Pattern JAVA_BETWEEN_INDENTS = Pattern.compile("(?m)^ {4}(?! ).*(?:;|\\) \\{)(?: *//.*)?$");

    private static final List<String> JDK_AND_TESTS = List.of(
            "java.net",
            "java.nio",
            "java.nio.file",
            "java.sql",
            "java.time",
            "java.util",
            "java.util.concurrent",
            "javax.sql",
            "org.junit.jupiter.api",
            "org.omg.IOP",
            "org.omg.PortableInterceptor");

    @TempDir
    private Path folder;

    private String imports = "";

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> dead = new ArrayList<>();
        Map<Path, Set<String>> anchors = new HashMap<>();
        for (Path page : sources(".md")) {
            Matcher links = LINK.matcher(withoutCode(Files.readString(page)));
            while (links.find()) {
                String link = links.group(1);
                if (link.matches("[a-z]+:.*")) {
                    continue;
                }
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? page
                        : page.resolveSibling(parts[0]).normalize();
                boolean found = Files.exists(target);
                if (found && parts.length == 2 && target.toString().endsWith(".md")) {
                    if (!anchors.containsKey(target)) {
                        anchors.put(target, anchorsOf(target));
                    }
                    found = anchors.get(target).contains(parts[1]);
                }
                if (!found) {
                    dead.add(HOME.relativize(page) + " -> " + link);
                }
            }
        }
        assertEquals(List.of(), dead, "correct these links, or the pages and headings that they name");
    }

    @Test
    void everyNamedPathOfDocsExists() throws IOException {
        Set<String> numbered = new HashSet<>();
        for (Path decision : MainSources.filesOf(HOME.resolve("docs/decisions"), ".md")) {
            numbered.add("docs/decisions/" + decision.getFileName().toString().substring(0, 4));
        }
        Set<String> dead = dead(
                sources(),
                DOCS_PATH,
                path -> Files.exists(HOME.resolve(path.group())) || numbered.contains(path.group()));
        assertEquals(Set.of(), dead, "name the page where it stands now");
    }

    @Test
    void everyNamedJavaFileExists() throws IOException {
        Set<String> files = sources(".java").stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toSet());
        Set<String> dead = dead(pagesOfToday(), JAVA_FILE, file -> files.contains(file.group(1)));
        assertEquals(Set.of(), dead, "name the file as it is called now");
    }

    @Test
    void everyNamedTestExists() throws IOException {
        Set<String> classes = new HashSet<>();
        Set<String> methods = new HashSet<>();
        for (Path file : sources(".java")) {
            if (file.toString().contains("/src/test/")) {
                classes.add(file.getFileName().toString().replace(".java", ""));
                METHOD.matcher(Files.readString(file)).results().forEach(found -> methods.add(found.group(1)));
            }
        }
        Set<String> dead = dead(
                pagesOfToday(),
                TEST,
                test -> classes.contains(test.group(1)) && (test.group(2) == null || methods.contains(test.group(2))));
        assertEquals(Set.of(), dead, "name the test as it is called now");
    }

    @Test
    void everyNamedCommandAndOptionExists() throws IOException {
        StringBuilder code = new StringBuilder();
        for (Path file : MainSources.all()) {
            code.append(Files.readString(file));
        }
        Set<String> unknown = new TreeSet<>();
        for (Path page : sources(".md")) {
            Matcher commands = COMMAND.matcher(Files.readString(page));
            while (commands.find()) {
                String command = commands.group(1);
                if (code.indexOf("name = \"" + command + "\"") < 0) {
                    unknown.add(HOME.relativize(page) + " names ./amo " + command);
                }
                Matcher options = OPTION.matcher(commands.group(2).split(" -- ", 2)[0]);
                while (options.find()) {
                    if (code.indexOf("\"" + options.group() + "\"") < 0) {
                        unknown.add(HOME.relativize(page) + " names " + options.group() + " of ./amo " + command);
                    }
                }
            }
        }
        Matcher options = OPTION.matcher(Files.readString(HOME.resolve("docs/reference/command-line.md")));
        while (options.find()) {
            if (code.indexOf("\"" + options.group() + "\"") < 0) {
                unknown.add("command-line.md names " + options.group());
            }
        }
        assertEquals(Set.of(), unknown, "name commands and options as ./amo --help does");
    }

    @Test
    void everyJavaSnippetCompiles() throws IOException {
        imports = preamble();
        List<String> broken = new ArrayList<>();
        int count = 0;
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            for (Path page : sources(".md")) {
                count += compileSnippets(compiler, files, page, broken);
            }
        }
        assertEquals(List.of(), broken, "correct these snippets, or fence a sketch as text");
        assertTrue(count > 20, "too few snippets were found; does the pattern still match the pages?");
    }

    @Test
    void javaOfAPageIsFencedAsJava() throws IOException {
        List<String> unfenced = new ArrayList<>();
        for (Path page : sources(".md")) {
            String text = Files.readString(page).replaceAll("(?s)```.*?```", "");
            Matcher lines = JAVA_BETWEEN_INDENTS.matcher(text);
            if (lines.find()) {
                unfenced.add(HOME.relativize(page) + ": " + lines.group().strip());
            }
        }
        assertEquals(
                List.of(),
                unfenced,
                "fence Java as ```java, so that it is compiled, and any other language by its name");
    }

    // ---- files ----

    /** Names that match and of which the predicate says that nothing has them. */
    private static Set<String> dead(List<Path> files, Pattern names, Predicate<MatchResult> exists) throws IOException {
        Set<String> dead = new TreeSet<>();
        for (Path file : files) {
            names.matcher(Files.readString(file))
                    .results()
                    .filter(exists.negate())
                    .forEach(name -> dead.add(HOME.relativize(file) + " names " + name.group()));
        }
        return dead;
    }

    /** All pages but the change log, which names things as they were called then. */
    private static List<Path> pagesOfToday() throws IOException {
        return sources(".md").stream()
                .filter(page -> !page.endsWith("CHANGELOG.md"))
                .toList();
    }

    private static List<Path> sources(String ending) throws IOException {
        return sources().stream()
                .filter(file -> file.toString().endsWith(ending))
                .toList();
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(HOME, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return !folder.equals(HOME)
                                && FOLDERS_WITHOUT_SOURCES.contains(
                                        folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (ENDINGS.contains(name.substring(Math.max(0, name.lastIndexOf('.'))))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found.stream().sorted().toList();
    }

    // ---- headings ----

    private static String withoutCode(String page) {
        return page.replaceAll("(?s)```.*?```", "")
                .replaceAll("(?m)^ {4}.*$", "")
                .replaceAll("`[^`\n]*`", "");
    }

    /** The anchors that code hosts and the site make of headings: small letters, hyphens for spaces, a number behind repetitions. */
    private static Set<String> anchorsOf(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            code ^= line.startsWith("```");
            Matcher heading = HEADING.matcher(line);
            if (!code && heading.matches()) {
                String anchor = heading.group(1)
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                for (int again = 1; !anchors.add(again == 1 ? anchor : anchor + "-" + (again - 1)); again++) {}
            }
        }
        return anchors;
    }

    // ---- snippets ----

    /**
     * A snippet stands beside the types that its page has declared before it. It may be types, members of a class, or statements.
     * Names that it takes for granted stand as members in a comment before it: {@code <!-- given: ... -->}.
     *
     * @return how many snippets the page has
     */
    private int compileSnippets(JavaCompiler compiler, StandardJavaFileManager files, Path page, List<String> broken)
            throws IOException {
        StringBuilder types = new StringBuilder();
        Matcher snippets = SNIPPET.matcher(Files.readString(page));
        int number = 0;
        while (snippets.find()) {
            number++;
            String given = snippets.group(1) == null ? "" : snippets.group(1);
            String snippet = snippets.group(2);
            List<String> errors;
            if (TYPE.matcher(snippet).find()) {
                types.append(TYPE.matcher(snippet).replaceAll("$1"));
                errors = errors(compiler, files, types + "final class Page {\n" + given + "}\n");
            } else {
                errors = errors(compiler, files, types + "final class Page {\n" + given + snippet + "}\n");
                if (!errors.isEmpty()) {
                    String method = "void snippet() throws Exception {\n" + snippet + "}\n";
                    errors = errors(compiler, files, types + "final class Page {\n" + given + method + "}\n");
                }
            }
            if (!errors.isEmpty()) {
                broken.add(HOME.relativize(page) + ", snippet " + number + ": " + errors);
            }
        }
        return number;
    }

    private List<String> errors(JavaCompiler compiler, StandardJavaFileManager files, String classes) {
        String source = imports + classes;
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-d", folder.toString(), "-proc:none", "-nowarn", "-implicit:none");
        compiler.getTask(null, files, found, options, null, List.of(new Snippet(source)))
                .call();
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> "\"" + line(source, diagnostic.getLineNumber()) + "\": "
                        + diagnostic.getMessage(Locale.ROOT).replace('\n', ' '))
                .toList();
    }

    private static String line(String source, long number) {
        return source.lines()
                .skip(Math.max(0, number - 1))
                .findFirst()
                .orElse("")
                .strip();
    }

    /** Some packages of the JDK, those of the tests, and all of main code on the class path: no simple name is there twice. */
    private static String preamble() throws IOException {
        Set<String> packages = new TreeSet<>(JDK_AND_TESTS);
        Pattern declaration = Pattern.compile("(?m)^package ([\\w.]+);");
        for (Path file : MainSources.all()) {
            Matcher found = declaration.matcher(Files.readString(file));
            String name = file.getFileName().toString().replace(".java", ".class");
            if (found.find()
                    && DocsTest.class
                                    .getClassLoader()
                                    .getResource(found.group(1).replace('.', '/') + "/" + name)
                            != null) {
                packages.add(found.group(1));
            }
        }
        return packages.stream().map(name -> "import " + name + ".*;\n").collect(Collectors.joining())
                + "import static org.junit.jupiter.api.Assertions.*;\n";
    }

    private static final class Snippet extends SimpleJavaFileObject {
        private final String source;

        Snippet(String source) {
            super(URI.create("string:///Page.java"), Kind.SOURCE);
            this.source = source;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
        }
    }
}
