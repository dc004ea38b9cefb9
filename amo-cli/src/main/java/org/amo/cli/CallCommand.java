package org.amo.cli;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;
import org.amo.replication.service.AmoServiceException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo call}: one call of a Java service, which ends when its outcome is known. */
@Command(
        name = "call",
        description = "Call an operation of a Java service once, and print its result.",
        sortOptions = false)
final class CallCommand implements Callable<Integer> {
    /** The types of arguments that a word can stand for. */
    private static final Map<Class<?>, Function<String, Object>> READERS = Map.ofEntries(
            Map.entry(String.class, word -> word),
            Map.entry(boolean.class, Boolean::valueOf),
            Map.entry(Boolean.class, Boolean::valueOf),
            Map.entry(int.class, Integer::valueOf),
            Map.entry(Integer.class, Integer::valueOf),
            Map.entry(long.class, Long::valueOf),
            Map.entry(Long.class, Long::valueOf),
            Map.entry(double.class, Double::valueOf),
            Map.entry(Double.class, Double::valueOf),
            Map.entry(BigInteger.class, BigInteger::new),
            Map.entry(BigDecimal.class, BigDecimal::new));

    private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator, Pattern.LITERAL);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group's name.")
    private String group = "";

    @Option(
            names = "--members",
            required = true,
            paramLabel = "LIST",
            description = "The members of the group: ID=HOST:ORDERPORT/CLIENTPORT,...")
    private String members = "";

    @Option(
            names = "--classpath",
            paramLabel = "FILES",
            description = "Where the interface is, separated as for java. Default: amo's own class path.")
    private Optional<String> classpath = Optional.empty();

    @Option(
            names = "--transport",
            paramLabel = "auto|tcp|udp",
            description = "The way of the call: auto sends one datagram first. Default: ${DEFAULT-VALUE}.")
    private AmoClient.Transport transport = AmoClient.Transport.AUTO;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Time for the call with all its attempts. Default: 10s.")
    private long deadlineMillis = 10_000;

    @Option(names = "--secret-file", paramLabel = "FILE", description = "The group's secret.")
    private Optional<Path> secretFile = Optional.empty();

    @Option(names = "--insecure", description = "The group runs without a secret. Default: no.")
    private boolean insecure;

    @Parameters(
            index = "0",
            paramLabel = "INTERFACE.METHOD",
            description = "The operation, with the full name of its interface, for example org.example.Counters.add.")
    private String operation = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "ARG", description = "Texts, numbers, true or false.")
    private List<String> words = new ArrayList<>();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException {
        if (secretFile.isPresent() == insecure) {
            throw CliException.user("say either --secret-file FILE or --insecure, as for the members");
        }
        try (URLClassLoader loader = new URLClassLoader(urls(), CallCommand.class.getClassLoader())) {
            Method method = method(loader);
            @Nullable Object[] arguments = arguments(method);
            try (AmoClient client = client()) {
                Object result = method.invoke(client.proxy(method.getDeclaringClass()), arguments);
                if (method.getReturnType() != void.class) {
                    spec.commandLine()
                            .getOut()
                            .println(result instanceof byte[] bytes ? Arrays.toString(bytes) : result);
                }
                return ExitCodes.OK;
            }
        } catch (InvocationTargetException e) {
            return failed(e.getCause());
        } catch (IllegalAccessException e) {
            throw CliException.user(operation + " is not public");
        }
    }

    private Integer failed(@Nullable Throwable cause) {
        if (cause instanceof AmoException outcome && !(outcome instanceof AmoServiceException)) {
            throw CliException.environment(String.valueOf(outcome.getMessage()));
        }
        // The operation ran, and this is its answer.
        spec.commandLine().getErr().println("amo: " + cause);
        return ExitCodes.CHECK_FAILED;
    }

    private AmoClient client() {
        try {
            AmoClient.Builder builder = AmoClient.builder(group)
                    .members(members)
                    .transport(transport)
                    .deadline(Duration.ofMillis(deadlineMillis));
            return secretFile
                    .map(file -> builder.secret(SecretFile.read(file)))
                    .orElseGet(builder::insecure)
                    .build();
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    private URL[] urls() {
        List<URL> urls = new ArrayList<>();
        for (Path file : classpath.stream()
                .flatMap(text -> SEPARATOR.splitAsStream(text))
                .map(Path::of)
                .toList()) {
            try {
                urls.add(file.toUri().toURL());
            } catch (MalformedURLException e) {
                throw CliException.user("--classpath: '" + file + "' is no file");
            }
        }
        return urls.toArray(new URL[0]);
    }

    private Method method(ClassLoader loader) {
        int dot = operation.lastIndexOf('.');
        if (dot < 1) {
            throw CliException.user("'" + operation + "' names no operation; write INTERFACE.METHOD, for example"
                    + " org.example.Counters.add");
        }
        String type = operation.substring(0, dot);
        try {
            Class<?> found = Class.forName(type, false, loader);
            return Arrays.stream(found.getMethods())
                    .filter(each -> each.getName().equals(operation.substring(dot + 1)))
                    .filter(each -> each.getParameterCount() == words.size())
                    .findFirst()
                    .orElseThrow(() -> CliException.user(type + " has no method " + operation.substring(dot + 1)
                            + " with " + words.size() + " parameters"));
        } catch (ClassNotFoundException e) {
            throw CliException.user(
                    "there is no interface " + type + "; name the jar or folder that has it by --classpath");
        }
    }

    private @Nullable Object[] arguments(Method method) {
        @Nullable Object[] arguments = new @Nullable Object[words.size()];
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < arguments.length; i++) {
            Function<String, Object> reader = READERS.get(types[i]);
            if (reader == null) {
                throw CliException.user("parameter " + (i + 1) + " of " + operation + " is a "
                        + types[i].getSimpleName() + "; this command passes texts, numbers, true and false");
            }
            try {
                arguments[i] = reader.apply(words.get(i));
            } catch (NumberFormatException e) {
                throw CliException.user("parameter " + (i + 1) + " of " + operation + " is a "
                        + types[i].getSimpleName() + ", not '" + words.get(i) + "'");
            }
        }
        return arguments;
    }
}
