package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SecretRingTest {
    private static final String OLD = "0ld".repeat(22);
    private static final String NEW = "11".repeat(32);
    private static final String NEXT = "22".repeat(32);

    private final SecretRing ring = SecretRing.ofText(OLD, "the secret");

    private static String lines(String... secrets) {
        return "amo secrets\n" + String.join("\n", secrets) + "\n";
    }

    private static String refused(SecretRing of, String text) {
        List<String> before = of.secrets();
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> of.change(text))
                .getMessage());
        assertEquals(before, of.secrets());
        assertEquals(1L, of.counts().get("refused"));
        for (String secret : List.of(OLD, NEW, NEXT)) {
            assertFalse(why.contains(secret), why);
        }
        assertFalse(why.contains("\n"), why);
        return why;
    }

    @Test
    void aTextWithoutTheHeaderIsOneSecretOfAnyNumberOfLines() {
        assertEquals(List.of(OLD), ring.secrets());
        assertEquals(
                List.of("-----BEGIN KEY-----\nq83v\n-----END KEY-----"),
                SecretRing.ofText(" -----BEGIN KEY-----\nq83v\n-----END KEY-----\n\n", "it")
                        .secrets());
    }

    @Test
    void whiteSpaceAndEmptyLinesBelongToNoSecret() {
        assertEquals(
                List.of(NEW, OLD),
                SecretRing.ofText("\r\n  amo secrets \r\n\r\n " + NEW + "\t\r\n\n" + OLD, "it")
                        .secrets());
        assertEquals(List.of(NEW), SecretRing.ofText(lines(NEW, "", " "), "it").secrets());
    }

    @Test
    void aMistakeIsNamedWithoutTheText() {
        for (String wrong : List.of(
                "",
                " \n",
                "too short",
                lines(),
                lines(NEW, OLD, NEXT),
                lines(NEW, NEW),
                lines(NEW, "fifteen bytes.."),
                "x".repeat(65_537))) {
            String why = String.valueOf(
                    assertThrows(IllegalArgumentException.class, () -> SecretRing.ofText(wrong, "the file f"))
                            .getMessage());
            assertTrue(why.startsWith("the file f"), why);
            assertFalse(why.contains("\n") || why.contains(NEW) || why.contains("too short\n"), why);
        }
    }

    @Test
    void anExchangeIsThreeChangesAndTheFirstSecretSealsAfterTheSecond() {
        assertTrue(ring.change(lines(OLD, NEW)));
        assertEquals(OLD, ring.first());
        assertEquals(Map.of("accepted", 2L, "changes", 1L, "refused", 0L), ring.counts());
        assertTrue(ring.change(lines(NEW, OLD)));
        assertEquals(NEW, ring.first());
        assertTrue(ring.change(NEW));
        assertEquals(List.of(NEW), ring.secrets());
        assertEquals(Map.of("accepted", 1L, "changes", 3L, "refused", 0L), ring.counts());
        assertEquals(OLD, ring.initial());
    }

    @Test
    void theSameSecretsInOtherWordsAreNoChange() {
        assertFalse(ring.change(lines(OLD)));
        assertEquals(0L, ring.counts().get("changes"));
    }

    @Test
    void aTextThatKeepsNoSecretInForceIsRefused() {
        assertTrue(refused(ring, NEW).contains("holds none of those in force"));
        // Two lines whose header was forgotten are one other secret.
        assertTrue(refused(ring, OLD + "\n" + NEW).contains("'amo secrets'"));
        refused(ring, "");
        assertTrue(ring.change(lines(OLD, NEW)));
        assertEquals(0L, ring.counts().get("refused"));
    }

    @Test
    void aSecretThatWasRemovedDoesNotComeBackWhileTheProcessRuns() {
        ring.change(lines(NEW, OLD));
        ring.change(NEW);
        assertTrue(refused(ring, lines(NEW, OLD)).contains("was removed"));
        assertTrue(ring.change(lines(NEW, NEXT)));
    }

    @Test
    void aRingThatIsFixedTakesNoChangeAndSaysWhy() {
        ring.fix("numbers follow from it");
        ring.fix("another reason");
        String why = refused(ring, lines(OLD, NEW));
        assertTrue(why.contains("numbers follow from it"), why);
        assertFalse(ring.change(OLD));
    }

    @Test
    void usersHearTheNewSecretsBeforeTheyAreInForce() {
        List<String> heard = new ArrayList<>();
        ring.use(
                secrets -> heard.add(secrets.size() + " while " + ring.secrets().size()));
        ring.change(lines(OLD, NEW));
        refused(ring, NEXT);
        assertEquals(List.of("1 while 1", "2 while 1"), heard);
    }

    @Test
    void aCopyChangesAlone() {
        SecretRing copy = ring.copy();
        ring.change(lines(NEW, OLD));
        assertEquals(OLD, copy.first());
        assertFalse(ring.toString().contains(OLD));
    }

    /** A builder that made a client before an exchange makes another one after it. */
    @Test
    void aCopyBeginsWithWhatItsFileHoldsNow(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), OLD);
        SecretRing before = SecretRing.ofFile(file);
        Files.writeString(file, lines(NEW, NEXT));
        assertEquals(List.of(NEW, NEXT), before.copy().secrets());
        assertEquals(NEW, before.copy().initial());
        assertEquals(List.of(OLD), before.secrets());
        Files.writeString(file, "short");
        assertEquals(List.of(OLD), before.copy().secrets());
        Files.delete(file);
        assertEquals(List.of(OLD), before.copy().secrets());
        assertThrows(IOException.class, () -> SecretRing.ofFile(file));
    }
}
