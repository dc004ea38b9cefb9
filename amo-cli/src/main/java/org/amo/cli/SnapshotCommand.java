package org.amo.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo snapshot}: the snapshots of the members of a running group. Each member has at most one. */
@Command(
        name = "snapshot",
        description =
                "List the snapshots of the members of a running group, or have members take one, while calls run.",
        sortOptions = false)
final class SnapshotCommand implements Callable<Integer> {
    /** A member gives up before. */
    private static final int TAKE_MILLIS = 25_000;

    private static final double MICROS = 1_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The question or the order. */
    enum Action {
        take,
        /** Changes nothing. */
        list
    }

    /** A member and its status; empty if it does not answer. */
    private record Answer(Member member, Optional<JsonNode> status) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "take|list", description = "What to do.")
    private Action action = Action.list;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "ID",
            description = "The member that is to take one. Default: all members, one after the other. Not with list.")
    private String member = "";

    @Mixin
    final OperatedGroupOptions options = new OperatedGroupOptions();

    @Mixin
    final JsonOption json = new JsonOption();

    @Mixin
    final ConfigOption config = new ConfigOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        json.check();
        OperatedGroup operated = options.group();
        List<Member> asked = options.members();
        if (action == Action.list && !member.isEmpty()) {
            throw CliException.user("list takes no member: '" + member + "'");
        }
        Administration.Known known = operated.askEach(asked);
        List<Member> all = known.members().members();
        List<Member> chosen = member.isEmpty() ? all : List.of(OperatedGroup.memberOf(all, member));
        if (action == Action.take) {
            chosen.forEach(each -> take(operated, each, known));
        }
        tell(chosen.stream()
                .map(each -> new Answer(each, status(operated, each)))
                .toList());
        return ExitCodes.OK;
    }

    private static void take(OperatedGroup operated, Member member, Administration.Known known) {
        Administration.Changed answer;
        try {
            answer = operated.change(member, MemberChange.Kind.SNAPSHOT, member, known, TAKE_MILLIS);
        } catch (AdministrationException e) {
            throw CliException.environment(
                    e.reason() == AdministrationException.Cause.UNREACHABLE
                            ? "member '" + member.id() + "' takes no snapshot: " + e.getMessage()
                                    + "; start it, or name another member"
                            : "it is not known whether member '" + member.id() + "' takes a snapshot (" + e.getMessage()
                                    + "); ask by ./amo snapshot list");
        }
        OperatedGroup.checkDone(answer);
    }

    private static Optional<JsonNode> status(OperatedGroup operated, Member member) {
        try {
            return Optional.of(MAPPER.readTree(operated.status(member)));
        } catch (AdministrationException | JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private void tell(List<Answer> answers) {
        PrintWriter out = spec.commandLine().getOut();
        if (json.isWanted()) {
            json.write(object(answers), out);
        }
        if (json.isStandardOutput()) {
            return;
        }
        out.println(row("member", "position", "behind", "bytes", "taken in", "written in"));
        answers.forEach(answer -> out.println(line(answer)));
        out.flush();
    }

    private static ObjectNode object(List<Answer> answers) {
        ObjectNode object = MAPPER.createObjectNode();
        ArrayNode all = object.putArray("members");
        for (Answer answer : answers) {
            ObjectNode one = all.addObject().put("id", answer.member.id());
            one.set(
                    "position",
                    answer.status.map(status -> status.path("position")).orElseGet(MAPPER::nullNode));
            one.set(
                    "snapshot",
                    answer.status
                            .map(status -> status.path("snapshot"))
                            .filter(snapshot -> !snapshot.isEmpty())
                            .orElseGet(MAPPER::nullNode));
        }
        return object;
    }

    private static String line(Answer answer) {
        String id = answer.member.id();
        if (answer.status.isEmpty()) {
            return row(id, "no answer", "", "", "", "");
        }
        JsonNode status = answer.status.get();
        JsonNode snapshot = status.path("snapshot");
        if (snapshot.isEmpty()) {
            return row(id, "none", status.path("position").asText(), "", "", "");
        }
        long position = snapshot.path("position").asLong();
        return row(
                id,
                Long.toString(position),
                Long.toString(status.path("position").asLong() - position),
                snapshot.path("bytes").asText(),
                millis(snapshot.path("takeMicros").asLong()),
                millis(snapshot.path("writeMicros").asLong()));
    }

    /** Not known of a snapshot that another process took. */
    private static String millis(long micros) {
        return micros == 0 ? "" : String.format(Locale.ROOT, "%.1f ms", micros / MICROS);
    }

    private static String row(String id, String position, String behind, String bytes, String taken, String written) {
        return String.format(Locale.ROOT, "%-8s %12s %9s %14s %10s %10s", id, position, behind, bytes, taken, written)
                .stripTrailing();
    }
}
