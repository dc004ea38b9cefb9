package org.amo.lab.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the values of the counters to a file: {@code CounterAudit REFERENCE RESULTFILE}. Counters count no operations. */
final class CounterAudit {
    private CounterAudit() {}

    public static void main(String[] args) throws IOException, CallFailedException {
        List<String> ids = new ArrayList<>();
        try (LoadedService counters = CounterReference.read(Path.of(args[0])).open()) {
            counters.listen(ids::add);
            List<BankAudit.Line> lines = new ArrayList<>();
            counters.balances().forEach((name, value) -> lines.add(new BankAudit.Line(name, 0, 0, 0, 0, 0, value, 0)));
            new ObjectMapper().writeValue(Path.of(args[1]).toFile(), new BankAudit.Books(0, 0, lines, ids));
        }
    }
}
