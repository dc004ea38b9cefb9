package org.amo.core.reply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The live entries of a foreign client by their retention ids. A client with few has a list of them, since a stranger can invent any
 * number of clients with one each. A client with many has maps, since each of its calls looks for an entry and asks for the earliest.
 */
final class ForeignEntries {
    /** So many are looked through, and copied at a change. */
    static final int FEW = 64;

    /** Empty while there are {@link Many}. */
    private List<Entry> few = List.of();

    private Optional<Many> many = Optional.empty();

    record Entry(long id, LiveEntry live) {}

    private static final class Many {
        private static final Comparator<Entry> BY_TIME = Comparator.<Entry>comparingLong(
                        each -> each.live.expiresAtMillis())
                .thenComparingLong(Entry::id);

        private final Map<Long, Entry> entries = new HashMap<>();
        private final TreeSet<Entry> byTime = new TreeSet<>(BY_TIME);

        private void add(Entry entry) {
            entries.put(entry.id, entry);
            byTime.add(entry);
        }

        private void replace(Entry entry) {
            byTime.remove(entry);
            add(entry);
        }

        private void removeExpired(long orderedTimeMillis, Consumer<Entry> removed) {
            while (!byTime.isEmpty() && byTime.first().live.expiresAtMillis() < orderedTimeMillis) {
                Entry expired = byTime.pollFirst();
                entries.remove(expired.id);
                removed.accept(expired);
            }
        }
    }

    int size() {
        return few.size() + many.map(all -> all.entries.size()).orElse(0);
    }

    Optional<LiveEntry> find(long id) {
        if (many.isPresent()) {
            return Optional.ofNullable(many.get().entries.get(id)).map(Entry::live);
        }
        for (Entry each : few) {
            if (each.id == id) {
                return Optional.of(each.live);
            }
        }
        return Optional.empty();
    }

    /** @param entry whose id is not there */
    void add(Entry entry) {
        if (many.isEmpty() && few.size() == FEW) {
            Many all = new Many();
            few.forEach(all::add);
            few = List.of();
            many = Optional.of(all);
        }
        if (many.isPresent()) {
            many.get().add(entry);
        } else {
            List<Entry> more = new ArrayList<>(few);
            more.add(entry);
            few = List.copyOf(more);
        }
    }

    /** The entry with this id becomes this one, with the same time. */
    void replace(Entry entry) {
        if (many.isPresent()) {
            many.get().replace(entry);
        } else {
            List<Entry> changed = new ArrayList<>(few);
            changed.replaceAll(each -> each.id == entry.id ? entry : each);
            few = List.copyOf(changed);
        }
    }

    /** Removes those whose time is past, and passes each on. */
    void removeExpired(long orderedTimeMillis, Consumer<Entry> removed) {
        if (many.isPresent()) {
            many.get().removeExpired(orderedTimeMillis, removed);
            return;
        }
        List<Entry> kept = new ArrayList<>(few.size());
        for (Entry each : few) {
            if (each.live.expiresAtMillis() < orderedTimeMillis) {
                removed.accept(each);
            } else {
                kept.add(each);
            }
        }
        few = List.copyOf(kept);
    }

    /** The earliest time; Long.MAX_VALUE if there is none. */
    long firstExpirationMillis() {
        if (many.isPresent()) {
            TreeSet<Entry> all = many.get().byTime;
            return all.isEmpty() ? Long.MAX_VALUE : all.first().live.expiresAtMillis();
        }
        return few.stream().mapToLong(each -> each.live.expiresAtMillis()).min().orElse(Long.MAX_VALUE);
    }

    /** In rising order of their ids. */
    List<Entry> inOrder() {
        List<Entry> all = new ArrayList<>(size());
        forEach(all::add);
        all.sort(Comparator.comparingLong(Entry::id));
        return all;
    }

    void forEach(Consumer<Entry> visitor) {
        many.ifPresentOrElse(maps -> maps.entries.values().forEach(visitor), () -> few.forEach(visitor));
    }
}
