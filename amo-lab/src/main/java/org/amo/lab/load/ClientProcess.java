package org.amo.lab.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.amo.cli.CliException;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.WorkFolder;

/** Runs one client process and keeps the progress that it has reported. */
final class ClientProcess {
    private final LoadSettings settings;
    private final Child child;

    private volatile boolean ready;
    private volatile boolean held;
    private volatile String servedBy = "";
    private volatile LoadProgress progress = LoadProgress.NONE;

    ClientProcess(LoadSettings settings, LoadPrograms programs, WorkFolder folder) {
        this.settings = settings;
        this.child = Child.talking(
                settings.client(),
                programs.load(settings),
                folder.file("client-" + settings.client() + ".log"),
                this::onLine);
    }

    LoadSettings settings() {
        return settings;
    }

    Child child() {
        return child;
    }

    boolean ready() {
        return ready;
    }

    /** Whether it makes no calls for now, and has left its records. */
    boolean held() {
        return held;
    }

    LoadProgress progress() {
        return progress;
    }

    /** {@code host:port} of the member that answered its last call; empty before the first progress. */
    String servedBy() {
        return servedBy;
    }

    /** Its own records, once it has ended, or while it is held. */
    LoadReport report() {
        try {
            return new ObjectMapper().readValue(settings.report().toFile(), LoadReport.class);
        } catch (IOException e) {
            throw CliException.environment("client " + settings.client() + " left no records: " + child.lastWords());
        }
    }

    private void onLine(String line) {
        String[] words = line.split(" ", 3);
        held = words[0].equals("held");
        if (words[0].equals("ready")) {
            ready = true;
        } else if (words[0].equals("progress") && words.length == 3) {
            servedBy = words[1];
            progress = LoadProgress.parse(words[2]);
        }
    }
}
