package org.amo.cli.wrap;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;
import org.amo.cli.CliException;
import org.amo.wrap.ServerAgent;

/**
 * Runs a command of any form that starts the server's virtual machine somewhere: a script, {@code env}, a build tool. A
 * member's settings reach it by JAVA_TOOL_OPTIONS and {@link ServerAgent}.
 */
final class AgentLaunch {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    /** Options in JDK_JAVA_OPTIONS that exclude a class path on the command line. */
    private static final Pattern CLASS_PATH_OPTION = Pattern.compile(
            "(^|.*\\s)(-cp|-classpath|--class-path\\b.*|-jar|-m|--module\\b.*|@\\S+)(\\s.*|$)", Pattern.DOTALL);

    private final Path folder;

    private AgentLaunch(Path folder) {
        this.folder = folder;
    }

    /** Whether amo cannot rewrite the command line itself. */
    static boolean isNeeded(List<String> command, Optional<String> jdkJavaOptions) {
        if (command.isEmpty()) {
            return false;
        }
        String name = String.valueOf(Path.of(command.get(0)).getFileName());
        boolean java = name.equals("java") || name.equals("java.exe");
        boolean module = command.contains("-m")
                || command.stream().anyMatch(word -> word.equals("--module") || word.startsWith("--module="));
        return !java
                || module
                || jdkJavaOptions
                        .filter(options -> CLASS_PATH_OPTION.matcher(options).matches())
                        .isPresent();
    }

    /** An unknown program, to which a member's settings are added. */
    static JavaCommandLine unknown() {
        return new JavaCommandLine("java", List.of(), "", "unknown", List.of());
    }

    /**
     * Runs the command; its exit code is the result.
     *
     * @param folder for the agent; one a member
     * @param wrapped {@link #unknown} with a member's settings
     */
    static int run(Path folder, List<String> command, JavaCommandLine wrapped) {
        AgentLaunch launch = new AgentLaunch(WrapFiles.folder(folder).toAbsolutePath());
        String agent;
        try {
            agent = launch.prepare(wrapped);
        } catch (IOException e) {
            throw CliException.environment("cannot write " + folder.toAbsolutePath() + " (" + e
                    + "); give --data a folder that this user may write");
        }
        String options = options(wrapped, Optional.ofNullable(System.getenv(VARIABLE)), agent);
        CountDownLatch ended = new CountDownLatch(1);
        PlaceWatch watch = new PlaceWatch(command.get(0), launch::isTaken, System.err::println);
        DaemonThreads.start("amo-place", () -> watch.run(ended));
        int exitCode;
        try {
            exitCode = Launch.run(command, Map.of(VARIABLE, options));
        } finally {
            ended.countDown();
        }
        if (!launch.isTaken()) {
            System.err.println("amo: no virtual machine of '" + command.get(0)
                    + "' used CORBA, so nothing was replicated;" + " write the server's own start after --");
        }
        return exitCode;
    }

    private boolean isTaken() {
        return Files.exists(folder.resolve(ServerAgent.TAKEN));
    }

    /**
     * The value for the variable.
     *
     * @param own value of the user's; of two options that contradict each other the virtual machine takes the later one
     */
    static String options(JavaCommandLine wrapped, Optional<String> own, String agent) {
        return Stream.of(
                        wrapped.options().stream()
                                .filter(option -> !option.startsWith("-D"))
                                .map(AgentLaunch::quoted),
                        own.stream(),
                        Stream.of(quoted(agent)))
                .flatMap(words -> words)
                .collect(Collectors.joining(" "));
    }

    /** Writes the agent and its settings; returns the option that starts it. */
    private String prepare(JavaCommandLine wrapped) throws IOException {
        Files.deleteIfExists(folder.resolve(ServerAgent.TAKEN));
        Properties settings = new Properties();
        wrapped.properties().forEach(settings::setProperty);
        settings.setProperty(ServerAgent.JARS, String.join("\n", jars(wrapped.classPath())));
        try (OutputStream out = Files.newOutputStream(folder.resolve(ServerAgent.SETTINGS))) {
            settings.store(out, null);
        }
        return "-javaagent:" + AgentJars.write(folder, ServerAgent.class) + "=" + folder;
    }

    /** One word of the variable: it may have quotation marks of two kinds anywhere in it, and knows no escape. */
    private static String quoted(String option) {
        return option.chars().anyMatch(c -> Character.isWhitespace(c) || c == '"' || c == '\'')
                ? '"' + option.replace("\"", "\"'\"'\"") + '"'
                : option;
    }

    /** The jars of a class path; the agent is in none of them. */
    private static List<String> jars(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty() && !entry.equals(AmoClassPath.jar()))
                .toList();
    }
}
