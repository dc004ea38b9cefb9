package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/** The facts of nested calls with a planted bug. */
final class MutantFacts extends OperationFacts {
    private static final long MILLIS = 1_000;

    private final NestedBug bug;
    private final long incarnation;

    MutantFacts(
            ReplicaOptions options,
            ReplicaEffects effects,
            GroupState group,
            ExecutionProgress progress,
            NestedBug bug) {
        super(options, effects, group, progress);
        this.bug = bug;
        this.incarnation = options.incarnation();
    }

    @Override
    void onIdentity(Place place, int number, Optional<byte[]> identity) {
        super.onIdentity(place, number, identity);
        Key key = new Key(place, number);
        if (bug == NestedBug.CALL_BEFORE_CLAIM && isWaiting(key)) {
            sendOnce(key, identity, MILLIS);
        }
    }

    @Override
    void onSent(Place place, int number, Optional<byte[]> result) {
        super.onSent(place, number, result);
        Key key = new Key(place, number);
        if (bug == NestedBug.RESULT_TAKEN_LOCALLY && isWaiting(key)) {
            conclude(key, result);
        }
    }

    @Override
    boolean remembers(Key key) {
        return bug != NestedBug.FACTS_FORGOTTEN || isWaiting(key);
    }

    @Override
    boolean decides(Optional<Result> earlier) {
        return bug == NestedBug.SECOND_RESULT_WINS || super.decides(earlier);
    }

    @Override
    Optional<byte[]> identityToRepeat(Claim claim) {
        return bug == NestedBug.NUMBER_REUSED ? claim.identity().map(this::own) : super.identityToRepeat(claim);
    }

    @Override
    void exclusiveClaimantIsGone(Key key) {
        if (bug == NestedBug.REPEATED_WITHOUT_IDENTITY) {
            sendOnce(key, Optional.empty(), MILLIS);
        } else {
            super.exclusiveClaimantIsGone(key);
        }
    }

    private byte[] own(byte[] identity) {
        WireWriter writer = new WireWriter(8);
        writer.i64(new WireReader("identity", identity).i64("identity") ^ incarnation);
        return writer.toBytes();
    }
}
