package org.amo.lab.cluster;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.examples.bank.BankServer;

/** The Java command lines of the programs, as a user could write them. */
public final class Programs {
    /** Such a run ends before the second compiler has paid for itself: on two cores it takes half of the time. */
    private static final String QUICK_COMPILER = "-XX:TieredStopAtLevel=1";

    /** Of a call, as in the paper's measurements. */
    public static final long DEADLINE_MILLIS = 10_000;

    private Programs() {}

    /**
     * A CORBA program that serves the bank.
     *
     * @param main takes the file for its reference
     * @param more options of its virtual machine
     * @param classes their jars or folders are added to its class path, after the bank and the leash
     */
    public static JavaCommandLine bankServer(Class<?> main, Path reference, List<String> more, List<Class<?>> classes) {
        StringBuilder path =
                new StringBuilder(location(BankServer.class) + File.pathSeparator + location(ParentWatch.class));
        classes.forEach(type -> path.append(File.pathSeparator).append(location(type)));
        List<String> options = new ArrayList<>(
                List.of("-XX:+UseSerialGC", QUICK_COMPILER, "-Damo.defaultDeadlineMillis=" + DEADLINE_MILLIS));
        options.addAll(more);
        return java(options, path.toString(), main, List.of(reference.toString()));
    }

    /** The bank's server as a member in memory, wrapped and without a secret. */
    public static List<String> wrappedBank(
            List<Member> members, Member member, Path folder, Path reference, List<String> options) {
        return new ServerWrap(
                        ProcessGroup.GROUP,
                        member.id(),
                        members,
                        folder,
                        Order.RAFT,
                        Log.MEMORY,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty())
                .applyWithAgent(bankServer(BankServer.class, reference, options, List.of()))
                .words();
    }

    /** A program with the whole of amo on its class path and a small heap. */
    public static JavaCommandLine small(Class<?> main, List<String> arguments) {
        return java(
                List.of("-Xmx256m", "-XX:+UseSerialGC", QUICK_COMPILER),
                String.join(File.pathSeparator, AmoClassPath.all()),
                main,
                arguments);
    }

    /**
     * A member with the whole of amo on its class path.
     *
     * @param more options of its virtual machine
     */
    public static JavaCommandLine member(Class<?> main, List<String> arguments, List<String> more) {
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", QUICK_COMPILER));
        options.addAll(more);
        return java(options, String.join(File.pathSeparator, AmoClassPath.all()), main, arguments);
    }

    private static JavaCommandLine java(List<String> options, String classPath, Class<?> main, List<String> arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options);
        words.add("-cp");
        words.add(classPath);
        words.add(ParentWatch.class.getName());
        words.add(main.getName());
        words.addAll(arguments);
        return JavaCommandLine.parse(words, Optional.empty());
    }

    private static String location(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IllegalStateException(type + " comes from no jar or folder");
        }
        try {
            return Path.of(source.getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the location of " + type + " is no path", e);
        }
    }
}
