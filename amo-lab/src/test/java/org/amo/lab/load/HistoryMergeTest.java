package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.amo.cli.CliException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryMergeTest {
    @TempDir
    private Path folder;

    @Test
    void eventsAreSortedByTimeAndThoseWithoutOneStayWithTheirPredecessor() throws IOException {
        Path client = Files.writeString(folder.resolve("c"), "{\"id\":\"1\",\"t\":1}\n{\"id\":\"2\",\"t\":5}\n");
        Path replica = Files.writeString(
                folder.resolve("r"),
                "{\"id\":\"3\",\"t\":2}\n{\"id\":\"4\"}\n{\"id\":\"5\",\"t\":9}\n{\"id\":\"6\",\"t\":");
        HistoryMerge merge = new HistoryMerge(Set.of(), BankReplies::decode);
        merge.source().file(client).file(folder.resolve("is not there"));
        merge.source().file(replica).event("{\"id\":\"7\",\"t\":4}");
        merge.write(folder.resolve("all"));
        assertEquals(
                List.of(
                        "{\"id\":\"1\",\"t\":1}",
                        "{\"id\":\"3\",\"t\":2}",
                        "{\"id\":\"4\"}",
                        "{\"id\":\"2\",\"t\":5}",
                        "{\"id\":\"5\",\"t\":9}",
                        "{\"id\":\"7\",\"t\":4}"),
                Files.readAllLines(folder.resolve("all")));
    }

    /** Left out, an execution too many would be, too. */
    @Test
    void onlyTheLastLineOfAFileMayBeCut() throws IOException {
        Path replica =
                Files.writeString(folder.resolve("r"), "{\"id\":\"3\",\"t\":2}\n{\"id\":\n{\"id\":\"5\",\"t\":9}\n");
        HistoryMerge.Source source = new HistoryMerge(Set.of(), BankReplies::decode).source();
        String message =
                assertThrows(CliException.class, () -> source.file(replica)).getMessage();
        assertTrue(message.contains(replica.toString()), message);
    }

    @Test
    void callsOfTheExaminationItselfAreLeftOut() throws IOException {
        HistoryMerge merge = new HistoryMerge(Set.of("audit-1"), BankReplies::decode);
        merge.source().event("{\"type\":\"exec\",\"id\":\"audit-1\"}").event("{\"type\":\"exec\",\"id\":\"c-1\"}");
        merge.write(folder.resolve("all"));
        assertEquals(List.of("{\"type\":\"exec\",\"id\":\"c-1\"}"), Files.readAllLines(folder.resolve("all")));
    }

    @Test
    void theBytesThatAServantAnsweredBecomeTheValueThatClientsWrite() throws IOException {
        HistoryMerge merge = new HistoryMerge(Set.of(), BankReplies::decode);
        merge.source().event("{\"type\":\"invoke\",\"id\":\"c-1\",\"op\":\"deposit\",\"t\":1}");
        merge.source()
                .event("{\"type\":\"exec\",\"id\":\"c-1\",\"pos\":3,\"value\":\"0100080000000000000018\",\"t\":2}")
                .event("{\"type\":\"exec\",\"id\":\"c-1\",\"pos\":3,\"value\":\"01000800000000\",\"t\":3}")
                .event("{\"type\":\"exec\",\"id\":\"x-1\",\"pos\":4,\"value\":\"0100080000000000000018\",\"t\":3}");
        merge.write(folder.resolve("all"));
        assertEquals(
                List.of(
                        "{\"type\":\"exec\",\"id\":\"c-1\",\"pos\":3,\"value\":24,\"t\":2}",
                        "{\"type\":\"exec\",\"id\":\"c-1\",\"pos\":3,\"t\":3}",
                        "{\"type\":\"exec\",\"id\":\"x-1\",\"pos\":4,\"value\":\"0100080000000000000018\",\"t\":3}"),
                Files.readAllLines(folder.resolve("all")).subList(1, 4));
    }
}
