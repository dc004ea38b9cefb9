package org.amo.determinism.check;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Packages that a scan does not enter: the JDK, the ORB, amo, and logging. */
final class Libraries {
    private static final List<String> JDK_AND_ORB = List.of(
            "java/",
            "javax/",
            "jakarta/",
            "jdk/",
            "sun/",
            "com/sun/",
            "netscape/",
            "org/w3c/dom/",
            "org/xml/sax/",
            "org/ietf/jgss/",
            "org/omg/",
            "org/jacorb/",
            "com/sun/corba/",
            "org/glassfish/corba/");

    /** Messages of a logger reach neither state nor replies. */
    private static final List<String> LOGGING = List.of(
            "org/slf4j/",
            "ch/qos/logback/",
            "org/apache/log4j/",
            "org/apache/logging/",
            "org/apache/commons/logging/",
            "org/jboss/logging/",
            "org/tinylog/");

    /** The modules that a program runs with; the examples are programs. */
    private static final List<String> AMO = Stream.of(
                    "base",
                    "core",
                    "net",
                    "scmp",
                    "exon",
                    "dpg",
                    "linearizable",
                    "replication",
                    "interceptors",
                    "wrap",
                    "determinism",
                    "testkit")
            .map(module -> "org/amo/" + module + "/")
            .toList();

    private final List<String> prefixes;

    /**
     * Chooses the packages.
     *
     * @param more internal names or prefixes of them, to be left out besides
     * @param entered internal names of classes that are scanned all the same, with their packages
     */
    Libraries(Set<String> more, Set<String> entered) {
        prefixes = Stream.of(JDK_AND_ORB, LOGGING, AMO, more)
                .flatMap(names -> names.stream())
                .filter(prefix -> entered.stream().noneMatch(name -> name.startsWith(prefix)))
                .toList();
    }

    boolean contain(String name) {
        return prefixes.stream().anyMatch(name::startsWith);
    }
}
