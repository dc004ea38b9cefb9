package org.amo.core.order;

import java.util.OptionalLong;

/**
 * Tells a record that a crash tore from one that was acknowledged and is lost (Alagappan et al., "Protocol-Aware Recovery
 * for Consensus-Based Storage", FAST 2018, section 3.3).
 *
 * <p>A member acknowledges a record only after it is on disk. So a crash explains a broken record if nothing says that the
 * record had been acknowledged: neither the witness, which names the last acknowledged index and is written after each
 * append, nor a whole record behind it, which names the last index that was on disk before it. Where this cannot be told,
 * because a copy of the witness is damaged too, the record counts as lost.
 *
 * <p>Indexes count from 1; 0 means none. Without state; any thread.
 */
public class LogTail {

    /**
     * The findings on a disk.
     *
     * @param whole the last index up to which every record is whole
     * @param broken whether anything but unused room follows it
     * @param acknowledged the witness
     * @param witnessWhole whether all copies of the witness are whole
     * @param forcedBehind the highest index that a whole record behind the broken one says was on disk before it
     * @param behind the highest index of a whole record behind the broken one
     */
    public record Found(
            long whole, boolean broken, long acknowledged, boolean witnessWhole, long forcedBehind, long behind) {}

    /** The highest index that may have been acknowledged and is lost; empty if a crash explains everything. */
    public OptionalLong lostUpTo(Found found) {
        boolean acknowledgedIsLost = Math.max(found.acknowledged, found.forcedBehind) > found.whole;
        boolean cannotTell = found.broken && !found.witnessWhole;
        if (!acknowledgedIsLost && !cannotTell) {
            return OptionalLong.empty();
        }
        long known = Math.max(found.acknowledged, Math.max(found.forcedBehind, found.behind));
        return OptionalLong.of(Math.max(known, found.whole + 1));
    }
}
