package org.amo.lab.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.core.order.Member;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.WorkFolder;

/**
 * Starts the client programs of one service, reads its replies and checks its books. Any thread.
 *
 * @param isBank whether it is the bank, else the counters
 * @param sack whether the bank's clients acknowledge
 */
public record LoadPrograms(boolean isBank, boolean sack) {

    /** The bank's, as CORBA programs under {@code amo wrap client}. */
    public static LoadPrograms bank(boolean sack) {
        return new LoadPrograms(true, sack);
    }

    /** The counters', as plain Java programs. */
    public static LoadPrograms counters() {
        return new LoadPrograms(false, true);
    }

    /** The command line of a client process. */
    public List<String> load(LoadSettings settings) {
        return words(isBank ? BankLoad.class : CounterLoad.class, settings.client(), settings.words());
    }

    /** The command line of the program that asks for the service's books and writes them to a file. */
    public List<String> audit(Path reference, Path result) {
        Class<?> program = isBank ? BankAudit.class : CounterAudit.class;
        return words(program, "audit", List.of(reference.toString(), result.toString()));
    }

    private List<String> words(Class<?> program, String client, List<String> arguments) {
        JavaCommandLine command = Programs.small(program, arguments);
        return isBank
                ? new ClientWrap(
                                List.of(),
                                Optional.of(Programs.DEADLINE_MILLIS),
                                sack,
                                Optional.empty(),
                                Optional.of(client))
                        .apply(command)
                        .words()
                : command.words();
    }

    /** The value as clients write it, from the bytes that a replica wrote; empty when it is no whole reply of the operation. */
    public Optional<JsonNode> reply(String operation, String hex) {
        return isBank ? BankReplies.decode(operation, hex) : CounterReplies.decode(operation, hex);
    }

    /** The joint verdict of the clients' records and the service's books. */
    public LoadVerdict verdict(List<LoadReport> reports, BankAudit.Books books) {
        List<AccountRecord> records = LoadReport.accountsOf(reports);
        return isBank ? LoadVerdict.of(records, books) : LoadVerdict.ofBalances(records, books);
    }

    /**
     * Writes the file that tells the counters' programs where the counters are.
     *
     * @param name of the group
     */
    public static Path counterReference(ProcessGroup group, String name, WorkFolder folder) {
        return CounterReference.write(CounterReference.Carrier.GROUP, group, name, folder, member -> member);
    }

    /**
     * The same for clients that live for a few calls, the first of which goes as a datagram.
     *
     * @param way from a member to the address by which clients reach it
     */
    public static Path firstCallReference(
            ProcessGroup group, String name, WorkFolder folder, UnaryOperator<Member> way) {
        return CounterReference.write(CounterReference.Carrier.FIRST_CALLS, group, name, folder, way);
    }

    /** The same for one server behind at-most-once datagrams. */
    public static Path scmpReference(ProcessGroup group, String name, WorkFolder folder) {
        return CounterReference.write(CounterReference.Carrier.SCMP, group, name, folder, member -> member);
    }
}
