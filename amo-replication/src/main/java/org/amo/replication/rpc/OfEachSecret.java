package org.amo.replication.rpc;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.amo.base.wire.Seal;

/**
 * An object for each secret that a group accepts, that of the first secret first; all are made anew when the secrets have changed. A group
 * without a secret has one object. One thread owns it.
 *
 * @param <T> seals or opens datagrams under one secret
 */
final class OfEachSecret<T> {
    private final Optional<RpcKey> key;
    private final Function<Optional<Seal>, T> maker;
    private List<GroupKey> made = List.of();
    private List<T> all = List.of();

    /** @param maker is given the keys of datagrams under one secret; none for a group without a secret */
    OfEachSecret(Optional<RpcKey> key, Function<Optional<Seal>, T> maker) {
        this.key = key;
        this.maker = maker;
    }

    /** One or two. */
    List<T> all() {
        List<GroupKey> present = key.map(RpcKey::accepted).orElse(List.of());
        if (all.isEmpty() || present != made) {
            made = present;
            all = key.isEmpty()
                    ? List.of(maker.apply(Optional.empty()))
                    : present.stream()
                            .map(each -> maker.apply(Optional.of(each.datagrams())))
                            .collect(Collectors.toUnmodifiableList());
        }
        return all;
    }

    /** That of the secret that proves and seals. */
    T first() {
        return all().get(0);
    }
}
