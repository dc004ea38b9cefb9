package org.amo.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.function.Supplier;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.EmbeddedGroup;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Applications whose groups are in their process: the injection, and the mistakes that an application is refused for. */
final class EmbeddedGroupsTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupsConfiguration.class, EndpointConfiguration.class, Boot3HealthConfiguration.class))
            .withInitializer(context -> new EmbeddingCustomizer(3).embed(context));

    private final ApplicationContextRunner counters =
            application.withPropertyValues("amo.group=counters").withUserConfiguration(CountersInMemory.class);

    /** A part of the application by one way of injection each. */
    static final class Parts {
        @AmoProxy
        private Counters field;

        private final Counters byConstructor;
        private final Optional<Counters> optional;
        private final ObjectProvider<Counters> later;
        private final Counters lazy;
        private final AmoClient client;
        private final EmbeddedGroup group;

        Parts(
                @AmoProxy Counters byConstructor,
                @AmoProxy Optional<Counters> optional,
                @AmoProxy ObjectProvider<Counters> later,
                @AmoProxy @Lazy Counters lazy,
                @AmoProxy(group = "counters") AmoClient client,
                @AmoProxy EmbeddedGroup group) {
            this.byConstructor = byConstructor;
            this.optional = optional;
            this.later = later;
            this.lazy = lazy;
            this.client = client;
            this.group = group;
        }
    }

    @Test
    void proxiesAndClientsAreInjectedInEachWayOfSpring() {
        counters.withUserConfiguration(Parts.class).run(context -> {
            Parts parts = context.getBean(Parts.class);
            assertEquals(1, parts.field.add("x", 1));
            assertEquals(2, parts.byConstructor.add("x", 1));
            assertEquals(3, parts.optional.orElseThrow().add("x", 1));
            assertEquals(4, parts.later.getObject().add("x", 1));
            assertEquals(5, parts.lazy.add("x", 1));
            assertEquals(6, parts.client.proxy(Counters.class).add("x", 1));
            parts.group.crash("a");
            assertEquals(7, parts.field.add("x", 1));
            assertEquals(7, parts.field.value("x"));
            assertSame(parts.client, context.getBean(Groups.class).client("counters"));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Strings {
        @Bean
        String first() {
            return "first";
        }

        @Bean
        @Qualifier("other")
        String second() {
            return "second";
        }

        @Bean
        @Lazy
        Supplier<String> failing() {
            throw new IllegalStateException("it is not needed");
        }
    }

    static final class OfSpringAlone {
        private final String qualified;
        private final String value;
        private final boolean hasNumber;

        OfSpringAlone(
                @Qualifier("other") String qualified,
                @Value("${amo.group}!") String value,
                @Lazy Supplier<String> failing,
                @Autowired(required = false) Long number) {
            this.qualified = qualified;
            this.value = value;
            this.hasNumber = number != null;
            assertNotNull(failing);
        }
    }

    @Test
    void allOtherInjectionStaysAsItWas() {
        counters.withUserConfiguration(Strings.class, OfSpringAlone.class).run(context -> {
            OfSpringAlone bean = context.getBean(OfSpringAlone.class);
            assertEquals("second", bean.qualified);
            assertEquals("counters!", bean.value);
            assertFalse(bean.hasNumber);
        });
    }

    static final class Careless {
        Careless(Counters unordered) {
            assertNotNull(unordered);
        }
    }

    /** A call on it would run at this member alone. */
    @Test
    void noOtherBeanIsGivenTheServiceItself() {
        counters.withUserConfiguration(Careless.class).run(context -> {
            assertInstanceOf(NoSuchBeanDefinitionException.class, root(context.getStartupFailure()));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ByMethod {
        @Bean
        @AmoService(group = "counters")
        Counters counters() {
            return new CountersInMemory();
        }

        @Bean
        Supplier<Long> user(@AmoProxy(group = "counters") Counters counters) {
            return () -> counters.add("x", 1);
        }
    }

    @Test
    void aBeanMethodMakesAServiceToo() {
        application
                .withUserConfiguration(ByMethod.class)
                .run(context ->
                        assertEquals(1L, context.getBean("user", Supplier.class).get()));
    }

    @Test
    void healthIsThatOfTheMembersAndUnknownWithoutMembers() {
        counters.run(context -> {
            assertEquals(
                    "UP {counters=serves}",
                    context.getBean(HealthIndicator.class).health().toString());
            assertTrue(context.getBean(EndpointConfiguration.StatusEndpoint.class)
                    .statuses()
                    .get("counters")
                    .toString()
                    .matches("\\{a=ReplicaStatus.*, b=ReplicaStatus.*, c=ReplicaStatus.*}"));
        });
        application.run(context -> assertEquals(
                "UNKNOWN {}", context.getBean(HealthIndicator.class).health().toString()));
        counters.withPropertyValues("management.health.amo.enabled=false")
                .run(context ->
                        assertTrue(context.getBeansOfType(HealthIndicator.class).isEmpty()));
    }

    // ---- mistakes ----

    @AmoService(group = "counters")
    static final class Second extends CountersInMemory {}

    @AmoService(group = "g")
    static final class WithoutInterface {}

    interface Other {}

    @AmoService(group = "g")
    static final class WithTwoInterfaces extends CountersInMemory implements Other {}

    @AmoService(group = "g", type = Other.class)
    static final class OfAnotherInterface extends CountersInMemory {}

    @AmoService(group = "g")
    @Scope("request")
    static final class OfAnotherScope extends CountersInMemory {}

    @Configuration(proxyBeanMethods = false)
    static class WithAnAspect {
        @Bean
        @AmoService(group = "g")
        Counters counters() {
            ProxyFactory around = new ProxyFactory(new CountersInMemory());
            around.addAdvice((MethodInterceptor) call -> call.proceed());
            return (Counters) around.getProxy();
        }
    }

    static final class OfAGroupThatIsElsewhere {
        OfAGroupThatIsElsewhere(@AmoProxy(group = "elsewhere") Counters counters) {
            assertNotNull(counters);
        }
    }

    @Test
    void mistakesEndTheStartInOneLine() {
        assertRefused(
                counters.withUserConfiguration(Second.class),
                "beans countersInMemory and .*Second are both the @AmoService of group counters; give one of them .*");
        assertRefused(
                application.withUserConfiguration(CountersInMemory.class),
                "the @AmoService bean countersInMemory names no group; say group = .*, or set the property amo.group");
        assertRefused(
                application.withUserConfiguration(WithoutInterface.class),
                "@AmoService: the class of bean .* implements no interface that clients could call; give it one");
        assertRefused(
                application.withUserConfiguration(WithTwoInterfaces.class),
                "@AmoService: the class of bean .* implements .*Other, .*Counters; say which one clients call by type = .*");
        assertRefused(
                application.withUserConfiguration(OfAnotherInterface.class),
                "@AmoService: bean .* does not implement .*Other");
        assertRefused(
                application.withUserConfiguration(OfAnotherScope.class),
                "bean .* is an @AmoService of scope request; leave the scope out");
        assertRefused(
                application.withUserConfiguration(WithAnAspect.class),
                "the @AmoService bean counters is wrapped by an aspect, .*; take the aspect's annotation away");
        assertRefused(
                counters.withUserConfiguration(OfAGroupThatIsElsewhere.class),
                "@AmoTest embeds the groups of the application's services, which are \\[counters]; group elsewhere needs .*");
    }

    /** Spring Boot asks it for the line of a failed start. */
    @Test
    void theAnalyzerOfTheStarterIsRegistered() {
        assertTrue(
                SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(FailureAnalyzer.class, (type, name, failure) -> {})
                        .stream()
                        .anyMatch(StartFailureAnalyzer.class::isInstance));
    }

    private static void assertRefused(ApplicationContextRunner application, String message) {
        application.run(context -> {
            GroupStartException why = assertInstanceOf(GroupStartException.class, root(context.getStartupFailure()));
            assertTrue(String.valueOf(why.getMessage()).matches(message), why.getMessage());
            assertEquals(2, why.getExitCode());
            assertEquals(
                    why.getMessage(),
                    new StartFailureAnalyzer()
                            .analyze(context.getStartupFailure())
                            .getDescription());
        });
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
