package org.amo.meetings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that this process has open, on Linux. Any thread. */
public final class OpenFiles {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private OpenFiles() {}

    /** Descriptors of files in that folder. */
    public static List<Path> in(Path folder) {
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            return descriptors
                    .map(OpenFiles::target)
                    .filter(file -> file.startsWith(folder))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException e) {
            // Closed since the list was made.
            return descriptor;
        }
    }
}
