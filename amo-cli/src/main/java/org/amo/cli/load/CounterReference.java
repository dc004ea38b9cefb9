package org.amo.cli.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a group of counters is.
 *
 * @param group its name
 * @param members as {@link org.amo.core.order.Member#format} writes them
 * @param secretFile with the group's key
 */
public record CounterReference(String group, String members, Path secretFile) {

    /** Reads what {@link #write} wrote. */
    static CounterReference read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new CounterReference(lines.get(0), lines.get(1), Path.of(lines.get(2)));
    }

    public void write(Path file) throws IOException {
        Files.write(file, List.of(group, members, secretFile.toString()));
    }
}
