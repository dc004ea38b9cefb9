package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an interface may ask for, and what its exceptions become at the client. */
@Timeout(60)
final class InterfaceTest {
    static class ShopException extends Exception {
        private static final long serialVersionUID = 1L;

        public ShopException(String message) {
            super(message);
        }
    }

    public static final class SoldOut extends ShopException {
        private static final long serialVersionUID = 1L;

        public SoldOut(String message, Throwable cause) {
            super(message);
            if (cause != null) {
                initCause(cause);
            }
        }
    }

    public static final class Closed extends ShopException {
        private static final long serialVersionUID = 1L;

        public Closed() {
            super("closed");
        }
    }

    /** Only the service can make it. */
    static final class Secret extends ShopException {
        private static final long serialVersionUID = 1L;

        Secret(int code) {
            super("code " + code);
        }
    }

    public abstract static class Abstract extends Exception {
        private static final long serialVersionUID = 1L;

        protected Abstract(String message) {
            super(message);
        }
    }

    static final class OfCode extends Abstract {
        private static final long serialVersionUID = 1L;

        OfCode(int code) {
            super("code " + code);
        }
    }

    interface Shop {
        void take(String what) throws ShopException, Abstract;
    }

    static final class ShopService implements Shop {
        @Override
        public void take(String what) throws ShopException, Abstract {
            switch (what) {
                case "sold out" -> throw new SoldOut("no more", null);
                case "closed" -> throw new Closed();
                case "secret" -> throw new Secret(7);
                case "code" -> throw new OfCode(8);
                case "number" -> throw new NumberFormatException("nine");
                case "broken" ->
                    throw new ShopException("x") {
                        private static final long serialVersionUID = 1L;

                        @Override
                        public String getMessage() {
                            throw new IllegalStateException("no message");
                        }
                    };
                default -> {}
            }
        }
    }

    @Test
    void aDeclaredExceptionArrivesAsItselfOrAsTheNearestDeclaredOneThatCanBeMade() {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Shop.class, ShopService::new)) {
            Shop shop = group.client().proxy(Shop.class);
            SoldOut soldOut = assertThrows(SoldOut.class, () -> shop.take("sold out"));
            assertEquals("no more", soldOut.getMessage());
            assertEquals(
                    "closed",
                    assertThrows(Closed.class, () -> shop.take("closed")).getMessage());
            ShopException secret = assertThrows(ShopException.class, () -> shop.take("secret"));
            assertEquals(ShopException.class, secret.getClass());
            assertEquals("code 7", secret.getMessage());
            AmoServiceException code = assertThrows(AmoServiceException.class, () -> shop.take("code"));
            assertEquals(OfCode.class.getName(), code.type());
            assertEquals("code 8", code.serviceMessage());
            AmoServiceException number = assertThrows(AmoServiceException.class, () -> shop.take("number"));
            assertEquals(NumberFormatException.class.getName(), number.type());
            assertEquals(
                    ShopException.class,
                    assertThrows(ShopException.class, () -> shop.take("broken")).getClass());
            shop.take("nothing");
        } catch (ShopException | Abstract e) {
            throw new AssertionError(e);
        }
    }

    interface Warned {
        void take() throws Secret, Closed;
    }

    @Test
    void anExceptionThatCannotBeMadeAgainIsRefusedWhenTheInterfaceIsRead() {
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(Warned.class))
                .getMessage());
        assertTrue(why.startsWith("Warned.take declares " + Secret.class.getName() + ", which clients"), why);
        assertTrue(why.endsWith("give it a public constructor (String)"), why);
    }

    interface OnewayResult {
        @Oneway
        int count();
    }

    interface OnewayThrows {
        @Oneway
        void count() throws ShopException;
    }

    interface Nothing {}

    /** It was accepted, and its proxy threw a NullPointerException. */
    @Test
    void aOnewayMethodWithAResultOrACheckedExceptionIsRefused() {
        for (Class<?> type : List.of(OnewayResult.class, OnewayThrows.class)) {
            IllegalArgumentException why = assertThrows(IllegalArgumentException.class, () -> new MethodTable(type));
            assertTrue(
                    why.getMessage().startsWith(type.getSimpleName() + ".count is @Oneway, so no "), why.getMessage());
            assertEquals(1, why.getMessage().lines().count());
        }
    }

    interface Generic<T> {
        void put(T value);
    }

    @Test
    void typeParametersAreRefusedAndAnEmptyInterfaceIsNot() {
        assertThrows(IllegalArgumentException.class, () -> new MethodTable(Generic.class));
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Nothing.class, () -> new Nothing() {})) {
            Nothing nothing = group.client().proxy(Nothing.class);
            assertFalse(nothing.toString().isEmpty());
        }
    }

    interface Echo {
        String echo(String text);

        default String twice(String text) {
            return echo(text) + echo(text);
        }
    }

    static final class EchoService implements Echo {
        @Override
        public String echo(String text) {
            return text;
        }
    }

    @Test
    void nullsDefaultMethodsAndStringsThatAreNoTextAreCarriedOrRefused() {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Echo.class, EchoService::new)) {
            Echo echo = group.client().proxy(Echo.class);
            assertEquals(null, echo.echo(null));
            assertEquals("abab", echo.twice("ab"));
            assertEquals("\ud83d\ude00", echo.echo("\ud83d\ude00"));
            IllegalArgumentException half = assertThrows(IllegalArgumentException.class, () -> echo.echo("\ud83d"));
            assertTrue(half.getMessage().startsWith("a string has half of a surrogate pair"), half.getMessage());
        }
    }
}
