package org.amo.core.replica;

import java.util.List;
import java.util.Map;
import org.amo.base.ClientId;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Style;

/**
 * The options of a {@link Replica}.
 *
 * @param id this member
 * @param members all members' ids, this one too
 * @param incarnation drawn at random for each start of the process
 * @param plainClient the first of the ids under which calls without an id are ordered, one a principal; drawn at random
 *     for each start
 * @param parameters proposed for the group if this member starts it
 * @param divergence whether digests are compared, and the consequence if none has a majority
 * @param settings that are told to the other members, by name, and must be equal at all of them, except for {@link #MOST_UPDATE_BYTES};
 *     empty if they are not compared
 * @param style which members execute requests
 * @param guarantee of the ordered log
 * @param mostQueuedBytes of the bodies of requests that are ordered and not executed here; beyond it this member takes no new
 *     requests
 * @param levels the feature levels that this member speaks. Default: those of this build, without a bound
 */
public record ReplicaOptions(
        String id,
        List<String> members,
        long incarnation,
        ClientId plainClient,
        GroupParameters parameters,
        Divergence divergence,
        Map<String, String> settings,
        Style style,
        OrderedLog.Guarantee guarantee,
        long mostQueuedBytes,
        FeatureLevels levels) {

    /**
     * The setting that tells the feature level up to which a member lets its group come. It may differ between members, and is told
     * beside the others of {@link #settings}, if these are told.
     */
    public static final String FEATURE_LEVEL = "feature level";

    /** The setting that tells the longest update of style passive that a member can hold. It may differ between members. */
    public static final String MOST_UPDATE_BYTES = "most update bytes";

    /** Of style active over a total order, without a limit of bytes in its queue, without the comparison of digests and of settings. */
    public ReplicaOptions(
            String id, List<String> members, long incarnation, ClientId plainClient, GroupParameters parameters) {
        this(
                id,
                members,
                incarnation,
                plainClient,
                parameters,
                Divergence.OFF,
                Map.of(),
                Style.ACTIVE,
                OrderedLog.Guarantee.UNIFORM,
                Long.MAX_VALUE,
                FeatureLevels.OF_BUILD);
    }

    public ReplicaOptions {
        members = List.copyOf(members);
        settings = Map.copyOf(settings);
        if (!members.contains(id)) {
            throw new IllegalArgumentException("member " + id + " is not among " + members);
        }
    }

    /** Whether members may deliver in different orders. */
    boolean mayViolateOrder() {
        return guarantee == OrderedLog.Guarantee.QUASI_TOTAL;
    }
}
