package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.amo.cli.Amo;
import org.amo.cli.ExitCodes;
import org.amo.core.order.Member;
import org.amo.core.replica.ObservedReplica;
import org.amo.observe.Observation;
import org.amo.observe.ObservationOptions;
import org.amo.replication.service.AmoConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;

/**
 * The files in docs/deploy, against the settings, options, ports and paths of this version. {@code .ci/deploy} has them checked by the
 * tools that read them.
 */
final class DeploymentTest {
    private static final Path FILES = MainSources.HOME.resolve("docs/deploy");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** In the place of the files that a deployment mounts. */
    @TempDir
    private Path folder;

    @BeforeEach
    void makeSecret() throws IOException {
        Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a9f3a9f3a9f3a9f3a");
    }

    @Test
    void eachPodIsOneMember() throws IOException {
        Map<String, JsonNode> objects = kubernetes();
        JsonNode settings = objects.get("ConfigMap").get("data");
        JsonNode set = objects.get("StatefulSet").get("spec");
        JsonNode container = set.at("/template/spec/containers/0");
        String service = set.get("serviceName").asText();
        assertEquals(objects.get("Service").at("/metadata/name").asText(), service);
        Set<String> ids = new TreeSet<>();
        for (int i = 0; i < set.get("replicas").asInt(); i++) {
            String pod = objects.get("StatefulSet").at("/metadata/name").asText() + "-" + i;
            Map<String, String> variables = environment(container, settings, pod);
            String mount = mountOf(container, "settings") + "/";
            assertTrue(variables.get("AMO_CONFIG").startsWith(mount), variables::toString);
            String name = variables.get("AMO_CONFIG").substring(mount.length());
            Path file =
                    Files.writeString(folder.resolve(name), settings.get(name).asText());
            variables.remove("AMO_CONFIG");
            AmoConfig config = checked(Optional.of(file), variables);
            Member self = self(config);
            assertEquals(pod + "." + service, self.host());
            assertEquals(port(container, "order"), self.orderPort());
            assertEquals(port(container, "client"), self.clientPort());
            assertEquals(
                    "0.0.0.0:" + port(container, "observe"),
                    config.get("amo.http").orElseThrow());
            assertEquals(mountOf(container, "data"), variables.get("AMO_DATA"));
            assertTrue(variables.get("AMO_SECRET_FILE").startsWith(mountOf(container, "secret") + "/"));
            ids.add(self.id());
        }
        assertEquals(set.get("replicas").asInt(), ids.size());
    }

    @Test
    void aMemberThatWaitsForItsGroupLivesAndIsNotReady() throws Exception {
        JsonNode container = kubernetes().get("StatefulSet").at("/spec/template/spec/containers/0");
        ObservedReplica waiting = new ObservedReplica("bank", "a", List.of(), Optional::empty, peer -> "");
        try (Observation port = Observation.offer(
                waiting, Optional.of(ObservationOptions.builder(0).build()))) {
            assertEquals(200, answer(container, "startupProbe", port));
            assertEquals(200, answer(container, "livenessProbe", port));
            assertEquals(503, answer(container, "readinessProbe", port));
        }
    }

