package org.amo.lab;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.kv.KvClient;
import org.amo.kv.KvException;
import org.amo.kv.KvResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo kv client}: one call. */
@Command(
        name = "client",
        description =
                "Make one call: read KEY, write KEY VALUE, delete KEY, conditionalWrite KEY VERSION VALUE (0: if there"
                        + " is none), increment KEY [AMOUNT]. Exit code 1 if there is no object, or the condition failed.",
        sortOptions = false)
final class KvClientCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Option(
            names = "--deadline",
            converter = Durations.class,
            defaultValue = "60s",
            paramLabel = "TIME",
            description = "Deadline of the call. Default: ${DEFAULT-VALUE}.")
    private Long deadlineMillis = 0L;

    @Parameters(index = "0", paramLabel = "CALL", description = "What to do.")
    private String call = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "The object.")
    private String key = "";

    @Parameters(index = "2..*", paramLabel = "ARGUMENT", description = "Arguments of the call.")
    private List<String> arguments = List.of();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        check();
        try (KvClient client =
                KvClient.open(access.access(), Duration.ofMillis(deadlineMillis), Duration.ofSeconds(1))) {
            KvResult result = make(client);
            spec.commandLine().getOut().println(words(result));
            boolean isDone = result.status() == KvResult.Status.DONE;
            return isDone ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
        } catch (KvException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }

    private void check() {
        int least =
                switch (call) {
                    case "read", "delete", "increment" -> 0;
                    case "write" -> 1;
                    case "conditionalWrite" -> 2;
                    default -> -1;
                };
        int most = call.equals("increment") ? 1 : least;
        if (least < 0) {
            throw CliException.user(
                    "there is no call '" + call + "'; write read, write, delete, conditionalWrite or increment");
        }
        if (arguments.size() < least || arguments.size() > most) {
            throw CliException.user(call + " KEY takes " + least + (most > least ? " or " + most : "")
                    + " arguments more, not " + arguments.size());
        }
        if (call.equals("conditionalWrite") || (call.equals("increment") && !arguments.isEmpty())) {
            number(arguments.get(0));
        }
    }

    private KvResult make(KvClient client) {
        byte[] object = bytes(key);
        return switch (call) {
            case "read" -> client.read(object);
            case "write" -> client.write(object, bytes(arguments.get(0)));
            case "delete" -> client.delete(object);
            case "conditionalWrite" ->
                client.conditionalWrite(object, number(arguments.get(0)), bytes(arguments.get(1)));
            default -> client.increment(object, arguments.isEmpty() ? 1 : number(arguments.get(0)));
        };
    }

    private String words(KvResult result) {
        return switch (result.status()) {
            case ABSENT -> "there is no such object";
            case CONDITION_FAILED -> "the version is " + result.version() + "; nothing was written";
            case NOT_A_NUMBER -> "the object is no number; nothing was written";
            case FAILED -> "the operation failed; nothing was written";
            case DONE ->
                switch (call) {
                    case "read" -> "version " + result.version() + ": " + text(result.value());
                    case "increment" -> "version " + result.version() + ": " + result.number();
                    default -> "version " + result.version();
                };
        };
    }

    /** A number that increments made is told as one. */
    private static String text(byte[] value) {
        boolean isText = true;
        for (byte each : value) {
            isText &= each >= ' ';
        }
        return isText || value.length != Long.BYTES
                ? new String(value, StandardCharsets.UTF_8)
                : Long.toString(new KvResult(KvResult.Status.DONE, 0, value).number());
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw CliException.user("'" + text + "' is not a whole number");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
