package org.amo.replication.service;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.amo.core.order.Member;

/**
 * One setting with all of its names. docs/reference/configuration.md shows the table, and a test compares the two.
 *
 * @param property name in files and of the system property, for example {@code amo.tls.keyStore}
 * @param form of the value: {@code a|b} for words, else a description for readers
 * @param fallback value without the setting, for readers
 * @param option of the command line, with its dashes; empty without one
 * @param replicaMethod of {@link AmoReplica.Builder}, or several with a comma between; empty if a Java member has none
 * @param clientMethod the same of {@link AmoClient.Builder}
 */
record Setting(
        String property,
        Kind kind,
        String form,
        String fallback,
        Optional<String> option,
        Optional<String> replicaMethod,
        Optional<String> clientMethod) {

    /** The values that a setting takes. */
    enum Kind {
        TEXT,
        /** A whole number from 0. */
        NUMBER,
        /** One of the words of the form. */
        WORD,
        MEMBERS,
        /** A file that must be there. A relative one in a file of settings belongs to that file's folder. */
        FILE,
        /** A file or folder that may come into being. */
        PATH
    }

    /** System properties that every member reads while it starts, in whatever way it is started. */
    private static final Set<String> OF_PROCESS =
            Set.of("amo.snapshotBytes", "amo.snapshotEntries", "amo.keptEntries", "amo.transfer", "amo.heapReplyBytes");

    private static final String MEMBERS_FORM = "ID=HOST:ORDERPORT/CLIENTPORT,…";

    /** In the order of the reference. */
    static final List<Setting> ALL = List.of(
            text("amo.group", "name", "none", "--group").java("builder").client("builder"),
            text("amo.id", "id", "none", "--id").java("id"),
            new Setting("amo.members", Kind.MEMBERS, MEMBERS_FORM, "none", "--members")
                    .java("members")
                    .client("members"),
            new Setting("amo.data", Kind.PATH, "folder", ".amo", "--data").java("data"),
            word("amo.order", "raft|sequencer", "raft", "--order").java("order"),
            word("amo.log", "fsync|file|memory", "fsync", "--log").java("log"),
            word("amo.store", "heap|chronicle", "heap", "--store").java("store"),
            word("amo.style", "active|leader|passive", "active", "--style").java("style"),
            word("amo.random", "seeded|leader", "of the style", "--random").java("random"),
            word("amo.nested", "refuse|ordered|allow", "of the style", "--nested")
                    .java("orderNestedCalls, allowNestedCalls"),
            text("amo.execute", "serial or parallel=N", "serial", "--execute"),
            text("amo.featureLevel", "auto or a number", "auto", "--feature-level")
                    .java("featureLevel"),
            word("amo.divergence", "stop|report|off", "stop", "--divergence").java("divergence"),
            text("amo.deterministic", "all, none or kinds", "all", "--deterministic"),
            text("amo.deterministic.exclude", "names of classes", "none", ""),
            word("amo.threads", "warn|refuse|ordered", "warn", "--threads"),
            new Setting("amo.secretFile", Kind.FILE, "file or fd:N", "none", "--secret-file")
                    .java("secretFile")
                    .client("secretFile"),
            word("amo.insecure", "true|false", "false", "--insecure")
                    .java("insecure")
                    .client("insecure"),
            word("amo.udp", "true|false", "false", "--udp").java("udp"),
            new Setting("amo.tls.keyStore", Kind.FILE, "file", "none", "--tls-key-store").java("memberTls"),
            new Setting("amo.tls.trustStore", Kind.FILE, "file", "none", "--tls-trust-store").java("memberTls"),
            new Setting("amo.tls.passwordFile", Kind.FILE, "file", "none", "--tls-password-file").java("memberTls"),
            text("amo.http", "[HOST:]PORT", "none", "--http").java("observe"),
            new Setting("amo.httpTokenFile", Kind.FILE, "file", "none", "--http-token-file").java("observe"),
            new Setting("amo.history", Kind.PATH, "file", "none", "--history")
                    .java("history")
                    .client("history"),
            number("amo.budget", "bytes", "268435456", "--budget").java("parameters"),
            number("amo.retentionMillis", "milliseconds", "300000", "").java("parameters"),
            number("amo.skewMillis", "milliseconds", "2000", "").java("parameters"),
            number("amo.defaultDeadlineMillis", "milliseconds", "60000", "").java("parameters"),
            number("amo.maxClients", "number", "1500000", "").java("parameters"),
            number("amo.principalShare", "number", "2", "").java("parameters"),
            number("amo.clientShare", "number", "2", "").java("parameters"),
            number("amo.principalCallsPerSecond", "number", "no limit", "").java("parameters"),
            number("amo.clientCallsPerSecond", "number", "no limit", "").java("parameters"),
            text("amo.weights", "PRINCIPAL=WEIGHT;…", "1", "").java("parameters"),
            number("amo.snapshotBytes", "bytes", "67108864", ""),
            number("amo.snapshotEntries", "number", "1000", ""),
            number("amo.keptEntries", "number", "5000", ""),
            word("amo.transfer", "tcp|exon", "tcp", "--transfer"),
            number("amo.heapReplyBytes", "bytes", "an eighth of the largest heap", ""),
            number("amo.answerGraceMillis", "milliseconds", "15000", ""),
            word("amo.frontEnd", "on|off", "on", ""),
            text("amo.stateCodec", "class", "none", ""),
            text("amo.stateClasses", "classes", "none", ""),
            number("amo.iiop.connections", "number", "900", ""),
            number("amo.iiop.messageBytes", "bytes", "a 32nd of the heap", ""),
            number("amo.iiop.bytes", "bytes", "a quarter of the heap", ""),
            number("amo.iiop.unreadBytes", "bytes", "a 16th of the heap", ""),
            number("amo.deadlineMillis", "milliseconds", "60000", "--deadline").client("deadline"),
            word("amo.sack", "on|off", "on", "--sack"),
            word("amo.firstCall", "iiop|udp", "iiop", "--first-call"),
            number("amo.attemptMillis", "milliseconds", "3000", ""),
            text("amo.firstMember", "id or place", "of the client's id", ""),
            word("amo.pathMayRepeat", "on|off", "off", "").client("pathMayRepeat"),
            text("amo.clientName", "name in the history", "the client's id", "").client("history"));

    private Setting(String property, Kind kind, String form, String fallback, String option) {
        this(
                property,
                kind,
                form,
                fallback,
                Optional.of(option).filter(name -> !name.isEmpty()),
                Optional.empty(),
                Optional.empty());
    }

    private static Setting text(String property, String form, String fallback, String option) {
        return new Setting(property, Kind.TEXT, form, fallback, option);
    }

    private static Setting number(String property, String form, String fallback, String option) {
        return new Setting(property, Kind.NUMBER, form, fallback, option);
    }

    private static Setting word(String property, String form, String fallback, String option) {
        return new Setting(property, Kind.WORD, form, fallback, option);
    }

    private Setting java(String method) {
        return new Setting(property, kind, form, fallback, option, Optional.of(method), clientMethod);
    }

    private Setting client(String method) {
        return new Setting(property, kind, form, fallback, option, replicaMethod, Optional.of(method));
    }

    /** The name in the environment: {@code AMO_TLS_KEY_STORE} of {@code amo.tls.keyStore}. */
    String variable() {
        return property.replaceAll("([a-z])([A-Z])", "$1_$2").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether a member of any kind reads it from the system properties of its process. */
    boolean isOfProcess() {
        return OF_PROCESS.contains(property);
    }

    /** Whether its values name files or folders. */
    boolean isPath() {
        return kind == Kind.FILE || kind == Kind.PATH;
    }

    /** The cause and the remedy if it cannot have this value. */
    Optional<String> mistake(String value) {
        return switch (kind) {
            case NUMBER ->
                value.matches("[0-9]{1,18}")
                        ? Optional.empty()
                        : Optional.of("'" + value + "' is not a number (" + form + "); write digits alone");
            case WORD ->
                List.of(form.split("\\|", -1)).contains(value)
                        ? Optional.empty()
                        : Optional.of("'" + value + "' is not one of its values; write " + form);
            case MEMBERS -> ConfigChecks.problem(() -> Member.parseList(value));
            case TEXT, FILE, PATH -> Optional.empty();
        };
    }
}
