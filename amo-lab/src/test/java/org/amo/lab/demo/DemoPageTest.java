package org.amo.lab.demo;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.amo.cli.Amo;
import org.amo.lab.cluster.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo's page in a real browser: a person kills the leader, and sees the group go on. */
@Timeout(180)
class DemoPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern PAGE = Pattern.compile("page: (http://127\\.0\\.0\\.1:\\d+/)");
    private static final String LEADER = "(document.querySelector('tr.leader th')?.textContent ?? '')";
    private static final int OF_CTRL_C = 130;

    @TempDir
    Path folder;

    @Test
    void aPersonKillsTheLeaderByTheButtonAndSeesAnotherOneLead() throws Exception {
        assumeTrue(Browser.isThere(), "chromium or chromedriver is not installed: the page is not tested in a browser");
        Path output = folder.resolve("demo.out");
        Process demo = demo(output);
        try (Browser browser = Browser.open(Files.createDirectory(folder.resolve("profile")))) {
            browser.load(page(demo, output));
            browser.awaitTrue("document.querySelectorAll('#rows tr').length === 3");
            browser.awaitTrue("document.querySelector('#plot-calls polyline')?.getAttribute('points').includes(' ')"
                    + " && Number(document.getElementById('calls').textContent.replaceAll(',', '')) > 0");
            browser.awaitTrue("document.querySelectorAll('tr.follower').length === 2");
            String killed = browser.value(LEADER).asText();
            assertNotEquals("", killed);
            assertIsNamedForScreenReaders(browser);
            String answered = browser.value("document.getElementById('answered').textContent")
                    .asText();

            browser.press("tr.leader button");
            browser.awaitTrue("document.getElementById('told').textContent.includes('killed " + killed + "')");
            browser.awaitTrue(row(killed, "absent"));
            browser.awaitTrue(LEADER + " !== '' && " + LEADER + " !== '" + killed + "'");
            assertEquals(
                    killed,
                    browser.value("document.activeElement.closest('tr').cells[0].textContent")
                            .asText(),
                    "the keyboard stays at the row");
            browser.awaitTrue("document.getElementById('events').textContent.includes('" + killed + " serves again')");
            browser.awaitTrue(row(killed, "follower") + " || " + row(killed, "leader"));
            browser.awaitTrue("document.getElementById('answered').textContent !== '" + answered + "'");

            for (String claim : List.of("twice", "lost", "failed")) {
                assertEquals(
                        "0",
                        browser.value("document.getElementById('" + claim + "').textContent")
                                .asText(),
                        claim);
            }
            // docs/pictures/page.svg is such a file.
            Files.writeString(Path.of("target", "page.svg"), browser.picture());
            assertEquals(List.of(), browser.console(), "no errors, and nothing that the policy of the page refused");
        } finally {
            interrupt(demo);
        }
        assertTrue(demo.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(OF_CTRL_C, demo.exitValue());
        assertEquals(List.of(), left(), "files of the run");
    }

    private static String row(String member, String kind) {
        return "[...document.querySelectorAll('tr." + kind + " th')].some(cell => cell.textContent === '" + member
                + "')";
    }

    private static void assertIsNamedForScreenReaders(Browser browser) throws Exception {
        assertEquals(
                0,
                browser.value(
                                "[...document.querySelectorAll('svg, button:not([aria-label]), input:not([type=hidden])')]"
                                        + ".filter(each => !(each.getAttribute('aria-label') || each.labels?.length"
                                        + " || each.textContent.trim())).length")
                        .asInt());
        assertTrue(browser.value("[...document.querySelectorAll('th')].every(cell => cell.scope)")
                .asBoolean());
    }

    private Process demo(Path output) throws Exception {
        // A shell has the signal of Ctrl-C ignored in what it runs in the background, and so in this test.
        List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT"));
        words.addAll(Programs.small(Amo.class, List.of("demo", "--page", "--clients", "1", "--log", "file"))
                .words());
        return new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static String page(Process demo, Path output) {
        Matcher[] page = new Matcher[1];
        await("the demo prints its page").atMost(PATIENCE).until(() -> {
            String text = Files.readString(output);
            assertTrue(demo.isAlive(), text);
            page[0] = PAGE.matcher(text);
            return page[0].find();
        });
        return page[0].group(1);
    }

    /** As Ctrl-C does. */
    private static void interrupt(Process demo) throws Exception {
        new ProcessBuilder("sh", "-c", "kill -INT " + demo.pid()).start().waitFor();
    }

    private List<Path> left() throws Exception {
        Path runs = folder.resolve(".amo");
        if (!Files.exists(runs)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(runs)) {
            return files.toList();
        }
    }
}
