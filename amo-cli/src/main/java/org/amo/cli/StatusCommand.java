package org.amo.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo status}: one replica, as it sees itself; or all members of its group, again and again. */
@Command(
        name = "status",
        description = "Print the status of one replica, or watch all members of its group.",
        sortOptions = false)
final class StatusCommand implements Callable<Integer> {
    static final String REMEDY_OF_SILENCE =
            "try again, or ask another member; if it stays so, check that this is the IIOP port, and look where the"
                    + " process's threads wait (jstack)";

    private static final int TIMEOUT_MILLIS = 3_000;

    /** Between two tables. */
    private static final long WATCH_NANOS = 1_000_000_000;

    /** A port of HTTP says nothing to a question by IIOP. */
    private static final int FIRST_MILLIS = 1_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The port at which the member serves its clients, or that of --http. For the port of a Java"
                    + " service's clients say --group, too.")
    private HostPort address = new HostPort("localhost", 1);

    @Option(
            names = "--group",
            paramLabel = "NAME",
            description = "The group of a Java service; the command proves itself as its clients do. Default: a CORBA"
                    + " member, or a port of HTTP.")
    private Optional<String> group = Optional.empty();

    @Option(
            names = "--http-token-file",
            paramLabel = "FILE",
            description = "Holds the token that a port of HTTP asks for. Default: none.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--watch",
            description =
                    "Ask all members of the group each second, and show them as a table. Not with a port of HTTP.")
    private boolean watch;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "With --watch: end after N tables. Default: go on until the command is ended.")
    private Optional<Integer> count = Optional.empty();

    @Mixin
    final OperatorOptions access = new OperatorOptions();

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final ConfigOption config = new ConfigOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        json.check();
        if (watch) {
            watch();
            return ExitCodes.OK;
        }
        JsonNode status = read(text());
        PrintWriter out = spec.commandLine().getOut();
        if (json.isWanted()) {
            json.write(status, out);
        } else {
            describe(status, out);
        }
        return 0;
    }

    private String text() {
        try {
            if (group.isPresent()) {
                return access.java(group.get())
                        .ask(address.host(), address.port(), Administration.STATUS, "", TIMEOUT_MILLIS);
            }
            return byIiopOrHttp();
        } catch (AdministrationException e) {
            throw failure(e);
        }
    }

    private CliException failure(AdministrationException thrown) {
        String message = String.valueOf(thrown.getMessage());
        return switch (thrown.reason()) {
            case UNREACHABLE -> CliException.environment(message + "; start the replica, or name another member");
            case SILENT -> CliException.environment(message + "; " + REMEDY_OF_SILENCE);
            case NO_MEMBER -> CliException.user(message + remedy());
            case REFUSED -> CliException.user(message);
        };
    }

    private void watch() {
        StatusWatch table;
        try {
            table = StatusWatch.of(group.map(access::java).orElse(MemberPort.IIOP), address);
        } catch (AdministrationException e) {
            throw failure(e);
        }
        PrintWriter out = spec.commandLine().getOut();
        boolean terminal = Terminal.isInteractive();
        int lines = 0;
        for (int round = 0; count.isEmpty() || round < count.get(); round++) {
            if (round > 0) {
                LockSupport.parkNanos(WATCH_NANOS);
            }
            if (json.isWanted()) {
                json.write(table.object(), out);
            } else {
                lines = StatusWatch.write(table.lines(), lines, terminal, out);
            }
        }
    }

    private String remedy() {
        return group.isPresent()
                ? "; give the port behind the / in members(...)"
                : "; give the IIOP port, the number after the / in --members, or --group for a member of a Java service";
    }

    /** A port of HTTP waits for more of a question by IIOP, so it is asked meanwhile. */
    private String byIiopOrHttp() throws AdministrationException {
        CompletableFuture<String> byIiop = new CompletableFuture<>();
        DaemonThreads.start("amo-status", () -> byIiop(byIiop));
        try {
            Optional<String> soon = within(byIiop, FIRST_MILLIS);
            if (soon.isPresent()) {
                return soon.get();
            }
        } catch (AdministrationException e) {
            if (e.reason() != AdministrationException.Cause.NO_MEMBER) {
                throw e;
            }
        }
        Optional<String> byHttp = HttpStatus.ask(
                address.host(),
                address.port(),
                tokenFile.map(file -> SecretFile.text("--http-token-file", file)),
                FIRST_MILLIS);
        return byHttp.isPresent()
                ? byHttp.get()
                : within(byIiop, Long.MAX_VALUE).orElseThrow();
    }

    /** The answer; empty if it does not come in time. */
    private static Optional<String> within(CompletableFuture<String> answer, long millis)
            throws AdministrationException {
        try {
            return Optional.of(answer.get(millis, TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AdministrationException known) {
                throw known;
            }
            throw new IllegalStateException("a status could not be asked for", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.environment("interrupted");
        }
    }

    private void byIiop(CompletableFuture<String> answer) {
        try {
            answer.complete(
                    MemberPort.IIOP.ask(address.host(), address.port(), Administration.STATUS, "", TIMEOUT_MILLIS));
        } catch (AdministrationException | RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private JsonNode read(String status) {
        try {
            return new ObjectMapper().readTree(status);
        } catch (JsonProcessingException e) {
            throw CliException.user(
                    address.host() + ":" + address.port() + " is no replica of amo (its status is not JSON)");
        }
    }

    private static void describe(JsonNode status, PrintWriter out) {
        String leader = text(status, "leader");
        out.println("replica     " + text(status, "id") + ", leader "
                + (leader.isEmpty() ? "unknown" : leader.equals(text(status, "id")) ? leader + " (this one)" : leader));
        if (text(status, "style").equals("passive")) {
            String primary = text(status, "primary");
            out.println("style       passive, primary " + (primary.isEmpty() ? "unknown" : primary));
        }
        String trouble = text(status, "trouble");
        if (!trouble.isEmpty()) {
            out.println("TROUBLE     " + trouble);
        }
        out.println("position    " + text(status, "position") + " delivered, " + text(status, "executedPosition")
                + " executed, " + text(status, "executed") + " requests");
        out.println("level       " + text(status, "featureLevel") + ", the feature level of the group");
        out.println("time        orderedTime " + text(status, "orderedTimeMillis") + " ms, upper "
                + text(status, "upperMillis") + " ms");
        out.println("cache       " + text(status, "entries") + " entries (peak " + text(status, "entriesPeak") + "), "
                + text(status, "bytes") + " bytes (peak " + text(status, "bytesPeak") + "), " + text(status, "clients")
                + " clients; by time-out alone it would hold " + text(status, "timeoutOnlyEntries") + " (peak "
                + text(status, "timeoutOnlyEntriesPeak") + ")");
        out.println("purged      " + text(status, "purgedBySack") + " by acknowledgement, "
                + text(status, "purgedByTimeout") + " by time-out; " + text(status, "resolvedRanges")
                + " ranges of resolved numbers beyond one floor a client");
        out.println("duplicates  " + text(status, "replayed") + " answered from a kept reply");
        out.println("refusals    " + counts(status.path("refusals")));
        out.println("plain calls " + text(status, "plainCalls") + " without an id");
        if (!status.path("secrets").isEmpty()) {
            out.println("secrets     " + counts(status.path("secrets")));
        }
        if (!status.path("datagrams").isEmpty()) {
            out.println("datagrams   " + counts(status.path("datagrams")));
        }
        out.println("log         " + counts(status.path("orderedEntries")) + "; " + text(status, "orderedBytes")
                + " bytes, " + text(status, "sackBytes") + " of them acknowledgements");
        out.println("waiting     " + text(status, "queued") + " requests, " + text(status, "sacksWaiting")
                + " acknowledgements; the latest took " + text(status, "sackLagMillis") + " ms to be applied (peak "
                + text(status, "sackLagMillisPeak") + ")");
        JsonNode snapshot = status.path("snapshot");
        out.println("snapshot    "
                + (snapshot.isEmpty()
                        ? "none"
                        : "of position " + text(snapshot, "position") + ", " + text(snapshot, "bytes") + " bytes"));
        if (status.path("uninstrumentedClasses").asLong() > 0) {
            out.println("classes     " + text(status, "uninstrumentedClasses")
                    + " of the program could not be made deterministic; the member's log names them");
        }
        if (status.path("pendingTimers").asLong() > 0) {
            out.println("timers      " + text(status, "pendingTimers")
                    + " of operations are pending; no snapshot is taken until they end, and the log grows");
        }
        if (status.path("repaired").asLong() > 0) {
            out.println("disk        " + text(status, "repaired") + " damaged places repaired");
        }
        String divergence = text(status, "divergence");
        if (!divergence.isEmpty() || status.path("diverged").asLong() > 0) {
            out.println("divergence  " + text(status, "diverged") + " members found diverged, "
                    + text(status, "divergedRepaired") + " repaired"
                    + (divergence.isEmpty() ? "" : "; this member: " + divergence));
        }
        String state = text(status, "stateDigest");
        int at = state.indexOf('@');
        out.println("digest      " + text(status, "digest")
                + (at < 0
                        ? ""
                        : "; of the state at position " + state.substring(0, at) + " " + state.substring(at + 1)));
        out.flush();
    }

    private static String text(JsonNode status, String field) {
        return status.path(field).asText();
    }

    private static String counts(JsonNode map) {
        StringJoiner words = new StringJoiner(", ").setEmptyValue("none");
        map.properties()
                .forEach(entry ->
                        words.add(entry.getKey() + " " + entry.getValue().asText()));
        return words.toString();
    }
}
