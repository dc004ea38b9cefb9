package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.request.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** What a servant promises that implements no more than {@link ServantPort#execute}. */
final class PortDefaultsTest {
    @Test
    void aServantWithoutStateNeitherGivesNorTakesOne() {
        ServantPort servant = (position, orderedTimeMillis, request) -> request.body();
        Request request = new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[] {4});
        assertArrayEquals(new byte[0], servant.skipped(request));
        assertFalse(servant.isCommutative());
        assertEquals(Optional.empty(), servant.takeState());
        assertEquals(OptionalLong.empty(), servant.stateDigest());
        assertThrows(IllegalStateException.class, () -> servant.restoreState(new byte[0]));
    }
}
