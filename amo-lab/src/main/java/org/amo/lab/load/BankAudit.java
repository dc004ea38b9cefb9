package org.amo.lab.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.amo.examples.bank.idl.Ledger;
import org.amo.examples.bank.idl.LedgerLine;
import org.omg.CORBA.ORB;

/** Writes the bank's own counts to a file: {@code BankAudit IORFILE RESULTFILE}. An ordinary CORBA program. */
public final class BankAudit {
    private BankAudit() {}

    /**
     * The servant's ledger.
     *
     * @param operations that changed something, on all accounts
     * @param callIds under which the ledger was asked for
     */
    public record Books(long operations, long chain, List<Line> lines, List<String> callIds) {

        /** Whether they tell of the same state. */
        public boolean areThoseOf(Books other) {
            return operations == other.operations && chain == other.chain && lines.equals(other.lines);
        }

        /** The same, asked for under these ids, too. */
        public Books withCallIds(List<String> more) {
            return new Books(
                    operations,
                    chain,
                    lines,
                    Stream.concat(callIds.stream(), more.stream()).toList());
        }

        /** Of the accounts that belong to one client each. */
        public Books withoutShared() {
            return new Books(
                    operations,
                    chain,
                    lines.stream()
                            .filter(line -> !line.account().startsWith(LoadThread.SHARED))
                            .toList(),
                    callIds);
        }

        /** Of the accounts in these reports. */
        public Books of(List<LoadReport> reports) {
            Set<String> own = LoadReport.accountsOf(reports).stream()
                    .map(AccountRecord::account)
                    .collect(Collectors.toSet());
            return new Books(
                    operations,
                    chain,
                    lines.stream().filter(line -> own.contains(line.account())).toList(),
                    callIds);
        }
    }

    /** One account of it; the fields are those of the bank's IDL. */
    public record Line(
            String account,
            long deposits,
            long deposited,
            long transfersOut,
            long transfersIn,
            long notes,
            long balance,
            long chain) {

        /** Operations that changed it. */
        public long changes() {
            return deposits + transfersOut + transfersIn + notes;
        }
    }

    public static void main(String[] args) throws IOException {
        ORB orb = CallObserver.orb();
        List<String> ids = new ArrayList<>();
        CallObserver.listen(ids::add);
        Bank bank = BankHelper.unchecked_narrow(
                orb.string_to_object(Files.readString(Path.of(args[0])).strip()));
        new ObjectMapper().writeValue(Path.of(args[1]).toFile(), books(bank.books(), ids));
        orb.shutdown(true);
    }

    static Books books(Ledger ledger, List<String> callIds) {
        List<Line> lines = new ArrayList<>();
        for (LedgerLine line : ledger.lines) {
            lines.add(new Line(
                    line.account,
                    line.deposits,
                    line.deposited,
                    line.transfersOut,
                    line.transfersIn,
                    line.notes,
                    line.balance,
                    line.chain));
        }
        return new Books(ledger.operations, ledger.chain, lines, List.copyOf(callIds));
    }
}
