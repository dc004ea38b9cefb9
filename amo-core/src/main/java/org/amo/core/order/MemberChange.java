package org.amo.core.order;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.base.wire.Seal;

/**
 * A member to be added to a running group, or removed from it.
 *
 * @param add false to remove it; then only its id matters
 * @param version of the members that it is to change: a change is made once, and one that was recorded is worth nothing
 *     afterwards
 * @param proof that the requester knows the group's secret; empty for a group without one
 */
public record MemberChange(boolean add, Member member, long version, String proof) {

    /** A change that is proved by the secret, if there is one. */
    public static MemberChange of(String group, boolean add, Member member, long version, Optional<String> secret) {
        return new MemberChange(
                add,
                member,
                version,
                secret.map(key -> prove(group, add, member, version, key)).orElse(""));
    }

    /** Whether it is proved by this secret. */
    public boolean isProved(String group, Optional<String> secret) {
        return secret.isEmpty()
                || MessageDigest.isEqual(
                        prove(group, add, member, version, secret.get()).getBytes(StandardCharsets.US_ASCII),
                        proof.getBytes(StandardCharsets.US_ASCII));
    }

    /** One line that {@link #parse} reads. */
    public String format() {
        return (add ? "add " : "remove ") + member + " " + version + " " + proof;
    }

    /** @throws IllegalArgumentException when it is none */
    public static MemberChange parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 4 || !(words[0].equals("add") || words[0].equals("remove"))) {
            throw new IllegalArgumentException("no change of members: '" + line + "'");
        }
        return new MemberChange(
                words[0].equals("add"), Member.parseList(words[1]).get(0), Long.parseLong(words[2]), words[3]);
    }

    private static String prove(String group, boolean add, Member member, long version, String secret) {
        String said = group + " " + (add ? "add " : "remove ") + member + " " + version;
        return HexFormat.of()
                .formatHex(Seal.of(secret.getBytes(StandardCharsets.UTF_8), "amo members 1")
                        .hash(said));
    }
}
