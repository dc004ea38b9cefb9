package org.amo.base;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The secrets of one group in one process. The first one proves and seals; a second one is accepted as well, while the group exchanges
 * its secret (docs/decisions/0153-a-secret-is-exchanged-while-the-group-runs.md). Any thread. Nothing here survives the process, which
 * reads the file again when it starts.
 *
 * <p>Invariants of a change, which keep the group together and a leaked secret out:
 *
 * <ul>
 *   <li>One secret stays in force: a truncated or wrong file cuts no member off.
 *   <li>A secret that was removed does not come back: its replay windows are gone, so recorded frames would open again.
 * </ul>
 */
public final class SecretRing {
    /** {@link #counts} of a process without a secret. */
    public static final Map<String, Long> NO_COUNTS = counts(0, 0, 0);

    private final Optional<Path> file;
    private final String where;
    private final List<String> initial;

    // Guarded by this.
    private final List<Consumer<List<String>>> users = new ArrayList<>();
    private final Set<String> removed = new HashSet<>();
    private Optional<String> fixed = Optional.empty();

    private volatile List<String> secrets;
    private volatile long changes;
    private volatile boolean refused;

    private SecretRing(Optional<Path> file, String where, List<String> secrets) {
        this.file = file;
        this.where = where;
        this.initial = secrets;
        this.secrets = secrets;
    }

    /** One secret, which no file changes. */
    public static SecretRing of(String secret) {
        return new SecretRing(Optional.empty(), "the secret", List.of(secret));
    }

    /**
     * The secrets in a text that a process reads once.
     *
     * @param where names its source, for messages
     * @throws IllegalArgumentException in one line if it holds none, or one that can be guessed
     */
    public static SecretRing ofText(String text, String where) {
        return new SecretRing(Optional.empty(), where, SecretLines.read(text, where));
    }

    /**
     * The secrets in a file, which {@link #watch} reads again when it changes.
     *
     * @throws IOException if it cannot be read as text
     * @throws IllegalArgumentException in one line if it holds none, or one that can be guessed
     */
    public static SecretRing ofFile(Path file) throws IOException {
        String where = "the secret in the file " + file;
        return new SecretRing(Optional.of(file), where, SecretLines.read(text(file), where));
    }

    /**
     * A ring with users and changes of its own, for a process that begins now: it has the secrets that the file holds now, as after a
     * restart, or those of this ring if there is no such file or its text is refused.
     */
    public SecretRing copy() {
        return new SecretRing(file, where, present());
    }

    private List<String> present() {
        if (file.filter(SecretRing::isWatched).isEmpty()) {
            return secrets;
        }
        try {
            return SecretLines.read(text(file.get()), where);
        } catch (IOException | IllegalArgumentException e) {
            // A file that is being written. The watch of the copy tells what is wrong with one that stays so.
            return secrets;
        }
    }

    /** Reads no more of a file than a secret may have. */
    static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(SecretLines.MOST_BYTES + 1);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }
    }

    /** Those in force: the one that proves and seals, then the one that is accepted as well, if any. */
    public List<String> secrets() {
        return secrets;
    }

    /** The one that proves and seals. */
    public String first() {
        return secrets.get(0);
    }

    /** The first one when the process started, for values that must not change while it runs. */
    public String initial() {
        return initial.get(0);
    }

    /** For a status: how many secrets are accepted, how often they changed, and whether the file's present text was refused. */
    public Map<String, Long> counts() {
        return counts(secrets.size(), changes, refused ? 1 : 0);
    }

    private static Map<String, Long> counts(long accepted, long changes, long refused) {
        return Map.of("accepted", accepted, "changes", changes, "refused", refused);
    }

    /**
     * Tells the secrets in force now, and before each change the new ones: in the thread that makes the change, so that keys are derived
     * before the first frame needs them.
     */
    public synchronized void use(Consumer<List<String>> user) {
        user.accept(secrets);
        users.add(user);
    }

    /** From now on no change is taken. The first reason stays. */
    public synchronized void fix(String because) {
        fixed = fixed.or(() -> Optional.of(because));
    }

    /**
     * Reads the file again when it changes, from now on until the result is run. A change is taken once two looks, a second apart, have
     * found the file alike, so that one that is being written is not read. A ring without a file, or with a pipe, has nothing to watch.
     *
     * @param changed told of each change in one line, without a secret
     * @param refused told in one line why a text is not taken, once for each reason
     * @return ends the watch
     */
    public Runnable watch(Consumer<String> changed, Consumer<String> refused) {
        return file.filter(SecretRing::isWatched)
                .map(path -> {
                    SecretFileWatch watch = new SecretFileWatch(this, path, changed, refused);
                    watch.start();
                    return (Runnable) watch::close;
                })
                .orElse(() -> {});
    }

    /**
     * Takes the text of a file.
     *
     * @return whether it changed the secrets
     * @throws IllegalArgumentException in one line with the remedy, if it is refused; then those in force stay
     */
    public synchronized boolean change(String text) {
        refused = true;
        List<String> next = SecretLines.read(text, where);
        boolean differs = !next.equals(secrets);
        if (differs) {
            checkChange(next);
            users.forEach(user -> user.accept(next));
            secrets.stream().filter(each -> !next.contains(each)).forEach(removed::add);
            secrets = next;
            changes++;
        }
        refused = false;
        return differs;
    }

    private void checkChange(List<String> next) {
        fixed.ifPresent(because -> {
            throw new IllegalArgumentException(where + " has changed, and this process cannot change it while it runs: "
                    + because + "; the one in force stays");
        });
        if (next.stream().noneMatch(secrets::contains)) {
            throw new IllegalArgumentException(
                    where + " has changed and holds none of those in force, which stay: write the line '"
                            + SecretLines.HEADER + "', then the new secret and the old one, one a line");
        }
        if (next.stream().anyMatch(removed::contains)) {
            throw new IllegalArgumentException(where + " has changed and holds one again that was removed, which only a"
                    + " restart takes back; those in force stay: write another new secret");
        }
    }

    /** A pipe has its text for the first reader alone, and would hold up the looks at other files. */
    static boolean isWatched(Path path) {
        return Files.isRegularFile(path) || Files.notExists(path);
    }

    /** The file is not there, or is no text: those in force stay. */
    void onUnreadable() {
        refused = true;
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return where;
    }
}
