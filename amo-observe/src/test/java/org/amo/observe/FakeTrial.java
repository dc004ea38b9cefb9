package org.amo.observe;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A run whose verdict a test sets. */
final class FakeTrial extends FakeMember implements Trial {
    final List<String> killed = new CopyOnWriteArrayList<>();
    volatile Verdict verdict = new Verdict(12_345, 6, 0, 0, List.of("8 s: kill -9 <b>"));
    volatile Optional<String> obstacle = Optional.empty();

    FakeTrial() {
        super("bank", "demo");
    }

    @Override
    public Verdict verdict() {
        return verdict;
    }

    @Override
    public Optional<String> kill(String member) {
        if (obstacle.isEmpty()) {
            killed.add(member);
        }
        return obstacle;
    }
}
