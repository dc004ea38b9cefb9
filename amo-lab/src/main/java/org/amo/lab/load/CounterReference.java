package org.amo.lab.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where counters are.
 *
 * @param carrier of calls
 * @param group its name
 * @param members as {@link org.amo.core.order.Member#format} writes them
 * @param secretFile with the group's key
 */
public record CounterReference(Carrier carrier, String group, String members, Path secretFile) {
    /** The carriers of calls to the counters. */
    public enum Carrier {
        /** The connections of a plain Java client to a group. */
        GROUP,

        /** At-most-once datagrams to one server. */
        SCMP
    }

    /** Reads a file that {@link #write} wrote. */
    static CounterReference read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new CounterReference(Carrier.valueOf(lines.get(0)), lines.get(1), lines.get(2), Path.of(lines.get(3)));
    }

    public void write(Path file) throws IOException {
        Files.write(file, List.of(carrier.name(), group, members, secretFile.toString()));
    }

    /** A client of them. */
    LoadedService open() throws IOException {
        return carrier == Carrier.GROUP ? new CounterService(this) : new ScmpCounterService(this);
    }
}
