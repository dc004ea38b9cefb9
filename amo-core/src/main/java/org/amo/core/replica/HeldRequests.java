package org.amo.core.replica;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.amo.core.wire.WireReader;

/**
 * What a member does about requests that ended members: it reports what became of them here, holds what it must not begin,
 * and takes the state of another member or runs a request again where the group cannot skip it
 * (docs/decisions/0041-requests-that-end-members.md).
 *
 * <p>One thread owns it.
 */
final class HeldRequests {
    private final String self;
    private final ReplicaEffects effects;
    private final ExecutionProgress progress;
    private final SkipRule rule;

    /** Replicated; the rest is what this member knows. */
    private SkippedRequests skipped;

    private final OwnWords words = new OwnWords();
    private final Set<Place> toldOfMissing = new HashSet<>();

    /** Up to here earlier processes of this member ran the requests, or perhaps. */
    private Optional<Place> ranEarlier = Optional.empty();

    /** Up to here the state came with a snapshot. */
    private long restoredPosition;

    private List<String> members;

    /** Those that were members: the last position at which they were. */
    private final Map<String, Long> leftAt = new TreeMap<>();

    HeldRequests(ReplicaOptions options, ReplicaEffects effects, ExecutionProgress progress, SkipRule rule) {
        this.self = options.id();
        this.effects = effects;
        this.progress = progress;
        this.rule = rule;
        this.skipped = new SkippedRequests(rule);
        this.members = options.members();
    }

    void onMembers(List<String> now, long position) {
        members.stream().filter(member -> !now.contains(member)).forEach(gone -> leftAt.put(gone, position));
        leftAt.keySet().removeAll(now);
        members = now;
    }

    void ranEarlier(Place last) {
        ranEarlier = Optional.of(last);
    }

    void died(Place place) {
        words.died(place);
    }

    void diedOfWhatRan(Place place) {
        words.diedOfWhatRan(place);
    }

    void held(Place place) {
        if (!isSettled(place)) {
            words.held(place);
        }
    }

    void executed(Place place) {
        words.settled(place);
    }

    /** Whether nothing behind some request runs here. */
    boolean isHolding() {
        return words.isHolding();
    }

    // ------------------------------------------------- the order

    void entry(String origin, long position) {
        skipped.entry(origin, position);
    }

    /** @return whether its request is skipped from here on */
    boolean report(String member, Report report) {
        return skipped.report(member, report);
    }

    void onVerdict(Place place) {
        words.settled(place);
        toldOfMissing.remove(place);
        if (place.position() > restoredPosition) {
            effects.skip(place);
        }
    }

    SkippedRequests skipped() {
        return skipped;
    }

    SkippedRequests copyOfSkipped() {
        return skipped.copy();
    }

    SkippedRequests readSkipped(WireReader reader) {
        return SkippedRequests.read(rule, reader);
    }

    /** The state is that of a snapshot. */
    void restored(SkippedRequests installed, long position) {
        skipped = installed;
        restoredPosition = position;
    }

    // ------------------------------------------------- what this member does

    /** Reports that the order does not know yet. Asks the shell for what has to be done before there is one. */
    List<Report> toSay(long position, long nowMillis) {
        words.places().stream().filter(this::isSettled).forEach(words::settled);
        Set<Place> places = new TreeSet<>(skipped.open());
        places.addAll(words.places());
        List<Report> due = new ArrayList<>();
        for (Place place : places) {
            List<String> involved = involved(place);
            Optional<Report> own =
                    word(place, involved).map(word -> new Report(place, word, position, involved, gone(involved)));
            if (own.isEmpty()) {
                holdIfNeeded(place, involved);
            } else if (skipped.isSaid(self, own.get())) {
                goOn(own.get(), nowMillis);
            } else if (words.isDue(place, nowMillis)) {
                due.add(own.get());
            }
        }
        return due;
    }

    private boolean isSettled(Place place) {
        return skipped.isSkipped(place) || progress.isExecuted(place);
    }

    /** Who may have run it: those that were members at its position, or since. */
    private List<String> involved(Place place) {
        Set<String> involved = new TreeSet<>(members);
        leftAt.forEach((member, last) -> {
            if (last >= place.position()) {
                involved.add(member);
            }
        });
        return List.copyOf(involved);
    }

    private List<String> gone(List<String> involved) {
        return involved.stream().filter(member -> !members.contains(member)).toList();
    }

    private Optional<Word> word(Place place, List<String> involved) {
        if (progress.isExecuted(place)) {
            return Optional.of(Word.EXECUTED);
        }
        boolean ran = ranEarlier.filter(last -> last.compareTo(place) >= 0).isPresent();
        Optional<Word> word = words.of(place, ran, isBlocked(place));
        return word.isPresent() && waitsForTheGoneOnly(place, involved) ? Optional.of(Word.RAN) : word;
    }

    /** Whether this member holds an earlier request of the same entry, which is never skipped. */
    private boolean isBlocked(Place place) {
        return words.places().stream()
                .anyMatch(before -> before.position() == place.position()
                        && before.index() < place.index()
                        && skipped.mustRun(before));
    }

    /** Those members may have run it, and will never say so. */
    private boolean waitsForTheGoneOnly(Place place, List<String> involved) {
        List<String> silent = skipped.silent(place, involved);
        return words.isHolding(place) && !silent.isEmpty() && silent.stream().noneMatch(members::contains);
    }

    private void holdIfNeeded(Place place, List<String> involved) {
        boolean died = skipped.words(place).containsValue(Word.DIED);
        if (majorityDied(place, involved) || (died && isBlocked(place))) {
            effects.hold(place);
        }
    }

    private boolean majorityDied(Place place, List<String> involved) {
        return SkipRule.isMajority(involved, skipped.words(place), EnumSet.of(Word.DIED));
    }

    /** The order knows the word of this member: what comes of it. */
    private void goOn(Report own, long nowMillis) {
        Place place = own.place();
        if (words.isHolding(place) && skipped.mustRun(place)) {
            if (words.isDue(place, nowMillis)) {
                goOnWithout(place);
            }
        } else if (majorityDied(place, own.members()) || own.word() == Word.BLOCKED) {
            List<String> silent = skipped.silent(place, own.members());
            if (!silent.isEmpty() && toldOfMissing.add(place)) {
                effects.waitsForWord(place, String.join(", ", silent));
            }
        }
    }

    /** It is never skipped, so this member needs a state from behind it; where no member has one, it has to run. */
    private void goOnWithout(Place place) {
        Map<String, Word> heard = skipped.words(place);
        List<String> executedBy = heard.keySet().stream()
                .filter(member -> heard.get(member) == Word.EXECUTED && members.contains(member))
                .toList();
        if (executedBy.isEmpty()) {
            effects.letGo(place);
        } else {
            effects.takeStateBehind(place, executedBy);
        }
    }
}
