package org.amo.determinism.check;

import java.util.List;

/**
 * One use of a source, reachable from an operation.
 *
 * @param kind family of the source
 * @param type binary name of the class with the use
 * @param method its method; for a lambda the method around it
 * @param line in the source file, or 0 if the class file has no lines
 * @param source the use, for example {@code System.currentTimeMillis}
 * @param deterministic whether the determinism agent gives all replicas the same value
 * @param advice to do without the agent
 * @param path the shortest calls from an operation to the use
 */
public record Finding(
        SourceKind kind,
        String type,
        String method,
        int line,
        String source,
        boolean deterministic,
        String advice,
        List<String> path) {

    public Finding {
        path = List.copyOf(path);
    }

    @Override
    public String toString() {
        return kind.word() + " " + type + "." + method + ":" + (line == 0 ? "?" : line) + " "
                + String.join(" > ", path);
    }
}
