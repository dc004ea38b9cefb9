package org.amo.core.replica;

import org.amo.core.replica.ReplicatedService.AnswerListener;

/** A receiver of the answer to a request. */
sealed interface Waiter {

    /** An attempt that came over one of this replica's own connections. */
    record LocalCopy(AnswerListener listener) implements Waiter {}

    /** An item of an entry that another member submitted; the leader sends it the answer. */
    record RemoteItem(String member, long incarnation, long submission, int item) implements Waiter {}
}
