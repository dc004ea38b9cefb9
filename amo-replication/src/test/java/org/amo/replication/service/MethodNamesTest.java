package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings.Nested;
import org.amo.core.replica.ReplicaSettings.Style;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** Lines for users of Java name methods that they have. */
final class MethodNamesTest {
    @TempDir
    private Path folder;

    @Test
    void optionsBecomeMethodsAndTheirValuesArguments() {
        assertEquals(
                "give the member another port in members(...)",
                MethodNames.in("give the member another port in --members"));
        assertEquals(
                "use log(FSYNC) or another data(...) folder",
                MethodNames.in("use --log fsync or another --data folder"));
        assertEquals(
                "member c has random(...) 'seeded', and members a, b 'leader'",
                MethodNames.in("member c has --random (amo.random) 'seeded', and members a, b 'leader'"));
        assertEquals(
                "start every member with allowNestedCalls() if",
                MethodNames.in("start every member with --nested allow (amo.nested=allow) if"));
        assertEquals("-Damo.threads=ordered has", MethodNames.in("--threads ordered (amo.threads) has"));
        assertEquals("-Damo.execute parallel", MethodNames.in("--execute parallel (amo.execute)"));
        assertEquals("./amo wrap -- java --frob", MethodNames.in("./amo wrap -- java --frob"));
    }

    @Test
    void anExceptionWithoutAnOptionStaysTheSame() {
        OrderedLogException plain = new OrderedLogException(OrderedLogException.Fault.USER, "no majority");
        assertSame(plain, MethodNames.in(plain));
        OrderedLogException named =
                MethodNames.in(new OrderedLogException(OrderedLogException.Fault.USER, "correct --id"));
        assertEquals("correct id(...)", named.getMessage());
        assertEquals(OrderedLogException.Fault.USER, named.fault());
    }

    @Test
    void aStartThatFailsNamesMethods() {
        String absent = message(member("x", "a=127.0.0.1:7801/9801"));
        assertEquals("id(\"x\") is not in members(\"a=127.0.0.1:7801/9801\"); correct one of the two", absent);
        String elsewhere = message(member("a", "a=192.0.2.1:7801/9801"));
        assertTrue(elsewhere.contains("members(...)") && !elsewhere.contains("--"), elsewhere);
        String contradiction = message(
                member("a", "a=127.0.0.1:7801/9801").style(Style.PASSIVE).nested(Optional.of(Nested.ORDERED)));
        assertTrue(
                contradiction.contains("style(PASSIVE)") && contradiction.contains("orderNestedCalls()"),
                contradiction);
    }

    @Test
    void aLogThatGoesNowhereIsToldOnce() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
        LogDestination destination = new LogDestination();
        destination.check(LoggerFactory.getILoggerFactory(), "member a of group bank", err);
        assertFalse(LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory);
        assertEquals(0, said.size());
        destination.check(new NOPLoggerFactory(), "member a of group bank", err);
        destination.check(new NOPLoggerFactory(), "member b of group bank", err);
        assertEquals(
                "amo: the log of member a of group bank goes nowhere, because no provider of SLF4J is on the class path; add"
                        + " one, for example org.slf4j:slf4j-simple",
                said.toString(StandardCharsets.UTF_8).strip());
    }

    private AmoReplica.Builder member(String id, String members) {
        return AmoReplica.builder("bank")
                .id(id)
                .members(members)
                .data(folder)
                .insecure()
                .handler((request, context) -> request)
                .withoutSnapshots();
    }

    private static String message(AmoReplica.Builder builder) {
        return String.valueOf(
                assertThrows(RuntimeException.class, () -> builder.start().close())
                        .getMessage());
    }
}
