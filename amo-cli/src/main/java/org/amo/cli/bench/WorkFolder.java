package org.amo.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for a measurement's logs and data, gone when it has ended. */
record WorkFolder(Path path) implements AutoCloseable {

    static WorkFolder create() throws IOException {
        return new WorkFolder(Files.createTempDirectory("amo-bench"));
    }

    @Override
    public void close() throws IOException {
        List<Path> content;
        try (Stream<Path> paths = Files.walk(path)) {
            content = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : content) {
            Files.deleteIfExists(each);
        }
    }
}
