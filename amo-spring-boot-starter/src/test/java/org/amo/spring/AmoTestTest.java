package org.amo.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.List;
import org.amo.replication.service.EmbeddedGroup;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;

/** A user's test, by the files that Spring finds the starter's parts with. */
@AmoTest(
        members = 5,
        properties = {"amo.group=counters", "spring.main.banner-mode=off"})
final class AmoTestTest {
    @AmoProxy
    private Counters field;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(CountersInMemory.class)
    static class Application {}

    @Test
    void theGroupsOfTheApplicationAreEmbedded(
            @AmoProxy Counters counters, @AmoProxy EmbeddedGroup group, @Autowired ApplicationContext application) {
        assertTrue(application.containsBean("amoHealthIndicator"));
        assertTrue(application.containsBean("amoEndpoint"));
        assertEquals(List.of("a", "b", "c", "d", "e"), group.members());
        assertEquals(1, counters.add("x", 1));
        group.crash("a");
        group.crash("b");
        assertEquals(2, field.add("x", 1));
    }

    @AmoService(group = "counters")
    static final class Undetermined extends CountersInMemory {
        @Override
        public long add(String name, long amount) {
            return super.add(name, System.nanoTime());
        }
    }

    /** A test as it would stand in a user's project, run by hand. */
    @AmoTest(classes = OfAnUndeterminedService.Application.class, properties = "spring.main.banner-mode=off")
    static final class OfAnUndeterminedService {
        @AmoProxy(group = "counters")
        private Counters counters;

        @SpringBootConfiguration
        @EnableAutoConfiguration
        @Import(Undetermined.class)
        static class Application {}

        void passes() {
            assertTrue(counters.add("x", 1) > 0);
            assertTrue(counters.add("x", 1) > 0);
        }
    }

    @Test
    void aTestOfAServiceThatIsNotDeterministicFails() throws Exception {
        TestContextManager spring = new TestContextManager(OfAnUndeterminedService.class);
        OfAnUndeterminedService test = new OfAnUndeterminedService();
        spring.prepareTestInstance(test);
        Method method = OfAnUndeterminedService.class.getDeclaredMethod("passes");
        spring.beforeTestMethod(test, method);
        test.passes();
        IllegalStateException why =
                assertThrows(IllegalStateException.class, () -> spring.afterTestMethod(test, method, null));
        assertTrue(
                String.valueOf(why.getMessage()).endsWith("field CountersInMemory.counters differs"), why.getMessage());
    }
}
