package org.amo.lab.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.WorkFolder;

/** Starts the client programs of one service, reads its replies and checks its books. Any thread. */
public interface LoadPrograms {

    /** The command line of a client process. */
    List<String> load(LoadSettings settings);

    /** The command line of the program that asks for the service's books and writes them to a file. */
    List<String> audit(Path reference, Path result);

    /** The value as clients write it, from the bytes that a replica wrote; empty when it is no whole reply of the operation. */
    Optional<JsonNode> reply(String operation, String hex);

    /** The joint verdict of the clients' records and the service's books. */
    LoadVerdict verdict(List<LoadReport> reports, BankAudit.Books books);

    /**
     * Writes the file that tells the counters' programs where the counters are.
     *
     * @param name of the group
     */
    static Path counterReference(ProcessGroup group, String name, WorkFolder folder) {
        return CounterReference.write(CounterReference.Carrier.GROUP, group, name, folder);
    }

    /** The same for one server behind at-most-once datagrams. */
    static Path scmpReference(ProcessGroup group, String name, WorkFolder folder) {
        return CounterReference.write(CounterReference.Carrier.SCMP, group, name, folder);
    }

    /** The bank's, as CORBA programs under {@code amo wrap client}. */
    static LoadPrograms bank(boolean sack) {
        return new LoadPrograms() {
            @Override
            public List<String> load(LoadSettings settings) {
                return wrapped(settings.client(), Programs.small(BankLoad.class, settings.words()));
            }

            @Override
            public List<String> audit(Path reference, Path result) {
                return wrapped(
                        "audit", Programs.small(BankAudit.class, List.of(reference.toString(), result.toString())));
            }

            @Override
            public Optional<JsonNode> reply(String operation, String hex) {
                return BankReplies.decode(operation, hex);
            }

            @Override
            public LoadVerdict verdict(List<LoadReport> reports, BankAudit.Books books) {
                return LoadVerdict.of(LoadReport.accountsOf(reports), books);
            }

            private List<String> wrapped(String name, JavaCommandLine program) {
                ClientWrap wrap = new ClientWrap(
                        List.of(), Optional.of(Programs.DEADLINE_MILLIS), sack, Optional.empty(), Optional.of(name));
                return wrap.apply(program).words();
            }
        };
    }

    /** The counters', as plain Java programs. */
    static LoadPrograms counters() {
        return new LoadPrograms() {
            @Override
            public List<String> load(LoadSettings settings) {
                return Programs.small(CounterLoad.class, settings.words()).words();
            }

            @Override
            public List<String> audit(Path reference, Path result) {
                return Programs.small(CounterAudit.class, List.of(reference.toString(), result.toString()))
                        .words();
            }

            @Override
            public Optional<JsonNode> reply(String operation, String hex) {
                return CounterReplies.decode(operation, hex);
            }

            @Override
            public LoadVerdict verdict(List<LoadReport> reports, BankAudit.Books books) {
                return LoadVerdict.ofBalances(LoadReport.accountsOf(reports), books);
            }
        };
    }
}
