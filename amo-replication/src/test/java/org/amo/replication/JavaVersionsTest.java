package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.net.CheckedFile;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member beside others, or behind an earlier process of its own, with another version of Java. */
@Timeout(60)
final class JavaVersionsTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String HERE = String.valueOf(Runtime.version().feature());
    private static final String OTHER = "8";

    @TempDir
    Path folder;

    /** Numbers become other texts from 19 on, and times of day from 20 on. */
    @Test
    void aMemberBesideAMajorityWithAnotherVersionEnds() {
        List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
        ReplicaSettings settings = ReplicaSettings.builder(
                        "g", "a", Member.parseList("a=memory:1/2,b=memory:3/4,c=memory:5/6"))
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        try (InMemoryLogs logs = new InMemoryLogs()) {
            OtherVersions.start(logs, "b", JavaVersion.SETTING, OTHER);
            OtherVersions.start(logs, "c", JavaVersion.SETTING, OTHER);
            try (ReplicatedService member = ReplicationProvider.open(
                    settings, (position, time, request) -> request.body(), logs.member("a"), ended::add)) {
                await().atMost(BOUND).until(() -> !ended.isEmpty());
                assertEquals("a", member.status().id());
            } catch (OrderedLogException inTheFirstTwoSeconds) {
                ended.add(inTheFirstTwoSeconds);
            }
        }
        assertEquals(Fault.USER, ended.get(0).fault());
        assertEquals(
                "member a of group g has Java version '" + HERE + "', and members b, c '" + OTHER
                        + "'; run the same Java version at every member",
                ended.get(0).getMessage());
    }

    /** An exchange of Java must not need a new group; the operator has to know that the replay may differ. */
    @Test
    void aLogThatWasExecutedWithAnotherVersionIsRunAgainWithOneLine() throws IOException {
        assertEquals(List.of(), toldAtAStart(ReplicaSettings.Style.ACTIVE), "a new log");
        assertEquals(List.of(), toldAtAStart(ReplicaSettings.Style.ACTIVE), "the same version");
        noteOther();
        assertEquals(
                List.of("member a of group bank runs Java " + HERE
                        + ", and the requests of its log were executed with Java "
                        + OTHER + ": run again, they can end otherwise than their clients were told"
                        + " (docs/how-to/upgrade.md)"),
                toldAtAStart(ReplicaSettings.Style.ACTIVE));
        assertEquals(List.of(), toldAtAStart(ReplicaSettings.Style.ACTIVE), "told before");
        noteOther();
        assertEquals(List.of(), toldAtAStart(ReplicaSettings.Style.PASSIVE), "nothing is run again");
    }

    /** As an earlier process with that version did. */
    private void noteOther() throws IOException {
        String note = "--deterministic (amo.deterministic)=none\n" + JavaVersion.SETTING + "=" + OTHER;
        new CheckedFile(folder.resolve("settings"), 0x616d6f45, "").write(note.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> toldAtAStart(ReplicaSettings.Style style) {
        OtherVersions.Lines told = new OtherVersions.Lines(ExecutedSettings.class);
        try {
            ReplicaSettings settings = ReplicaSettings.builder("bank", "a", Member.parseList("a=127.0.0.1:1/2"))
                    .style(style)
                    .build();
            ExecutedSettings.open(Optional.of(folder), settings).keep();
        } finally {
            told.close();
        }
        return told.all();
    }
}
