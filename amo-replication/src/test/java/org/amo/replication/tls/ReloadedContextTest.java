package org.amo.replication.tls;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.amo.replication.service.Certificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReloadedContextTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

    @TempDir
    private Path folder;

    private Certificates certificates = new Certificates(Path.of("unset"));

    @BeforeEach
    void makeCertificate() throws Exception {
        certificates = new Certificates(folder);
        certificates.selfSigned("member");
        certificates.trust("trusts-member", "member");
    }

    private Path keys() {
        return certificates.file("member");
    }

    private Path trusted() {
        return certificates.file("trusts-member");
    }

    private ReloadedContext context() {
        return new ReloadedContext(
                List.of(keys(), trusted()),
                () -> KeyStores.context(
                        KeyStores.keys(keys(), Certificates.PASSWORD),
                        KeyStores.trusted(trusted(), Certificates.PASSWORD)),
                clock::get);
    }

    private void aSecondLater() {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void itStaysWhileTheFilesDo() {
        ReloadedContext context = context();
        SSLContext first = context.get();
        aSecondLater();
        assertSame(first, context.get());
    }

    @Test
    void aChangeOfEitherFileMakesAnother() throws Exception {
        ReloadedContext context = context();
        SSLContext first = context.get();
        certificates.selfSigned("member");
        assertSame(first, context.get(), "files are looked at once a second");
        aSecondLater();
        SSLContext second = context.get();
        assertNotSame(first, second);
        certificates.trust("trusts-member", "member");
        aSecondLater();
        assertNotSame(second, context.get());
    }

    @Test
    void aFileThatCannotBeUsedLeavesTheOneInForceUntilItCanBe() throws Exception {
        ReloadedContext context = context();
        SSLContext first = context.get();
        byte[] whole = Files.readAllBytes(keys());
        Files.write(keys(), new byte[] {1, 2, 3});
        aSecondLater();
        assertSame(first, context.get());
        Files.delete(keys());
        aSecondLater();
        assertSame(first, context.get());
        Files.write(keys(), whole);
        aSecondLater();
        assertNotSame(first, context.get());
    }

    @Test
    void theFirstReadingTellsAMistake() throws Exception {
        Files.delete(trusted());
        assertThrows(IllegalArgumentException.class, this::context);
    }
}
