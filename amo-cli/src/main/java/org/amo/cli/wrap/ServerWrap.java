package org.amo.cli.wrap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.replication.order.group.NoGroupSerialization;
import org.amo.wrap.OperationsAgent;
import org.amo.wrap.ServerInitializer;
import org.amo.wrap.WrappedProgram;

/**
 * How to run a server as one member of a group.
 *
 * @param secretFile holds the group's key; empty for a group with TLS alone, or with neither ({@code --insecure})
 * @param budgetBytes {@code --budget}; empty for the group's default
 * @param tls the properties of {@link TlsOptions}; empty without TLS between members
 */
public record ServerWrap(
        String group,
        String id,
        List<Member> members,
        Path data,
        Order order,
        Log log,
        Optional<Long> budgetBytes,
        Optional<Path> secretFile,
        Optional<Path> history,
        Map<String, String> tls) {

    /** Switches the Group Object Adaptor on. */
    static final String INITIALIZER =
            "org.omg.PortableInterceptor.ORBInitializerClass." + ServerInitializer.class.getName();

    /**
     * Code that the virtual machine has compiled throws implicit exceptions without a message otherwise, and each member compiles at a
     * moment of its own.
     */
    static final String ALL_MESSAGES = "-XX:-OmitStackTraceInFastThrow";

    /**
     * The second compiler begins with code that has run six times as often as by default, so that it leaves the processors to the calls of
     * a member that has just started (docs/decisions/0108-compilers-of-a-start.md).
     */
    public static final List<String> LATE_COMPILER =
            List.of("-XX:Tier4InvocationThreshold=30000", "-XX:Tier4CompileThreshold=90000");

    private static final String ALL = "all";
    private static final String NONE = "none";

    public ServerWrap {
        if (!group.matches("[A-Za-z0-9_.-]{1,64}")) {
            throw CliException.user(
                    "--group '" + group + "' must be 1 to 64 letters, digits, '-', '_' or '.'; write for example bank");
        }
        members = List.copyOf(members);
        tls = Map.copyOf(tls);
        if (members.stream().noneMatch(member -> member.id().equals(id))) {
            throw CliException.user("--id '" + id + "' is not in --members; write one of "
                    + String.join(", ", members.stream().map(Member::id).toList()) + ", or add it to --members");
        }
    }

    /** Without TLS between members. */
    public ServerWrap(
            String group,
            String id,
            List<Member> members,
            Path data,
            Order order,
            Log log,
            Optional<Long> budgetBytes,
            Optional<Path> secretFile,
            Optional<Path> history) {
        this(group, id, members, data, order, log, budgetBytes, secretFile, history, Map.of());
    }

    /** This member. */
    public Member self() {
        return members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** The same with events going to a file. */
    public ServerWrap withHistory(Path file) {
        return new ServerWrap(group, id, members, data, order, log, budgetBytes, secretFile, Optional.of(file), tls);
    }

    /** The user's program with the additions that make it a replica. */
    public JavaCommandLine apply(JavaCommandLine program) {
        PropertyMerge merge = new PropertyMerge(program.properties())
                .fixed(INITIALIZER, "", "wrap server")
                // A fault that the user can mend ends the process with one line and the exit code of the contract.
                .fixed("amo.exitOnFailure", "true", "wrap server")
                .fixed("amo.group", group, "--group")
                .fixed("amo.id", id, "--id")
                .fixed("amo.members", Member.format(members), "--members")
                .fixed("amo.data", data.toAbsolutePath().toString(), "--data")
                .fixed("amo.order", lower(order), "--order")
                .fixed("amo.log", lower(log), "--log")
                .fixed("OAPort", Integer.toString(self().clientPort()), "--members")
                .fixed("OAIAddr", self().host(), "--members");
        budgetBytes.ifPresent(bytes -> merge.fixed("amo.budget", Long.toString(bytes), "--budget"));
        secretFile.ifPresent(
                file -> merge.fixed("amo.secretFile", file.toAbsolutePath().toString(), "--secret-file"));
        tls.forEach((name, value) -> merge.fixed(name, value, "--tls-key-store"));
        if (secretFile.isEmpty() && tls.isEmpty()) {
            merge.fixed("amo.insecure", "true", "--insecure");
        }
        history.ifPresent(
                file -> merge.fixed("amo.history", file.toAbsolutePath().toString(), "--history"));
        merge.defaults(JacorbProperties.server(group));
        merge.defaults(Map.of(WrappedProgram.DETERMINISTIC, ALL));
        // JGroups reads no Java objects from the network; the application's own reads are its own affair.
        merge.defaults(Map.of("jdk.serialFilterFactory", NoGroupSerialization.class.getName()));
        return AmoClassPath.addTo(compilingLate(withAllMessages(endingWithoutMemory(program))), merge.added());
    }

    /** The same with the agent of deterministic execution, which is packed into the member's folder. */
    public JavaCommandLine applyWithAgent(JavaCommandLine program) {
        JavaCommandLine wrapped = tellingOfMemory(apply(program), program);
        if (wrapped.properties().getOrDefault(WrappedProgram.DETERMINISTIC, ALL).equals(NONE)) {
            return wrapped;
        }
        Path folder = WrapFiles.folder(agentFolder()).toAbsolutePath();
        try {
            return wrapped.withOptions(List.of("-javaagent:" + AgentJars.write(folder, OperationsAgent.class)));
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot write " + folder + " (" + e + "); give --data a folder that this user may write");
        }
    }

    /** Where this member's agents are packed. */
    Path agentFolder() {
        return data.resolve("wrap-" + group + "-" + id);
    }

    /** A member that runs out of memory in any thread ends at once, unless the user chose otherwise. */
    private static JavaCommandLine endingWithoutMemory(JavaCommandLine program) {
        return saysWhatEnds(program) ? program : program.withOptions(List.of("-XX:+ExitOnOutOfMemoryError"));
    }

    /** Implicit exceptions have their message at every member, unless the user chose otherwise. */
    private static JavaCommandLine withAllMessages(JavaCommandLine program) {
        return chooses(program, "OmitStackTraceInFastThrow") ? program : program.withOptions(List.of(ALL_MESSAGES));
    }

    /** Unless the user has tuned the second compiler. */
    private static JavaCommandLine compilingLate(JavaCommandLine program) {
        boolean tuned = program.options().stream().anyMatch(option -> option.startsWith("-XX:Tier4"));
        return tuned ? program : program.withOptions(LATE_COMPILER);
    }

    /**
     * A member that ends so leaves a file that tells its next process, which then needs no second death to know the request that took
     * the memory. Not in a start script: each virtual machine of it would leave the file, and the member would take their end for its
     * own.
     */
    JavaCommandLine tellingOfMemory(JavaCommandLine wrapped, JavaCommandLine program) {
        String file = ReplicaSettings.folder(data, group, id)
                .resolve(ReplicaSettings.OUT_OF_MEMORY_FILE)
                .toString();
        // A shell runs the command, and the virtual machine reads % and ; in it. Without the file, the second death
        // tells.
        return saysWhatEnds(program) || !file.matches("[\\w./+@:,=-]+")
                ? wrapped
                : wrapped.withOptions(List.of("-XX:OnOutOfMemoryError=:>" + file));
    }

    private static boolean saysWhatEnds(JavaCommandLine program) {
        return chooses(program, "(ExitOnOutOfMemoryError|CrashOnOutOfMemoryError)");
    }

    private static boolean chooses(JavaCommandLine program, String flag) {
        return program.options().stream().anyMatch(option -> option.matches("-XX:[+-]" + flag));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
