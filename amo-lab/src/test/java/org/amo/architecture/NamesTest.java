package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Names of the types of main code, and of the seams that planted bugs use. */
final class NamesTest {
    private static final double MOST_PUBLIC_PERCENT = 35.0;
    private static final Pattern PUBLIC_TYPE = Pattern.compile("^public ", Pattern.MULTILINE);

    @Test
    void noTwoTypesHaveTheSameSimpleName() throws IOException {
        Map<String, List<Path>> types = new TreeMap<>();
        for (Path file : MainSources.all()) {
            String name = file.getFileName().toString().replace(".java", "");
            if (!name.endsWith("-info")) {
                types.computeIfAbsent(name, key -> new ArrayList<>()).add(MainSources.HOME.relativize(file));
            }
        }
        assertTrue(types.size() > 500, "types: " + types.size());
        types.values().removeIf(files -> files.size() == 1);
        assertEquals(Map.of(), types);
    }

    /**
     * The share of public types, which may fall and not rise: lower the limit then. A type is public because another package needs
     * it, or a user does.
     */
    @Test
    void fewTypesArePublic() throws IOException {
        int all = 0;
        int open = 0;
        for (Path file : MainSources.all()) {
            if (!file.getFileName().toString().endsWith("-info.java")) {
                all++;
                if (PUBLIC_TYPE.matcher(Files.readString(file)).find()) {
                    open++;
                }
            }
        }
        double percent = 100.0 * open / all;
        String share = String.format(Locale.ROOT, "%d of %d top-level types are public: %.1f %%", open, all, percent);
        System.out.println(share);
        assertTrue(
                percent <= MOST_PUBLIC_PERCENT,
                share + ", more than " + MOST_PUBLIC_PERCENT
                        + " %; leave out 'public', or put the type into the package that needs it");
    }

    /** A planted bug is a subclass in amo-sim; no shipped class asks whether a rule is in force. */
    @Test
    void shippedCodeHasNoSwitchForAPlantedBug() throws IOException {
        List<Path> switches = new ArrayList<>();
        for (Path file : MainSources.all()) {
            Path inHome = MainSources.HOME.relativize(file);
            if (!inHome.startsWith("amo-sim") && Files.readString(file).contains("holds(")) {
                switches.add(inHome);
            }
        }
        assertEquals(List.of(), switches);
    }

    /** {@code DaemonThreads} of amo-base makes all of them, so that each is a daemon whose name begins with "amo-"; ParentWatch runs without amo-base. */
    @Test
    void onePlaceMakesDaemonThreads() throws IOException {
        assertEquals(List.of("DaemonThreads.java", "ParentWatch.java"), filesWith("setDaemon("));
    }

    @Test
    void onePlaceMakesEventLoops() throws IOException {
        assertEquals(List.of("EventLoops.java"), filesWith("new MultiThreadIoEventLoopGroup("));
    }

    private static List<String> filesWith(String text) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path file : MainSources.all()) {
            if (Files.readString(file).contains(text)) {
                names.add(file.getFileName().toString());
            }
        }
        return names;
    }
}
