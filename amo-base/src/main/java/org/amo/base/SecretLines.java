package org.amo.base;

import java.util.List;
import java.util.stream.Collectors;
import org.amo.base.wire.Secrets;

/**
 * Reads the text of a secret file. All of it, but for white space around it, is one secret. If its first line is {@value #HEADER}, each
 * further line that is not empty is one secret: the first one proves and seals, a second one is accepted as well.
 *
 * <p>The header stands there because a secret may have several lines: a file of two lines keeps the meaning that it had.
 */
final class SecretLines {
    static final String HEADER = "amo secrets";
    static final int MOST = 2;

    /** A file that is longer was named by mistake. */
    static final int MOST_BYTES = 65_536;

    private SecretLines() {}

    /**
     * Reads it.
     *
     * @param where names the file, for messages, which never hold a part of the text
     * @return one secret or two, of {@value Secrets#LEAST_BYTES} bytes at least each
     * @throws IllegalArgumentException in one line with the remedy
     */
    static List<String> read(String text, String where) {
        if (text.length() > MOST_BYTES) {
            throw new IllegalArgumentException(
                    where + " has more than " + MOST_BYTES + " characters, so it is no secret; correct it");
        }
        String stripped = text.strip();
        List<String> lines = stripped.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.toUnmodifiableList());
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            return List.of(Secrets.check(stripped, where));
        }
        List<String> secrets = lines.subList(1, lines.size());
        if (secrets.isEmpty() || secrets.size() > MOST) {
            throw new IllegalArgumentException(where + " has " + secrets.size() + " lines behind '" + HEADER
                    + "'; write one secret or two, one a line");
        }
        if (secrets.size() == MOST && secrets.get(0).equals(secrets.get(1))) {
            throw new IllegalArgumentException(where + " has the same secret twice; leave one of the two lines out");
        }
        for (int line = 0; line < secrets.size(); line++) {
            Secrets.check(secrets.get(line), where + ", secret " + (line + 1));
        }
        return List.copyOf(secrets);
    }
}
