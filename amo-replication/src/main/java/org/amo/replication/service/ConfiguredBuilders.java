package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.amo.core.replica.ReplicaSettings;
import org.amo.observe.ObservationOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builders with the settings of a configuration. */
final class ConfiguredBuilders {
    private static final Logger LOG = LoggerFactory.getLogger(AmoConfig.class);

    private ConfiguredBuilders() {}

    static AmoReplica.Builder replica(AmoConfig config) {
        String group = required(config, "amo.group", "AmoReplica.builder");
        String members = required(config, "amo.members", "AmoReplica.builder");
        required(config, "amo.id", "AmoReplica.builder");
        ReplicaSettings settings =
                ReplicaSettings.fromProperties(name -> config.get(name).orElse(null), Optional.empty());
        AmoReplica.Builder builder = AmoReplica.builder(group)
                .id(settings.id())
                .members(members)
                .order(settings.order())
                .log(settings.log())
                .data(settings.data())
                .store(settings.store())
                .style(settings.style())
                .nested(config.get("amo.nested").map(ConfiguredBuilders::nested))
                .divergence(settings.divergence())
                .parameters(settings.parameters())
                .stated(settings.stated());
        settings.featureLevel().ifPresent(builder::featureLevel);
        config.get("amo.random").ifPresent(word -> builder.random(settings.random()));
        settings.history().ifPresent(builder::history);
        config.get("amo.secretFile").map(Path::of).ifPresent(builder::secretFile);
        if (isTrue(config, "amo.insecure")) {
            builder.insecure();
        }
        if (isTrue(config, "amo.udp")) {
            builder.udp();
        }
        tls(config).ifPresent(builder::memberTls);
        config.get("amo.http").ifPresent(address -> builder.observe(observation(config, address)));
        ofProcess(config).forEach(System::setProperty);
        Set<String> unused = config.values().stream()
                .map(value -> AmoConfig.setting(value.property()))
                .filter(setting -> setting.replicaMethod().isEmpty()
                        && setting.clientMethod().isEmpty()
                        && !setting.isOfProcess())
                .map(Setting::property)
                .collect(Collectors.toUnmodifiableSet());
        if (!unused.isEmpty()) {
            LOG.warn("settings that a Java service does not take from a configuration: {}", unused);
        }
        return builder;
    }

    static AmoClient.Builder client(AmoConfig config) {
        AmoClient.Builder builder = AmoClient.builder(required(config, "amo.group", "AmoClient.builder"))
                .members(required(config, "amo.members", "AmoClient.builder"));
        config.get("amo.deadlineMillis")
                .map(millis -> Duration.ofMillis(Long.parseLong(millis)))
                .ifPresent(builder::deadline);
        config.get("amo.secretFile").map(Path::of).ifPresent(builder::secretFile);
        if (isTrue(config, "amo.insecure")) {
            builder.insecure();
        }
        if (config.get("amo.pathMayRepeat").equals(Optional.of("on"))) {
            builder.pathMayRepeat();
        }
        config.get("amo.clientName")
                .ifPresent(name -> config.get("amo.history").ifPresent(file -> builder.history(Path.of(file), name)));
        return builder;
    }

    private static String required(AmoConfig config, String property, String method) {
        return config.get(property).orElseThrow(() -> {
            String where = config.file().map(file -> "to " + file).orElse("to a file " + AmoConfig.DEFAULT_FILE);
            return new IllegalArgumentException(method + "(AmoConfig) needs " + property + "; add it " + where
                    + ", or set " + AmoConfig.setting(property).variable());
        });
    }

    private static boolean isTrue(AmoConfig config, String property) {
        return config.get(property).equals(Optional.of("true"));
    }

    private static ReplicaSettings.Nested nested(String word) {
        return ReplicaSettings.Nested.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static Optional<AmoTls> tls(AmoConfig config) {
        List<String> names = List.of("amo.tls.keyStore", "amo.tls.trustStore", "amo.tls.passwordFile");
        long present =
                names.stream().filter(name -> config.get(name).isPresent()).count();
        if (present == 0) {
            return Optional.empty();
        }
        if (present < names.size()) {
            throw new IllegalArgumentException(
                    "TLS between members needs " + String.join(", ", names) + " together; add the missing ones");
        }
        String password = password(Path.of(config.get(names.get(2)).orElseThrow()));
        return Optional.of(AmoTls.builder()
                .keyStore(Path.of(config.get(names.get(0)).orElseThrow()), password)
                .trustStore(Path.of(config.get(names.get(1)).orElseThrow()), password)
                .build());
    }

    private static String password(Path file) {
        try {
            return SecretText.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the password file " + file + " cannot be read", e);
        }
    }

    private static ObservationOptions observation(AmoConfig config, String address) {
        ObservationOptions.Builder options = ObservationOptions.builder(address);
        config.get("amo.httpTokenFile").map(Path::of).ifPresent(options::tokenFile);
        return options.build();
    }

    /** Those that are not system properties yet. */
    private static Map<String, String> ofProcess(AmoConfig config) {
        return config.values().stream()
                .filter(value -> AmoConfig.setting(value.property()).isOfProcess())
                .filter(value -> System.getProperty(value.property()) == null)
                .collect(Collectors.toUnmodifiableMap(AmoConfig.Value::property, AmoConfig.Value::text));
    }
}
