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

/**
 * Handles requests that ended members (docs/decisions/0041-requests-that-end-members.md): reports their outcome at this
 * member, holds those that it must not begin, and asks for the state of another member, or for a new execution, if the group
 * cannot skip a request. Timers of operations count as requests here.
 *
 * <p>One thread owns it.
 */
final class HeldRequests {
    /** About as many seconds: the timers of a donor may end by then. */
    private static final int MOST_WITHOUT_STATE = 10;

    private final String self;
    private final ReplicaEffects effects;
    private final ExecutionProgress progress;
    private final OutcomeOrder outcomes;
    /** Replicated state; the other fields are local knowledge. */
    private SkippedRequests skipped;

    private final OwnWords words = new OwnWords();
    private final Set<Place> toldOfMissing = new HashSet<>();

    /** Last request that earlier processes of this member executed, or may have: clients may have the replies up to there. */
    private Optional<Place> ranEarlier = Optional.empty();

    /** The last request or timer that ran to its end in this process, or was skipped. */
    private Optional<Place> ranHere = Optional.empty();

    /** Position of the installed snapshot. */
    private long restoredPosition;

    private List<String> members;

    /** Former members, with the last position of their membership. */
    private final Map<String, Long> leftAt = new TreeMap<>();

    HeldRequests(
            ReplicaOptions options,
            ReplicaEffects effects,
            ExecutionProgress progress,
            SkipRule rule,
            OutcomeOrder outcomes) {
        this.self = options.id();
        this.effects = effects;
        this.progress = progress;
        this.outcomes = outcomes;
        this.skipped = new SkippedRequests(rule);
        this.members = options.members();
    }

    void onMembers(List<String> now, long position) {
        members.forEach(member -> leftAt.put(member, position));
        leftAt.keySet().removeAll(now);
        members = now;
    }

    /** The notes of earlier processes, which tell how far those ran. */
    void onNotes(ExecutionNotes notes) {
        notes.ran().ifPresent(last -> ranEarlier = Optional.of(last));
        for (Place place : notes.died()) {
            if (notes.diedOfWhatRan(place)) {
                words.diedOfWhatRan(place);
            } else {
                words.died(place);
            }
        }
        notes.held().forEach(this::held);
    }

    void held(Place place) {
        if (!isSettled(place)) {
            words.held(place);
        }
    }

    /** In the order of the places. */
    void executed(Place place) {
        ranHere = Optional.of(place);
        words.settled(place);
    }

    /** Whether a held request stops executions at this member. */
    boolean isHolding() {
        return words.isHolding();
    }

    /** Whether the group has not decided on a request that ended members. */
    boolean hasOpen() {
        return !skipped.open().isEmpty();
    }

    /** Whether the group skipped requests, or has not decided on one. */
    boolean maySkip() {
        return hasOpen() || skipped.hasSkipped();
    }

    // ------------------------------------------------- the order

    void entry(String origin, long position) {
        skipped.entry(origin, position);
    }

    /** @return whether its request is skipped from here on */
    boolean report(String member, ExecutionReport report) {
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

    /** The state is that of a snapshot. */
    void restored(SkippedRequests installed, long position) {
        skipped = installed;
        restoredPosition = position;
    }

    // ------------------------------------------------- reports and recovery

    /**
     * A member gave no state, as timers of operations are pending there. They may be pending for ever, so a request that waits
     * for that state runs again after some answers.
     */
    void onTimersPending(String donor) {
        for (Place place : words.places()) {
            boolean executedThere = skipped.words(place).get(donor) == Word.EXECUTED;
            if (executedThere && words.withoutState(place) == MOST_WITHOUT_STATE) {
                effects.letGo(place);
            }
        }
    }

    /** The reports that are due and not ordered yet. Asks the shell to hold or recover requests where that comes first. */
    List<ExecutionReport> toSay(long position, long nowMillis) {
        words.places().stream().filter(this::isSettled).forEach(words::settled);
        Set<Place> places = new TreeSet<>(skipped.open());
        places.addAll(words.places());
        List<ExecutionReport> due = new ArrayList<>();
        for (Place place : places) {
            List<String> involved = involved(place);
            Optional<ExecutionReport> own = word(place, involved)
                    .map(word -> new ExecutionReport(place, word, position, involved, gone(involved)));
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
        return skipped.isSkipped(place) || isExecuted(place) || outcomes.isSettled(place);
    }

    /** An entry without requests counts as executed when it is delivered, and then its timers may still have to fire. */
    private boolean isExecuted(Place place) {
        boolean ran = ranHere.filter(last -> last.compareTo(place) >= 0).isPresent();
        return place.isTimer() ? ran || place.position() <= restoredPosition : progress.isExecuted(place);
    }

    /** The members that may have executed it: those at its position, and those that joined since. */
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
        if (isExecuted(place) || outcomes.isSettled(place)) {
            return Optional.of(Word.EXECUTED);
        }
        boolean ran = ranEarlier.filter(last -> last.compareTo(place) >= 0).isPresent();
        Optional<Word> word = words.of(place, ran, isBlocked(place)).map(this::unlessPassive);
        return word.isPresent() && waitsForTheGoneOnly(place, involved) ? Optional.of(Word.RAN) : word;
    }

    /** In style passive no replay executes a request again; what an earlier process executed is lost with it. */
    private Word unlessPassive(Word said) {
        return said == Word.EXECUTED && outcomes.isOn() ? Word.RAN : said;
    }

    /**
     * Whether this member cannot reach it: it holds an earlier request, which is never skipped, and no member can have a state
     * between the two. None stands within an entry, or before a timer that was pending there.
     */
    private boolean isBlocked(Place place) {
        return words.places().stream()
                .anyMatch(before -> before.compareTo(place) < 0
                        && skipped.mustRun(before)
                        && (before.position() == place.position() || place.isTimer() || words.lacksState(before)));
    }

    /** Whether only former members are silent: they may have executed it and will never report. */
    private boolean waitsForTheGoneOnly(Place place, List<String> involved) {
        List<String> silent = skipped.silent(place, involved);
        return words.isHolding(place) && !silent.isEmpty() && silent.stream().noneMatch(members::contains);
    }

    private void holdIfNeeded(Place place, List<String> involved) {
        boolean died = skipped.words(place).containsValue(Word.DIED);
        if (majorityDied(place, involved) || (died && (isBlocked(place) || outcomes.isBackup()))) {
            effects.hold(place);
        }
    }

    private boolean majorityDied(Place place, List<String> involved) {
        return SkipRule.isMajority(involved, skipped.words(place), EnumSet.of(Word.DIED));
    }

    /** The next step once this member's report has been ordered. */
    private void goOn(ExecutionReport own, long nowMillis) {
        Place place = own.place();
        if (words.isHolding(place) && skipped.mustRun(place)) {
            boolean letGo = words.timesWithoutState(place) >= MOST_WITHOUT_STATE;
            if (!letGo && words.isDue(place, nowMillis)) {
                goOnWithout(place);
            }
        } else if (majorityDied(place, own.members())
                || own.word() == Word.BLOCKED
                || words.isHeldForLong(place, nowMillis)) {
            List<String> silent = skipped.silent(place, own.members());
            if (!silent.isEmpty() && toldOfMissing.add(place)) {
                effects.waitsForWord(place, String.join(", ", silent));
            }
        }
    }

    /** The group never skips it: this member installs a state behind it, or executes it again if no member has one. */
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
