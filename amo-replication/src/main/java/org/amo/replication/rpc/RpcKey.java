package org.amo.replication.rpc;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.amo.base.SecretRing;
import org.amo.base.wire.Seal;

/**
 * The keys of a group's secrets: a client proves itself with that of the first one, and a member takes each. They follow each change of the
 * secrets; a connection keeps the key of its greeting, and a member ends it soon after that secret was removed. Any thread may use it.
 */
public final class RpcKey {
    private volatile List<GroupKey> accepted = List.of();

    private RpcKey() {}

    /**
     * For a secret that never changes.
     *
     * @throws IllegalArgumentException in one line if the secret is too short
     */
    public static RpcKey of(String group, String secret) {
        return of(group, SecretRing.of(secret));
    }

    /**
     * Takes up to half a second for each secret that is a password, now and at a change.
     *
     * @throws IllegalArgumentException in one line if a secret is too short
     */
    public static RpcKey of(String group, SecretRing secrets) {
        RpcKey key = new RpcKey();
        secrets.use(each -> key.accepted =
                each.stream().map(secret -> GroupKey.of(group, secret)).collect(Collectors.toUnmodifiableList()));
        return key;
    }

    /** That of the secret that proves and seals. */
    GroupKey first() {
        return accepted.get(0);
    }

    /** That of each secret in force, the first one first; another list after each change. */
    List<GroupKey> accepted() {
        return accepted;
    }

    /** The one that made the proof; empty if it was made with another secret. */
    Optional<GroupKey> ofProof(RpcFrames.Hello hello) {
        return accepted.stream()
                .filter(key -> GroupKey.same(hello.proof(), key.helloProof(hello.salt())))
                .findFirst();
    }

    /** Whether the key's secret is still in force. */
    boolean accepts(GroupKey key) {
        return accepted.stream().anyMatch(key::isSame);
    }

    /** Derives the keys of datagrams under the first secret, which no connection uses. For one thread. */
    public Seal datagrams() {
        return first().datagrams();
    }
}
