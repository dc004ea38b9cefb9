package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.amo.examples.bank.BankServer;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.Programs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's programs against a bank without amo, each in its own process. */
class BankLoadTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Child> children = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void endAll() {
        children.forEach(Child::kill);
        children.forEach(child -> assertTrue(child.awaitEnd(LIMIT.toMillis())));
    }

    @Test
    @Tag("slow")
    void onAnHonestBankTheRecordsOfClientAndServantAgreeAndABankThatForgetsIsFoundOutAndBothEndWithTheirLeash()
            throws Exception {
        Path reference = startBank("bank");
        Child load = startLoad(reference, 700);
        Files.createFile(folder.resolve("go"));
        assertTrue(load.awaitEnd(LIMIT.toMillis()), load::lastWords);
        assertEquals(0, load.exitCode(), load::lastWords);

        ObjectMapper mapper = new ObjectMapper();
        LoadReport report = mapper.readValue(folder.resolve("report").toFile(), LoadReport.class);
        assertEquals(report.calls(), report.ok());
        assertTrue(report.ok() > 2, "nothing but the first calls");
        assertEquals(new LoadVerdict(0, 0, List.of()), LoadVerdict.of(report.accounts(), audit(reference)));
        assertEquals(
                2 * report.calls(),
                Files.readAllLines(folder.resolve("history")).size(),
                "a begin and an end each");

        LoadVerdict verdict = LoadVerdict.of(report.accounts(), audit(startBank("other")));
        assertEquals(
                report.accounts().stream().mapToLong(AccountRecord::changed).sum(), verdict.lost());
        assertTrue(verdict.lost() > 0);

        // A process on the leash ends with its parent's end of it.
        children.get(0).dropLeash();
        assertTrue(children.get(0).awaitEnd(LIMIT.toMillis()));
    }

    private Path startBank(String name) {
        Path reference = folder.resolve(name + ".ior");
        List<String> words = Programs.bankServer(BankServer.class, reference, List.of(), List.of())
                .with(
                        org.amo.cli.wrap.AmoClassPath.all(),
                        java.util.Map.of("jacorb.implname", name, "jacorb.log.default.verbosity", "0"))
                .words();
        children.add(Child.quiet(name, words, folder.resolve(name + ".log")));
        Awaitility.await().atMost(LIMIT).until(() -> Files.exists(reference));
        return reference;
    }

    private Child startLoad(Path reference, long millis) {
        LoadSettings settings = new LoadSettings(
                "c1",
                LoadSettings.Shape.full(2, millis, 42),
                reference,
                folder.resolve("go"),
                folder.resolve("report"),
                folder.resolve("history"));
        Child child = Child.quiet(
                "c1", Programs.small(BankLoad.class, settings.words()).words(), folder.resolve("c1.log"));
        children.add(child);
        return child;
    }

    private BankAudit.Books audit(Path reference) throws Exception {
        Path result = folder.resolve("books.json");
        Child child = Child.quiet(
                "audit",
                Programs.small(BankAudit.class, List.of(reference.toString(), result.toString()))
                        .words(),
                folder.resolve("audit.log"));
        children.add(child);
        assertTrue(child.awaitEnd(LIMIT.toMillis()), child::lastWords);
        return new ObjectMapper().readValue(result.toFile(), BankAudit.Books.class);
    }
}
