package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** The limits above which a member takes no new requests. */
final class QueuedExecutionsTest {
    @Test
    void itIsFullAboveItsRequestsUntilHalfOfThemAreLeft() {
        QueuedExecutions queued = new QueuedExecutions(4, 1_000);
        queued.add(Collections.nCopies(4, execution(0)));
        assertEquals(false, queued.isFull());
        queued.add(List.of(execution(0)));
        remove(queued, 2, 0);
        assertEquals(true, queued.isFull());
        remove(queued, 1, 0);
        assertEquals(false, queued.isFull());
    }

    @Test
    void itIsFullAboveTheBytesOfBodiesUntilHalfOfThemAreLeft() {
        QueuedExecutions queued = new QueuedExecutions(100, 1_000);
        queued.add(Collections.nCopies(10, execution(100)));
        assertEquals(false, queued.isFull());
        queued.add(List.of(execution(100)));
        remove(queued, 5, 100);
        assertEquals(true, queued.isFull());
        remove(queued, 1, 100);
        assertEquals(false, queued.isFull());
    }

    @Test
    void oneRequestMayBeLongerThanTheLimit() {
        QueuedExecutions queued = new QueuedExecutions(100, 1_000);
        queued.add(List.of(execution(5_000)));
        assertEquals(false, queued.isFull());
    }

    @Test
    void aSnapshotEmptiesIt() {
        QueuedExecutions queued = new QueuedExecutions(1, 1_000);
        queued.add(Collections.nCopies(2, execution(0)));
        queued.clear();
        assertEquals(false, queued.isFull());
    }

    private static void remove(QueuedExecutions queued, int count, int length) {
        for (int i = 0; i < count; i++) {
            queued.remove(execution(length));
        }
    }

    private static Execution execution(int length) {
        return new Execution(
                1, 0, 1, new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[length]));
    }
}
