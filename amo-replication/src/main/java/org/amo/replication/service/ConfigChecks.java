package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.observe.ObservationOptions;

/** What a start would find wrong with settings of the right form: files that cannot be read, settings that contradict each other. */
final class ConfigChecks {
    private static final List<String> TLS = List.of("amo.tls.keyStore", "amo.tls.trustStore", "amo.tls.passwordFile");

    private final AmoConfig config;
    private final List<String> found = new ArrayList<>();

    ConfigChecks(AmoConfig config) {
        this.config = config;
    }

    List<String> all() {
        boolean member = config.get("amo.id").isPresent();
        // Values of a wrong form are said already.
        if (member && config.mistakes().isEmpty()) {
            checkMember();
        }
        checkSecurity(member);
        config.values().stream()
                .filter(value -> AmoConfig.setting(value.property()).kind() == Setting.Kind.FILE)
                .forEach(this::checkFile);
        config.get("amo.http").ifPresent(text -> add("amo.http", problem(() -> ObservationOptions.builder(text))));
        if (config.get("amo.http").isEmpty() && config.get("amo.httpTokenFile").isPresent()) {
            found.add("amo.httpTokenFile is of use only beside amo.http; add amo.http=[HOST:]PORT");
        }
        return found;
    }

    private void checkMember() {
        for (String name : List.of("amo.group", "amo.members")) {
            if (config.get(name).isEmpty()) {
                found.add("a member needs " + name + "; set it, or "
                        + AmoConfig.setting(name).variable());
                return;
            }
        }
        String id = config.get("amo.id").orElseThrow();
        List<String> ids = Member.parseList(config.get("amo.members").orElseThrow()).stream()
                .map(Member::id)
                .toList();
        if (!ids.contains(id)) {
            found.add("amo.id " + id + " is not in amo.members; write one of " + String.join(", ", ids)
                    + ", or add it to amo.members");
            return;
        }
        problem(() -> ReplicaSettings.fromProperties(name -> config.get(name).orElse(null), Optional.empty()))
                .ifPresent(found::add);
    }

    private void checkSecurity(boolean member) {
        boolean insecure = config.get("amo.insecure").equals(Optional.of("true"));
        boolean secret = config.get("amo.secretFile").isPresent();
        long tls = TLS.stream().filter(name -> config.get(name).isPresent()).count();
        if (insecure && (secret || tls > 0)) {
            found.add("amo.insecure=true excludes " + (secret ? "amo.secretFile" : "amo.tls.keyStore")
                    + "; remove one of the two");
        }
        if (member && !insecure && !secret && tls == 0) {
            found.add(
                    "no security chosen; set amo.secretFile, equal at all members, or amo.tls.keyStore, or amo.insecure=true"
                            + " if only trusted machines reach the ports");
        }
        if (tls > 0 && tls < TLS.size()) {
            found.add("TLS between members needs " + String.join(", ", TLS) + " together; add the missing ones");
        }
    }

    private void checkFile(AmoConfig.Value value) {
        Path file = Path.of(value.text());
        if (SecretText.isDescriptor(value.text())) {
            return; // its text can be read once, by the member
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            found.add(value.property() + ": cannot read the file " + file + "; correct the name, or make the file");
        } else if (value.property().equals("amo.secretFile")) {
            try {
                add(value.property(), problem(() -> AmoReplica.readSecret(file)));
            } catch (UncheckedIOException e) {
                found.add("amo.secretFile: " + file + " is no text; make one, for example: openssl rand -hex 32");
            }
        }
    }

    List<String> warnings() {
        return config.get("amo.secretFile")
                .filter(text -> !SecretText.isDescriptor(text))
                .map(Path::of)
                .filter(ConfigChecks::isOpenToAll)
                .map(file -> List.of("all users of this machine can read amo.secretFile " + file + "; chmod 600 it"))
                .orElse(List.of());
    }

    private static boolean isOpenToAll(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            return false; // a missing file is a mistake; other systems have other rights
        }
    }

    private void add(String property, Optional<String> cause) {
        cause.ifPresent(text -> found.add(property + ": " + text));
    }

    /** The message of an IllegalArgumentException. */
    static Optional<String> problem(Runnable check) {
        try {
            check.run();
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
