package org.amo.lab.chaos;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.amo.cli.CliException;
import org.amo.lab.cluster.WorkFolder;
import org.amo.testkit.fault.FaultAction;
import org.amo.testkit.fault.FaultCommands;
import org.amo.testkit.fault.FaultPoint;
import org.amo.testkit.fault.FaultRule;

/** Tells the replicas of a run to make faults inside themselves. One thread owns it. */
final class FaultControl {
    private static final int COPIES = 100;

    private final WorkFolder folder;
    private final Map<String, FaultCommands> commands = new TreeMap<>();

    FaultControl(WorkFolder folder) {
        this.folder = folder;
    }

    FaultCommands of(String replica) {
        return commands.computeIfAbsent(replica, id -> new FaultCommands(folder.file("faults-" + id)));
    }

    /** Prepares a restart: forgets the commands to the replica's old process. */
    void renew(String replica) {
        write(() -> of(replica).renew());
    }

    void arm(String replica, FaultRule fault) {
        write(() -> of(replica).arm(fault));
    }

    /** A duplicate of each second of its next requests arrives so long after its reply; others may be armed, too. */
    void copies(String replica, long afterMillis) {
        for (int copy = 1; copy <= COPIES; copy++) {
            arm(replica, new FaultRule(FaultPoint.AFTER_REPLY, 2L * copy, FaultAction.DUPLICATE, afterMillis));
        }
    }

    void clock(String replica, long millis) {
        write(() -> of(replica).clock(millis));
    }

    void failSync(String replica) {
        write(() -> of(replica).failSync());
    }

    /** How many replicas have a wrong clock. */
    long wrongClocks() {
        return commands.values().stream()
                .filter(each -> each.clockMillis() != 0)
                .count();
    }

    private interface Writing {
        void run() throws IOException;
    }

    private static void write(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw CliException.environment("cannot tell a replica to make a fault (" + e + ")");
        }
    }
}
