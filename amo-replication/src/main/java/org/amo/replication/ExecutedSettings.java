package org.amo.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.amo.base.wire.Seal;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the settings under which the requests of a member's log were executed, as far as their replay could end otherwise
 * under others (docs/wire/small-files.md). Members replay from different positions, so they would not even differ alike. A
 * member without a folder replays nothing. The owner of the replica owns it.
 */
final class ExecutedSettings {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutedSettings.class);
    private static final int MAGIC = 0x616d6f45; // "amoE"
    private static final String FILE = "settings";
    private static final String EXECUTE = "--execute (amo.execute)";
    private static final String DETERMINISTIC = "--deterministic (amo.deterministic)";
    private static final String SECRET = "the group's secret (a mark of it)";
    private static final int MARK_BYTES = 2;
    private static final String REMEDY = "delete it, and the member starts with its present settings";

    private final RetriedFile file;
    private final Map<String, String> present;
    private Map<String, String> noted;

    private ExecutedSettings(RetriedFile file, Map<String, String> present, Map<String, String> noted) {
        this.file = file;
        this.present = present;
        this.noted = noted;
    }

    /**
     * Compares with those of the earlier process.
     *
     * @param folder empty for a member that keeps nothing
     * @throws OrderedLogException in one line if a setting has changed, or the note cannot be read
     */
    static ExecutedSettings open(Optional<Path> folder, ReplicaSettings settings) {
        Optional<Path> path = folder.map(kept -> kept.resolve(FILE));
        Optional<CheckedFile> file = path.map(note -> new CheckedFile(note, MAGIC, REMEDY));
        Map<String, String> present = lasting(settings);
        Map<String, String> before = file.map(ExecutedSettings::read).orElse(Map.of());
        for (Map.Entry<String, String> setting : before.entrySet()) {
            String now = present.getOrDefault(setting.getKey(), setting.getValue());
            if (setting.getKey().equals(JavaVersion.SETTING)) {
                tellOfOtherJava(settings, now, setting.getValue());
            } else if (!now.equals(setting.getValue())) {
                throw new OrderedLogException(
                        Fault.USER,
                        "member " + settings.id() + " of group " + settings.group() + " has " + setting.getKey() + " '"
                                + now + "', and the requests of its log were executed with '" + setting.getValue()
                                + "': run again, they could end otherwise; write the earlier value at all members, or"
                                + " begin the group with empty folders (if no operation depends on it, delete "
                                + path.orElseThrow() + " at each member)");
            }
        }
        if (present.containsKey(SECRET)) {
            settings.secrets()
                    .ifPresent(ring ->
                            ring.fix("random numbers of operations follow from it (--random seeded); prepare the"
                                    + " group with --random leader (docs/how-to/exchange-the-secret.md)"));
        }
        return new ExecutedSettings(new RetriedFile(file), present, before);
    }

    /** The members agree with each other, and a Java version ends some day: so the log is run again nevertheless. */
    private static void tellOfOtherJava(ReplicaSettings settings, String now, String before) {
        // In style passive no request is run again: the log has the updates.
        if (!now.equals(before) && settings.style() != ReplicaSettings.Style.PASSIVE) {
            LOG.warn(
                    "member {} of group {} runs Java {}, and the requests of its log were executed with Java {}: run again, they can"
                            + " end otherwise than their clients were told (docs/how-to/upgrade.md)",
                    settings.id(),
                    settings.group(),
                    now,
                    before);
        }
    }

    /** Those on which the result of an operation depends. */
    private static Map<String, String> lasting(ReplicaSettings settings) {
        Map<String, String> all = settings.equalAtAllMembers();
        Map<String, String> lasting = new TreeMap<>();
        lasting.put(JavaVersion.SETTING, JavaVersion.here());
        all.forEach((name, value) -> {
            if (name.equals("--threads (amo.threads)") || name.equals("amo.deterministic.exclude")) {
                lasting.put(name, value);
            }
        });
        // Of a Java service that may have the agent at one start and not at another.
        String kinds = all.getOrDefault(DETERMINISTIC, "none");
        lasting.put(DETERMINISTIC, kinds);
        if (covers(kinds, "time")) {
            // The clock of an operation begins elsewhere.
            lasting.put(EXECUTE, all.getOrDefault(EXECUTE, "serial"));
        }
        if (covers(kinds, "random") && settings.random() == ReplicaSettings.RandomSource.SEEDED) {
            // The random numbers of an entry without a seed follow from it.
            lasting.put(
                    SECRET,
                    settings.secret()
                            .map(secret -> mark(settings.group(), secret))
                            .orElse("none"));
        }
        return lasting;
    }

    private static boolean covers(String kinds, String kind) {
        return kinds.equals("all") || Arrays.asList(kinds.split(",", -1)).contains(kind);
    }

    /** Enough to notice another secret, too little to confirm a guess: one of 65,536 wrong ones has the same mark. */
    private static String mark(String group, String secret) {
        byte[] hash = Seal.of(secret.getBytes(StandardCharsets.UTF_8), "amo settings 1")
                .hash(group);
        return HexFormat.of().formatHex(hash, 0, MARK_BYTES);
    }

    private static Map<String, String> read(CheckedFile from) {
        try {
            Map<String, String> read = new TreeMap<>();
            from.read()
                    .map(content -> StandardCharsets.UTF_8.decode(content).toString())
                    .ifPresent(text -> text.lines().forEach(line -> {
                        int equals = line.indexOf('=');
                        read.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
                    }));
            return read;
        } catch (IOException e) {
            throw new OrderedLogException(Fault.ENVIRONMENT, "" + e.getMessage(), e);
        }
    }

    /**
     * A majority has the settings of this member, so requests are executed with them from now on. At each tick.
     *
     * @return false while the disk does not take them
     */
    boolean keep() {
        if (noted.equals(present)) {
            return file.retry();
        }
        String text = present.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining("\n"));
        noted = present;
        file.write(text.getBytes(StandardCharsets.UTF_8));
        return file.retry();
    }
}
