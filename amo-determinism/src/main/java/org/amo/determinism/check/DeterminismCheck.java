package org.amo.determinism.check;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.base.Experimental;

/**
 * Scans the class files of a service for sources of nondeterminism and outside effects that its operations reach. It runs
 * nothing of the service. For a unit test:
 *
 * <pre>{@code DeterminismCheck.of(CountersInMemory.class).assertNone();}</pre>
 *
 * <p>Methods that change the check return it; one thread owns it.
 */
@Experimental
public final class DeterminismCheck {
    private final List<Path> classPath;
    private final Set<String> entries = new LinkedHashSet<>();
    private final Set<String> excluded = new LinkedHashSet<>();
    private final List<AcceptedFindings> accepted = new ArrayList<>();
    private boolean agent;

    private DeterminismCheck(Collection<Path> classPath) {
        this.classPath = List.copyOf(classPath);
    }

    /**
     * Checks services on the class path of this JVM. The public methods of a class are its operations; those of an interface
     * are operations in every class that implements it.
     */
    public static DeterminismCheck of(Class<?>... services) {
        List<Path> path = Arrays.stream(
                        System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .map(Path::of)
                .toList();
        return new DeterminismCheck(path)
                .entries(Arrays.stream(services).map(Class::getName).toList());
    }

    /** Checks all servants and services of a class path: folders, jars, and the jars that their manifests name. */
    public static DeterminismCheck ofClassPath(Collection<Path> classPath) {
        return new DeterminismCheck(classPath);
    }

    /** Begins with these classes or interfaces alone; binary names. */
    public DeterminismCheck entries(Collection<String> names) {
        names.forEach(name -> entries.add(name.replace('.', '/')));
        return this;
    }

    /** Does not enter these packages or classes, as it does not enter the JDK and the ORB. */
    public DeterminismCheck without(Collection<String> names) {
        names.forEach(name -> excluded.add(name.replace('.', '/')));
        return this;
    }

    /**
     * Leaves findings out: {@code KIND}, {@code CLASS}, {@code CLASS.METHOD}, {@code CLASS*}, or {@code KIND:} before one of
     * these.
     *
     * @throws ScanException if the kind is unknown
     */
    public DeterminismCheck accept(String... patterns) {
        Arrays.stream(patterns).map(AcceptedFindings::parse).forEach(accepted::add);
        return this;
    }

    /** The service runs under the determinism agent: {@link #assertNone} passes findings that the agent makes deterministic. */
    public DeterminismCheck underAgent() {
        agent = true;
        return this;
    }

    /** The findings that are not accepted. */
    public List<Finding> findings() {
        return run().findings();
    }

    /**
     * Fails if there are findings, or class files that cannot be read.
     *
     * @throws AssertionError with a line for each
     */
    public void assertNone() {
        ScanResult result = run();
        List<Finding> findings = agent ? result.leftByAgent() : result.findings();
        if (!findings.isEmpty() || !result.broken().isEmpty()) {
            throw new AssertionError(findings.size() + " sources of nondeterminism or outside effects:"
                    + Stream.concat(
                                    findings.stream().map(each -> each + "; " + each.advice()),
                                    result.broken().stream())
                            .collect(Collectors.joining("\n  ", "\n  ", "")));
        }
    }

    /**
     * Scans.
     *
     * @throws ScanException if there is no operation to begin with
     */
    public ScanResult run() {
        try (ClassFiles files = ClassFiles.open(classPath, new LibraryLoader())) {
            TypeTable types = new TypeTable(files, new Libraries(excluded, entries));
            MethodBodies bodies = new MethodBodies(types);
            Operations operations = new Operations(types, bodies);
            Set<MethodKey> begin = begin(types, operations);
            if (begin.isEmpty()) {
                throw new ScanException(noOperations(files, types));
            }
            types.missing().clear();
            Scanner scanner = new Scanner(types, bodies, operations);
            Collection<Finding> found = scanner.scan(begin);
            return result(files, types, begin, scanner, found);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<MethodKey> begin(TypeTable types, Operations operations) {
        if (entries.isEmpty()) {
            return operations.all();
        }
        Set<MethodKey> begin = new LinkedHashSet<>();
        for (String entry : entries) {
            TypeInfo type = types.find(entry)
                    .filter(found -> types.isApplication(entry))
                    .orElseThrow(() -> new ScanException("the class " + entry.replace('/', '.')
                            + " is not on the class path; correct its name or the class path"));
            Set<MethodKey> methods = operations.of(type);
            if (methods.isEmpty()) {
                throw new ScanException(entry.replace('/', '.')
                        + " has no public method, or no class implements it; name the class of the service");
            }
            begin.addAll(methods);
        }
        return begin;
    }

    private static String noOperations(ClassFiles files, TypeTable types) {
        List<String> lacking = Stream.of(
                        files.missing().stream().map(entry -> entry + " does not exist"),
                        files.unreadable().stream(),
                        types.missing().stream().map(name -> name + " is not on the class path"))
                .flatMap(each -> each)
                .toList();
        return "the class path has no CORBA servant and no service of AmoReplica"
                + (lacking.isEmpty()
                        ? ""
                        : " (" + String.join(", ", lacking.subList(0, Math.min(3, lacking.size()))) + ")")
                + "; correct the class path, or name the class of the service";
    }

    private ScanResult result(
            ClassFiles files, TypeTable types, Set<MethodKey> begin, Scanner scanner, Collection<Finding> found) {
        List<String> limits = new ArrayList<>();
        files.missing().forEach(entry -> limits.add(entry + " on the class path does not exist"));
        types.missing().stream()
                .filter(name -> !types.isLibrary(name.replace('.', '/')))
                .forEach(name -> limits.add(name + " is not on the class path: its methods are not scanned"));
        scanner.reflective().forEach(call -> limits.add(call + ": the scan does not follow reflection"));
        accepted.stream()
                .filter(each -> found.stream().noneMatch(each::matches))
                .forEach(each -> limits.add("accepted but not found: " + each.text()));
        List<String> broken = new ArrayList<>(files.unreadable());
        types.broken().forEach((name, cause) -> broken.add(name.replace('/', '.') + " cannot be read (" + cause + ")"));
        List<Finding> findings = found.stream()
                .filter(finding -> accepted.stream().noneMatch(each -> each.matches(finding)))
                .sorted(Comparator.comparing(Finding::kind)
                        .thenComparing(Finding::type)
                        .thenComparing(Finding::line)
                        .thenComparing(Finding::source))
                .toList();
        return new ScanResult(
                begin.stream().map(MethodKey::words).distinct().toList(),
                findings,
                found.size() - findings.size(),
                limits,
                broken,
                types.application().size(),
                scanner.reached());
    }
}
