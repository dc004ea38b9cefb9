package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The feature level of the group (docs/decisions/0149-feature-level.md). Replicated state: a delivered entry that raises it and
 * a snapshot alone change it, and no entry lowers it. If this build does not speak the level behind an entry or of a snapshot, this
 * member applies neither that nor anything behind it, and its shell ends it.
 *
 * <p>The level to which the group can be raised is local knowledge of the leader: the highest one that all members have told lately.
 *
 * <p>One thread owns it.
 */
class GroupLevel {
    private final FeatureLevels spoken;
    private final ReplicaEffects effects;

    private int level = FeatureLevels.FIRST;
    private boolean ended;
    private OptionalInt agreed = OptionalInt.empty();

    GroupLevel(FeatureLevels spoken, ReplicaEffects effects) {
        this.spoken = spoken;
        this.effects = effects;
    }

    /** Behind the last delivered entry. */
    final int now() {
        return level;
    }

    // ------------------------------------------------- the order

    /**
     * Whether this member may apply the next entry.
     *
     * @param started whether the group has been started before it
     */
    final boolean admits(OrderedEntry entry, boolean started) {
        // A group that has not started has applied nothing of any level.
        return admits(raised(entry.raise()), started || entry.start().isPresent());
    }

    /** Whether this member may take the state of a snapshot of that level. */
    final boolean admits(int ofSnapshot) {
        return admits(ofSnapshot, true);
    }

    /** Whether no level was met that this build does not speak. */
    final boolean mayGoOn() {
        return !ended;
    }

    private boolean admits(int behind, boolean started) {
        boolean raisesTooFar = behind > spoken.highest();
        if (!ended && !speaks(behind) && (started || raisesTooFar)) {
            ended = true;
            effects.levelNotSpoken(behind, obstacle(behind).orElseThrow());
        }
        return !ended;
    }

    /** The cause and the remedy, behind the name of this member, if its build does not speak that level. Any thread. */
    final Optional<String> obstacle(int of) {
        return spoken.obstacle(of);
    }

    final void delivered(OrderedEntry entry) {
        level = raised(entry.raise());
    }

    final void restored(int ofSnapshot) {
        level = ofSnapshot;
    }

    boolean speaks(int of) {
        return spoken.speaks(of);
    }

    /** @param to 0 if the entry raises nothing */
    int raised(int to) {
        return Math.max(level, to);
    }

    /** The level that a snapshot carries. */
    int inSnapshot() {
        return level;
    }

    // ------------------------------------------------- entries of this member

    /**
     * The level that an entry of this member needs. All that this build writes is of the first one. A part of a higher level is written
     * only once the group is there.
     */
    int needed() {
        return FeatureLevels.FIRST;
    }

    /**
     * At the leader, before it submits.
     *
     * @param told by each member, this one among them: the level up to which it lets the group come. Empty if it was not heard lately
     */
    final void onTold(List<OptionalInt> told) {
        agreed = common(told);
    }

    /** The highest level that all of them speak; empty while one of them is not known. */
    OptionalInt common(List<OptionalInt> told) {
        return told.contains(OptionalInt.empty())
                ? OptionalInt.empty()
                : told.stream().mapToInt(OptionalInt::getAsInt).min();
    }

    /** The level to which the leader is to raise the group now. */
    final OptionalInt due() {
        return agreed.isPresent() && agreed.getAsInt() > level ? agreed : OptionalInt.empty();
    }

    /** Whether a group may start with this member as the leader: at the lowest level that it speaks, for all members. */
    final boolean mayStart() {
        return atStart() == 0 || agreed.orElse(0) >= atStart();
    }

    /** The level to which the entry that starts the group raises it; 0 for none. */
    final int atStart() {
        return spoken.lowest() == FeatureLevels.FIRST ? 0 : spoken.lowest();
    }
}
