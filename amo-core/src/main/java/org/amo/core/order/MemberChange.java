package org.amo.core.order;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.amo.base.wire.Seal;

/**
 * A member to be added to a running group, to be removed from it, to lead it, or to take a snapshot.
 *
 * @param kind of the change; only to add a member, more than its id matters
 * @param version of the members that the requester knows. A change of the members is made once, and one that was recorded is worth nothing
 *     afterwards; that a member leads, or takes a snapshot, can be asked for again until the members change
 * @param proof that the requester knows the group's secret; empty for a group without one
 */
public record MemberChange(Kind kind, Member member, long version, String proof) {

    /** The change. */
    public enum Kind {
        ADD,
        REMOVE,
        LEAD,
        /** Asked of that member itself; changes nothing in the group. */
        SNAPSHOT;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Kind of(String word) {
            return Arrays.stream(values())
                    .filter(kind -> kind.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no change of members: '" + word + "'"));
        }
    }

    /** A change that is proved by the secret, if there is one. */
    public static MemberChange of(String group, Kind kind, Member member, long version, Optional<String> secret) {
        return new MemberChange(
                kind,
                member,
                version,
                secret.map(key -> prove(group, kind, member, version, key)).orElse(""));
    }

    /** Whether the member is added. */
    public boolean add() {
        return kind == Kind.ADD;
    }

    /** Whether it is proved by this secret. */
    public boolean isProved(String group, Optional<String> secret) {
        return secret.isEmpty()
                || MessageDigest.isEqual(
                        prove(group, kind, member, version, secret.get()).getBytes(StandardCharsets.US_ASCII),
                        proof.getBytes(StandardCharsets.US_ASCII));
    }

    /** One line that {@link #parse} reads. */
    public String format() {
        return kind.word() + " " + member + " " + version + " " + proof;
    }

    /** @throws IllegalArgumentException when it is none */
    public static MemberChange parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 4) {
            throw new IllegalArgumentException("no change of members: '" + line + "'");
        }
        return new MemberChange(
                Kind.of(words[0]), Member.parseList(words[1]).get(0), Long.parseLong(words[2]), words[3]);
    }

    private static String prove(String group, Kind kind, Member member, long version, String secret) {
        String said = group + " " + kind.word() + " " + member + " " + version;
        return HexFormat.of()
                .formatHex(Seal.of(secret.getBytes(StandardCharsets.UTF_8), "amo members 1")
                        .hash(said));
    }
}
