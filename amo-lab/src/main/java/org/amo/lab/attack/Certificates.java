package org.amo.lab.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.amo.lab.cluster.ExternalCommand;
import org.amo.replication.service.AmoTls;

/** Key stores of members and of strangers, made by the JDK's keytool. */
final class Certificates {
    /** Trusted as the members are, and names another group. */
    static final String OTHER_GROUP = "other-group";

    /** Names a member of the group, and is trusted by none. */
    static final String UNTRUSTED = "untrusted";

    private static final String PASSWORD = "changeit";
    private static final String TRUST = "trust";

    private Certificates() {}

    /** Makes a folder of stores for members and for strangers; takes some seconds. */
    static void make(Path folder, String group, List<String> members) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String member : members) {
            pair(folder, member, member + "." + group);
            trust(folder, member);
        }
        pair(folder, OTHER_GROUP, members.get(0) + "." + OTHER_GROUP);
        trust(folder, OTHER_GROUP);
        pair(folder, UNTRUSTED, members.get(0) + "." + group);
    }

    /** Own certificate and trusted certificates of a process with the store of this name. */
    static AmoTls of(Path folder, String name) {
        return AmoTls.builder()
                .keyStore(folder.resolve(name), PASSWORD)
                .trustStore(folder.resolve(TRUST), PASSWORD)
                .build();
    }

    private static void pair(Path folder, String name, String commonName) {
        keytool(
                folder,
                name,
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + commonName,
                "-validity",
                "2");
    }

    private static void trust(Path folder, String name) {
        String certificate = folder.resolve(name + ".cer").toString();
        keytool(folder, name, "-exportcert", "-alias", name, "-file", certificate);
        keytool(folder, TRUST, "-importcert", "-noprompt", "-alias", name, "-file", certificate);
    }

    private static void keytool(Path folder, String store, String... arguments) {
        List<String> words = new java.util.ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        words.addAll(List.of(arguments));
        words.addAll(
                List.of("-keystore", folder.resolve(store).toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        ExternalCommand.run(words);
    }
}
