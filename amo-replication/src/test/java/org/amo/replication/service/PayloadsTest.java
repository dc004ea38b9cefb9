package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The replies for exceptions of a handler. */
final class PayloadsTest {

    /** Code that the virtual machine has compiled throws these without a message, and each member compiles at a moment of its own. */
    @Test
    void theMessagesOfTheMachineAreInNoReply() {
        int zero = 0;
        int[] three = new int[3];
        Object text = "text";
        Object[] numbers = new Integer[1];
        String none = Optional.<String>empty().orElse(null);
        List<Executable> implicit = List.of(
                () -> assertEquals(1, 1 / zero),
                () -> Math.addExact(Integer.MAX_VALUE - zero, 1),
                () -> Math.multiplyExact(Long.MAX_VALUE - zero, 2),
                () -> assertEquals(0, none.length()),
                () -> assertEquals(0, three[3 + zero]),
                () -> three[zero - 1] = 1,
                () -> assertEquals(0, ((Integer) text).intValue()),
                () -> numbers[zero] = text);
        List<Throwable> withoutMessage = List.of(
                new ArithmeticException(),
                new ArithmeticException(),
                new ArithmeticException(),
                new NullPointerException(),
                new ArrayIndexOutOfBoundsException(),
                new ArrayIndexOutOfBoundsException(),
                new ClassCastException(),
                new ArrayStoreException());
        for (int i = 0; i < implicit.size(); i++) {
            Throwable thrown = assertThrows(RuntimeException.class, implicit.get(i));
            assertNotNull(thrown.getMessage());
            assertArrayEquals(
                    Payloads.thrown(withoutMessage.get(i)), Payloads.thrown(thrown), () -> String.valueOf(thrown));
        }
    }

    /** Compiled code of Java 17 adds it. */
    @Test
    void theIndexOfABufferIsInNoReply() {
        assertArrayEquals(
                Payloads.thrown(new IndexOutOfBoundsException()), Payloads.thrown(new IndexOutOfBoundsException("-5")));
    }

    @Test
    void theMessagesOfTheProgramAreInTheReply() {
        for (Throwable thrown : List.of(
                new ArithmeticException("the rate is 0"),
                new NullPointerException("customer"),
                new ClassCastException("no account"),
                new ArrayIndexOutOfBoundsException("no such shelf"),
                new IndexOutOfBoundsException("shelf 5"),
                new IllegalStateException("/ by zero"))) {
            AmoServiceException told =
                    assertThrows(AmoServiceException.class, () -> Payloads.open(Payloads.thrown(thrown)));
            assertTrue(String.valueOf(told.getMessage()).contains(thrown.getMessage()), told::getMessage);
        }
    }

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