    private static int answer(JsonNode container, String probe, Observation port) throws Exception {
        JsonNode asked = container.at("/" + probe + "/httpGet");
        assertEquals("observe", asked.get("port").asText(), probe);
        URI uri = URI.create("http://127.0.0.1:" + port.port().orElseThrow()
                + asked.get("path").asText());
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aMajorityStaysThroughADisruptionAndMembersFindEachOtherBeforeTheyServe() throws IOException {
        Map<String, JsonNode> objects = kubernetes();
        JsonNode set = objects.get("StatefulSet").get("spec");
        int away = objects.get("PodDisruptionBudget").at("/spec/maxUnavailable").asInt();
        int replicas = set.get("replicas").asInt();
        assertTrue(away >= 1 && replicas - away > replicas / 2, "away " + away);
        JsonNode service = objects.get("Service").get("spec");
        assertEquals("None", service.get("clusterIP").asText());
        assertTrue(service.get("publishNotReadyAddresses").asBoolean());
        assertEquals("Parallel", set.get("podManagementPolicy").asText());
        JsonNode labels = set.at("/template/metadata/labels");
        for (JsonNode selector : List.of(
                set.at("/selector/matchLabels"),
                service.get("selector"),
                objects.get("PodDisruptionBudget").at("/spec/selector/matchLabels"))) {
            assertEquals(labels, selector);
        }
        Set<String> volumes = new TreeSet<>();
        set.at("/template/spec/volumes")
                .forEach(volume -> volumes.add(volume.get("name").asText()));
        set.get("volumeClaimTemplates")
                .forEach(claim -> volumes.add(claim.at("/metadata/name").asText()));
        Set<String> mounted = new TreeSet<>();
        set.at("/template/spec/containers/0/volumeMounts")
                .forEach(mount -> mounted.add(mount.get("name").asText()));
        assertEquals(volumes, mounted);
    }

    @Test
    void eachServiceOfComposeIsOneMember() throws IOException {
        JsonNode compose = yaml("compose.yaml").get(0);
        Set<String> ids = new TreeSet<>();
        for (Map.Entry<String, JsonNode> service : compose.get("services").properties()) {
            Map<String, String> variables = new HashMap<>();
            service.getValue()
                    .get("environment")
                    .properties()
                    .forEach(
                            each -> variables.put(each.getKey(), each.getValue().asText()));
            Member self = self(checked(Optional.empty(), variables));
            assertEquals(service.getKey(), self.host());
            assertEquals(
                    service.getKey() + ":" + variables.get("AMO_DATA"),
                    service.getValue().at("/volumes/0").asText());
            String secret = service.getValue().at("/secrets/0").asText();
            assertEquals("/run/secrets/" + secret, variables.get("AMO_SECRET_FILE"));
            assertTrue(
                    compose.get("secrets").has(secret) && compose.get("volumes").has(service.getKey()));
            JsonNode check = service.getValue().at("/healthcheck/test");
            String last = check.get(check.size() - 1).asText();
            assertEquals(variables.get("AMO_HTTP").replace("0.0.0.0", "127.0.0.1"), last);
            assertTrue(Amo.commandLine()
                    .getSubcommands()
                    .containsKey(check.get(check.size() - 2).asText()));
            assertEquals(Amo.class.getName(), check.get(check.size() - 3).asText());
            ids.add(self.id());
        }
        assertEquals(3, ids.size());
    }

    @Test
    void theUnitKnowsTheExitCodesAndTheSettings() throws IOException {
        Map<String, List<String>> unit = unit();
        assertEquals(List.of("on-failure"), unit.get("Restart"));
        assertEquals(List.of(Integer.toString(ExitCodes.USER)), unit.get("RestartPreventExitStatus"));
        assertEquals(List.of("143"), unit.get("SuccessExitStatus"));
        assertEquals(List.of("0"), unit.get("StartLimitIntervalSec"));
        Map<String, String> variables = new HashMap<>();
        unit.get("Environment").forEach(each -> {
            int equals = each.indexOf('=');
            variables.put(each.substring(0, equals), each.substring(equals + 1));
        });
        assertEquals(unit.get("WorkingDirectory").get(0), variables.get("AMO_DATA"));
        assertTrue(unit.get("LoadCredential").get(0).startsWith("secret:"));
        assertEquals("%d/secret", variables.get("AMO_SECRET_FILE"));
        variables.remove("AMO_CONFIG");
        assertEquals(
                "a",
                self(checked(Optional.of(FILES.resolve("amo.properties")), variables))
                        .id());
        assertIsWrapServer(List.of(unit.get("ExecStart").get(0).split(" ", -1)), "/opt/amo/amo");
    }

    @Test
    void theImageStartsAMember() throws IOException {
        String command = Files.readAllLines(FILES.resolve("Dockerfile")).stream()
                .filter(line -> line.startsWith("CMD "))
                .findFirst()
                .orElseThrow()
                .substring(4);
        List<String> words = new ArrayList<>(List.of("amo"));
        JSON.readTree(command).forEach(word -> words.add(word.asText()));
        assertIsWrapServer(words, "amo");
    }

    private static void assertIsWrapServer(List<String> words, String program) {
        assertEquals(List.of(program, "wrap", "server"), words.subList(0, 3));
        int operands = words.indexOf("--");
        assertTrue(operands > 0 && operands < words.size() - 1, words::toString);
        CommandLine server =
                Amo.commandLine().getSubcommands().get("wrap").getSubcommands().get("server");
        for (String word : words.subList(3, operands)) {
            assertTrue(server.getCommandSpec().findOption(word) != null, word);
        }
    }

    /** The settings of a deployment, with its secret in the place of the one that is mounted. */
    private AmoConfig checked(Optional<Path> file, Map<String, String> variables) {
        Map<String, String> here = new HashMap<>(variables);
        here.replaceAll((name, value) ->
                name.equals("AMO_SECRET_FILE") ? folder.resolve("secret").toString() : value);
        Path none = folder.resolve("none.properties");
        AmoConfig config = AmoConfig.read(Optional.of(file.orElseGet(() -> empty(none))), name -> null, here);
        assertEquals(List.of(), config.mistakes());
        assertEquals(List.of(), config.check());
        assertFalse(
                config.warnings().stream().anyMatch(warning -> warning.contains("AMO_")), config.warnings()::toString);
        return config;
    }

    private static Path empty(Path file) {
        try {
            return Files.writeString(file, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Member self(AmoConfig config) {
        String id = config.get("amo.id").orElseThrow();
        return Member.parseList(config.get("amo.members").orElseThrow()).stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> environment(JsonNode container, JsonNode settings, String pod) {
        Map<String, String> variables = new HashMap<>();
        for (JsonNode variable : container.get("env")) {
            JsonNode key = variable.at("/valueFrom/configMapKeyRef/key");
            boolean name = variable.at("/valueFrom/fieldRef/fieldPath").asText().equals("metadata.name");
            String text = name
                    ? pod
                    : key.isMissingNode()
                            ? variable.get("value").asText()
                            : settings.get(key.asText()).asText();
            UnaryOperator<String> expand = value -> {
                String expanded = value;
                for (Map.Entry<String, String> known : variables.entrySet()) {
                    expanded = expanded.replace("$(" + known.getKey() + ")", known.getValue());
                }
                return expanded;
            };
            variables.put(variable.get("name").asText(), expand.apply(text));
        }
        variables.keySet().removeIf(name -> !name.startsWith("AMO_"));
        return variables;
    }

    private static int port(JsonNode container, String name) {
        for (JsonNode port : container.get("ports")) {
            if (port.get("name").asText().equals(name)) {
                return port.get("containerPort").asInt();
            }
        }
        throw new AssertionError("no port " + name);
    }

    private static String mountOf(JsonNode container, String name) {
        for (JsonNode mount : container.get("volumeMounts")) {
            if (mount.get("name").asText().equals(name)) {
                return mount.get("mountPath").asText();
            }
        }
        throw new AssertionError("no mount " + name);
    }

    private static Map<String, JsonNode> kubernetes() throws IOException {
        Map<String, JsonNode> objects = new HashMap<>();
        for (JsonNode object : yaml("kubernetes.yaml")) {
            objects.put(object.get("kind").asText(), object);
        }
        assertEquals(Set.of("ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"), objects.keySet());
        return objects;
    }

    private static List<JsonNode> yaml(String name) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        try (Reader text = Files.newBufferedReader(FILES.resolve(name))) {
            new Yaml(new SafeConstructor(new LoaderOptions()))
                    .loadAll(text)
                    .forEach(each -> documents.add(JSON.valueToTree(each)));
        }
        return documents;
    }

    private static Map<String, List<String>> unit() throws IOException {
        Map<String, List<String>> unit = new HashMap<>();
        for (String line : Files.readAllLines(FILES.resolve("amo@.service"))) {
            int equals = line.indexOf('=');
            if (equals > 0 && !line.startsWith("#")) {
                unit.computeIfAbsent(line.substring(0, equals), name -> new ArrayList<>())
                        .add(line.substring(equals + 1));
            }
        }
        return unit;
    }
}
