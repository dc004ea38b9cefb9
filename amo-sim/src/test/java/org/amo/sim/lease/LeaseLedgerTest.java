package org.amo.sim.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.sim.SimViolationException;
import org.junit.jupiter.api.Test;

class LeaseLedgerTest {
    private static final int KEY = 3;
    private static final RpcId CALL = new RpcId(new LeaseId(1), 1);

    private final LeaseLedger ledger = new LeaseLedger();
    private final LeaseOperation operation = ledger.issue(LeaseOperation.Kind.INCREMENT, KEY, 5, 0);
    private final LeaseObject once = operation.applyTo(LeaseObject.NONE);

    private String broken(LeaseObject object) {
        return assertThrows(SimViolationException.class, () -> ledger.checkObject(KEY, object))
                .rule();
    }

    /** The range had no server when the answer came, so nothing was compared then. */
    @Test
    void anAnswerThatIsNotInTheObjectInTheEndIsLost() {
        ledger.onSent(CALL, operation);
        ledger.onAnswer(CALL, 5, LeaseObject.NONE, false);
        ledger.checkObject(KEY, once);
        assertEquals(LeaseLedger.LOST, broken(LeaseObject.NONE));
    }

    @Test
    void anAnswerOtherThanTheObjectHasIsLost() {
        ledger.onSent(CALL, operation);
        ledger.onAnswer(CALL, 6, LeaseObject.NONE, false);
        assertEquals(LeaseLedger.LOST, broken(once));
    }

    @Test
    void anObjectHasEachOperationOnce() {
        assertEquals(LeaseLedger.TWICE, broken(operation.applyTo(once)));
    }

    @Test
    void otherKeysAreNotAskedForTheAnswer() {
        ledger.onSent(CALL, operation);
        ledger.onAnswer(CALL, 5, LeaseObject.NONE, false);
        ledger.checkObject(KEY + 1, LeaseObject.NONE);
    }
}
