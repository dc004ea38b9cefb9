package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The replies for exceptions of a handler. */
final class PayloadsTest {

    /** Every member would stop at this request, and again at each start. */
    @Test
    void anExceptionThatCannotTellItsMessageIsAReply() {
        Throwable thrown = new Speechless(() -> {
            throw new NoClassDefFoundError("of its text");
        });
        AmoServiceException told =
                assertThrows(AmoServiceException.class, () -> Payloads.open(Payloads.thrown(thrown)));
        assertEquals(Speechless.class.getName(), told.type());
    }

    /** Whether memory lasts depends on the process: it is no reply of the group. */
    @Test
    void memoryThatEndsInItsMessageIsNoReply() {
        Throwable thrown = new Speechless(() -> {
            throw new OutOfMemoryError("of a test");
        });
        assertThrows(OutOfMemoryError.class, () -> Payloads.thrown(thrown));
    }

    private static final class Speechless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Supplier<String> message;

        private Speechless(Supplier<String> message) {
            this.message = message;
        }

        @Override
        public String getMessage() {
            return message.get();
        }
    }
}
