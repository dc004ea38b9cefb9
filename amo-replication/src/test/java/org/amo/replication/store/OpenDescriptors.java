package org.amo.replication.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Finds files of this process that have no name any more, on Linux. */
final class OpenDescriptors {
    private OpenDescriptors() {}

    /** The path of an open file of this folder whose name began so. */
    static Path of(Path folder, String name) throws IOException {
        Path descriptors = Path.of("/proc/" + ProcessHandle.current().pid() + "/fd");
        try (Stream<Path> all = Files.list(descriptors)) {
            for (Path each : all.filter(Files::isSymbolicLink).toList()) {
                Path file = Files.readSymbolicLink(each);
                if (file.startsWith(folder) && file.getFileName().toString().startsWith(name)) {
                    return each;
                }
            }
        }
        throw new AssertionError("no open file in " + folder + " begins with " + name);
    }
}
