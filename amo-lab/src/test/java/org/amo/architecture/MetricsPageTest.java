package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;
import org.amo.core.replica.ObservedReplica;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgEndpointOptions;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.replication.service.AmoClient;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;
import org.junit.jupiter.api.Test;

/** The page of the metrics, against the metrics of members, clients and endpoints. */
final class MetricsPageTest {
    private static final String ROW = "[^|]+) \\| (gauge|counter|histogram) \\| ([^|]*)\\|";
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @Test
    void thePageHasEachMetricOfAMemberWithItsTypeAndItsLabel() throws IOException {
        ObservedReplica member = new ObservedReplica("bank", "a", List.of(), Optional::empty, peer -> "");
        Map<String, String> told = told(member);
        assertTrue(told.size() > 30, told::toString);
        assertEquals(told, listed("amo_re"));
    }

    @Test
    void thePageHasEachMetricOfAnScmpServer() throws IOException {
        try (ScmpServer server = ScmpServerOptions.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .insecure()
                .start()) {
            Map<String, String> told = told(server.observed());
            assertTrue(told.size() > 10, told::toString);
            assertEquals(told, listed("amo_scmp"));
        }
    }

    @Test
    void thePageHasEachMetricOfAnExonEndpoint() throws IOException {
        try (ExonEndpoint endpoint = ExonEndpoint.open(
                ExonEndpointOptions.builder(new NodeId(1, 1), "a secret of tests")
                        .build(),
                (from, message) -> {})) {
            assertEquals(told(endpoint.observed()), listed("amo_exon"));
        }
    }

    @Test
    void thePageHasEachMetricOfADpgSite() throws IOException {
        InetSocketAddress nowhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        try (DpgEndpoint site = DpgEndpoint.open(
                DpgEndpointOptions.builder(
                                DpgNodeOptions.builder("a secret of tests").build(), List.of(nowhere))
                        .build(),
                new Deaf())) {
            assertEquals(told(site.observed()), listed("amo_dpg"));
        }
    }

    private static final class Deaf implements DpgReceiver {
        @Override
        public void onMessage(Tag tag, byte[] body, boolean own) {}

        @Override
        public void onDummy(Tag tag) {}

        @Override
        public void onSegment(Tag after) {}
    }

    @Test
    void thePageHasEachMetricOfAnAmoClient() throws IOException {
        try (AmoClient client =
                AmoClient.builder("bank").members("a=127.0.0.1:1/2").insecure().build()) {
            Map<String, String> listed = listed("amo_client");
            told(client.observed()).forEach((name, kind) -> assertEquals(kind, listed.get(name), name));
        }
    }

    static Map<String, String> listed(String prefix) throws IOException {
        Map<String, String> listed = new TreeMap<>();
        Matcher rows = Pattern.compile("(?m)^\\| (`" + prefix + ROW)
                .matcher(Files.readString(MainSources.HOME.resolve("docs/reference/metrics.md")));
        while (rows.find()) {
            String kind = rows.group(2) + names(rows.group(3));
            names(rows.group(1)).forEach(name -> listed.put(name, kind));
        }
        return listed;
    }

    private static Map<String, String> told(Observed observed) {
        Map<String, String> told = new TreeMap<>();
        for (Reading reading : observed.readings()) {
            Set<String> labels = new TreeSet<>(reading.labels().keySet());
            // Each histogram has it.
            labels.remove("le");
            String type = reading.type().name().toLowerCase(Locale.ROOT);
            told.put(reading.metric(), type + labels);
        }
        return told;
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(found -> found.group(1)).toList();
    }
}
