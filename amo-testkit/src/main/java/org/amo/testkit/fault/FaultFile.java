package org.amo.testkit.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replica's side of {@link FaultCommands}: reads the lines of a file as they appear. Only lines that end in a line
 * feed are read, each once.
 */
final class FaultFile {
    private static final Logger LOG = LoggerFactory.getLogger(FaultFile.class);
    private static final long LOOK_EVERY_MILLIS = 20;

    private final Path file;
    private final FaultPlan plan;
    private final AtomicLong clockStepMillis = new AtomicLong();
    private volatile boolean syncFails;
    private int read;

    FaultFile(Path file, FaultPlan plan) {
        this.file = file;
        this.plan = plan;
    }

    /** Reads the commands that are there at the start; a thread of its own reads the later ones. */
    void watch() {
        look();
        DaemonThreads.start("amo-testkit-file", this::lookForEver);
    }

    long clockStepMillis() {
        return clockStepMillis.get();
    }

    boolean syncFails() {
        return syncFails;
    }

    /** Reads the added commands; not to be called by two threads. */
    void look() {
        try {
            if (!Files.exists(file)) {
                return;
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            List<String> lines =
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
            while (read < lines.size()) {
                String line = lines.get(read++);
                LOG.warn("FAULT: {}", line);
                obey(line.strip().split(" +", 2));
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.error("the fault file {} cannot be obeyed: {}", file, e.getMessage());
        }
    }

    private void obey(String[] words) {
        switch (words[0]) {
            case "arm" -> plan.arm(FaultRule.parseList(words[1]));
            case "clock" -> clockStepMillis.set(Long.parseLong(words[1]));
            case "sync-fails" -> syncFails = true;
            default -> throw new IllegalArgumentException("'" + words[0] + "' is none of arm, clock and sync-fails");
        }
    }

    private void lookForEver() {
        while (!Thread.currentThread().isInterrupted()) {
            look();
            try {
                Thread.sleep(LOOK_EVERY_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
