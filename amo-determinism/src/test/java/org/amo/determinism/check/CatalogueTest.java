package org.amo.determinism.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The names of the catalogue against the JDK that runs this test. */
final class CatalogueTest {
    /** Of a JDK after 17, or of one before 25. */
    private static final Set<String> OF_OTHER_JDKS = Set.of(
            "java/lang/Thread.startVirtualThread",
            "java/lang/Thread.ofVirtual",
            "java/lang/Thread.ofPlatform",
            "java/lang/Thread.threadId",
            "java/lang/System.runFinalization",
            "java/lang/Runtime.runFinalization",
            "java/util/concurrent/ForkJoinPool.lazySubmit",
            "java/util/concurrent/ForkJoinPool.externalSubmit",
            "java/util/concurrent/ForkJoinPool.invokeAllUninterruptibly",
            "java/util/concurrent/ForkJoinPool.submitWithTimeout",
            "java/util/concurrent/Executors.newThreadPerTaskExecutor",
            "java/util/concurrent/Executors.newVirtualThreadPerTaskExecutor",
            "java/lang/System.setSecurityManager",
            "java/util/Objects.toIdentityString");

    @Test
    void everyNameOfTheJdkMeansAMethod() throws IOException {
        Set<String> unknown = new TreeSet<>();
        int known = 0;
        try (ClassFiles files = ClassFiles.open(List.of(), new LibraryLoader())) {
            TypeTable types = new TypeTable(files, new Libraries(Set.of(), Set.of()));
            for (Map.Entry<String, List<Catalogue.Source>> entry :
                    Catalogue.all().entrySet()) {
                Optional<TypeInfo> type = types.find(entry.getKey());
                for (Catalogue.Source source : type.isPresent() ? entry.getValue() : List.<Catalogue.Source>of()) {
                    boolean found = types.withAncestors(entry.getKey()).stream()
                            .flatMap(name -> types.find(name).stream())
                            .flatMap(each -> each.methods().keySet().stream())
                            .anyMatch(method -> source.matches(
                                    method.substring(0, method.indexOf('(')), method.substring(method.indexOf('('))));
                    known += found ? 1 : 0;
                    if (!found) {
                        unknown.add(entry.getKey() + "." + source.name() + source.descriptor());
                    }
                }
            }
        }
        unknown.removeAll(OF_OTHER_JDKS);
        assertEquals(Set.of(), unknown);
        assertTrue(known > 400, "known: " + known);
    }

    /** Also by the JDK that lacks them: a program is compiled for a later one. */
    @Test
    void methodsOfLaterJdksThatStartTasksAreKnown() {
        for (String name : List.of("lazySubmit", "externalSubmit", "invokeAllUninterruptibly", "submitWithTimeout")) {
            assertTrue(
                    Catalogue.find("java/util/concurrent/ForkJoinPool", name, "()V")
                            .isPresent(),
                    name);
        }
        assertTrue(Catalogue.find("java/util/stream/Gatherers", "mapConcurrent", "()V")
                .isPresent());
    }

    @Test
    void aMethodIsFoundByNameAndOverload() {
        assertTrue(Catalogue.find("java/util/Date", "<init>", "()V").isPresent());
        assertFalse(Catalogue.find("java/util/Date", "<init>", "(J)V").isPresent());
        assertTrue(Catalogue.find("java/util/Arrays", "parallelSort", "([I)V").isPresent());
        assertFalse(Catalogue.find("java/util/Arrays", "sort", "([I)V").isPresent());
    }
}
