package org.amo.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LoopErrorsTest {
    private final List<Throwable> logged = new ArrayList<>();
    private final LoopErrors errors = new LoopErrors((line, cause) -> logged.add(cause));

    @Test
    void lossesOnTheNetworkAreNotLogged() {
        errors.caught(new IOException("message too long"));
        errors.caught(new PortUnreachableException());
        errors.caught(new UnresolvedAddressException());
        errors.caught(new RejectedExecutionException());
        assertEquals(List.of(), logged);
    }

    @Test
    void theFirstErrorOfTheProgramIsLogged() {
        IllegalStateException first = new IllegalStateException("planted");
        errors.caught(first);
        errors.caught(new IllegalStateException("planted, too"));
        assertEquals(List.of(first), logged);
    }

    @Test
    void anErrorOfTheVirtualMachineIsLeftToTheLoop() {
        LinkageError error = new LinkageError("planted");
        assertSame(error, assertThrows(LinkageError.class, () -> errors.caught(error)));
    }

    @Test
    void aTimerThatThrowsIsLoggedAndReturns() {
        OutOfMemoryError error = new OutOfMemoryError("planted");
        assertFalse(errors.run(() -> {
            throw error;
        }));
        assertTrue(errors.run(() -> logged.add(new IOException("ran"))));
        assertEquals(2, logged.size());
        assertSame(error, logged.get(0));
    }
}
