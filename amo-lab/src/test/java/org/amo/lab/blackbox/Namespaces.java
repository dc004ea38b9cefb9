package org.amo.lab.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Machines with a network of their own, by Linux network namespaces: one a name, all on one bridge that is in a
 * namespace of its own. The host's network is not touched. Needs the right to make them.
 */
final class Namespaces implements AutoCloseable {
    private static final long COMMAND_SECONDS = 10;

    private final String prefix = "amo" + ProcessHandle.current().pid() % 100_000;
    private final List<String> names;

    private Namespaces(List<String> names) {
        this.names = List.copyOf(names);
    }

    /** Whether this machine lets us; leaves nothing behind. */
    static boolean permitted() {
        String name = "amoprobe" + ProcessHandle.current().pid() % 100_000;
        try {
            boolean made = run(List.of("ip", "netns", "add", name)) == 0
                    && run(List.of("ip", "netns", "exec", name, "ip", "link", "add", "probe", "type", "bridge")) == 0;
            return run(List.of("ip", "netns", "del", name)) == 0 && made;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    static Namespaces of(String... names) {
        Namespaces network = new Namespaces(Arrays.asList(names));
        try {
            network.make();
            return network;
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
    }

    String address(String name) {
        return "10.77.0." + (names.indexOf(name) + 1);
    }

    /** The command line that runs these words at that machine. */
    List<String> at(String name, List<String> words) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", full(name)));
        all.addAll(words);
        return all;
    }

    /** From now on nothing goes between the one and the others, in neither direction, and nobody is told. */
    void cut(String one, List<String> others) {
        others.forEach(other -> {
            must("ip", "-n", full(one), "route", "add", "blackhole", address(other) + "/32");
            must("ip", "-n", full(other), "route", "add", "blackhole", address(one) + "/32");
        });
    }

    void heal(String one, List<String> others) {
        others.forEach(other -> {
            must("ip", "-n", full(one), "route", "del", "blackhole", address(other) + "/32");
            must("ip", "-n", full(other), "route", "del", "blackhole", address(one) + "/32");
        });
    }

    @Override
    public void close() {
        for (String name : names) {
            run(List.of("ip", "netns", "del", full(name)));
        }
        run(List.of("ip", "netns", "del", full("hub")));
    }

    private void make() {
        String hub = full("hub");
        must("ip", "netns", "add", hub);
        must("ip", "-n", hub, "link", "add", "bridge", "type", "bridge");
        must("ip", "-n", hub, "link", "set", "bridge", "up");
        for (String name : names) {
            must("ip", "netns", "add", full(name));
            must("ip", "-n", full(name), "link", "add", "eth", "type", "veth", "peer", "to-" + name, "netns", hub);
            must("ip", "-n", hub, "link", "set", "to-" + name, "master", "bridge", "up");
            must("ip", "-n", full(name), "address", "add", address(name) + "/24", "dev", "eth");
            must("ip", "-n", full(name), "link", "set", "eth", "up");
            must("ip", "-n", full(name), "link", "set", "lo", "up");
        }
    }

    private String full(String name) {
        return prefix + "-" + name;
    }

    private static void must(String... words) {
        if (run(List.of(words)) != 0) {
            throw new IllegalStateException("failed: " + String.join(" ", words));
        }
    }

    private static int run(List<String> words) {
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("does not end: " + words + " " + said);
            }
            return process.exitValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
